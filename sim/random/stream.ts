/**
 * Named random streams. A stream depends only on the seed, its name and its number, so a feature with its own stream
 * never changes what other features draw.
 */
export interface Stream {
  /** A number in [0, 1) with 53 bits. */
  next(): number;
  /** An integer in [0, below). */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

const MASK = 0xffff_ffff_ffff_ffffn;

/** One step of splitmix64, used to fill the generator state. */
function splitmix64(state: bigint): bigint {
  let z = (state + 0x9e37_79b9_7f4a_7c15n) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK;
  return z ^ (z >> 31n);
}

/** FNV-1a with 32 bits, twice with different starts. Not cryptographic. */
function nameHash(name: string): bigint {
  let low = 0x811c_9dc5;
  let high = 0x01234_567;
  for (let at = 0; at < name.length; at += 1) {
    low = Math.imul(low ^ name.charCodeAt(at), 0x0100_0193) >>> 0;
    high = Math.imul(high ^ name.charCodeAt(at), 0x0100_0193) >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}

/** xoshiro256** on pairs of 32-bit halves: BigInt would be twenty times slower. */
class Xoshiro implements Stream {
  readonly #s = new Uint32Array(8);

  constructor(seed: bigint) {
    let state = seed;
    for (let word = 0; word < 4; word += 1) {
      const value = splitmix64(state);
      state = (state + 0x9e37_79b9_7f4a_7c15n) & MASK;
      this.#s[word * 2] = Number(value >> 32n);
      this.#s[word * 2 + 1] = Number(value & 0xffff_ffffn);
    }
  }

  next(): number {
    const s = this.#s as unknown as [number, number, number, number, number, number, number, number];
    // result = rotl(s1 * 5, 7) * 9
    const fiveLow = s[3] * 5;
    const fiveHigh = (Math.imul(s[2], 5) + Math.floor(fiveLow / 0x1_0000_0000)) >>> 0;
    const five = fiveLow >>> 0;
    const rotatedHigh = ((fiveHigh << 7) | (five >>> 25)) >>> 0;
    const rotatedLow = ((five << 7) | (fiveHigh >>> 25)) >>> 0;
    const nineLow = rotatedLow * 9;
    const high = (Math.imul(rotatedHigh, 9) + Math.floor(nineLow / 0x1_0000_0000)) >>> 0;
    const low = nineLow >>> 0;
    // t = s1 << 17
    const tHigh = ((s[2] << 17) | (s[3] >>> 15)) >>> 0;
    const tLow = (s[3] << 17) >>> 0;
    s[4] ^= s[0];
    s[5] ^= s[1];
    s[6] ^= s[2];
    s[7] ^= s[3];
    s[2] ^= s[4];
    s[3] ^= s[5];
    s[0] ^= s[6];
    s[1] ^= s[7];
    s[4] ^= tHigh;
    s[5] ^= tLow;
    // s3 = rotl(s3, 45) = rotl by 32 (swap halves) and by 13
    const oldHigh = s[6];
    const oldLow = s[7];
    s[6] = (oldLow << 13) | (oldHigh >>> 19);
    s[7] = (oldHigh << 13) | (oldLow >>> 19);
    return (high * 0x20_0000 + (low >>> 11)) / 0x20_0000_0000_0000;
  }

  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

export function stream(seed: number, name: string, number: number | string = 0): Stream {
  return new Xoshiro(splitmix64(BigInt(seed) & MASK) ^ nameHash(`${name}\u0000${number}`));
}

/** An integer in [0, count) with weight 1 / (rank + 1)^exponent; `cumulative` comes from `zipfTable`. */
export function zipf(draw: Stream, cumulative: Float64Array): number {
  const wanted = draw.next() * (cumulative.at(-1) ?? 0);
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((cumulative[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function zipfTable(count: number, exponent: number): Float64Array {
  let sum = 0;
  return Float64Array.from({ length: count }, (_, rank) => (sum += 1 / (rank + 1) ** exponent));
}
