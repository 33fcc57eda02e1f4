import { REASONS } from '../../src/download/index.ts';

export { REASONS };
export type Reason = keyof typeof REASONS;

export function isReason(word: unknown): word is Reason {
  return typeof word === 'string' && Object.hasOwn(REASONS, word);
}

const BROKEN: ReadonlySet<string> = new Set<Reason>([
  'server-error',
  'connection-failed',
  'timeout',
  'truncated',
  'empty-body',
  'checksum-mismatch',
]);

/**
 * The outcome of a work without a file: failed if something broke, with its last reason; otherwise skipped, with the
 * last reason of all.
 */
export function lossOf(attempts: readonly { readonly reason: Reason }[]): {
  readonly outcome: 'failed' | 'skipped';
  readonly reason: Reason;
} {
  const broken = attempts.findLast(({ reason }) => BROKEN.has(reason));
  return broken
    ? { outcome: 'failed', reason: broken.reason }
    : { outcome: 'skipped', reason: attempts.at(-1)?.reason ?? 'no-plan' };
}
