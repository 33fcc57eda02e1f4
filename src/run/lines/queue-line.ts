import type { Clock, FileLock } from '../../base/index.ts';
import { AppError, sha256 } from '../../base/index.ts';
import type { Handler, HandlerJob, HandlerOutcome, ImportRow, WorkQueue } from '../../queue/index.ts';
import { Orchestrator, recoverDead } from '../../queue/index.ts';
import type { ItemEnd, Line, Scheduling, TakenItem, WorkItem } from '../../stage/index.ts';

const PAGE = 1_000;
/** Faults of the runner, not of the item that showed them. */
const RUNNER_FAULTS: ReadonlySet<string> = new Set(['STAGE_QUEUE_SETTINGS', 'STAGE_QUEUE_UNREADABLE']);
/** Priorities are integers; a thousandth of a doubling is fine enough. */
const PER_DOUBLING = 1_000;

export interface QueueLineOptions {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** An item whose runners died this often while it ran alone fails. */
  readonly maxDeaths: number;
  /** How many items run at once, shown to operators. */
  readonly workers: number;
  readonly scheduling: Scheduling;
  /** Held while this runner decides whether to join others or start over; a fleet never starts over. */
  readonly lock?: FileLock;
  /** Fetches the inputs of an item and returns it with local paths. Throws if that fails. */
  readonly arrive?: (item: WorkItem, signal: AbortSignal) => Promise<WorkItem>;
  /** Records the end of an item; false if its lease was lost and nothing was recorded. */
  readonly ended?: (item: WorkItem, end: ItemEnd, job: Pick<HandlerJob, 'id' | 'token'>) => Promise<boolean>;
}

interface HeldItem {
  readonly job: HandlerJob;
  readonly end: (outcome: HandlerOutcome) => void;
}

/** A line in a work queue that several runners share. The handler of a leased item waits until it is settled. */
export class QueueLine implements Line, AsyncDisposable {
  readonly #options: QueueLineOptions;
  readonly #orchestrator: Orchestrator;
  readonly #stop = new AbortController();
  readonly #held = new Map<string, HeldItem>();
  readonly #written = new Map<number, () => void>();
  /** Hashes of the plan's settings: an item planned with other settings must not be done with these. */
  readonly #cfgHashes = new Set<string>();
  #arrived: TakenItem[] = [];
  #wanted = 0;
  #wake: () => void = () => undefined;
  #isStarted = false;
  #fault: AppError | undefined;

