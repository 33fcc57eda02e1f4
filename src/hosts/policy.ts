import type { Random } from '../base/index.ts';
import { equalJitterDelay } from '../base/index.ts';
import type { Hold, HostState } from './host.ts';

/** What counts when a host says nothing itself. */
export interface PolicySettings {
  /** How long a host is held that says 429 without a time; doubles with each. */
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  /** Failures in a row after which a host is held, for how long at first and at most. */
  readonly circuit: { readonly failures: number; readonly openMs: number; readonly longestOpenMs: number };
  /** A host that asks for a longer pause than this is given up. */
  readonly giveUpAfterMs: number;
  readonly random?: Random | undefined;
}

const DAY_MS = 24 * 3_600_000;

export const DEFAULT_POLICY: PolicySettings = {
  backoff: { baseMs: 1_000, capMs: 60_000 },
  circuit: { failures: 5, openMs: 30_000, longestOpenMs: 15 * 60_000 },
  giveUpAfterMs: 7 * DAY_MS,
};

/** From this many requests to slow down in a row on, the cap is halved with each. */
const STRIKES_TO_HALVE = 2;
/** Good answers after which the cap is raised by one, and after which a slowed host is asked a quarter faster. */
const ANSWERS_TO_RAISE = 10;
const ANSWERS_TO_QUICKEN = 20;
const QUICKER = 1.25;
/** No host is asked more slowly than this share of what its rules allow because of its 429s alone. */
const SLOWEST_SHARE = 1 / 16;

/** A budget is reported again when it has shrunk by this share. */
const BUDGET_STEP = 0.05;

/** A hold never becomes shorter by another. */
export function held(host: HostState, hold: Hold): HostState {
  return host.hold !== null && host.hold.at >= hold.at ? host : { ...host, hold };
}

/**
 * The host asked to slow down (429, or 503 with a time): it is held until the moment it names, or for a growing while,
 * and asked less from then on. Several complaints of one burst are one: the first has closed the host.
 */
export function throttled(
  host: HostState,
  said: { readonly now: number; readonly retryAt: number | undefined; readonly status: number },
  settings: PolicySettings,
): HostState {
  const { now, retryAt, status } = said;
  const isNews = host.hold === null || host.hold.at <= now;
  const strikes = isNews ? host.strikes + 1 : host.strikes;
  const { random } = settings;
  const ownMs = Math.max(
    host.rules.pauseMs,
    equalJitterDelay(Math.max(1, strikes), { ...settings.backoff, ...(random && { random }) }),
  );
  const closed = held(host, { at: retryAt ?? now + ownMs, reason: 'rate-limited' });
  if (!isNews) return closed;
  const slower = status === 429 && host.rules.slows === 'rate';
  return {
    ...closed,
    strikes,
    answersAtCap: 0,
    answersAtRate: 0,
    cap: strikes >= STRIKES_TO_HALVE ? Math.max(1, Math.floor(host.cap / 2)) : host.cap,
    perSecond: slower ? Math.max(host.rules.perSecond * SLOWEST_SHARE, host.perSecond / 2) : host.perSecond,
  };
}

/** The host answered well: what was lowered is raised step by step, and a failing host is one no more. */
export function answered(host: HostState): HostState {
  if (host.strikes === 0 && host.failures === 0 && host.opened === 0 && !isBelow(host)) return host;
  let { cap, perSecond } = host;
  let answersAtCap = cap < host.rules.cap ? host.answersAtCap + 1 : 0;
  let answersAtRate = perSecond < host.rules.perSecond ? host.answersAtRate + 1 : 0;
  if (answersAtCap >= ANSWERS_TO_RAISE) {
    cap += 1;
    answersAtCap = 0;
  }
  if (answersAtRate >= ANSWERS_TO_QUICKEN) {
    perSecond = Math.min(host.rules.perSecond, perSecond * QUICKER);
    answersAtRate = 0;
  }
  return { ...host, cap, perSecond, answersAtCap, answersAtRate, strikes: 0, failures: 0, opened: 0 };
}

/** The host failed: after several failures in a row it is held, each time for twice as long. */
export function failed(host: HostState, now: number, settings: PolicySettings): HostState {
  const { circuit } = settings;
  const failures = host.failures + 1;
  const isOpen = host.hold !== null && host.hold.at > now && host.hold.reason === 'host-held';
  if (failures < circuit.failures || isOpen) return { ...host, failures };
  const openMs = Math.min(circuit.longestOpenMs, circuit.openMs * 2 ** Math.min(host.opened, 30));
  return held({ ...host, failures, opened: host.opened + 1 }, { at: now + openMs, reason: 'host-held' });
}

/** Takes over the limits that some services (Crossref) state in their headers. */
export function applyLimits(
  host: HostState,
  limits: { readonly perSecond?: number; readonly cap?: number },
): HostState {
  const { perSecond = host.perSecond, cap = host.cap } = limits;
  if (perSecond === host.perSecond && cap === host.cap) return host;
  return { ...host, perSecond, cap, rules: { ...host.rules, perSecond, cap } };
}

/** What a service says is left of its daily budget; small changes are skipped, since a fleet writes down each one. */
export function budgeted(host: HostState, left: number): HostState {
  const known = host.budgetLeft;
  const isNews = known === null || left > known || left === 0 || known - left >= known * BUDGET_STEP;
  return isNews && left !== known ? { ...host, budgetLeft: left } : host;
}

function isBelow({ cap, perSecond, rules }: HostState): boolean {
  return cap < rules.cap || perSecond < rules.perSecond;
}
