import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { CommandUnknownOpts } from 'commander';

import { createProgram } from '../src/cli/program.ts';
import { settingsTable } from '../src/config/index.ts';
import { BenchReport } from '../bench/kit.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const defaults = settingsTable().defaults;
const packageJson = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

function everyCommand(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

test('help examples that use the web include --mailto', async () => {
  const shown: string[] = [];
  for (const command of everyCommand(await createProgram('docstokg', '0.0.0'))) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    if (command.options.some(({ long }) => long === '--mailto') || command.name() === 'queue')
      shown.push(...(help.match(/^ {2}(?:contentdownload|docstokg) .*$/gm) ?? []));
  }
  const asking = shown.filter(
    (line) =>
      /queue (?:run|drain)|contentdownload (?!queue)|docstokg (?:run|refresh|estimate) /.test(line) &&
      !/--handler|nothing is downloaded|resumes that run/.test(line),
  );
  assert.ok(asking.length >= 4, shown.join('\n'));
  for (const line of asking) assert.match(line, /--mailto \S+@\S+/, line);
});

test('README names the Node that the package needs and the one that a clone needs', () => {
  const [, needed = ''] = /^>=(\d+\.\d+)$/.exec(packageJson.engines.node) ?? [];
  assert.ok(read('README.md').includes(`Node ${needed} or newer`), needed);
  assert.match(read('README.md'), /Any Node from 18 on will do there: `npm ci` brings the Node 24/);
});

test('README lists no command that measures nothing without extra data', () => {
  const named = [...read('README.md').matchAll(/npm run ([a-z:]+)(?: ([a-z]+))?/g)];
  for (const [, script = '', bench = ''] of named) {
    const entry = packageJson.scripts[script];
    assert.ok(entry, `there is no script ${script}`);
    const file = script === 'bench' ? `bench/${bench}.ts` : /(?:scripts)\/[a-z-]+\.ts/.exec(entry)?.[0];
    if (file) assert.doesNotMatch(read(file), /\.\.\/shared|'shared'/, `${file} reads data that a clone does not have`);
  }
});

test('a bench exits with 1 for a missed target only with --check', () => {
  const finished = (check: boolean, fill: (report: BenchReport) => void): unknown => {
    const written = process.stdout.write.bind(process.stdout);
    process.stdout.write = () => true;
    try {
      const report = new BenchReport('test', { check, json: true, quick: true });
      fill(report);
      report.finish();
      return process.exitCode ?? 0;
    } finally {
      process.stdout.write = written;
      process.exitCode = 0;
    }
  };
  const miss = (report: BenchReport): void => report.add({ name: 's', samples: [1], unit: '×', atLeast: 2 });
  assert.deepEqual([finished(false, miss), finished(true, miss)], [0, 1]);
});

test('figures in politeness.md match the settings', () => {
  const page = read('docs/guides/politeness.md');
  assert.match(page, /`Crawl-delay` is obeyed up to five minutes/);
  assert.equal(defaults.http.longest_crawl_delay_s, 300);
  assert.match(page, /The program waits up to a minute/);
  assert.equal(defaults.http.park_after_s, 60);
  assert.doesNotMatch(page, /two at a time/);
});

test('keys-and-budgets.md matches what the program requests without a key', () => {
  assert.match(read('docs/guides/keys-and-budgets.md'), /without a key, one topic gives at most 10,000 works/);
  assert.match(read('src/works/openalex/list-works.ts'), /^const PAGED_RESULTS = 10_000;$/m);
});

test('reliability.md states the number of kills its tests make, and no guide announces future features', () => {
  const page = read('docs/reliability.md');
  assert.match(page, /run-kill\.test\.ts` “[^”]*” \(2 kills;/);
  assert.match(read('test/e2e/run-kill.test.ts'), /kills: 2,/);
  assert.match(page, /`DOCSTOKG_TEST_KILLS=50` makes it longer/);
  assert.match(read('test/e2e/queue-kill.test.ts'), /\['DOCSTOKG_TEST_KILLS'\]/);
  for (const guide of globSync('docs/guides/*.md', { cwd: ROOT }))
    assert.doesNotMatch(read(guide), /\bonce \w+ is built in\b|\bnot yet built\b|\bcoming soon\b/, guide);
});

test('the stage runner has no code used only by benchmarks', () => {
  assert.equal(existsSync(join(ROOT, 'src/stage/answer-ring.ts')), false);
  for (const file of globSync('src/stage/**/*.ts', { cwd: ROOT }))
    assert.doesNotMatch(read(file), /\bCOLLECT_MS\b|\bisPlain\b/, file);
});

test('a clone on Windows has the same line endings and working start and test commands', () => {
  assert.match(read('.gitattributes'), /^\* text=auto eol=lf$/m);
  assert.doesNotMatch(read('README.md'), /^\.\/bin\//m);
  // File names are compared with slashes on every system.
  assert.match(read('scripts/test.ts'), /file\.split\(sep\)\.join\('\/'\)/);
  const run = spawnSync(process.execPath, [join(ROOT, 'scripts/test.ts'), 'no/such\\test'], {
    encoding: 'utf8',
    cwd: ROOT,
  });
  assert.deepEqual([run.status, run.stderr.trim()], [2, String.raw`no test file matches no/such\test`]);
});

test('the Node types match the oldest supported Node, so that newer APIs do not compile', () => {
  const { version } = JSON.parse(read('node_modules/@types/node/package.json')) as { readonly version: string };
  const promised = /\d+\.\d+/.exec(packageJson.engines.node)?.[0];
  assert.equal(version.split('.').slice(0, 2).join('.'), promised);
});
