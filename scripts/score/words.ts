import type { Block } from '../../src/parse/document.ts';

/** BM25 (k1 = 1.2, b = .75) of terms in documents, as the scores of all documents. */
export function bm25(documents: readonly (readonly string[])[]): (terms: Iterable<string>) => Float64Array {
  const [k1, b] = [1.2, 0.75];
  const average = documents.reduce((sum, each) => sum + each.length, 0) / Math.max(1, documents.length);
  const postings = new Map<string, Map<number, number>>();
  for (const [place, own] of documents.entries())
    for (const term of own) {
      const of = postings.get(term) ?? new Map<number, number>();
      postings.set(term, of.set(place, (of.get(place) ?? 0) + 1));
    }
  return (terms) => {
    const scores = new Float64Array(documents.length);
    for (const term of terms) {
      const of = postings.get(term) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - of.size + 0.5) / (of.size + 0.5));
      for (const [place, count] of of) {
        const length = (documents[place]?.length ?? 0) / average;
        scores[place]! += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + b * length));
      }
    }
    return scores;
  };
}

/** How many words two texts share, each as often as both have it, and the words that only the second has. */
export function sharedWords(
  ours: readonly string[],
  theirs: readonly string[],
): { readonly shared: number; readonly missing: readonly string[] } {
  const left = new Map<string, number>();
  for (const word of ours) left.set(word, (left.get(word) ?? 0) + 1);
  const missing = theirs.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
  return { shared: theirs.length - missing.length, missing };
}

/** The text of a block; of a table, that of its cells. */
export function textOfBlock(block: Block): string {
  return block.kind === 'table' ? block.table.cells.map(({ text }) => text).join(' ') : block.text;
}
