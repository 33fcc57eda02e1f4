import { hostname } from 'node:os';

import type { Clock, FileLock, Timer } from '../base/index.ts';
import { AppError, wait } from '../base/index.ts';
import type { LeasedJob, Settlement, WorkQueue } from '../queue/index.ts';
import { createWorkerId, isDeadHere } from '../queue/index.ts';
import type { ItemEnd, ItemSource, Scheduling, TakenItem, WorkItem } from '../stage/index.ts';

/** How often who finds nothing looks again, beside being told: another runner's last item ends without a word. */
const LOOK_AGAIN_MS = 1_000;
const LOCK_RETRY_MS = 20;
const PAGE = 1_000;
/** Priorities are whole numbers; a thousandth of a doubling is all the order that matters. */
const PER_DOUBLING = 1_000;

export interface QueueSourceOptions {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  /** Held while it is decided whether this runner joins others or begins anew; shared by all runners of the stage. */
  readonly lock: FileLock;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** An item whose runners died this often is given up. */
  readonly maxDeaths: number;
  /** How many items this runner works on at once, for operators to see. */
  readonly workers: number;
  readonly scheduling: Scheduling;
}

interface Held {
  readonly job: LeasedJob;
  readonly lost: AbortController;
}

/**
 * A stage's items shared by several processes or hosts through a work queue that is the stage's own. Who comes first
 * puts the plan in; who comes while others work joins them. Items of runners that died are taken over.
 */
