import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { syncFolder } from '../base/index.ts';
import type { IndexDense, IndexedRow, IndexRows, MadeSegments, SegmentRow } from '../store/index.ts';
import { segmentPath } from './segment/segment-file.ts';
import type { IndexedDocument } from './segment/write-segment.ts';
import { SegmentWriter } from './segment/write-segment.ts';

/** This many segments of similar size, within this factor, are merged. */
const FAN = 8;
/** A passage takes about a millisecond to write again: merges of more would make an update slow. */
const MERGED_AT_ONCE = 2_000;
/** More segments slow down searches: the smallest are merged, whatever their size. */
const MOST_SEGMENTS = 64;

type Documents = AsyncIterable<IndexedDocument> | Iterable<IndexedDocument>;

/**
 * Adds documents, replaces those with the same ids, and removes others. The new passages form a new segment; a segment
 * hides passages whose document is gone or in another one. The old state is searched until one transaction activates
 * the new one.
 */
export async function updateIndex(
  index: IndexRows,
  { documents, removed = [] }: { readonly documents: Documents; readonly removed?: readonly string[] },
  signal?: AbortSignal,
): Promise<void> {
  index.change(await writeSegments(index.folder, documents, index.dense, signal), removed);
  await removeOthers(index);
}

/** Replaces the contents of an index; the old ones are searched until the new ones are complete. */
export async function rebuildIndex(
  index: IndexRows,
  documents: Documents,
  dense: IndexDense | null,
  signal?: AbortSignal,
): Promise<void> {
  index.replace(await writeSegments(index.folder, documents, dense, signal), dense);
  await removeOthers(index);
}

/** Writes documents into new segments, which are valid once the catalogue names them. */
async function writeSegments(
  folder: string,
  documents: Documents,
  dense: IndexDense | null,
  signal: AbortSignal | undefined,
): Promise<MadeSegments> {
  const made = { segments: [] as SegmentRow[], documents: [] as IndexedRow[] };
  let writer: SegmentWriter | undefined;
  const finish = async (): Promise<void> => {
    if (writer) made.segments.push(await writer.finish());
    writer?.[Symbol.dispose]();
    writer = undefined;
  };
  try {
    for await (const document of documents) {
      signal?.throwIfAborted();
      writer ??= new SegmentWriter(folder, dense);
      made.documents.push(await writer.add(document));
      if (writer.isFull) await finish();
    }
    await finish();
  } finally {
    await writer?.abandon();
  }
  await syncFolder(folder);
  signal?.throwIfAborted();
  return made;
}

/**
 * The documents of segments that should be merged: an update that writes them again moves them into its new segment, and
 * segments without documents are dropped.
 */
export function documentsToMerge(index: IndexRows): string[] {
  return segmentsToMerge(index.segments()).flatMap(({ name }) => index.placesIn(name).map(({ id }) => id));
}

type Sized = Pick<ReturnType<IndexRows['segments']>[number], 'name' | 'passages' | 'live'>;

/** The segments to merge now: many of similar size, those mostly deleted, or the smallest of too many. */
export function segmentsToMerge(segments: readonly Sized[]): readonly Sized[] {
  const hollow = segments.filter(({ passages, live }) => live * 2 < passages && live <= MERGED_AT_ONCE);
  if (hollow.length > 0) return hollow;
  const bySize = segments.toSorted((a, b) => a.live - b.live);
  const tiers = Map.groupBy(bySize, ({ live }) => Math.floor(Math.log(Math.max(1, live)) / Math.log(FAN)));
  for (const tier of tiers.values()) {
    const some = tier.slice(0, FAN);
    if (some.length === FAN && some.reduce((sum, { live }) => sum + live, 0) <= MERGED_AT_ONCE) return some;
  }
  return segments.length > MOST_SEGMENTS ? bySize.slice(0, FAN) : [];
}

/** Removes files of merged segments, interrupted updates and earlier versions. */
async function removeOthers(index: IndexRows): Promise<void> {
  const named = new Set(index.segments().map(({ name }) => basename(segmentPath(index.folder, name))));
  for (const file of await readdir(index.folder)) {
    const isOurs = /^(?:(?:segment|passages|offsets|lexical|dense|rows)-[0-9a-f]+\.|index\.)/.test(file);
    // On some systems open files cannot be removed; the next update tries again.
    if (isOurs && !named.has(file)) await rm(join(index.folder, file), { force: true }).catch(() => undefined);
  }
}
