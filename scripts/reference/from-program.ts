import type { CommandUnknownOpts } from 'commander';

import { createProgram } from '../../src/cli/program.ts';
import type { Key } from '../../src/config/index.ts';
import { settingsTable } from '../../src/config/index.ts';
import { EDGE_KINDS, NODE_KINDS } from '../../src/graph/index.ts';
import { cell, markdownTable, sourceFiles } from './from-sources.ts';

const WIDTH = 100;

/** The help of a command at a fixed terminal width. */
function helpOf(command: CommandUnknownOpts): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => (help += text),
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  // Listed once, at the top of the page.
  return help.replace(/\nEverywhere:\n(?: .*\n)+/, '').trimEnd();
}

/** The commands that do something: those without subcommands, and those that also take arguments themselves. */
function leaves(command: CommandUnknownOpts): CommandUnknownOpts[] {
  const below = command.commands.flatMap(leaves);
  return below.length === 0 || command.registeredArguments.length > 0 ? [command, ...below] : below;
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** docs/reference/cli.md, from the commands themselves. */
export async function cliPage(): Promise<string> {
  const program = await createProgram('docstokg', '0.0.0');
  const commands = leaves(program);
  const everywhere = (commands[0]?.options ?? []).filter(({ helpGroupHeading }) => helpGroupHeading === 'Everywhere:');
  const doors = await Promise.all(
    (['contentdownload', 'docparse'] as const).map(async (door) => {
      const names = (await createProgram(door, '0.0.0')).commands.map((command) => `\`${command.name()}\``);
      return `\`${door}\` has ${names.join(', ')}`;
    }),
  );
  return [
    '# Commands',
    `\`docstokg\` has every command; ${doors.join('; ')}. They are one program.`,
    'Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed (for `queue run`: at least one job ended in error), 2 misused (command line or configuration), 130, 143 and 129 after SIGINT, SIGTERM and SIGHUP.',
    `Every command takes:\n\n${markdownTable(
      ['option', 'meaning'],
      everywhere.map((option) => [`\`${option.flags}\``, cell(option.description)]),
    )}`,
    ...commands.map((command) => `## ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``),
  ].join('\n\n');
}

/** docs/reference/configuration.md, from the schema. */
export function configurationPage(keys: readonly Key[] = settingsTable().keys): string {
  const sections = Map.groupBy(keys, ({ path }) => path[0] ?? '');
  return [
    '# Configuration',
    [
      'Defaults, then the file (`docstokg.yaml`, `.yml` or `.json` in the working folder, or `--config`), then its profile (`--profile`),',
      'then the environment, then flags; later sources override earlier ones. Unknown keys, wrong types and values out of range are errors that name key,',
      'value, origin and range. `docstokg config` prints the current settings with their source; `docstokg config --schema` prints the',
      'JSON Schema.',
    ].join('\n'),
    '```yaml\norchestrator:\n  max_workers: 16\n  max_per_resolver: { unpaywall: 2 }\nprofiles:\n  night:\n    orchestrator:\n      max_workers: 64\n```',
    'In the environment, maps are written as `a:2,b:3` or as JSON. `DOCSTOKG_CONFIG`, `DOCSTOKG_PROFILE` and `DOCSTOKG_SIM` correspond to `--config`, `--profile` and `--sim`.',
    ...[...sections].map(
      ([section, keys]) =>
        `## ${section}\n\n${markdownTable(
          ['key', 'type', 'range', 'default', 'meaning', 'environment'],
          keys.map((key) => [
            `\`${key.name}\``,
            key.type,
            cell(key.range),
            `\`${JSON.stringify(key.default)}\``,
            cell(key.sentence),
            `\`${key.environment}\``,
          ]),
        )}`,
    ),
  ].join('\n\n');
}

/** docs/reference/graph.md: what the graph is made of, from its schema. */
export function graphPage(): string {
  const [schema] = sourceFiles('sql/corpus/schema.sql');
  const graph = schema?.text.slice(schema.text.indexOf('create table graph_sources')) ?? '';
  const tables = [...graph.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)].map(([, name = '', body = '']) => {
    const columns = body.split('\n').flatMap((line) => /^ {2}([a-z_0-9]+) (?:text|integer|real)/.exec(line)?.[1] ?? []);
    return [`\`${name}\``, columns.map((column) => `\`${column}\``).join(', ')];
  });
  return [
    '# The graph',
    'Tables of `corpus.sqlite` in the folder of a corpus. Query it with `docstokg graph …`, `docstokg graph list sql`, or `openGraph` in a program.',
    '## Nodes',
    'A node has an id derived from its content, which starts with its kind (`work:doi:10.1000/182`), and an eleven-character key, the hash of that id, used in edges.',
    markdownTable(
      ['kind', 'meaning'],
      Object.entries(NODE_KINDS).map(([kind, what]) => [`\`${kind}\``, cell(what)]),
    ),
    '## Edges',
    'Every edge has at least one row of evidence.',
    markdownTable(
      ['kind', 'meaning'],
      Object.entries(EDGE_KINDS).map(([kind, what]) => [`\`${kind}\``, cell(what)]),
    ),
    '## Evidence',
    [
      'The source of an edge: the document (`owner`), the hash of its file, the block in reading order, `start_at` and `end_at` in the text of that block, the `quote`, page and boxes (page, left, top, right, bottom in points);',
      'or `origin` and `read_at`, the catalogue and the time of the lookup. Always the method, its version, a score from 0 to 1, and `detail`. For `table-cell` and `table-name` the offsets refer to the text of the cell given by row and column in `detail`.',
    ].join('\n'),
    '## Tables',
    markdownTable(['table', 'columns'], tables),
  ].join('\n\n');
}
