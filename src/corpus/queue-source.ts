import type { Clock, FileLock } from '../base/index.ts';
import { AppError, wait } from '../base/index.ts';
import type { JobHolderOptions, LeasedJob, Settlement } from '../queue/index.ts';
import { JobHolder } from '../queue/index.ts';
import type { ItemEnd, ItemSource, Scheduling, TakenItem, WorkItem } from '../stage/index.ts';

const LOCK_RETRY_MS = 20;
const PAGE = 1_000;
/** Priorities are whole numbers; a thousandth of a doubling is all the order that matters. */
const PER_DOUBLING = 1_000;

export interface QueueSourceOptions extends JobHolderOptions {
  /** Held while it is decided whether this runner joins others or begins anew; shared by all runners of the stage. */
  readonly lock: FileLock;
  readonly scheduling: Scheduling;
}

/**
 * A stage's items shared by several processes or hosts through a work queue that is the stage's own. Who comes first
 * puts the plan in; who comes while others work joins them. Items of runners that died are taken over.
 */
export class QueueSource implements ItemSource, AsyncDisposable {
  readonly #holder: JobHolder;
  readonly #taken = new Map<string, LeasedJob>();
  /** Settings of the plan: an item made for other settings must not be done with ours. */
  readonly #cfgHashes = new Set<string>();

  private constructor(holder: JobHolder) {
    this.#holder = holder;
  }

  static async open(items: Iterable<WorkItem>, options: QueueSourceOptions): Promise<QueueSource> {
    const holder = new JobHolder(options);
    try {
      await join(holder, options);
      const source = new QueueSource(holder);
      await options.queue.bulkImport(source.#jobs(items, options.scheduling));
      return source;
    } catch (error) {
      await holder[Symbol.asyncDispose]();
      throw error;
    }
  }

  async take(limit: number, signal: AbortSignal): Promise<readonly TakenItem[] | undefined> {
    // Without a plan of its own a runner cannot know whether the items of others are meant for its settings.
    if (this.#cfgHashes.size === 0) return undefined;
    const held = await this.#holder.take(limit, signal);
    const taken = held?.map(({ job, lost }) => ({ job, lost, item: JSON.parse(job.artifactJson) as WorkItem }));
    if (taken?.every(({ item }) => this.#cfgHashes.has(item.cfgHash)) === false) {
      await this.#holder.giveBack(taken.map(({ job }) => job));
      throw new AppError('STAGE_QUEUE_SETTINGS', 'other runners of this stage work with other settings', {
        hint: 'give all of them the same settings, or wait until the others have finished',
      });
    }
    for (const { item, job } of taken ?? []) this.#taken.set(item.itemId, job);
    return taken?.map(({ item, lost }) => ({ item, lost }));
  }

  async settle({ itemId }: WorkItem, end: ItemEnd): Promise<void> {
    const job = this.#taken.get(itemId);
    this.#taken.delete(itemId);
    if (job) await this.#holder.settle([job], settlementOf(end));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#holder[Symbol.asyncDispose]();
  }

  *#jobs(
    items: Iterable<WorkItem>,
    scheduling: Scheduling,
  ): Generator<{ artifactId: string; artifact: WorkItem; priority: number }> {
    const sign = scheduling === 'fifo' ? 0 : scheduling === 'lpt' ? 1 : -1;
    for (const item of items) {
      this.#cfgHashes.add(item.cfgHash);
      const priority = sign * Math.round(Math.log2(1 + Math.max(0, item.costHint)) * PER_DOUBLING);
      yield { artifactId: item.itemId, artifact: item, priority };
    }
  }
}

/** Where nobody is at work, what an earlier round left is history: its plan and settings may have been others. */
async function join(holder: JobHolder, { queue, clock, lock, leaseMs }: QueueSourceOptions): Promise<void> {
  let taken = lock.tryTake();
  for (; !taken; taken = lock.tryTake()) await wait(clock, LOCK_RETRY_MS);
  using _lock = taken;
  await holder.presence.recoverDead();
  const { workers } = await queue.stats();
  if (workers.every(({ updatedAt }) => updatedAt < clock.now() - leaseMs)) await clear(queue, clock);
  await holder.announce();
}

async function clear({ store: { admin } }: QueueSourceOptions['queue'], clock: Clock): Promise<void> {
  for (const states of [['queued'], ['in_progress']] as const) {
    for (let jobs = await admin.list({ states }, { limit: PAGE }); jobs.length > 0;) {
      for (const { id } of jobs) await admin.cancel(id, clock.now());
      jobs = await admin.list({ states }, { limit: PAGE });
    }
  }
  await admin.prune({}, { dryRun: false });
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
