import { hash } from 'node:crypto';

const ONSETS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z', 'br', 'dr', 'tr', 'kl'] as const;
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'y'] as const;
const ENDS = ['n', 'l', 'r', 'x', 'th', 'm', 's', 'k', 'd', 'v', 'lt', 'rn'] as const;
const LETTERS = 'ABCDEFGHJKLMNPQRSTUV';

/** 2^37: 31 bits for the work number and 6 for the paragraph. There are 3 × 10^11 possible names. */
const SPACE = 1n << 37n;

/**
 * A made-up name such as `Kavomel-R482` for one paragraph of one work. The mapping is invertible, so no two paragraphs
 * of a world share a name.
 */
export function nonce(workId: string, paragraph: number): string {
  const digits = /(\d{1,15})$/.exec(workId)?.[1];
  const work = digits ? BigInt(digits) : hash('sha256', workId, 'buffer').readBigUInt64LE(0);
  let rest = ((work & 0x7fffffffn) << 6n) | BigInt(paragraph & 63);
  // Odd multipliers and xor-shifts are bijective and scatter neighbours.
  for (const factor of [0x9e3779b97n, 0x1b873593fn]) {
    rest = (rest * factor) % SPACE;
    rest ^= rest >> 19n;
  }
  const take = (size: number): number => {
    const digit = Number(rest % BigInt(size));
    rest /= BigInt(size);
    return digit;
  };
  let name = '';
  for (let syllable = 0; syllable < 3; syllable++) {
    name += (ONSETS[take(ONSETS.length)] ?? '') + (VOWELS[take(VOWELS.length)] ?? '');
  }
  name += ENDS[take(ENDS.length)] ?? '';
  const letter = LETTERS[take(LETTERS.length)] ?? 'A';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}-${letter}${String(100 + take(900))}`;
}
