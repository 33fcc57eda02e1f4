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
