import type { ErrorCategory, StageErrorInfo } from '../types.ts';

const SLOWEST = 10;
const TOP_ERRORS = 10;
const KEPT_ERRORS = 1_000;
const KEPT_KINDS = 1_000;
/** Buckets per doubling, of equal width: neighbours differ by 1.6 percent at most. */
const PER_DOUBLING = 64;
/** Durations from a tenth of a microsecond up to a month. */
const LOWEST = -24;
const BUCKETS = 56 * PER_DOUBLING;

/** A number and, in the same memory, its halves. */
const number = new Float64Array(1);
const halves = new Uint32Array(number.buffer);
/** Which half has the power of two, and how many bits of it are finer than a bucket. */
const UPPER = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;
const FINER_BITS = 14;
/** What a power of 0 is written as. */
const BIAS = 1_023;

/**
 * The bucket of a duration: its power of two, and in which sixty-fourth between that and the next it stands. That is how a
 * number is kept anyway, and costs a tenth of a logarithm.
 */
function bucketOf(ms: number): number {
  number[0] = ms;
  const bucket = ms > 0 ? ((halves[UPPER] as number) >>> FINER_BITS) - (BIAS + LOWEST) * PER_DOUBLING : 0;
  return Math.min(Math.max(bucket, 0), BUCKETS - 1);
}

/** Percentiles of any number of durations in a fixed space, to about one percent. */
export class Percentiles {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  add(ms: number): void {
    const bucket = bucketOf(ms);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
  }

  /** The smallest duration that at least this share does not exceed; 0 when there is none. */
  at(share: number): number {
    let left = Math.ceil(share * this.#total);
    if (left === 0) return 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      left -= this.#counts[bucket] ?? 0;
      if (left > 0) continue;
      const middle = 1 + ((bucket % PER_DOUBLING) + 0.5) / PER_DOUBLING;
      return bucket === 0 ? 0 : middle * 2 ** (Math.floor(bucket / PER_DOUBLING) + LOWEST);
    }
    return 0;
  }
}

/** The items that took longest. */
export class Slowest {
  readonly #items: { readonly itemId: string; readonly durationS: number }[] = [];
  #threshold = 0;

  add(itemId: string, durationMs: number): void {
    if (durationMs <= this.#threshold) return;
    this.#items.push({ itemId, durationS: durationMs / 1000 });
    if (this.#items.length < 2 * SLOWEST) return;
    this.#cut();
    this.#threshold = (this.#items.at(-1)?.durationS ?? 0) * 1000;
  }

  list(): readonly { readonly itemId: string; readonly durationS: number }[] {
    this.#cut();
    return [...this.#items];
  }

  #cut(): void {
    this.#items.sort((a, b) => b.durationS - a.durationS).splice(SLOWEST);
  }
}

/** Final errors: the first ones in full, all of them by kind. */
export class ErrorTally {
  readonly first: StageErrorInfo[] = [];
  readonly #kinds = new Map<string, { readonly category: ErrorCategory; readonly message: string; count: number }>();

  add(error: StageErrorInfo): void {
    if (this.first.length < KEPT_ERRORS) this.first.push(error);
    // The same fault of many documents differs in names and numbers only.
    const message = error.message.replaceAll(/(?<!\S)[^\s/\\]*[/\\]\S*/g, '…').replaceAll(/\d+/g, '#');
    const key = `${error.category} ${message}`;
    const kind = this.#kinds.get(key);
    if (kind) kind.count += 1;
    else if (this.#kinds.size < KEPT_KINDS) this.#kinds.set(key, { category: error.category, message, count: 1 });
  }

  top(): readonly { readonly category: ErrorCategory; readonly message: string; readonly count: number }[] {
    return [...this.#kinds.values()]
      .sort((a, b) => b.count - a.count)
      .slice(0, TOP_ERRORS)
      .map(({ category, message, count }) => ({ category, message, count }));
  }
}
