import { Client } from 'pg';

import type { DenseEngine } from '../../src/parse/index.ts';
import { openPostgres } from '../../src/queue/kept/index.ts';
import type { SearchIndex } from '../../src/search/index.ts';
import { openPostgresIndex, PostgresIndex } from '../../src/search/index.ts';
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

/** Builds an index in a schema, which is replaced, and opens it; `first` is the number of its first document. */
export async function buildPostgresIndex(
  url: string,
  schema: string,
  passages: AsyncIterable<IndexedPassage>,
  { dense, engine, stack }: { dense: IndexDense | null; engine: DenseEngine; stack: AsyncDisposableStack },
): Promise<{ readonly index: SearchIndex; readonly first: number }> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await admin.end();
  const connection = stack.use(await openPostgres(url, { schema, maxConnections: 3 }));
  const writer = await PostgresIndex.open(connection);
  for await (const document of documentsOf(passages)) await writer.put({ ...document, stamp: 'made' }, dense);
  await writer.complete(dense);
  return { index: stack.use(await openPostgresIndex(connection, engine)), first: 1 };
}

/** Passages in order, as documents. */
export async function* documentsOf(
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
