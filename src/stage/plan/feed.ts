import type { ItemRun } from '../execute/perform.ts';
import { createRun } from '../execute/perform.ts';
import type { StageOptions } from '../options.ts';
import { inShard } from '../options.ts';
import type { ItemSource, StagePlan, WorkItem } from '../types.ts';

/** Items taken from a list at a time: the event loop gets a turn in between. */
const AT_ONCE = 64;

export class Feed {
  readonly source: ItemSource | undefined;
  readonly total: number | undefined;
  /** Items arrive in the order in which they start; others are sorted as they arrive. */
  readonly isOrdered: boolean;
  /** Items arrive while the stage runs. */
  readonly isLive: boolean;
  readonly #options: Pick<StageOptions, 'shard' | 'limit'>;
  readonly #signal: AbortSignal;
  readonly #iterator: AsyncIterator<WorkItem> | Iterator<WorkItem> | undefined;
  #taken = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(plan: StagePlan, options: Pick<StageOptions, 'shard' | 'limit' | 'scheduling'>, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    const { items } = plan;
    const { shard, limit, scheduling } = options;
    this.source = 'settle' in items ? items : undefined;
    // A source orders its items for all runners; ordering here would mean taking thousands from the others.
    this.isOrdered = scheduling === 'fifo' || Array.isArray(items) || this.source !== undefined;
    const known = plan.totalItems ?? (Array.isArray(items) ? items.length : undefined);
    if (known !== undefined && shard.count === 1) this.total = limit > 0 ? Math.min(known, limit) : known;
    this.isLive = 'settle' in items || Symbol.asyncIterator in items;
    if ('settle' in items) return;
    if (Symbol.asyncIterator in items) this.#iterator = items[Symbol.asyncIterator]();
    else {
      // A plan that is in memory anyway is ordered as a whole; equal costs keep their order.
      const sign = scheduling === 'sjf' ? 1 : -1;
      const isSorted = Array.isArray(items) && scheduling !== 'fifo';
      const sorted = isSorted ? (items as WorkItem[]).toSorted((a, b) => sign * (a.costHint - b.costHint)) : items;
      this.#iterator = sorted[Symbol.iterator]();
    }
  }

  /** The next items, at most `limit` and perhaps none; undefined at the end. */
  async pull(limit: number): Promise<readonly ItemRun[] | undefined> {
    const { limit: most, shard } = this.#options;
    if (most > 0 && this.#taken >= most) return undefined;
    const wanted = most > 0 ? Math.min(limit, most - this.#taken) : limit;
    if (this.source) {
      const taken = await this.source.take(wanted, this.#signal);
      this.#taken += taken?.length ?? 0;
      return taken?.map(({ item, lost }) => createRun(item, lost));
    }
    const items = await this.#next(this.isLive ? 1 : Math.min(wanted, AT_ONCE));
    const chosen = items?.filter(({ itemId }) => inShard(itemId, shard));
    this.#taken += chosen?.length ?? 0;
    return chosen?.map((item) => createRun(item));
  }

  async close(): Promise<void> {
    await this.#iterator?.return?.();
  }

  async #next(limit: number): Promise<WorkItem[] | undefined> {
    if (this.#failure) throw this.#failure.error;
    const items: WorkItem[] = [];
    try {
      while (items.length < limit) {
        const next = this.#iterator?.next();
        const step = next instanceof Promise ? await next : next;
        if (!step || step.done) return items.length > 0 ? items : undefined;
        items.push(step.value);
      }
    } catch (error) {
      // The items before the error are still processed.
      if (items.length === 0) throw error;
      this.#failure = { error };
    }
    return items;
  }
}
