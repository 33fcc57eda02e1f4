import { AsyncLocalStorage } from 'node:async_hooks';

import type { Clock } from '../base/index.ts';
import { hostKey, KeyedLimiter } from '../base/index.ts';
import type { Admission, Waited, WhileWaiting } from '../hosts/index.ts';
import { resolverKey } from '../hosts/index.ts';
import type { Report } from './events.ts';
import type { Window } from './handler.ts';
import type { OrchestratorOptions } from './options.ts';
import type { RunningJob } from './running-job.ts';
import { HostBusy } from './running-job.ts';
import type { Lane, LeasedJob, Pause } from './types.ts';

const WORKER = ['worker'];
const PATIENCE_MS = 60_000;

/** What a job can do for those who ask hosts in its course. */
export interface JobSeat {
  /** It asks the host it was leased for: no room has to be kept for it any more. */
  asks(host: string): void;
  /** Gives up its worker, waits, and takes a worker again. */
  readonly whileWaiting: WhileWaiting;
}

const seats = new AsyncLocalStorage<JobSeat>();

/** Runs a job's handler so that whatever it calls can find its seat. */
export function seated<T>(seat: JobSeat, run: () => T): T {
  return seats.run(seat, run);
}

/** The job in whose course this is called; outside of jobs nothing is given up. */
export const currentJob: JobSeat = {
  asks: (host) => seats.getStore()?.asks(host),
  whileWaiting: (wait) => seats.getStore()?.whileWaiting(wait) ?? wait(),
};

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

/** Who has a worker, who gave it up to wait, and how many more jobs of a lane could be used; hosts are the admission's affair. */
export class Seats {
  readonly #admission: Admission;
  readonly #clock: Clock;
  readonly #options: OrchestratorOptions;
  readonly #report: Report;
  readonly #freed: () => void;
  readonly #workers: KeyedLimiter;
  /** Jobs leased for a host or resolver that have not asked for its slot yet. */
  readonly #expectedHosts = new Map<string, number>();
  readonly #expectedResolvers = new Map<string, number>();
  #paused = new Set<string>();
  #parked = 0;

  constructor(given: {
    readonly options: OrchestratorOptions;
    readonly admission: Admission;
    readonly clock: Clock;
    readonly report: Report;
    /** Called when a worker may be free again. */
    readonly freed: () => void;
  }) {
    this.#admission = given.admission;
    this.#clock = given.clock;
    this.#options = given.options;
    this.#report = given.report;
    this.#freed = given.freed;
    this.#workers = new KeyedLimiter({ clock: given.clock, defaultLimit: given.options.maxWorkers });
  }

  get parked(): number {
    return this.#parked;
  }

