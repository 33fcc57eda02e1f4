import { MOST_REPEATS } from '../segment/lexical.ts';

/** Seven bits of a number are in a byte; the eighth says that more follow. */
const MORE = 0x80;

/**
 * Passages and how often they have a term, as bytes. `postings` are passage * MOST_REPEATS + times - 1, in order. Of each
 * passage the distance from the one before is written, twice, plus one if another number follows: times - 1, if not 0.
 */
export function encodePostings(postings: Iterable<number>): Buffer {
  const bytes: number[] = [];
  const put = (value: number): void => {
    let rest = value;
    for (; rest >= MORE; rest = Math.floor(rest / MORE)) bytes.push((rest % MORE) + MORE);
    bytes.push(rest);
  };
  let last = 0;
  for (const posting of postings) {
    const [passage, repeats] = [Math.floor(posting / MOST_REPEATS), posting % MOST_REPEATS];
    put((passage - last) * 2 + (repeats > 0 ? 1 : 0));
    if (repeats > 0) put(repeats);
    last = passage;
  }
  return Buffer.from(bytes);
}

/** Calls back with each passage and how often it has the term. */
export function readPostings(bytes: Uint8Array, found: (passage: number, times: number) => void): void {
  let [at, passage] = [0, 0];
  const next = (): number => {
    let value = 0;
    for (let unit = 1; ; unit *= MORE) {
      const byte = bytes[at++] ?? 0;
      if (byte < MORE) return value + byte * unit;
      value += (byte - MORE) * unit;
    }
  };
  while (at < bytes.length) {
    const step = next();
    passage += Math.floor(step / 2);
    found(passage, step % 2 === 1 ? next() + 1 : 1);
  }
}
