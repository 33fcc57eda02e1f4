import type { Hold, HoldReason, HostReport } from './host.ts';
import type { HostTable } from './host-table.ts';

/** Permission for one request at each of its keys, until disposed of. */
export interface Slot extends Disposable {
  /** Call when the request is on the socket: the pause starts here, and until then no other may start. */
  sent(): void;
}

/** Why a request waited: no free slot, the rate limit, or a hold. */
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
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAt: number | undefined;
      readonly limits?: { readonly perSecond?: number; readonly cap?: number };
      /** Remaining daily budget, as the service reports it. */
      readonly budgetLeft?: number;
    }
  | {
      readonly kind: 'end';
      readonly answered: boolean;
      /** Whether the host is to blame; null if that is unknown. */
      readonly fault: boolean | null;
      /** The reason to count it under; null if it succeeded, undefined if it is not counted. */
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

/** The limits of requests. The queue asks for room before leasing, the client for a turn before sending. */
export interface Admission extends AsyncDisposable {
  readonly table: HostTable;
  /** How many requests with these keys could start now: 0 while a key is held or full, fewer while others wait. */
  room(keys: readonly string[]): number;
  /** Requests with this key that may be in flight now: as configured, stated by the service, or slowed down. */
  capOf(key: string): number;
  /** The longest hold on any of the keys. */
  held(keys: readonly string[]): HoldLeft | null;
  /** Waits in order of arrival, holding nothing, and takes all keys at once. */
  acquire(keys: readonly string[], options: AcquireOptions): Promise<Turn>;
  /** The first key is the requested host. */
  observe(keys: readonly string[], what: Observation): void;
  /** An earlier time never shortens a hold. Null lifts a pause. */
  hold(key: string, hold: Hold | null): void;
  snapshot(): readonly HostReport[];
  watch(changed: () => void): Disposable;
}

export function tooLong(host: string, until: number): string {
  return `${host} is rate-limited until ${new Date(until).toISOString()} (Retry-After), longer than we wait`;
}

/** Found by one process of a fleet for all, such as a robots.txt. */
export interface Fact {
  readonly text: string;
  readonly forMs: number;
}

export interface Facts {
  /** One process runs `find` while others wait; it is aborted if frozen so long that another took over. */
  once(key: string, find: (signal: AbortSignal) => Promise<Fact>, signal?: AbortSignal): Promise<Fact>;
}
