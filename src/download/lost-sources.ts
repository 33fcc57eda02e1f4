import { hostKey } from '../base/index.ts';
import type { ManifestRow } from './manifest-row.ts';
import type { Reason } from './reasons.ts';

/** Reasons that speak of a source that would not or could not give what it has; the others say that it has nothing. */
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

/** The hosts that kept a work from being had, each with its last reason; none for a work that was had. */
export function lostSources({ outcome, attempts }: ManifestRow): ReadonlyMap<string, Reason> {
  const lost = new Map<string, Reason>();
  if (outcome === 'saved') return lost;
  for (const { url, final_url: last, reason } of attempts) {
    // A DOI leads on: who did not give the file is the one it led to.
    const at = URL.parse(last) ?? URL.parse(url);
    if (LOST.has(reason) && at) lost.set(hostKey(at), reason);
  }
  return lost;
}
