import type { Clock, Limiter, Slot } from '../base/index.ts';
import { hostKey, KeyedLimiter } from '../base/index.ts';
import type { Report } from './events.ts';
import type { Window } from './handler.ts';
import { HostThrottle } from './host-throttle.ts';
import type { RunningJob } from './running-job.ts';
import { TooManyWaiting } from './running-job.ts';
import type { Lane, Pause } from './types.ts';

const WORKER = 'worker';
const WORKER_ALONE = [WORKER];
const hostSlot = (host: string): string => `host ${host}`;
const resolverSlot = (resolver: string): string => `resolver ${resolver}`;

export interface LimitOptions {
  readonly maxWorkers: number;
  readonly maxPerHost: number;
  readonly maxPerResolver: Readonly<Record<string, number>>;
  readonly maxParked: number;
  /** Jobs that wait, without a worker, for the next slot of a busy host that they are known to need; 0 unless said otherwise. */
  readonly readyPerHost?: number | undefined;
}

/** A limiter as the orchestrator needs it: workers, hosts and resolvers are keys of one, so that they are taken together. */
export function createJobLimiter(options: LimitOptions, clock: Clock): KeyedLimiter {
  return new KeyedLimiter({
    clock,
    defaultLimit: (key) =>
      key === WORKER ? options.maxWorkers : key.startsWith('host ') ? options.maxPerHost : Infinity,
    limits: Object.fromEntries(
      Object.entries(options.maxPerResolver).map(([name, limit]) => [resolverSlot(name), limit]),
    ),
  });
}

/** What the work inside withLimits is given; a class for the reason told at JobContext. */
class JobWindow implements Window {
  wasThrottled = false;
  readonly throttled: Window['throttled'];
  readonly #running: RunningJob;

  constructor(running: RunningJob, throttle: Window['throttled']) {
    this.#running = running;
    this.throttled = (options) => {
      this.wasThrottled = true;
      throttle(options);
    };
  }

  get signal(): AbortSignal {
    return this.#running.controller.signal;
  }
}

/** Who may run, who may download from where, and who waits. */
export class JobLimits {
  readonly throttle: HostThrottle;
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #maxParked: number;
  readonly #readyPerHost: number;
  readonly #report: Report;
  readonly #freed: () => void;
  /** Jobs leased for a host or resolver that have not asked for its slot yet. */
  readonly #expectedHosts = new Map<string, number>();
  readonly #expectedResolvers = new Map<string, number>();
  readonly #parkedHosts = new Map<string, number>();
  #paused = new Set<string>();
  #parked = 0;

  constructor(options: {
    readonly limiter: Limiter;
    readonly limits: LimitOptions;
    readonly clock: Clock;
    readonly report: Report;
    /** Called when a worker, a host or a resolver may have room again. */
    readonly freed: () => void;
  }) {
    this.#limiter = options.limiter;
    this.#clock = options.clock;
    this.#maxParked = options.limits.maxParked;
    this.#readyPerHost = options.limits.readyPerHost ?? 0;
    this.#report = options.report;
    this.#freed = options.freed;
    this.throttle = new HostThrottle({
      limiter: options.limiter,
      clock: options.clock,
      cap: options.limits.maxPerHost,
      report: options.report,
      key: hostSlot,
    });
  }

  get parked(): number {
    return this.#parked;
  }

  get freeWorkers(): number {
    return this.#limiter.room(WORKER);
  }

  /** Takes up to `count` workers that are free now. */
  takeWorkers(count: number): Disposable[] {
    const workers: Disposable[] = [];
    for (let left = count; left > 0; left -= 1) {
      const worker = this.#limiter.tryAcquire(WORKER_ALONE);
      if (!worker) break;
      workers.push(worker);
    }
    return workers;
  }

  /** How many more jobs of a lane could download at once, counting those already on their way. */
  readonly room = ({ host, resolver }: Lane): number => {
    const hostRoom = host === null ? Infinity : this.#hostRoom(host);
    if (resolver === null) return hostRoom;
    const resolverRoom = this.#limiter.room(resolverSlot(resolver)) - (this.#expectedResolvers.get(resolver) ?? 0);
    return Math.min(hostRoom, resolverRoom);
  };

  /**
   * A few jobs more than fit wait ready for a busy host, so that one begins the moment another ends: leasing it only then
   * would leave the host idle for as long as that takes. A host that is held gets none.
   */
  #hostRoom(host: string): number {
    const room = this.#limiter.room(hostSlot(host)) - (this.#expectedHosts.get(host) ?? 0);
    if (room > 0 || this.#readyPerHost === 0 || this.#paused.has(hostSlot(host)) || this.throttle.isHeld(host))
      return room;
    // Those that found out their host only as they ran need their places.
    return this.#parked >= this.#maxParked / 2 ? room : room + this.#readyPerHost - (this.#parkedHosts.get(host) ?? 0);
  }

