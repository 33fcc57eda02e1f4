import { existsSync } from 'node:fs';

import type { CommandUnknownOpts } from 'commander';
import { Command } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Config, Layer } from '../../../config/index.ts';
import { withoutPasswords } from '../../../config/index.ts';
import type { WorkQueue } from '../../../queue/index.ts';
import { openQueue, queueLayer } from '../../../run/queue/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared } from '../../session.ts';
import { quoted } from '../../terminal.ts';

export function queueCommand(name: string) {
  return shared(new Command(name)).option(
    '--queue <path|url>',
    'SQLite file or postgres:// URL of the queue; default: the configured queue',
  );
}

/** Commands that may create the queue; the others would hide a misspelt name, or write where one only wants to read. */
const CREATING: ReadonlySet<string> = new Set(['enqueue', 'import', 'run', 'drain']);

export function requireQueueFile(path: string): void {
  if (existsSync(path)) return;
  throw new AppError('USAGE_QUEUE', `queue not found: ${path}`, {
    hint: 'name it with --queue, for example --queue runs/corals/state/workqueue.sqlite or --queue postgres://host/database',
  });
}

/** What to type to start a worker of this queue. */
export function workerCommand({ queue }: Config): string {
  return `docstokg queue run --queue ${quoted(queue.backend === 'postgres' ? withoutPasswords(queue.url) : queue.path)}`;
}

export interface OpenedQueue {
  readonly queue: WorkQueue;
  readonly session: Session;
  readonly config: Config;
}

/** The action of a queue command: opens the queue for `work`, which gets the options and arguments of the command. */
export function onQueue<Options extends object, Words extends readonly unknown[]>(
  work: (opened: OpenedQueue, options: Options, ...words: Words) => Promise<void>,
  settings: (options: Options) => Promise<Layer> | Layer = () => [],
): (...parsed: [...Words, Options, CommandUnknownOpts]) => Promise<void> {
  return async (...parsed) => {
    const self = parsed.at(-1) as CommandUnknownOpts;
    const options = parsed.at(-2) as Options & { readonly queue?: string };
    const session = openSession(self);
    const { config } = session.load([...queueLayer(options.queue), ...(await settings(options))]);
    if (config.queue.backend === 'sqlite' && !CREATING.has(self.name())) requireQueueFile(config.queue.path);
    await using queue = await openQueue(config, session);
    await work({ queue, session, config }, options, ...(parsed.slice(0, -2) as unknown as Words));
  };
}
