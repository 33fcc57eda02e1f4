import type { Stream } from '../random/stream.ts';
import type { Host, Payload, Profile } from '../world/types.ts';
import type { Behaviour } from './behaviour.ts';
import { ALL_BEHAVIOURS, PLAIN } from './behaviour.ts';

/** Content defects that no header reveals. */
const ODD_CONTENT = ['unrelated', 'preview', 'encrypted', 'zero-pages', 'long'] as const;

/** Probability of each fault for a file of a generated host in the realistic world. */
const REALISTIC: readonly (readonly [number, Behaviour])[] = [
  [0.02, { kind: 'html-as-pdf', page: 'html' }],
  [0.015, { kind: 'status', status: 404 }],
  [0.02, { kind: 'redirect', hops: 1, codes: [302], relative: false }],
  [0.01, { kind: 'redirect', hops: 3, codes: [301, 302, 307], relative: true }],
  [0.03, { kind: 'typed', contentType: 'application/octet-stream', junkBytes: 0 }],
  [0.01, { kind: 'typed', contentType: 'application/pdf', junkBytes: 300 }],
  [0.01, { kind: 'throttled', times: 1, retryAfter: 'seconds' }],
  [0.005, { kind: 'throttled', times: 1, retryAfter: 'date' }],
  [0.01, { kind: 'truncated', how: 'short', times: 1 }],
  [0.01, { kind: 'gzip', how: 'encoded' }],
  [0.02, { kind: 'caching', how: 'strong' }],
  [0.01, { kind: 'caching', how: 'last-modified' }],
  [0.01, { kind: 'wall', how: 'cookie-opens' }],
  [0.005, { kind: 'wall', how: 'soft-404' }],
  [0.01, { kind: 'filename', how: 'rfc8187' }],
  [0.005, { kind: 'status', status: 403 }],
  [0.01, { kind: 'head', how: '405' }],
];

export interface Choice {
  readonly behaviour: Behaviour;
  readonly payload: Payload;
}

/**
 * Chooses the behaviour of a file at a host. `ordinal` numbers the files of a hostile world so that each behaviour
 * occurs in turn; `shared` files are requested for two works, so their behaviour must not depend on request counts.
 */
export function chooseBehaviour(options: {
  readonly profile: Profile;
  readonly host: Host;
  readonly draw: Stream;
  readonly ordinal: number;
  readonly shared: boolean;
  readonly payload: Payload;
}): Choice {
  const { profile, host, draw, ordinal, shared, payload } = options;
  if (profile === 'hostile') return hostileChoice(ordinal, shared, payload);
  if (profile !== 'realistic') return { behaviour: PLAIN, payload };
  if (host.wall) return { behaviour: { kind: 'wall', how: host.wall }, payload };
  if (host.flaky && !shared) {
    const times = draw.chance(0.15) ? 99 : 1 + draw.below(2);
    return { behaviour: { kind: 'flaky', times, how: draw.pick(['503', '502', 'reset']) }, payload };
  }
  let rest = draw.next();
  for (const [share, behaviour] of REALISTIC) {
    rest -= share;
    if (rest < 0) return { behaviour: fitting(behaviour, shared, payload), payload };
  }
  if (rest < 0.01 && payload.form === 'pdf')
    return { behaviour: PLAIN, payload: { form: 'odd-pdf', work: payload.work, how: 'unrelated' } };
  return { behaviour: PLAIN, payload };
}

function hostileChoice(ordinal: number, shared: boolean, payload: Payload): Choice {
  const turn = ordinal % (ALL_BEHAVIOURS.length + ODD_CONTENT.length);
  const behaviour = ALL_BEHAVIOURS[turn];
  if (behaviour) return { behaviour: fitting(behaviour, shared, payload), payload };
  const how = ODD_CONTENT[turn - ALL_BEHAVIOURS.length] ?? 'unrelated';
  return { behaviour: PLAIN, payload: payload.form === 'pdf' ? { form: 'odd-pdf', work: payload.work, how } : payload };
}

/** Drops behaviours that do not apply: counting requests of shared files, or junk before anything but a PDF. */
function fitting(behaviour: Behaviour, shared: boolean, payload: Payload): Behaviour {
  const counts = 'times' in behaviour || (behaviour.kind === 'caching' && behaviour.how === 'changes-once');
  const junk = behaviour.kind === 'typed' && behaviour.junkBytes > 0;
  return (shared && counts) || (junk && payload.form !== 'pdf') ? PLAIN : behaviour;
}
