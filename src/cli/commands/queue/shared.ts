import type { Command } from 'commander';

import type { Layer, Loaded } from '../../../config/index.ts';
import type { WorkQueue } from '../../../queue/index.ts';
import { openQueue, queueLayer } from '../../../harvest/queue/index.ts';
import type { Session } from '../../session.ts';
import { openSession, shared } from '../../session.ts';

/** Adds the options that every queue command takes. */
export function queueOptions(command: Command): Command {
  return shared(command).option('--queue <path|url>', 'a SQLite file or postgres://… in place of the configured queue');
}

/** Runs a command's work with its queue open, and closes it whatever happens. */
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

/** A reason of the manifest as the queue counts it: `not-found` and `NOT_FOUND` are the same. */
export function codeOfReason(reason: string | undefined): string | undefined {
  return reason?.toUpperCase().replaceAll('-', '_');
}
