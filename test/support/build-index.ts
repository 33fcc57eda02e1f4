import type { IndexedPassage } from '../../src/search/passage.ts';
import type { IndexedDocument } from '../../src/search/segment/write-segment.ts';
import type { IndexDense } from '../../src/search/segment/write-segment.ts';
import { IndexRows } from '../../src/search/index-rows.ts';

/** Builds an index of passages that no stage has written; `passages` are grouped by document. */
export async function buildIndex(
  folder: string,
  passages: AsyncIterable<IndexedPassage> | Iterable<IndexedPassage>,
  options: { readonly dense?: IndexDense } = {},
): Promise<void> {
  using index = IndexRows.open(folder);
  await index.rebuild(documentsOf(passages), options.dense ?? null);
}

async function* documentsOf(
  passages: AsyncIterable<IndexedPassage> | Iterable<IndexedPassage>,
): AsyncGenerator<IndexedDocument> {
  let some: IndexedPassage[] = [];
  for await (const passage of passages) {
    const [first] = some;
    if (first && first.document !== passage.document) {
      yield { id: first.document, stamp: '', passages: some };
      some = [];
    }
    some.push(passage);
  }
  const [first] = some;
  if (first) yield { id: first.document, stamp: '', passages: some };
}
