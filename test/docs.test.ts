import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { test } from 'node:test';

import type { CommandUnknownOpts } from 'commander';
import { parse as parseYaml } from 'yaml';

import { referencePages } from '../scripts/reference.ts';
import { createProgram } from '../src/cli/program.ts';
import { loadSchema, settingsTable } from '../src/config/index.ts';
import { discoveryQuery } from '../src/run/list/discover.ts';
import { parseBooleanQuery } from '../src/works/index.ts';

const ROOT = join(import.meta.dirname, '..');
const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'examples/*.md'], { cwd: ROOT })
  .map((file) => file.split(sep).join('/'))
  .sort();
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');

const generated = await referencePages();
for (const [file, text] of Object.entries(generated)) {
  test(`${file} is what the program says`, () => {
    assert.ok(text.split('\n').length > 20, `${file} is nearly empty`);
    assert.equal(read(file), text, 'run npm run docs');
  });
}

/** The anchor of a heading. */
function anchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

for (const page of pages) {
  test(`every link in ${page} works`, () => {
    const links = [
      ...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)|<img[^>]*\ssrc="([^"]+)"|<a[^>]*\shref="([^"]+)"/g),
    ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
    for (const link of links.filter((each) => !/^[a-z]+:/.test(each))) {
      const [path = '', fragment] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(join(ROOT, target)), `${page} links to ${link}, which does not exist`);
      if (fragment === undefined) continue;
      const anchors = [...read(target).matchAll(/^#+ (.+)$/gm)].map((match) => anchor(match[1] ?? ''));
      assert.ok(anchors.includes(fragment), `${page} links to ${link}, but ${target} has no such heading`);
    }
  });
}

/** Our commands in the code of a text, each as a list of words up to a pipe, a comment or the next command. */
function shownCommands(text: string): string[][] {
  const blocks = [...text.matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```/gm)].map((match) =>
    (match[1] ?? '').replaceAll(/\\\n/g, ' '),
  );
  const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  return (
    [...blocks.flatMap((block) => block.split('\n')), ...inline]
      .flatMap((line) => line.replaceAll(/'[^']*'|"[^"]*"/g, 'VALUE').split(/\s#\s|&&|\||;|\$\(|<\(|\s>/))
      // Guides write `queue stats` for short.
      .map((part) => part.replace(/^queue (?=[a-z])/, 'docstokg queue '))
      .map((part) =>
        part
          .replace(/^[\s$]*(?:[A-Z_]+=\S+\s+)*(?:node (?=bin\/))?/, '')
          .split(/[\s)]+/)
          .filter((word) => word !== ''),
      )
      .filter(
        ([first = '', second]) =>
          /^(?:(?:\.\/)?bin\/)?(?:docstokg|contentdownload|docparse)$/.test(first) && second !== undefined,
      )
  );
}

/** Programs are not run here, so one of each is enough. */
const programs = new Map<string, Promise<CommandUnknownOpts>>();

/** What is wrong with a command line, if anything. */
async function faultOf([door = '', ...words]: readonly string[]): Promise<string | undefined> {
  const name = door.replace(/^(?:\.\/)?bin\//, '');
  const program = programs.get(name) ?? createProgram(name as 'docstokg', '0.0.0');
  programs.set(name, program);
  let command: CommandUnknownOpts = await program;
  for (const word of words) {
    if (word === '…' || word === '...') continue;
    if (word.startsWith('-')) {
      const name = word.split('=')[0];
      const known = command.options.some(({ long, short }) => long === name || short === name);
      if (!known && !['-h', '--help'].includes(word)) return `${command.name()} has no option ${word}`;
    } else if (command.commands.length > 0) {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      // A command with arguments, such as contentdownload, accepts any word.
      if (!next && command.registeredArguments.length === 0) return `${command.name()} has no command ${word}`;
      command = next ?? command;
    }
  }
  return undefined;
}

test('the check of commands in the documentation finds unknown ones', async () => {
  assert.equal(await faultOf(['docstokg', 'queue', 'stats', '--watch']), undefined);
  assert.match((await faultOf(['docstokg', 'queue', 'explode'])) ?? '', /no command explode/);
  assert.match((await faultOf(['bin/docstokg', 'queue', 'stats', '--loud'])) ?? '', /no option --loud/);
  assert.deepEqual(shownCommands('```sh\nnpm ci && node bin/docstokg queue stats | jq\n```\nand `docstokg config`'), [
    ['bin/docstokg', 'queue', 'stats'],
    ['docstokg', 'config'],
  ]);
});

const { keys } = settingsTable();
// The changelog names commands of earlier versions.
for (const page of pages.filter((each) => each !== 'CHANGELOG.md' && !each.startsWith('docs/reference/'))) {
  test(`every command and setting shown in ${page} exists`, async () => {
    const text = read(page);
    for (const words of shownCommands(text)) {
      const fault = await faultOf(words);
      assert.equal(fault, undefined, `${page} shows "${words.join(' ')}": ${fault}`);
    }
    const sections = [...new Set(keys.map(({ path }) => path[0] ?? ''))];
    for (const [, name = ''] of text.matchAll(
      // `stage.ts` and `model.onnx` are files, `ask.ndjson` is a route.
      new RegExp(`\`((?:${sections.join('|')})\\.(?!(?:ts|onnx|ndjson)\`)[a-z_]+)(?:: [^\`]*)?\``, 'g'),
    )) {
      assert.ok(
        keys.some((key) => key.name === name),
        `${page} names ${name}, which is no setting`,
      );
    }
  });
}

for (const page of pages) {
  const examples = [...read(page).matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
  if (examples.length === 0) continue;
  test(`every configuration shown in ${page} is valid`, () => {
    for (const example of examples) {
      const { profiles: _, ...settings } = parseYaml(example) as Record<string, unknown>;
      const { error } = ('query' in settings ? discoveryQuery : loadSchema().configSchema).safeParse(settings);
      if (typeof settings['query'] === 'string') assert.ok(parseBooleanQuery(settings['query']));
      assert.equal(error, undefined, `${page} shows\n${example}${error?.message ?? ''}`);
    }
  });
}

function everyCommand(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

test('every command has a description, and every executable command an example', async () => {
  for (const command of everyCommand(await createProgram('docstokg', '0.0.0'))) {
    assert.notEqual(command.description(), '', command.name());
    for (const option of command.options) assert.notEqual(option.description, '', `${command.name()} ${option.flags}`);
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    if (command.commands.length === 0) assert.match(help, /Examples?:/, `${command.name()} --help shows no example`);
  }
});

test('every test that docs/reliability.md names exists under that title', () => {
  const named = [...read('docs/reliability.md').matchAll(/`((?:src|test)\/[^`]+\.ts)`:? “([^”]+)”/g)];
  assert.ok(named.length > 10, 'the page names its tests as `file` “title”');
  for (const [, file = '', title = ''] of named) {
    assert.ok(existsSync(join(ROOT, file)), `there is no ${file}`);
    // Values inserted into a title when the test runs are quoted as ….
    const pattern = title
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('[^\\n]*');
    assert.match(read(file), new RegExp(pattern), `${file} has no test “${title}”`);
  }
});
