import type { Command } from 'commander';

import type { Layer, Loaded } from '../../../config/index.ts';
import type { WorkQueue } from '../../../queue/index.ts';
import { openQueue, queueLayer } from '../../../harvest/queue/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared } from '../../session.ts';

export function queueOptions(command: Command): Command {
  return shared(command).option(
    '--queue <path|url>',
    'SQLite file or postgres:// URL of the queue; default: the configured queue',
  );
}

/** Opens the queue, runs `work` and closes the queue. */
export async function withQueue(
  command: Command,
  work: (queue: WorkQueue, session: Session, loaded: Loaded) => Promise<void>,
  flags: Layer = [],
): Promise<void> {
  const session = openSession(command);
  const loaded = session.load([...queueLayer(command.opts<{ queue?: string }>().queue), ...flags]);
  await using queue = await openQueue(loaded.config, session);
  await work(queue, session, loaded);
}

/** Converts a manifest reason to an error code: `not-found` → `NOT_FOUND`. */
export function codeOfReason(reason: string | undefined): string | undefined {
  return reason?.toUpperCase().replaceAll('-', '_');
}