export class QueueSource implements ItemSource, AsyncDisposable {
  readonly #options: QueueSourceOptions;
  readonly #workerId = createWorkerId();
  readonly #startedAt: number;
  readonly #held = new Map<string, Held>();
  /** Settings of the plan: an item made for other settings must not be done with ours. */
  readonly #cfgHashes = new Set<string>();
  readonly #watch: Disposable;
  #changes = 0;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  private constructor(options: QueueSourceOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#watch = options.queue.store.watch(() => this.#changed());
  }

  static async open(items: Iterable<WorkItem>, options: QueueSourceOptions): Promise<QueueSource> {
    const source = new QueueSource(options);
    try {
      await source.#join();
      await options.queue.bulkImport(source.#jobs(items));
      source.#arm();
      return source;
    } catch (error) {
      source.#watch[Symbol.dispose]();
      throw error;
    }
  }

  async take(limit: number, signal: AbortSignal): Promise<readonly TakenItem[] | undefined> {
    const { queue, clock, leaseMs, maxDeaths } = this.#options;
    // Without a plan of its own a runner cannot know whether the items of others are meant for its settings.
    while (!signal.aborted && this.#cfgHashes.size > 0) {
      if (this.#failure) throw this.#failure.error;
      const seen = this.#changes;
      const jobs = await queue.lease(this.#workerId, limit, { leaseMs, maxDeaths });
      if (jobs.length > 0) return this.#hold(jobs);
      const { ready, delayed, inProgress } = await queue.store.outlook(clock.now());
      if (ready + delayed + inProgress === 0) return undefined;
      if (this.#changes === seen) await this.#change(signal);
      await this.#recoverDead();
    }
    return undefined;
  }

  async settle(item: WorkItem, end: ItemEnd): Promise<void> {
    const held = this.#held.get(item.itemId);
    this.#held.delete(item.itemId);
    // A lease that was lost is somebody else's to settle.
    if (held && !held.lost.signal.aborted) {
      await this.#settle([held.job], end);
    }
    this.#changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { queue, clock } = this.#options;
    this.#watch[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    await this.#beating;
    await this.#giveBack([...this.#held.values()].map(({ job }) => job));
    await queue.store.announce(this.#workerId, null, clock.now());
  }

  /** Where nobody is at work, what an earlier round left is history: its plan and settings may have been others. */
  async #join(): Promise<void> {
    const { queue, clock, lock, leaseMs } = this.#options;
    let taken = lock.tryTake();
    for (; !taken; taken = lock.tryTake()) await wait(clock, LOCK_RETRY_MS);
    using _lock = taken;
    await this.#recoverDead();
    const { workers } = await queue.stats();
    if (workers.every(({ updatedAt }) => updatedAt < clock.now() - leaseMs)) await this.#clear();
    await this.#announce();
  }

  async #clear(): Promise<void> {
    const { queue, clock } = this.#options;
    const { admin } = queue.store;
    for (const states of [['queued'], ['in_progress']] as const) {
      for (let jobs = await admin.list({ states }, { limit: PAGE }); jobs.length > 0;) {
        for (const { id } of jobs) await admin.cancel(id, clock.now());
        jobs = await admin.list({ states }, { limit: PAGE });
      }
    }
    await admin.prune({}, { dryRun: false });
  }

  *#jobs(items: Iterable<WorkItem>): Generator<{ artifactId: string; artifact: WorkItem; priority: number }> {
    const { scheduling } = this.#options;
    const sign = scheduling === 'fifo' ? 0 : scheduling === 'lpt' ? 1 : -1;
    for (const item of items) {
      this.#cfgHashes.add(item.cfgHash);
      const priority = sign * Math.round(Math.log2(1 + Math.max(0, item.costHint)) * PER_DOUBLING);
      yield { artifactId: item.itemId, artifact: item, priority };
    }
  }

  async #hold(jobs: readonly LeasedJob[]): Promise<TakenItem[]> {
    const items = jobs.map(({ artifactJson }) => JSON.parse(artifactJson) as WorkItem);
    if (!items.every(({ cfgHash }) => this.#cfgHashes.has(cfgHash))) {
      await this.#giveBack(jobs);
      throw new AppError('STAGE_QUEUE_SETTINGS', 'other runners of this stage work with other settings', {
        hint: 'give all of them the same settings, or wait until the others have finished',
      });
    }
    return items.flatMap((item, at) => {
      const job = jobs[at];
      if (!job) return [];
      const lost = new AbortController();
      this.#held.set(item.itemId, { job, lost });
      return [{ item, lost: lost.signal }];
    });
  }

  async #giveBack(jobs: readonly LeasedJob[]): Promise<void> {
    if (jobs.length > 0) await this.#settle(jobs, { kind: 'unfinished' });
  }

  async #settle(jobs: readonly LeasedJob[], end: ItemEnd): Promise<void> {
    const { queue, clock, leaseMs } = this.#options;
    const settlement = settlementOf(end);
    await queue.store.exchange({
      workerId: this.#workerId,
      settlements: jobs.map((job) => ({ ...job, settlement })),
      picks: [],
      now: clock.now(),
      leaseMs,
    });
  }

  #changed(): void {
    this.#changes += 1;
    this.#wake?.();
  }

  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    using _timer = this.#options.clock.setTimer(LOOK_AGAIN_MS, wake);
    this.#wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
    await promise;
    signal.removeEventListener('abort', wake);
  }

  #arm(): void {
    this.#timer = this.#options.clock.setTimer(this.#options.heartbeatMs, () => {
      this.#beating = this.#beat().catch((error: unknown) => {
        this.#failure = { error };
        this.#changed();
      });
    });
  }

  async #beat(): Promise<void> {
    const { queue, leaseMs } = this.#options;
    const leases = [...this.#held.values()].map(({ job }) => job);
    if (leases.length > 0) {
      const lost = new Set((await queue.heartbeat(leases, leaseMs)).map(({ id }) => id));
      for (const { job, lost: controller } of this.#held.values()) if (lost.has(job.id)) controller.abort();
    }
    await this.#recoverDead();
    await this.#announce();
    this.#arm();
  }

  /** Processes of this machine that died hold items that need not be waited for. */
  async #recoverDead(): Promise<void> {
    const { queue, clock } = this.#options;
    const { leases, workers } = await queue.stats();
    const dead = [...new Set([...leases, ...workers].map(({ workerId }) => workerId))].filter(isDeadHere);
    if (dead.length === 0) return;
    await queue.store.expire(dead, clock.now());
    for (const workerId of dead) await queue.store.announce(workerId, null, clock.now());
  }

  #announce(): Promise<void> {
    const { queue, clock } = this.#options;
    const info = {
      pid: process.pid,
      hostname: hostname(),
      startedAt: this.#startedAt,
      maxWorkers: this.#options.workers,
      running: this.#held.size,
      parked: 0,
      heartbeatMs: this.#options.heartbeatMs,
      perSecond: 0,
      hosts: [],
    };
    return queue.store.announce(this.#workerId, info, clock.now());
  }
}

function settlementOf(end: ItemEnd): Settlement {
  switch (end.kind) {
    case 'success':
      return { kind: 'finish', state: 'done' };
    case 'skip':
      return { kind: 'finish', state: 'skipped' };
    case 'failure':
      return {
        kind: 'finish',
        state: 'error',
        error: { code: end.error.code ?? end.error.category.toUpperCase(), message: end.error.message },
      };
    case 'unfinished':
      return { kind: 'requeue', delayMs: 0, refund: true };
  }
}
