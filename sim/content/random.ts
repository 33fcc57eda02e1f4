import { hash } from 'node:crypto';

export interface Stream {
  next(): number;
  /** An integer from `least` to `most`, inclusive. */
  integer(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
  chance(share: number): boolean;
}

/** Opens the stream called `names`. New features use new names, so that existing output does not change. */
export function stream(...names: readonly (string | number)[]): Stream {
  const seed = hash('sha256', names.join('\u0000'), 'buffer');
  // sfc32: small, fast, passes PractRand; the seed fills its state, so no warm-up is needed.
  let a = seed.readInt32LE(0);
  let b = seed.readInt32LE(4);
  let c = seed.readInt32LE(8);
  let d = seed.readInt32LE(12);
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    integer,
    pick<T>(items: readonly T[]): T {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    shuffle<T>(items: readonly T[]): T[] {
      const copy = [...items];
      for (let index = copy.length - 1; index > 0; index--) {
        const other = integer(0, index);
        [copy[index], copy[other]] = [copy[other] as T, copy[index] as T];
      }
      return copy;
    },
    chance: (share) => next() < share,
  };
}

/** Deals items in random order and reshuffles when all were dealt, so that repeats are far apart. */
export function deck<T>(items: readonly T[], random: Stream): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = random.shuffle(items);
    const item = left.pop();
    if (item === undefined) throw new RangeError('an empty deck deals nothing');
    return item;
  };
}
