import { readFile } from 'node:fs/promises';

import { AppError, fieldsOf, parseJson, sha256, writeOwnFile } from '../../../base/index.ts';
import { ANALYSIS, analyse, BM25 } from '../../terms/index.ts';
import type { SparseEngine, SparseVector } from '../engine.ts';

const SCHEMA = 'docstokg/bm25/1';

/** The statistics of a collection for BM25, measured once and kept so that vectors of later runs are comparable. */
export interface Bm25Statistics {
  readonly schema: string;
  readonly analysis: string;
  readonly passages: number;
  readonly averageLength: number;
  /** In how many passages a term occurs, by the term's index; terms of one passage are left out. */
  readonly frequencies: Readonly<Record<string, number>>;
}

export async function measureBm25(texts: AsyncIterable<string> | Iterable<string>): Promise<Bm25Statistics> {
  let passages = 0;
  let length = 0;
  const frequencies = new Map<number, number>();
  for await (const text of texts) {
    const terms = analyse(text);
    passages += 1;
    length += terms.length;
    for (const index of new Set(terms.map(termIndex))) frequencies.set(index, (frequencies.get(index) ?? 0) + 1);
  }
  return {
    schema: SCHEMA,
    analysis: ANALYSIS,
    passages,
    averageLength: length / passages || 1,
    frequencies: Object.fromEntries([...frequencies].filter(([, count]) => count > 1).sort(([a], [b]) => a - b)),
  };
}

export async function saveBm25(path: string, statistics: Bm25Statistics): Promise<void> {
  await writeOwnFile(path, JSON.stringify(statistics));
}

export async function loadBm25(path: string): Promise<Bm25Statistics> {
  const statistics = fieldsOf(parseJson(await readFile(path, 'utf8')));
  const { schema, analysis, passages, averageLength, frequencies } = statistics;
  const isWhole = typeof passages === 'number' && typeof averageLength === 'number' && typeof frequencies === 'object';
  if (schema !== SCHEMA || analysis !== ANALYSIS || !isWhole) {
    throw new AppError('BM25_SCHEMA', `${path} is damaged or was written by another version`, {
      hint: 'remove it, and the next run measures the statistics again and rebuilds the sparse vectors',
    });
  }
  return statistics as unknown as Bm25Statistics;
}

/** Passages have saturated counts, queries the rarity of terms. Indices are hashes: no vocabulary is kept. */
export function openBm25(statistics: Bm25Statistics): SparseEngine {
  const passage = (text: string): SparseVector => {
    const terms = analyse(text);
    const norm = BM25.k1 * (1 - BM25.b + (BM25.b * terms.length) / statistics.averageLength);
    return sparse(terms, (count) => (count * (BM25.k1 + 1)) / (count + norm));
  };
  const query = (text: string): SparseVector =>
    sparse(analyse(text), (count, index) => {
      const frequency = statistics.frequencies[index] ?? 1;
      return count * Math.log(1 + (statistics.passages - frequency + 0.5) / (frequency + 0.5));
    });
  return {
    model: { name: 'bm25', revision: sha256(JSON.stringify(statistics)).slice(0, 16), precision: ANALYSIS },
    embed: async (texts, role) => texts.map(role === 'passage' ? passage : query),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function sparse(terms: readonly string[], weigh: (count: number, index: number) => number): SparseVector {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(termIndex(term), (counts.get(termIndex(term)) ?? 0) + 1);
  const indices = Uint32Array.from(counts.keys()).sort();
  return { indices, values: Float32Array.from(indices, (index) => weigh(counts.get(index) ?? 0, index)) };
}

/** FNV-1a over UTF-16, with a last mix so that near terms fall far apart; 31 bits, as many stores take signed integers. */
function termIndex(term: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  return (hash ^ (hash >>> 13)) & 0x7f_ff_ff_ff;
}