  /** A job was leased for its host and resolver: until it asks for their slots, room is kept for it. */
  expect(running: RunningJob, change: 1 | -1): void {
    if (!running.expected) return;
    if (change === -1) running.expected = false;
    const { host, resolverHint } = running.job;
    if (host !== null) count(this.#expectedHosts, host, change);
    if (resolverHint !== null) count(this.#expectedResolvers, resolverHint, change);
  }

  /** Holds what operators have paused, and lets go what they have resumed. */
  applyPauses(pauses: readonly Pause[]): void {
    const keys = new Set(
      pauses.flatMap(({ scope, name }) =>
        scope === 'host' ? [hostSlot(name)] : scope === 'resolver' ? [resolverSlot(name)] : [],
      ),
    );
    for (const key of this.#paused.difference(keys)) this.#limiter.lift(key);
    for (const key of keys.difference(this.#paused)) this.#limiter.holdUntil(key, Infinity);
    this.#paused = keys;
  }

  /** An operator has stopped the lane's host or resolver. */
  readonly isPaused = ({ host, resolver }: Lane): boolean =>
    (host !== null && this.#paused.has(hostSlot(host))) ||
    (resolver !== null && this.#paused.has(resolverSlot(resolver)));

  /** Runs `work` with a slot of the host and the resolver; see HandlerContext.withLimits. */
  async run<T>(
    running: RunningJob,
    resolver: string | null,
    url: string | URL,
    work: (window: Window) => Promise<T>,
  ): Promise<T> {
    if (running.stopReason !== undefined) running.controller.signal.throwIfAborted();
    const host = hostKey(url);
    const keys = resolver === null ? [hostSlot(host)] : [hostSlot(host), resolverSlot(resolver)];
    this.expect(running, -1);
    const slot: Disposable = this.#limiter.tryAcquire(keys) ?? (await this.#park(running, host, resolver, keys));
    const window = new JobWindow(running, (options) => {
      const heldUntil = this.throttle.throttled(host, options?.retryAt);
      this.#clock.setTimer(Math.max(0, heldUntil - this.#clock.now()), this.#freed).unref();
    });
    try {
      const result = await work(window);
      if (!window.wasThrottled) this.throttle.succeeded(host);
      return result;
    } catch (error) {
      if (!window.wasThrottled && asksToSlowDown(error)) window.throttled({ retryAt: retryAtOf(error) });
      throw error;
    } finally {
      slot[Symbol.dispose]();
      // Without a free worker nobody could use the room.
      if (this.freeWorkers > 0) this.#freed();
    }
  }

  /** Waits without a worker, then takes worker, host and resolver at once. */
  async #park(
    running: RunningJob,
    host: string,
    resolver: string | null,
    keys: readonly string[],
  ): Promise<Disposable> {
    if (this.#parked >= this.#maxParked) throw new TooManyWaiting(host);
    const startedAt = this.#clock.monotonic();
    const hostBusy = this.#limiter.room(hostSlot(host)) <= 0;
    this.#parked += 1;
    count(this.#parkedHosts, host, 1);
    running.worker?.[Symbol.dispose]();
    running.worker = undefined;
    this.#freed();
    let slot: Slot;
    try {
      slot = await this.#limiter.acquire([WORKER, ...keys], running.controller.signal);
    } finally {
      this.#parked -= 1;
      count(this.#parkedHosts, host, -1);
    }
    running.worker = { [Symbol.dispose]: () => slot.release(WORKER) };
    const waitedMs = this.#clock.monotonic() - startedAt;
    running.deadline += waitedMs;
    this.#report({
      kind: 'limits-waited',
      job: running.job,
      resolver,
      host,
      hostMs: hostBusy ? waitedMs : 0,
      resolverMs: hostBusy ? 0 : waitedMs,
    });
    return {
      [Symbol.dispose]: () => {
        for (const key of keys) slot.release(key);
      },
    };
  }
}

function count(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const number = (counts.get(key) ?? 0) + change;
  if (number > 0) counts.set(key, number);
  else counts.delete(key);
}

/** Errors of HTTP clients name the status in one of two ways. */
function asksToSlowDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = 'status' in error ? error.status : 'statusCode' in error ? error.statusCode : undefined;
  return status === 429 || status === 503;
}

function retryAtOf(error: unknown): number | undefined {
  return error instanceof Error && 'retryAt' in error && typeof error.retryAt === 'number' ? error.retryAt : undefined;
}
