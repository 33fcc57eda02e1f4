import type { CommandUnknownOpts } from 'commander';
import { Command } from 'commander';

const jobs = () => import('./jobs.ts');

/** Commands by name; each module is loaded only when its command runs. */
const CHILDREN: Readonly<Record<string, () => Promise<CommandUnknownOpts>>> = {
  enqueue: async () => (await jobs()).enqueueCommand(),
  import: async () => (await jobs()).importCommand(),
  run: async () => (await import('./run.ts')).runCommand(),
  drain: async () => (await import('./run.ts')).drainCommand(),
  stats: async () => (await import('./stats.ts')).statsCommand(),
  'retry-failed': async () => (await jobs()).retryFailedCommand(),
  pause: async () => (await jobs()).pauseCommand('pause'),
  resume: async () => (await jobs()).pauseCommand('resume'),
  list: async () => (await jobs()).listCommand(),
  cancel: async () => (await jobs()).cancelCommand(),
  prune: async () => (await jobs()).pruneCommand(),
};

/** Builds `queue …`. If `words` name a command, only that command is loaded. */
export async function queueCommand(words: readonly string[] = []): Promise<Command> {
  const command = new Command('queue')
    .description('the persistent work queue')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText(
      'after',
      `
Example:
  contentdownload queue import artifacts.jsonl
  contentdownload queue run --workers 8 --drain --mailto you@university.example
  contentdownload queue stats
`,
    );
  const [name = ''] = words;
  const load = Object.hasOwn(CHILDREN, name) ? CHILDREN[name] : undefined;
  for (const child of load ? [load] : Object.values(CHILDREN)) command.addCommand(await child());
  return command;
}
