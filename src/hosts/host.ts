/** What one host or service allows: by its documentation, by a setting, or by its robots.txt. */
export interface Rules {
  /** Requests at once. */
  readonly cap: number;
  /** Infinity where only `cap` counts. */
  readonly perSecond: number;
  /** Requests that may come at once after a pause; 1 spaces them evenly. */
  readonly burst: number;
  /** What the pause to the next request is counted from: the request before it, or the headers of its answer. */
  readonly from: 'request' | 'answer';
  /** Least pause after a 429 that names no time. */
  readonly pauseMs: number;
  /** What 429s slow down: the rate too, or, where a service documents its own, only the cap. */
  readonly slows: 'rate' | 'cap';
}

/** Why a host is left alone: it asked for it, it failed again and again, an operator said so. */
export type HoldReason = 'rate-limited' | 'host-held' | 'paused';

/** Until when, and why. */
export interface Hold {
  readonly at: number;
  readonly reason: HoldReason;
}

/** What is known of one host or service: what it allows now, and what it made us learn. Moments are epoch milliseconds. */
export interface Host {
  readonly key: string;
  readonly rules: Rules;
  /** What counts now: as the rules say, or less where that was found too much, or as the service itself said. */
  readonly cap: number;
  readonly perSecond: number;
  readonly hold: Hold | null;
  /** Requests to slow down in a row. */
  readonly strikes: number;
  /** Good answers since the last change of `cap` and of `perSecond`. */
  readonly answersAtCap: number;
  readonly answersAtRate: number;
  /** Failures in a row, and how often the host was left alone for them: while that is above 0, one request at a time probes it. */
  readonly failures: number;
  readonly opened: number;
  /** What a service says is left of its daily budget; null where it says nothing. */
  readonly budgetLeft: number | null;
}

/** A host that nothing is known of yet. */
export function newHost(key: string, rules: Rules): Host {
  return {
    key,
    rules,
    cap: rules.cap,
    perSecond: rules.perSecond,
    hold: null,
    strikes: 0,
    answersAtCap: 0,
    answersAtRate: 0,
    failures: 0,
    opened: 0,
    budgetLeft: null,
  };
}

/** Whether it is asked as its rules allow: nothing was learned that would have to be remembered. */
export function isOrdinary(host: Host): boolean {
  const { hold, failures, opened, budgetLeft } = host;
  return !isSlowed(host) && hold === null && failures === 0 && opened === 0 && budgetLeft === null;
}

/** Whether it is asked less than its rules allow, because it asked for that. */
export function isSlowed({ cap, perSecond, rules, strikes }: Host): boolean {
  return strikes > 0 || cap < rules.cap || perSecond < rules.perSecond;
}

/** How many may be under way at once: one, while it is found out whether a failing host is back. */
export function capNow({ cap, opened }: Host): number {
  return opened > 0 ? 1 : cap;
}
