import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stream, zipf, zipfTable } from './stream.ts';

/** The generator as its authors wrote it, on BigInt, to compare with. */
function reference(seed: bigint): () => bigint {
  const mask = 0xffff_ffff_ffff_ffffn;
  const mix = (at: bigint): bigint => {
    let z = (at + 0x9e37_79b9_7f4a_7c15n) & mask;
    z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & mask;
    return z ^ (z >> 31n);
  };
  const rotl = (x: bigint, k: bigint): bigint => ((x << k) | (x >> (64n - k))) & mask;
  const s = [0n, 1n, 2n, 3n].map((step) => mix((seed + step * 0x9e37_79b9_7f4a_7c15n) & mask));
  return () => {
    const [s0 = 0n, s1 = 0n, s2 = 0n, s3 = 0n] = s;
    const result = (rotl((s1 * 5n) & mask, 7n) * 9n) & mask;
    const n2 = s2 ^ s0;
    const n3 = s3 ^ s1;
    s[1] = s1 ^ n2;
    s[0] = s0 ^ n3;
    s[2] = n2 ^ ((s1 << 17n) & mask);
    s[3] = rotl(n3, 45n);
    return result;
  };
}

test('the fast generator matches xoshiro256**', () => {
  const mask = 0xffff_ffff_ffff_ffffn;
  // The seed of stream(7, 'work', 3), computed the slow way.
  const fnv = (start: number): number => {
    let hash = start;
    for (const char of 'work\u00003') hash = Math.imul(hash ^ char.charCodeAt(0), 0x0100_0193) >>> 0;
    return hash;
  };
  let z = (7n + 0x9e37_79b9_7f4a_7c15n) & mask;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & mask;
  z ^= z >> 31n;
  const slow = reference(z ^ ((BigInt(fnv(0x01234_567)) << 32n) | BigInt(fnv(0x811c_9dc5))));
  const fast = stream(7, 'work', 3);
  for (let draw = 0; draw < 1_000; draw += 1) assert.equal(fast.next(), Number(slow() >> 11n) / 2 ** 53);
});

test('streams with different names, numbers or seeds differ, equal ones agree', () => {
  const first = (seed: number, name: string, number: number): number => stream(seed, name, number).next();
  assert.equal(first(1, 'a', 1), first(1, 'a', 1));
  assert.equal(new Set([first(1, 'a', 1), first(1, 'a', 2), first(1, 'b', 1), first(2, 'a', 1)]).size, 4);
});

test('Zipf draws follow the law', () => {
  const table = zipfTable(100, 1.07);
  const draw = stream(1, 'zipf');
  const counts = new Map<number, number>();
  for (let at = 0; at < 20_000; at += 1) {
    const rank = zipf(draw, table);
    counts.set(rank, (counts.get(rank) ?? 0) + 1);
  }
  const ratio = (counts.get(0) ?? 0) / (counts.get(1) ?? 1);
  assert.ok(Math.abs(ratio - 2 ** 1.07) < 0.25, `rank 0 to rank 1 is ${ratio}`);
});
