import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import type { IndexedPassage } from '../src/search/index.ts';
import { paragraphs } from '../test/fixtures/papers.ts';
import { seededRandom } from '../test/fixtures/random-document.ts';

/** The model that questions are embedded with. */
export const MODEL = { engine: 'embedded', precision: 'int8', threads: 1 } as const;
/** Questions of a bench. */
export const QUERIES = [
  'effects of temperature on protein folding',
  'randomized trial of blood pressure treatment in older adults',
  'stem cell differentiation signalling pathway',
  'does vitamin D deficiency increase cancer risk',
  'gene expression in the human brain',
  'antibiotic resistance of bacteria in hospitals',
  'mitochondrial DNA damage and ageing',
  'immune response to vaccination in children',
];
/** Of each vector. */
export const DIMENSIONS = 384;
const PASSAGES_OF_A_PAPER = 50;

/** Passages with words of papers and random vectors, the same in every call. */
export async function* madePassages(count: number): AsyncGenerator<IndexedPassage> {
  const random = seededRandom(3);
  const texts = paragraphs(5_000).map((text) => text.split(' '));
  // Sums of two vectors out of a thousand: half a million directions.
  const vectors = Array.from({ length: 1_000 }, () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5));
  const some = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  for (let at = 0; at < count; at += 1) {
    const [one, other] = [some(vectors), some(vectors)];
    const vector = one.map((value, place) => value + (other[place] ?? 0));
    const length = Math.hypot(...vector);
    const words = texts[at % texts.length] ?? [];
    const from = Math.floor(random() * Math.max(1, words.length - 150));
    const document = `paper-${Math.floor(at / PASSAGES_OF_A_PAPER)}`;
    yield {
      id: String(at),
      document,
      title: `Title of ${document}`,
      headings: ['Results'],
      page: 1,
      file: `${document}.pdf`,
      text: words.slice(from, from + 150).join(' '),
      vector: vector.map((value) => value / length),
    };
  }
}

/** Passages that more are made of, when the file has too few. */
const KEPT = 100_000;

/** A passage of a file: JSON lines, those of a paper one after the other. */
interface GivenPassage {
  readonly document: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/** The vectors of a file: 32-bit numbers, or with a file of scales bytes with a sign, each row times its scale. */
export function readRows(vectors: string, scales: string | undefined) {
  const bytes = readFileSync(vectors);
  if (scales === undefined) {
    const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    const row = (at: number): Float32Array => all.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
    return { count: Math.floor(all.length / DIMENSIONS), row };
  }
  const small = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const factors = readFileSync(scales);
  const row = (at: number): Float32Array => {
    const factor = factors.readFloatLE(4 * at);
    return Float32Array.from(small.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS), (value) => value * factor);
  };
  return { count: Math.floor(small.length / DIMENSIONS), row };
}

/**
 * Passages of real papers. `vectors` is a file with the vectors of the first of them (`readRows`); the others get the mean
 * of one that is the same in all their paper and one of their own. (Thousands drawn close to the same few make groups of
 * near copies, of which an index of near vectors loses whole ones, as with real papers it does not.) When the passages of
 * the file are used up, more are made of halves of two of them.
 */
export async function* givenPassages(
  {
    texts,
    vectors,
    scales,
  }: { readonly texts: string; readonly vectors: string; readonly scales?: string | undefined },
  count: number,
): AsyncGenerator<IndexedPassage> {
  const random = seededRandom(5);
  const { count: known, row: vectorAt } = readRows(vectors, scales);
  const some = <T>(count: number, at: (place: number) => T): T => at(Math.floor(random() * count));
  let ofPaper = some(known, vectorAt);
  const drawn = (): Float32Array => {
    const own = some(known, vectorAt);
    const vector = ofPaper.map((value, at) => value + (own[at] ?? 0));
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const kept: GivenPassage[] = [];
  const words = (): string[] => some(kept.length, (place) => kept[place]?.text ?? '').split(' ');
  let [at, papers, last] = [0, 0, ''];
  const made = ({ document, title, headings, text }: GivenPassage): IndexedPassage => {
    if (document !== last) {
      papers += 1;
      ofPaper = some(known, vectorAt);
    }
    last = document;
    const name = `paper-${papers}`;
    const vector = at < known ? vectorAt(at) : drawn();
    const id = String(at++);
    return { id, document: name, title, headings, page: 1, file: `${name}.pdf`, text, vector };
  };
  for await (const line of createInterface({ input: createReadStream(texts) })) {
    if (at === count) return;
    const passage = JSON.parse(line) as GivenPassage;
    if (kept.length < KEPT) kept.push(passage);
    yield made(passage);
  }
  const missing = count - at;
  for (let more = 0; more < missing; more += 1) {
    const { title, headings } = kept[Math.floor(at / PASSAGES_OF_A_PAPER) % kept.length] as GivenPassage;
    const [one, other] = [words(), words()];
    const text = [...one.slice(0, one.length >> 1), ...other.slice(other.length >> 1)].join(' ');
    yield made({ document: `made ${Math.floor(at / PASSAGES_OF_A_PAPER)}`, title, headings, text });
  }
}
