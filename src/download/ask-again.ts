import type { Clock, ErrorInfo } from '../base/index.ts';
import type { WorkOutcome } from './outcome.ts';
import type { Reason } from './reasons.ts';
import { REASONS } from './reasons.ts';
import type { KnownIdentity } from './same-works.ts';
import type { HandlerContext, WorkQueue } from '../queue/index.ts';
import type { Work } from '../works/index.ts';

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
  const { code } = toErrorInfo({ reason: 'lookup-failed', detail: null });
  const again = await queue.store.admin.requeue({ states: ['error'], errorCode: code }, clock.now(), { dryRun: false });
  if (again > 0) log('info', `${again} works for which a service could not be asked are looked for again`);
  const apart = identity?.untriedApart() ?? 0;
  if (apart === 0) return;
  const duplicates = toErrorInfo({ reason: 'duplicate', detail: null }).code;
  await queue.store.admin.requeue({ states: ['skipped'], errorCode: duplicates }, clock.now(), { dryRun: false });
  log('info', `${apart} works that were split off from others are downloaded`);
}

/** Whether a failed work is retried in the same run. */
export function isRetryable(reason: Reason, attempt: number, maxAttempts: number): boolean {
  // Such a host asked for a longer wait than any of our delays.
  return reason !== 'host-given-up' && attempt < maxAttempts;
}

/** The reason as an error code, `no-plan` → `NO_PLAN`, with its detail. */
export function toErrorInfo({
  reason,
  detail,
}: {
  readonly reason: Reason;
  readonly detail: string | null;
}): ErrorInfo {
  return { code: reason.toUpperCase().replaceAll('-', '_'), message: detail ?? REASONS[reason].sentence };
}

/** A saved work as shown by `queue list`. */
export function resultOf({ artifact, attempt }: WorkOutcome & { kind: 'saved' }, worker: string): object {
  const { path, bytes, sha256 } = artifact;
  return { path, resolver: attempt.resolver, host: new URL(attempt.finalUrl).host, worker, bytes, sha256 };
}

/** The first known file: its host is requested first, so the queue can start with the busiest host. */
export function likelyUrl({ locations, urls }: Work): string | undefined {
  return locations.find(({ isOpen, pdfUrl }) => isOpen && pdfUrl !== null)?.pdfUrl ?? urls[0];
}

export function codeIs(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
