import type { Hold, HoldReason, HostState } from './host.ts';
import type { HostTable } from './host-table.ts';

/** Permission for one request at each of its keys, until it is disposed of. */
export interface Slot extends Disposable {
  /**
   * The request goes out on the wire: its host counts from here, not from when it was allowed to begin, since names are
   * looked up and connections made in between. Until then no other follows it; disposing of it counts as sent.
   */
  sent(): void;
}

/** What a request waited for: a free place at a host, service or resolver, its turn by the rate, or the end of a hold. */
export interface Waited {
  readonly key: string;
  readonly cause: 'cap' | 'rate' | 'hold';
  readonly ms: number;
}

export type Turn =
  | { readonly kind: 'go'; readonly slot: Slot; readonly waited: Waited | null }
  /** Not before `at`, which is longer than is waited for. */
  | { readonly kind: 'later'; readonly at: number; readonly reason: HoldReason | 'pool-exhausted' }
  /** The host asks for a longer pause than we wait. */
  | { readonly kind: 'never'; readonly message: string };

/** Lets go of what is not needed while waiting, waits, and takes it back. */
export type WhileWaiting = <T>(wait: () => Promise<T>) => Promise<T>;

export interface AcquireOptions {
  /** A hold that lasts longer is not waited for. */
  readonly patienceMs: number;
  /** A line of our own making that takes longer is not joined. */
  readonly longestLineMs: number;
  readonly whileWaiting?: WhileWaiting | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Observation =
  /** The headers of an answer: a status, and what they say about when and how fast to come back. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAt: number | undefined;
      readonly limits?: { readonly perSecond?: number; readonly cap?: number };
      /** What a service says is left of its daily budget. */
      readonly budgetLeft?: number;
    }
  /**
   * The request ended, with an answer or without: well, by a fault of the host, or in a way that says nothing about it;
   * `failure` is what it is counted under when it brought nothing, null when it did, undefined when it is not counted.
   */
  | {
      readonly kind: 'end';
      readonly answered: boolean;
      readonly fault: boolean | null;
      readonly failure?: string | null;
    }
  /** A handler's own words for the same: it asks to slow down, it went well. */
  | { readonly kind: 'throttled'; readonly retryAt: number | undefined }
  | { readonly kind: 'success' };

export type HostEvent =
  /** A host asked to slow down: it is held until a moment, and its cap may be lower. */
  | { readonly kind: 'host-throttled'; readonly host: string; readonly cap: number; readonly heldUntil: number }
  /** A slowed host answered well: its cap is one higher, or nothing is lowered any more. */
  | { readonly kind: 'host-restored'; readonly host: string; readonly cap: number; readonly full: boolean }
  /** A failing host is held. */
  | { readonly kind: 'host-held'; readonly host: string; readonly until: number }
  /** A host asks for a longer pause than we wait: it is given up for this run. */
  | { readonly kind: 'host-given-up'; readonly host: string; readonly message: string };

export interface HoldLeft extends Hold {
  readonly leftMs: number;
}

/** A host or service as an operator sees it. */
export interface HostView extends Omit<HostState, 'hold'> {
  readonly inFlight: number;
  readonly waiting: number;
  readonly hold: HoldLeft | null;
  /** How long until the next request may start, as far as the rate goes; 0 for now. */
  readonly nextInMs: number;
  /** Requests that brought something, and those that did not by why. */
  readonly done: number;
  readonly failed: Readonly<Record<string, number>>;
}

/**
 * Decides how often each host and service may be requested, and how many requests run at once. The queue asks for room before it
 * leases, the client for a turn before it sends; nothing else limits requests.
 */
export interface Admission extends AsyncDisposable {
  readonly table: HostTable;
  /** How many requests with these keys could be taken on now: 0 while one is held or full, less while some wait for it. */
  room(keys: readonly string[]): number;
  /** The hold that ends last of those on any of the keys, and how long that is from now. */
  held(keys: readonly string[]): HoldLeft | null;
  /** Waits for a turn at every key, in order of arrival, and takes all at the same moment; nothing is held while waiting. */
  acquire(keys: readonly string[], options: AcquireOptions): Promise<Turn>;
  /** Learns from what happened; the first key is the host that was asked. */
  observe(keys: readonly string[], what: Observation): void;
  /** No request gets through to this key before the moment; an earlier one never shortens a hold. Null lifts a pause. */
  hold(key: string, hold: Hold | null): void;
  /** Everything that is in use, waited for, held or slowed. */
  snapshot(): readonly HostView[];
  /** Calls back when there may be room that was not there before. */
  watch(changed: () => void): Disposable;
}

export function tooLong(host: string, until: number): string {
  return `${host} is rate-limited until ${new Date(until).toISOString()} (Retry-After), longer than we wait`;
}

/** Something that one finds out for all, and for how long it holds. */
export interface Fact {
  readonly text: string;
  readonly forMs: number;
}

/** What a fleet finds out once. */
export interface Facts {
  /**
   * The fact of this key: from the process that found it first, or found now, by one process while the others wait. The signal of
   * `find` is aborted when the process was frozen for so long that another one is finding it by now.
   */
  once(key: string, find: (signal: AbortSignal) => Promise<Fact>, signal?: AbortSignal): Promise<Fact>;
}
