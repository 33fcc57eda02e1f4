import { Command } from 'commander';

import { readCommandTable } from './command-table.ts';

/** The names under which the one program is entered. */
export type Door = 'docstokg' | 'contentdownload' | 'docparse';

const INTRODUCTIONS: Readonly<Record<Door, string>> = {
  docstokg: 'Turns a research question into a corpus you can search and reason over.',
  contentdownload: 'Finds open full texts of scholarly works and downloads them, politely and completely.',
  docparse: 'Turns papers into structure, chunks and embeddings.',
};

/** A command, behind which doors it stands, and how it is loaded when it is wanted. */
interface Entry {
  readonly name: string;
  readonly doors: readonly Door[];
  /** With the words behind its name, as much of it as they need. */
  readonly load: (words?: readonly string[]) => Promise<Command>;
}

const EVERYWHERE: readonly Door[] = ['docstokg', 'contentdownload', 'docparse'];
const PARSING: readonly Door[] = ['docstokg', 'docparse'];
const exports = () => import('./commands/export.ts');
const stages = () => import('./commands/docparse/stages.ts');

/** In the order of the help. A command's module, and all that it imports, is read only when somebody asks for it. */
const COMMANDS: readonly Entry[] = [
  { name: 'demo', doors: ['docstokg'], load: async () => (await import('./commands/demo.ts')).demoCommand() },
  { name: 'run', doors: ['docstokg'], load: async () => (await import('./commands/run/index.ts')).runCommand() },
  {
    name: 'estimate',
    doors: ['docstokg', 'contentdownload'],
    load: async () => (await import('./commands/estimate.ts')).estimateCommand(),
  },
  {
    name: 'download',
    doors: ['docstokg'],
    load: async () => {
      const { downloadCommand } = await import('./commands/download/index.ts');
      return downloadCommand(new Command('download').description(INTRODUCTIONS.contentdownload));
    },
  },
  {
    name: 'queue',
    doors: ['docstokg', 'contentdownload'],
    load: async (words) => (await import('./commands/queue/index.ts')).queueCommand(words),
  },
  { name: 'doctags', doors: PARSING, load: async () => (await stages()).doctagsCommand() },
  { name: 'chunk', doors: PARSING, load: async () => (await stages()).chunkCommand() },
  { name: 'embed', doors: PARSING, load: async () => (await stages()).embedCommand() },
  { name: 'all', doors: PARSING, load: async () => (await stages()).allCommand() },
  { name: 'plan', doors: PARSING, load: async () => (await stages()).planCommand() },
  {
    name: 'manifest',
    doors: PARSING,
    load: async () => (await import('./commands/docparse/manifest.ts')).manifestCommand(),
  },
  { name: 'show', doors: PARSING, load: async () => (await import('./commands/show.ts')).showCommand() },
  { name: 'parts', doors: PARSING, load: async () => (await import('./commands/parts.ts')).partsCommand() },
  { name: 'search', doors: PARSING, load: async () => (await import('./commands/search.ts')).searchCommand() },
  { name: 'mcp', doors: ['docstokg'], load: async () => (await import('./commands/mcp.ts')).mcpCommand() },
  { name: 'graph', doors: PARSING, load: async () => (await import('./commands/graph/index.ts')).graphCommand() },
  { name: 'serve', doors: ['docstokg'], load: async () => (await import('./commands/serve.ts')).serveCommand() },
  { name: 'refresh', doors: ['docstokg'], load: async () => (await import('./commands/refresh.ts')).refreshCommand() },
  { name: 'export', doors: PARSING, load: async () => (await exports()).exportCommand() },
  { name: 'labels', doors: PARSING, load: async () => (await exports()).labelsCommand() },
  { name: 'versions', doors: PARSING, load: async () => (await exports()).versionsCommand() },
  { name: 'report', doors: PARSING, load: async () => (await import('./commands/report.ts')).reportCommand() },
  { name: 'merge', doors: EVERYWHERE, load: async () => (await import('./commands/merge.ts')).mergeCommand() },
  { name: 'sim', doors: ['docstokg'], load: async () => (await import('./commands/sim.ts')).simCommand() },
  { name: 'doctor', doors: EVERYWHERE, load: async () => (await import('./commands/doctor.ts')).doctorCommand() },
  { name: 'config', doors: EVERYWHERE, load: async () => (await import('./commands/config.ts')).configCommand() },
];

/** The whole command tree as seen through a door. */
export async function createProgram(door: Door, version: string): Promise<Command> {
  const program = await startProgram(door, version, undefined);
  const { completionCommand } = await import('./commands/completion.ts');
  return program.addCommand(completionCommand());
}

/** As much of the tree as the words of a command line need; the other commands are only named. */
export async function createProgramFor(door: Door, version: string, words: readonly string[]): Promise<Command> {
  const program = await startProgram(door, version, words[0] === 'help' ? words[1] : (words[0] ?? ''), words.slice(1));
  const { completionCommand } = await import('./commands/completion.ts');
  return program.addCommand(completionCommand());
}

async function startProgram(
  door: Door,
  version: string,
  wanted: string | undefined,
  words?: readonly string[],
): Promise<Command> {
  const program = new Command(door)
    .description(INTRODUCTIONS[door])
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError()
    // `contentdownload` has options of its own; those behind a command's name are the command's.
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false });
  const here = COMMANDS.filter(({ doors }) => doors.includes(door));
  const known = here.some(({ name }) => name === wanted) || wanted === 'completion';
  if (door === 'contentdownload' && !known) {
    const { downloadCommand } = await import('./commands/download/index.ts');
    downloadCommand(program);
  }
  const table = wanted === undefined ? {} : readCommandTable(door);
  for (const { name, load } of here) {
    const named = table[`${door} ${name}`];
    program.addCommand(named && name !== wanted ? new Command(name).description(named.description) : await load(words));
  }
  return program;
}
