import type { Hold, HoldReason, HostReport } from './host.ts';
import type { HostTable } from './host-table.ts';

/** Permission for one request at each of its keys, until disposed of. */
export interface Slot extends Disposable {
  /**
   * Call when the request is written to the socket: the pause to the next request starts here, after DNS lookup and
   * connecting. Until then no other request may start; disposing of the slot counts as sent.
   */
  sent(): void;
}

/** What a request waited for: a free slot of a host, service or resolver, the rate limit, or the end of a hold. */
export interface Waited {
  readonly key: string;
  readonly cause: 'cap' | 'rate' | 'hold';
  readonly ms: number;
}

export type Turn =
  | { readonly kind: 'go'; readonly slot: Slot; readonly waited: Waited | null }
  /** Not before `at`, which is too long to wait. */
  | { readonly kind: 'later'; readonly at: number; readonly reason: HoldReason | 'pool-exhausted' }
  /** The host asks for a longer pause than we accept. */
  | { readonly kind: 'never'; readonly message: string };

/** Releases what is not needed while waiting, waits, and acquires it again. */
export type WhileWaiting = <T>(wait: () => Promise<T>) => Promise<T>;

export interface AcquireOptions {
  /** A longer hold is not waited for. */
  readonly patienceMs: number;
  /** A longer line of our own requests is not joined. */
  readonly longestLineMs: number;
  readonly whileWaiting?: WhileWaiting | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Observation =
  /** Headers of a response: its status, Retry-After and rate limits. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAt: number | undefined;
      readonly limits?: { readonly perSecond?: number; readonly cap?: number };
      /** Remaining daily budget, as the service reports it. */
      readonly budgetLeft?: number;
    }
  /**
   * The request ended: successfully, by a fault of the host, or in a way that says nothing about it. `failure` is the
   * reason to count it under; null if it succeeded, undefined if it is not counted.
   */
  | {
      readonly kind: 'end';
      readonly answered: boolean;
      readonly fault: boolean | null;
      readonly failure?: string | null;
    }
  /** A handler's own report: the host asked to slow down, or the request succeeded. */
  | { readonly kind: 'throttled'; readonly retryAt: number | undefined }
  | { readonly kind: 'success' };

export type HostEvent =
  /** A host asked to slow down: it is held for a time, and its cap may be lower. */
  | { readonly kind: 'host-throttled'; readonly host: string; readonly cap: number; readonly heldUntil: number }
  /** A slowed host succeeded again: its cap is raised by one, or all limits are normal again. */
  | { readonly kind: 'host-restored'; readonly host: string; readonly cap: number; readonly full: boolean }
  | { readonly kind: 'host-held'; readonly host: string; readonly until: number }
  /** A host asks for a longer pause than we accept: it is given up for this run. */
  | { readonly kind: 'host-given-up'; readonly host: string; readonly message: string };

export interface HoldLeft extends Hold {
  readonly leftMs: number;
}

/**
 * Limits rate and concurrency for each host and service. The queue asks for room before it leases a job, the client
 * asks for a turn before it sends; nothing else limits requests.
 */
export interface Admission extends AsyncDisposable {
  readonly table: HostTable;
  /** How many requests with these keys could start now: 0 while a key is held or full, fewer while others wait. */
  room(keys: readonly string[]): number;
  /** The longest hold on any of the keys, and the time left. */
  held(keys: readonly string[]): HoldLeft | null;
  /** Waits for a turn at every key, in order of arrival, and takes all of them at once; holds nothing while waiting. */
  acquire(keys: readonly string[], options: AcquireOptions): Promise<Turn>;
  /** Adapts the limits to what happened; the first key is the requested host. */
  observe(keys: readonly string[], what: Observation): void;
  /** Sends no request to this key before then; an earlier time never shortens a hold. Null lifts a pause. */
  hold(key: string, hold: Hold | null): void;
  /** All keys that are in use, waited for, held or slowed. */
  snapshot(): readonly HostReport[];
  /** Calls back when there may be new room. */
  watch(changed: () => void): Disposable;
}

export function tooLong(host: string, until: number): string {
  return `${host} is rate-limited until ${new Date(until).toISOString()} (Retry-After), longer than we wait`;
}

/** A fact that one process finds for all others, and how long it is valid. */
export interface Fact {
  readonly text: string;
  readonly forMs: number;
}

/** Facts that a fleet finds only once. */
export interface Facts {
  /**
   * The fact of this key, if known; otherwise one process finds it while the others wait. The signal of `find` is
   * aborted if this process was frozen so long that another one has taken over.
   */
  once(key: string, find: (signal: AbortSignal) => Promise<Fact>, signal?: AbortSignal): Promise<Fact>;
}
