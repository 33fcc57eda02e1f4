import { existsSync } from 'node:fs';

import type { Command } from 'commander';

import { AppError, wait } from '../../../base/index.ts';
import type { Layer, Loaded } from '../../../config/index.ts';
import type { WorkQueue } from '../../../queue/index.ts';
import { openQueue, queueLayer } from '../../../harvest/queue/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared, stopSignal } from '../../session.ts';
import { CLEAR } from '../../terminal.ts';

const WATCH_MS = 1_000;

export function queueOptions(command: Command): Command {
  return shared(command).option(
    '--queue <path|url>',
    'SQLite file or postgres:// URL of the queue; default: the configured queue',
  );
}

/** Commands that may create the queue; the others would hide a misspelt name. */
const CREATING: ReadonlySet<string> = new Set(['enqueue', 'import', 'run']);

export function requireQueueFile(path: string): void {
  if (existsSync(path)) return;
  throw new AppError('USAGE_QUEUE', `queue not found: ${path}`, {
    hint: 'create one with contentdownload queue enqueue; a PostgreSQL URL starts with postgres://',
  });
}

export async function withQueue(
  command: Command,
  work: (queue: WorkQueue, session: Session, loaded: Loaded) => Promise<void>,
  flags: Layer = [],
): Promise<void> {
  const session = openSession(command);
  const loaded = session.load([...queueLayer(command.opts<{ queue?: string }>().queue), ...flags]);
  const isNamed = loaded.origins.has('queue.path') && loaded.config.queue.backend === 'sqlite';
  if (isNamed && !CREATING.has(command.name())) requireQueueFile(loaded.config.queue.path);
  await using queue = await openQueue(loaded.config, session);
  await work(queue, session, loaded);
}

/** Prints once, or with `--watch` every second until Ctrl-C. */
export async function showRepeatedly(
  session: Session,
  isWatching: boolean | undefined,
  read: () => Promise<object>,
  print: (value: object) => void,
): Promise<void> {
  if (!isWatching) return print(await read());
  using stop = stopSignal();
  while (!stop.signal.aborted) {
    const value = await read();
    // Right before the output, to avoid flicker.
    if (process.stdout.isTTY) process.stdout.write(CLEAR);
    print(value);
    await wait(session.clock, WATCH_MS, stop.signal).catch(() => undefined);
  }
}
