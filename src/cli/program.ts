import type { CommandUnknownOpts } from 'commander';
import { Command } from 'commander';

import { readGenerated, settingsTable, writeGenerated } from '../config/generated/index.ts';
import type { CommandTable } from './completion.ts';
import { commandTable, completionCommand } from './completion.ts';

export type Door = 'docstokg' | 'contentdownload' | 'docparse';

const INTRODUCTIONS: Readonly<Record<Door, string>> = {
  docstokg: 'Turns a research question into a searchable corpus and knowledge graph.',
  contentdownload: 'Finds open-access full texts of scholarly works and downloads them politely.',
  docparse: 'Parses papers into DocTags, chunks and embeddings.',
};

interface Entry {
  readonly name: string;
  readonly doors: readonly Door[];
  /** If `words` (those after its name) name a subcommand, a group loads only that one. */
  readonly load: (words?: readonly string[]) => Promise<CommandUnknownOpts>;
}

const EVERYWHERE: readonly Door[] = ['docstokg', 'contentdownload', 'docparse'];
const PARSING: readonly Door[] = ['docstokg', 'docparse'];
const folders = () => import('./commands/folders.ts');
const stages = () => import('./commands/docparse/stages.ts');

/** In help order. Each module is loaded only when its command runs. */
const COMMANDS: readonly Entry[] = [
  { name: 'demo', doors: ['docstokg'], load: async () => (await import('./commands/demo.ts')).demoCommand() },
  {
    name: 'discover',
    doors: ['docstokg'],
    load: async () => (await import('./commands/discover.ts')).discoverCommand(),
  },
  { name: 'run', doors: ['docstokg'], load: async () => (await import('./commands/run/index.ts')).runCommand() },
  {
    name: 'queue',
    doors: ['docstokg', 'contentdownload'],
    load: async (words) => (await import('./commands/queue/index.ts')).queueCommand(words),
  },
  { name: 'doctags', doors: PARSING, load: async () => (await stages()).doctagsCommand() },
  { name: 'chunk', doors: PARSING, load: async () => (await stages()).chunkCommand() },
  { name: 'embed', doors: PARSING, load: async () => (await stages()).embedCommand() },
  { name: 'parse', doors: PARSING, load: async () => (await stages()).parseCommand() },
  { name: 'stage-log', doors: PARSING, load: async () => (await stages()).stageLogCommand() },
  { name: 'figures', doors: PARSING, load: async () => (await stages()).figuresCommand() },
  { name: 'search', doors: PARSING, load: async () => (await import('./commands/search.ts')).searchCommand() },
  { name: 'ask', doors: PARSING, load: async () => (await import('./commands/ask.ts')).askCommand() },
  { name: 'table', doors: PARSING, load: async () => (await import('./commands/table.ts')).tableCommand() },
  { name: 'set', doors: PARSING, load: async () => (await folders()).setCommand() },
  { name: 'mcp', doors: ['docstokg'], load: async () => (await import('./commands/mcp.ts')).mcpCommand() },
  { name: 'graph', doors: PARSING, load: async () => (await import('./commands/graph.ts')).graphCommand() },
  { name: 'serve', doors: ['docstokg'], load: async () => (await import('./commands/serve.ts')).serveCommand() },
  { name: 'refresh', doors: ['docstokg'], load: async () => (await folders()).refreshCommand() },
  { name: 'export', doors: PARSING, load: async () => (await import('./commands/export.ts')).exportCommand() },
  { name: 'screen', doors: ['docstokg'], load: async () => (await import('./commands/screen.ts')).screenCommand() },
  { name: 'notes', doors: ['docstokg'], load: async () => (await import('./commands/notes.ts')).notesCommand() },
  { name: 'zotero', doors: ['docstokg'], load: async () => (await import('./commands/zotero.ts')).zoteroCommand() },
  { name: 'work-versions', doors: PARSING, load: async () => (await folders()).workVersionsCommand() },
  { name: 'reindex', doors: EVERYWHERE, load: async () => (await folders()).reindexCommand() },
  { name: 'merge', doors: EVERYWHERE, load: async () => (await folders()).mergeCommand() },
  { name: 'copy', doors: EVERYWHERE, load: async () => (await folders()).copyCommand() },
  { name: 'store', doors: EVERYWHERE, load: async () => (await folders()).storeCommand() },
  { name: 'sim', doors: ['docstokg'], load: async () => (await import('./commands/sim.ts')).simCommand() },
  { name: 'doctor', doors: EVERYWHERE, load: async () => (await import('./commands/doctor.ts')).doctorCommand() },
  { name: 'config', doors: EVERYWHERE, load: async () => (await import('./commands/config.ts')).configCommand() },
];