  private constructor(options: QueueLineOptions) {
    const { queue, clock, leaseMs, heartbeatMs, maxDeaths, workers } = options;
    this.#options = options;
    this.#orchestrator = new Orchestrator({
      queue,
      clock,
      handler: this.#handler,
      leaseMs,
      heartbeatMs,
      maxDeaths,
      maxWorkers: workers,
      // The runner limits the time of an item, and stops it when it is lost.
      jobTimeoutMs: 0,
      shutdownGraceMs: 0,
      report: (event) => {
        if (event.kind === 'job-settled') this.#written.get(event.job.id)?.();
      },
    });
  }

  static async open(items: Iterable<WorkItem>, options: QueueLineOptions): Promise<QueueLine> {
    const { queue, lock, scheduling } = options;
    const line = new QueueLine(options);
    if (!lock) {
      await line.offer([...items]);
      await line.#start('never');
      return line;
    }
    using _taken = await lock.take();
    await clearIfIdle(options);
    await queue.bulkImport(line.#rows(items, scheduling));
    // Without its own items a runner cannot know whether others' items match its settings.
    if (line.#cfgHashes.size > 0) await line.#start('empty');
    return line;
  }

  /** Enqueues items; one with the same content is not repeated. Never waits for room: the queue is on a disk. */
  async offer(items: readonly WorkItem[]): Promise<void> {
    const { queue, scheduling } = this.#options;
    await queue.bulkImport(
      [...this.#rows(items, scheduling)].map(({ payload, priority }) => {
        const { itemId, cfgHash, fingerprint } = payload as WorkItem;
        return { artifactId: `${itemId} ${sha256(`${cfgHash} ${fingerprint?.inputSha256}`)}`, payload, priority };
      }),
    );
  }

  /** No runner will offer more: the line ends when all items are done. */
  close(): void {
    this.#orchestrator.drain('empty');
  }

  async #start(drain: 'empty' | 'never'): Promise<void> {
    this.#isStarted = true;
    this.#resize();
    await this.#orchestrator.start({ drain, signal: this.#stop.signal });
  }

  async take(limit: number, signal: AbortSignal): Promise<readonly TakenItem[] | undefined> {
    if (!this.#isStarted) return undefined;
    this.#wanted = limit;
    this.#resize();
    if (this.#arrived.length === 0) await this.#arrival(signal);
    this.#wanted = 0;
    this.#resize();
    if (this.#fault) throw this.#fault;
    const taken = this.#arrived.splice(0, limit);
    if (taken.length === 0) return undefined;
    if (!this.#options.lock || taken.every(({ item }) => this.#cfgHashes.has(item.cfgHash))) return taken;
    for (const { item } of taken) await this.settle(item, { kind: 'unfinished' });
    throw new AppError('STAGE_QUEUE_SETTINGS', 'other runners of this stage use different settings', {
      hint: 'use the same settings for all of them, or wait until the others have finished',
    });
  }

  /** Resolves when the end is recorded; another runner settles an item that was lost. */
  async settle(item: WorkItem, end: ItemEnd): Promise<void> {
    const held = this.#held.get(item.itemId);
    if (!held) return;
    const isRecorded = end.kind === 'unfinished' || ((await this.#options.ended?.(item, end, held.job)) ?? true);
    // The lease may have been lost meanwhile.
    if (this.#held.get(item.itemId) !== held) return;
    this.#held.delete(item.itemId);
    this.#resize();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#written.set(held.job.id, resolve);
    // This process may lease the item again: unless its end is recorded, it is not done.
    held.end(outcomeOf(isRecorded ? end : { kind: 'unfinished' }));
    await Promise.race([promise, this.#orchestrator.ended]);
    this.#written.delete(held.job.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    if (!this.#isStarted) return;
    try {
      await this.#orchestrator.ended;
    } catch {
      // `take` and `settle` have thrown it; leases that could not be returned expire.
    }
    await this.#orchestrator.leave();
  }

  readonly #handler: Handler = async (job, { signal }) => {
    const given = job.payload as WorkItem;
    let item = given;
    try {
      item = (await this.#options.arrive?.(given, signal)) ?? given;
    } catch (error) {
      if (!(error instanceof AppError) || !RUNNER_FAULTS.has(error.code)) throw error;
      // Every other item would fail too: this runner ends, and leaves the item to others.
      this.#fault = error;
      this.#wake();
      return { retryAt: this.#options.clock.now() };
    }
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const held: HeldItem = { job, end: resolve };
      signal.addEventListener(
        'abort',
        () => {
          if (this.#held.get(item.itemId) === held) this.#held.delete(item.itemId);
          this.#arrived = this.#arrived.filter(({ lost }) => lost !== signal);
          this.#resize();
          reject(signal.reason as Error);
        },
        { once: true },
      );
      this.#held.set(item.itemId, held);
      this.#arrived.push({ item, lost: signal });
      this.#wake();
    });
  };

  /** Items are leased only when the stage asks for some: waiting ones could run elsewhere. */
  #resize(): void {
    this.#orchestrator.resize(this.#held.size + this.#wanted);
  }

  /** Waits for an item, the end of the queue, or the signal. */
  async #arrival(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
    await Promise.race([promise, this.#orchestrator.ended]);
    signal.removeEventListener('abort', wake);
  }

  *#rows(items: Iterable<WorkItem>, scheduling: Scheduling): Generator<ImportRow> {
    const sign = scheduling === 'fifo' ? 0 : scheduling === 'lpt' ? 1 : -1;
    for (const item of items) {
      this.#cfgHashes.add(item.cfgHash);
      const priority = sign * Math.round(Math.log2(1 + Math.max(0, item.costHint)) * PER_DOUBLING);
      yield { artifactId: item.itemId, payload: item, priority };
    }
  }
}

/** Removes the items of an earlier round, whose plan and settings may differ, unless runners are active. */
async function clearIfIdle({ queue, clock, leaseMs }: QueueLineOptions): Promise<void> {
  const { admin } = queue.store;
  await recoverDead(queue.store, clock);
  const { at, workers } = await queue.stats();
  if (workers.some(({ updatedAt }) => updatedAt >= at - leaseMs)) return;
  const states = ['queued', 'in_progress'] as const;
  for (let jobs = await admin.list({ states }, { limit: PAGE }); jobs.length > 0;) {
    for (const { id } of jobs) await admin.cancel(id, clock.now());
    jobs = await admin.list({ states }, { limit: PAGE });
  }
  await admin.prune({}, { dryRun: false });
}

function outcomeOf(end: ItemEnd): HandlerOutcome {
  switch (end.kind) {
    case 'success':
      return { state: 'done' };
    case 'skip':
      return { state: 'skipped', reason: end.outcome.reason ?? 'skipped' };
    case 'failure': {
      const { code, category, message } = end.error;
      return { state: 'error', reason: { code: code ?? category.toUpperCase(), message } };
    }
    case 'unfinished':
      return { retryAt: 0 };
  }
}
