import type { FoundDocument, IndexEvent } from '../refresh.ts';
import { indexedDocuments, wantedDense } from '../refresh.ts';
import type { IndexDense } from '../segment/write-segment.ts';
import type { PostgresIndex } from './postgres-index.ts';

interface RefreshPostgresOptions {
  readonly report?: ((event: IndexEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings the index up to date with these documents: new and changed ones are added, others removed. With another model,
 * or after a change of the program, a new index is made beside the current one and replaces it at once. It may be killed
 * and called again, by several machines too.
 */
export async function refreshPostgresIndex(
  index: PostgresIndex,
  documents: readonly FoundDocument[],
  { report, signal }: RefreshPostgresOptions = {},
): Promise<void> {
  const dense = index.hasVectors ? await wantedDense(documents) : null;
  const stamps = await index.stamps(dense);
  const changed = documents.filter(({ id, stamp }) => stamps.get(id) !== stamp);
  const kept = stamps.size === 0 ? undefined : stamps.size;
  for (const { id } of documents) stamps.delete(id);
  if (changed.length > 0) report?.({ kind: 'index-started', documents: changed.length, kept });
  await put(index, changed, dense, { report, signal });
  await index.remove([...stamps.keys()], dense);
  signal?.throwIfAborted();
  await index.complete(dense);
}

/** Adds one document to the index of its own model, as soon as it has vectors. */
export async function putDocument(index: PostgresIndex, document: FoundDocument): Promise<void> {
  await put(index, [document], index.hasVectors ? await wantedDense([document]) : null, {});
}

async function put(
  index: PostgresIndex,
  documents: readonly FoundDocument[],
  dense: IndexDense | null,
  options: RefreshPostgresOptions,
): Promise<void> {
  const { report, signal } = options;
  const made = indexedDocuments(documents, dense, { ...(report && { report }), ...(signal && { signal }) });
  for await (const document of made) await index.put(document, dense);
}
