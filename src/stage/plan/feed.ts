import { ItemRun } from '../execute/item-run.ts';
import { inShard } from './shard.ts';
import type { ItemSource, StageOptions, StagePlan, WorkItem } from '../types.ts';

/** Items of an unknown number that are ordered by cost are ordered among this many at a time. */
export const ORDER_WINDOW = 10_000;

/** Items taken from a list or generator in one go. */
const AT_ONCE = 64;

/** What a pull brings: some items (perhaps none yet), or the end. */
export type Pulled = readonly ItemRun[] | 'end';

/** Takes items out of a plan as they are needed: those of this shard, up to the limit. */
export class Feed {
  readonly #options: Pick<StageOptions, 'shard' | 'limit'>;
  readonly #pull: (limit: number) => Pulled | Promise<Pulled>;
  readonly #close: () => Promise<void>;
  readonly source: ItemSource | undefined;
  readonly total: number | undefined;
  /** Items come in the order in which they are to be begun; the others are ordered as they come. */
  readonly isOrdered: boolean;
  #taken = 0;

  constructor(
    plan: StagePlan,
    options: Pick<StageOptions, 'shard' | 'limit' | 'scheduling'>,
    stop: { readonly signal: AbortSignal },
  ) {
    this.#options = options;
    const { items } = plan;
    // A source orders its items for all who share them; ordering here would mean taking thousands from the others.
    this.isOrdered = options.scheduling === 'fifo' || Array.isArray(items) || 'settle' in items;
    const known = plan.totalItems ?? (Array.isArray(items) ? items.length : undefined);
    this.total =
      known === undefined
        ? undefined
        : options.shard.count > 1
          ? undefined
          : options.limit > 0
            ? Math.min(known, options.limit)
            : known;
    if ('settle' in items) {
      this.source = items;
      this.#pull = async (limit) =>
        (await items.take(limit, stop.signal))?.map(({ item, lost }) => new ItemRun(item, lost)) ?? 'end';
      this.#close = () => Promise.resolve();
      return;
    }
    if (Symbol.asyncIterator in items) {
      const iterator = items[Symbol.asyncIterator]();
      this.#pull = async () => {
        const { done, value } = await iterator.next();
        return done ? 'end' : [new ItemRun(value)];
      };
      this.#close = async () => void (await iterator.return?.());
      return;
    }
    const ordered = Array.isArray(items) ? inOrder(items as readonly WorkItem[], options.scheduling) : items;
    const iterator = ordered[Symbol.iterator]();
    let ended = false;
    let failure: { readonly error: unknown } | undefined;
    this.#pull = (limit) => {
      if (failure) throw failure.error;
      if (ended) return 'end';
      const runs: ItemRun[] = [];
      try {
        for (let left = Math.min(limit, AT_ONCE); left > 0 && !ended; left -= 1) {
          const next = iterator.next();
          if (next.done) ended = true;
          else runs.push(new ItemRun(next.value));
        }
      } catch (error) {
        // What came before the fault is still work.
        failure = { error };
      }
      return runs;
    };
    this.#close = async () => void iterator.return?.();
  }

  /** The next items, at most `limit`; at once where the plan does not have to be waited for. */
  pull(limit: number): Pulled | Promise<Pulled> {
    const { limit: most } = this.#options;
    if (most > 0 && this.#taken >= most) return 'end';
    const pulled = this.#pull(most > 0 ? Math.min(limit, most - this.#taken) : limit);
    return pulled instanceof Promise ? pulled.then((value) => this.#choose(value)) : this.#choose(pulled);
  }

  /** Lets the plan know that no more will be taken. */
  close(): Promise<void> {
    return this.#close();
  }

  #choose(pulled: Pulled): Pulled {
    if (pulled === 'end') return pulled;
    const { shard } = this.#options;
    // A source shares its items out by itself.
    const chosen = shard.count === 1 || this.source ? pulled : pulled.filter(({ item }) => inShard(item.itemId, shard));
    this.#taken += chosen.length;
    return chosen;
  }
}

/** A plan that is in memory anyway is ordered as a whole; equal costs keep their order. */
function inOrder(items: readonly WorkItem[], scheduling: StageOptions['scheduling']): readonly WorkItem[] {
  if (scheduling === 'fifo') return items;
  const sign = scheduling === 'sjf' ? 1 : -1;
  return items.toSorted((a, b) => sign * (a.costHint - b.costHint));
}