/** Adds the setting to the message about an unknown option: many options are settings only. */
export function withHint(message: string): string {
  const [, option = ''] = /unknown option '--([a-z-]+)'/.exec(message) ?? [];
  const name = option.replaceAll('-', '_');
  const key = option === '' ? undefined : settingsTable().keys.find(({ path }) => path.at(-1) === name);
  return key ? `${message.trimEnd()}; use --set ${key.name}=VALUE\n` : message;
}

/** Options of every command, and whether they take a value. */
const SHARED_OPTIONS: Readonly<Record<string, boolean>> = {
  '-c': true,
  '--config': true,
  '--profile': true,
  '--set': true,
  '--log-level': true,
  '--json': false,
  '--no-color': false,
};

/** Moves shared options from before the command to after it: `--json queue stats` is `queue stats --json`. */
export function optionsAfterCommand(door: Door, words: readonly string[]): string[] {
  let at = 0;
  while (at < words.length) {
    const [name = ''] = (words[at] ?? '').split('=');
    const takesValue = SHARED_OPTIONS[name];
    if (takesValue === undefined) break;
    at += takesValue && !(words[at] ?? '').includes('=') ? 2 : 1;
  }
  const rest = words.slice(at);
  const isCommand = COMMANDS.some(({ name, doors }) => name === rest[0] && doors.includes(door));
  if (at === 0 || !isCommand) return [...words];
  const end = rest.indexOf('--');
  const before = end === -1 ? rest : rest.slice(0, end);
  return [...before, ...words.slice(0, at), ...rest.slice(before.length)];
}

/** Runs a command line. Errors are thrown: those of commander after it has printed them with `writeErr`. */
export async function runCommandLine(
  door: Door,
  version: string,
  given: readonly string[],
  writeErr = (text: string): void => void process.stderr.write(text),
): Promise<void> {
  const words = optionsAfterCommand(door, given);
  const named = words[0] === 'help' ? words[1] : (words[0] ?? '');
  const program = await createProgram(door, version, named, words.slice(1));
  const outputError = (text: string, write: (text: string) => void): void => write(withHint(text));
  everyCommand(program, (command) => command.exitOverride().configureOutput({ writeErr, outputError }));
  await program.parseAsync(withoutHelpForUnknown(program, words), { from: 'user' });
}

function everyCommand(command: CommandUnknownOpts, visit: (command: CommandUnknownOpts) => void): void {
  visit(command);
  for (const child of command.commands) everyCommand(child, visit);
}

/** For `--help` of an unknown command, drop the help option so that parsing rejects the name and suggests one. */
function withoutHelpForUnknown(root: CommandUnknownOpts, words: readonly string[]): readonly string[] {
  let command = root;
  for (const word of words[0] === 'help' ? words.slice(1) : words) {
    const takesWords = command.registeredArguments.length > 0 || command.commands.length === 0;
    if (word.startsWith('-') || takesWords) return words;
    const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (!child && word !== 'help') return words.filter((each) => !/^(-h|--help|help)$/.test(each));
    command = child ?? command;
  }
  return words;
}

/** The command tree. If a command is requested, the others have just a name and a description. */
export async function createProgram(door: Door, version: string, requested?: string, words?: readonly string[]) {
  const program = new Command(door)
    .description(INTRODUCTIONS[door])
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError()
    .showHelpAfterError(`(${door} --help lists the commands and options)`)
    // `contentdownload` has options itself; options after a command belong to the command.
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false });
  const here = COMMANDS.filter(({ doors }) => doors.includes(door));
  const known = here.some(({ name }) => name === requested) || requested === 'completion';
  if (door === 'contentdownload' && !known) {
    const { downloadCommand } = await import('./commands/run/index.ts');
    downloadCommand(program);
  }
  const table = requested === undefined ? {} : await tableOf(door);
  for (const { name, load } of here) {
    const named = table[`${door} ${name}`];
    program.addCommand(
      named && name !== requested ? new Command(name).description(named.description) : await load(words),
    );
  }
  return program.addCommand(completionCommand(tableOf));
}

/** Command tables of all programs. Help and completion use them instead of loading every command. */
export async function commandTables(): Promise<Readonly<Record<string, CommandTable>>> {
  const tables = await Promise.all(EVERYWHERE.map(async (door) => [door, commandTable(await createProgram(door, ''))]));
  return Object.fromEntries(tables) as Readonly<Record<string, CommandTable>>;
}

async function tableOf(door: string): Promise<CommandTable> {
  const read = readGenerated('commands.json') as Readonly<Record<string, CommandTable>> | undefined;
  const tables = read ?? (await commandTables());
  if (!read) writeGenerated('commands.json', JSON.stringify(tables));
  return tables[door] ?? {};
}
