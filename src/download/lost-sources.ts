import { hostKey } from '../base/index.ts';
import type { ManifestRow } from './manifest-row.ts';
import type { Reason } from './reasons.ts';

/** Reasons of a source that would not or could not deliver; other reasons mean it has nothing. */
const LOST: ReadonlySet<Reason> = new Set<Reason>([
  'bot-wall',
  'blocked-captcha',
  'blocked-cookie',
  'forbidden',
  'robots-disallowed',
  'server-error',
  'connection-failed',
  'timeout',
  'truncated',
  'rate-limited',
  'host-given-up',
  'host-paused',
]);

/** The hosts that failed to deliver a work, with their last reason; empty for a saved work. */
export function lostSources({ outcome, attempts }: ManifestRow): ReadonlyMap<string, Reason> {
  const lost = new Map<string, Reason>();
  if (outcome === 'saved') return lost;
  for (const { url, final_url: last, reason } of attempts) {
    // A DOI redirects: the host it led to failed.
    const at = URL.parse(last) ?? URL.parse(url);
    if (LOST.has(reason) && at) lost.set(hostKey(at), reason);
  }
  return lost;
}
