import type { Clock } from '../base/index.ts';
import type { HandlerContext, WorkQueue } from '../queue/index.ts';
import { told } from './queue-words.ts';
import type { KnownIdentity } from './same-works.ts';
import type { Reason } from './reasons.ts';

/** The next run retries works that failed because a service was down, and downloads works that a person split off. */
export async function askAgain(
  {
    queue,
    clock,
    log,
  }: {
    readonly queue: WorkQueue;
    readonly clock: Clock;
    readonly log: HandlerContext['log'];
  },
  identity?: KnownIdentity,
): Promise<void> {
  const { code } = told({ reason: 'lookup-failed', detail: null });
  const again = await queue.store.admin.requeue({ states: ['error'], errorCode: code }, clock.now(), { dryRun: false });
  if (again > 0) log('info', `${again} works for which a service could not be asked are looked for again`);
  const apart = identity?.untriedApart() ?? 0;
  if (apart === 0) return;
  const duplicates = told({ reason: 'duplicate', detail: null }).code;
  await queue.store.admin.requeue({ states: ['skipped'], errorCode: duplicates }, clock.now(), { dryRun: false });
  log('info', `${apart} works that were split off from others are downloaded`);
}

/** Whether a failed work is retried in the same run. */
export function isRetryable(reason: Reason, attempt: number, maxAttempts: number): boolean {
  // Such a host asked for a longer wait than any of our delays.
  return reason !== 'host-given-up' && attempt < maxAttempts;
}
