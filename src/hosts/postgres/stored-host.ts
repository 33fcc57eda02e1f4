import type { Clock } from '../../base/index.ts';
import type { HostState, Rules } from '../host.ts';
import { newState } from '../host.ts';

/** A host as it is stored: moments by the server's clock, what is unbounded as null. */
interface StoredHost {
  readonly cap: number | null;
  readonly perSecond: number | null;
  readonly hold: { readonly at: number; readonly reason: 'rate-limited' | 'host-held' } | null;
  readonly strikes: number;
  readonly answersAtCap: number;
  readonly answersAtRate: number;
  readonly failures: number;
  readonly opened: number;
  readonly budgetLeft?: number | null;
}

/** A row of the table of hosts, and the server's moment at which it was read. */
export interface StoredRow {
  readonly key: string;
  readonly learned: StoredHost | null;
  readonly now_ms: number;
}

/** Our time against the server's: real milliseconds per millisecond of the clock. */
export interface OurTime {
  readonly clock: Clock;
  readonly scale: number;
}

/** What a row says of a host, in our own time. */
export function hostOf(
  { key, learned, now_ms: serverNow }: StoredRow,
  rules: Rules,
  { clock, scale }: OurTime,
): HostState {
  const host = newState(key, rules);
  if (learned === null) return host;
  const { hold, cap, perSecond, budgetLeft, ...rest } = learned;
  return {
    ...host,
    ...rest,
    budgetLeft: budgetLeft ?? null,
    cap: cap ?? Infinity,
    perSecond: perSecond ?? Infinity,
    hold: hold && { at: clock.now() + (hold.at - serverNow) / scale, reason: hold.reason },
  };
}

/** A host as it is stored, in the server's time. */
export function storedOf(host: HostState, serverNow: number, { clock, scale }: OurTime): StoredHost {
  const { cap, perSecond, hold, strikes, answersAtCap, answersAtRate, failures, opened, budgetLeft } = host;
  return {
    cap: Number.isFinite(cap) ? cap : null,
    perSecond: Number.isFinite(perSecond) ? perSecond : null,
    hold:
      hold === null || hold.reason === 'paused'
        ? null
        : { at: serverNow + (hold.at - clock.now()) * scale, reason: hold.reason },
    strikes,
    answersAtCap,
    answersAtRate,
    failures,
    opened,
    budgetLeft,
  };
}