  /** How many jobs more may be begun: when more wait than should, their workers are left to them. */
  get freeWorkers(): number {
    const tooMany = Math.max(0, this.#parked - this.#options.maxParked);
    return Math.max(0, this.#workers.room('worker') - tooMany);
  }

  /** Takes up to `count` workers that are free now. */
  takeWorkers(count: number): Disposable[] {
    const workers: Disposable[] = [];
    for (let left = count; left > 0; left -= 1) {
      const worker = this.#workers.tryAcquire(WORKER);
      if (!worker) break;
      workers.push(worker);
    }
    return workers;
  }

  /** How many more jobs of a lane could download at once, counting those already on their way. */
  readonly room = ({ host, resolver }: Lane): number => {
    const hostRoom = host === null ? Infinity : this.#hostRoom(host);
    if (resolver === null || hostRoom <= 0) return hostRoom;
    return Math.min(
      hostRoom,
      this.#admission.room([resolverKey(resolver)]) - (this.#expectedResolvers.get(resolver) ?? 0),
    );
  };

  /** The same for a lane whose host is held for longer than is waited for: its jobs may have other plans. */
  readonly roomElsewhere = (lane: Lane): number =>
    this.isHeldLong(lane) && !this.isPaused(lane)
      ? this.#options.maxPerHost - (this.#expectedHosts.get(lane.host ?? '') ?? 0)
      : 0;

  /**
   * A few jobs more than fit wait ready for a busy host, so that one begins the moment another ends: leasing it only then
   * would leave the host idle for as long as that takes. A host that is held gets none.
   */
  #hostRoom(host: string): number {
    const keys = this.#keysOf(host);
    const room = this.#admission.room(keys) - (this.#expectedHosts.get(host) ?? 0);
    const ready = this.#options.readyPerHost ?? 0;
    // Those that found out their host only as they ran need their places.
    if (room > 0 || ready === 0 || this.#parked >= this.#options.maxParked / 2) return room;
    return this.#admission.held(keys) === null ? room + ready : room;
  }

  /** A job was leased for its host and resolver: until it asks for their slots, room is kept for it. */
  expect(running: RunningJob, change: 1 | -1): void {
    if (!running.expected) return;
    if (change === -1) running.expected = false;
    this.keep(running.job, change);
  }

  /** The same for a job that was leased ahead and is not begun yet. */
  keep({ host, resolverHint }: Pick<LeasedJob, 'host' | 'resolverHint'>, change: 1 | -1): void {
    if (host !== null) count(this.#expectedHosts, host, change);
    if (resolverHint !== null) count(this.#expectedResolvers, resolverHint, change);
  }

  /** Holds what operators have paused, and lets go what they have resumed. */
  applyPauses(pauses: readonly Pause[]): void {
    const keys = new Set(
      pauses.flatMap(({ scope, name }) =>
        scope === 'host' ? [name] : scope === 'resolver' ? [resolverKey(name)] : [],
      ),
    );
    for (const key of this.#paused.difference(keys)) this.#admission.hold(key, null);
    for (const key of keys.difference(this.#paused)) this.#admission.hold(key, { at: Infinity, reason: 'paused' });
    this.#paused = keys;
  }

  /** An operator has stopped the lane's host or resolver. */
  readonly isPaused = ({ host, resolver }: Lane): boolean =>
    (host !== null && this.#paused.has(host)) || (resolver !== null && this.#paused.has(resolverKey(resolver)));

  /** The lane's host is left alone for longer than anybody waits in line. */
  readonly isHeldLong = ({ host }: Lane): boolean => {
    const hold = host === null ? null : this.#admission.held(this.#keysOf(host));
    return hold !== null && hold.leftMs > (this.#options.patienceMs ?? PATIENCE_MS);
  };

  /** What those who ask hosts in the course of a job find. */
  seatOf(running: RunningJob): JobSeat {
    return {
      asks: (host) => {
        if (running.job.host === host) this.expect(running, -1);
      },
      // Whatever it waits for may be in the hands of one that waits for a worker: none is kept, however many wait.
      whileWaiting: (wait) => (running.worker ? this.#park(running, wait) : wait()),
    };
  }

  /** Runs `work` with a slot of the host and the resolver; see HandlerContext.withLimits. */
  async run<T>(
    running: RunningJob,
    resolver: string | null,
    url: string | URL,
    work: (window: Window) => Promise<T>,
  ): Promise<T> {
    if (running.stopReason !== undefined) running.controller.signal.throwIfAborted();
    const host = hostKey(url);
    this.expect(running, -1);
    using _slot = await this.#slot(running, resolver, host);
    const window = new JobWindow(running, (options) =>
      this.#admission.observe([host], { kind: 'throttled', retryAt: options?.retryAt }),
    );
    try {
      const result = await work(window);
      if (!window.wasThrottled) this.#admission.observe([host], { kind: 'success' });
      return result;
    } catch (error) {
      if (!window.wasThrottled && asksToSlowDown(error)) window.throttled({ retryAt: retryAtOf(error) });
      throw error;
    }
  }

  async #slot(running: RunningJob, resolver: string | null, host: string): Promise<Disposable> {
    const turn = await this.#admission.acquire(this.#admission.table.keysOf(host, { resolver }), {
      patienceMs: Infinity,
      longestLineMs: Infinity,
      signal: running.controller.signal,
      whileWaiting: (wait) => {
        if (this.#parked >= this.#options.maxParked) throw new HostBusy(host);
        return this.#park(running, wait);
      },
    });
    if (turn.kind !== 'go') throw new HostBusy(host);
    // A handler of one's own begins with its request.
    turn.slot.sent();
    if (turn.waited) this.#reportWait(running, resolver, host, turn.waited);
    return turn.slot;
  }

  #reportWait(running: RunningJob, resolver: string | null, host: string, { key, cause, ms }: Waited): void {
    const isResolver = key.startsWith('resolver/');
    this.#report({
      kind: 'limits-waited',
      job: running.job,
      resolver,
      host,
      hostMs: cause === 'cap' && !isResolver ? ms : 0,
      resolverMs: cause === 'cap' && isResolver ? ms : 0,
      rateMs: cause === 'cap' ? 0 : ms,
    });
  }

  /** Waits without a worker, then takes one before anybody new does. */
  async #park<T>(running: RunningJob, wait: () => Promise<T>): Promise<T> {
    const startedAt = this.#clock.monotonic();
    this.#parked += 1;
    running.worker?.[Symbol.dispose]();
    running.worker = undefined;
    this.#freed();
    try {
      const result = await wait();
      running.worker = await this.#workers.acquire(WORKER, running.controller.signal);
      return result;
    } finally {
      this.#parked -= 1;
      running.deadline += this.#clock.monotonic() - startedAt;
    }
  }

  #keysOf(host: string): readonly string[] {
    return this.#admission.table.keysOf(host, { obeysRobots: true });
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
