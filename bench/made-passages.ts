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

/** Of two passages so near each other in a file, both are of one paper, almost always. */
const NEIGHBOURS = 6;
/** How far a drawn vector is from the line between two real ones, for each number. */
const NOISE = 0.02;
/** Passages that more are made of, when the file has too few. */
const KEPT = 100_000;

/** A passage of a file: JSON lines, those of a paper one after the other. */
interface GivenPassage {
  readonly document: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/**
 * Passages of real papers. `vectors` is a file with the vectors of the first of them, as 32-bit numbers; the others get one
 * drawn between those of two neighbours. When the passages of the file are used up, more are made of halves of two of them.
 */
export async function* givenPassages(
  texts: string,
  vectors: string,
  count: number,
): AsyncGenerator<IndexedPassage & { readonly isReal: boolean }> {
  const random = seededRandom(5);
  const bytes = readFileSync(vectors);
  const real = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const known = Math.floor(real.length / DIMENSIONS);
  const vectorAt = (at: number): Float32Array => real.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
  const drawn = (): Float32Array => {
    const first = Math.floor(random() * (known - NEIGHBOURS));
    const [one, other] = [vectorAt(first), vectorAt(first + 1 + Math.floor(random() * (NEIGHBOURS - 1)))];
    const share = random();
    const vector = one.map(
      (value, at) => value * share + (other[at] ?? 0) * (1 - share) + (random() - 0.5) * 2 * NOISE,
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const kept: GivenPassage[] = [];
  const some = (): string[] => (kept[Math.floor(random() * kept.length)]?.text ?? '').split(' ');
  let [at, papers, last] = [0, 0, ''];
  const made = ({ document, title, headings, text }: GivenPassage): IndexedPassage & { readonly isReal: boolean } => {
    if (document !== last) papers += 1;
    last = document;
    const name = `paper-${papers}`;
    const isReal = at < known;
    const vector = isReal ? vectorAt(at) : drawn();
    const id = String(at++);
    return { id, document: name, title, headings, page: 1, file: `${name}.pdf`, text, vector, isReal };
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
    const [one, other] = [some(), some()];
    const text = [...one.slice(0, one.length >> 1), ...other.slice(other.length >> 1)].join(' ');
    yield made({ document: `made ${Math.floor(at / PASSAGES_OF_A_PAPER)}`, title, headings, text });
  }
}
