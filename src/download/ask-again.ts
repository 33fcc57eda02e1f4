import type { Clock } from '../base/index.ts';
import type { HandlerContext, WorkQueue } from '../queue/index.ts';
import { told } from './queue-words.ts';
import type { Reason } from './reasons.ts';

/** Works that were given up because a service was away are asked for again by the next run: nobody has said that they are not there. */
export async function askAgain({
  queue,
  clock,
  log,
}: {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly log: HandlerContext['log'];
}): Promise<void> {
  const { code } = told({ reason: 'lookup-failed', detail: null });
  const again = await queue.store.admin.requeue({ states: ['error'], errorCode: code }, clock.now(), { dryRun: false });
  if (again > 0) log('info', `${again} works for which a service could not be asked are looked for again`);
}

/** Whether a work that broke is tried again in the same run. */
export function isRetryable(reason: Reason, attempt: number, maxAttempts: number): boolean {
  // A host that was given up asked for more time than any of our delays.
  return reason !== 'host-given-up' && attempt < maxAttempts;
}
