import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { sha256, syncFolder } from '../base/index.ts';
import type { IndexChange, IndexDense, IndexedRow, IndexRows, SegmentRow } from '../store/index.ts';

import type { IndexedPassage, Passage } from './opened-segments.ts';
import { LexicalWriter, termsOf } from './segment/lexical.ts';
import { mergeSegments, facetOf, SegmentWriter } from './segment/write-segment.ts';
import { segmentPath } from './segment/segment-file.ts';

/** Postings per segment; bounds the memory for them to half a gigabyte. */
const MOST_POSTINGS = 24_000_000;
const MOST_PASSAGES = 250_000;
/** This many segments of similar size, within this factor, are merged. */
const FAN = 8;
/** Larger merges run only on request: updates must stay cheap. */
const MERGED_AT_ONCE = 20_000;
/** More segments slow down searches and are always merged. */
const MOST_SEGMENTS = 64;

export interface IndexedDocument {
  readonly id: string;
  /** Identifies the source of its passages, to detect changes. */
  readonly stamp: string;
  readonly passages: AsyncIterable<IndexedPassage> | Iterable<IndexedPassage>;
}

export interface IndexUpdate {
  /** New documents, and replacements of documents with the same id. */
  readonly documents: AsyncIterable<IndexedDocument> | Iterable<IndexedDocument>;
  readonly removed?: readonly string[];
}

/**
 * Adds and removes documents. The cost depends on the change: new passages form a new segment, deleted ones are marked.
 * The old state is searched until one transaction activates the new one.
 */
export async function updateIndex(index: IndexRows, update: IndexUpdate, signal?: AbortSignal): Promise<void> {
  const made = await writeSegments(index.folder, update.documents, index.dense, signal);
  index.change({ ...made, removed: new Set([...(update.removed ?? []), ...made.documents.map(({ id }) => id)]) });
  await mergeSome(index, signal);
  await removeOthers(index);
}

/** Replaces the contents of an index; the old ones are searched until the new ones are complete. */
export async function rebuildIndex(
  index: IndexRows,
  documents: IndexUpdate['documents'],
  dense: IndexDense | null,
  signal?: AbortSignal,
): Promise<void> {
  index.replace(await writeSegments(index.folder, documents, dense, signal), dense);
  await removeOthers(index);
}

/** Writes documents into new segments, which are valid once the catalogue names them. */
async function writeSegments(
  folder: string,
  documents: IndexUpdate['documents'],
  dense: IndexDense | null,
  signal: AbortSignal | undefined,
): Promise<{ readonly segments: readonly SegmentRow[]; readonly documents: readonly IndexedRow[] }> {
  const segments: SegmentRow[] = [];
  const rows: IndexedRow[] = [];
  let open: OpenSegment | undefined;
  try {
    for await (const document of documents) {
      signal?.throwIfAborted();
      open ??= new OpenSegment(folder, dense);
      rows.push(await open.add(document));
      if (!open.isFull) continue;
      segments.push(await open.finish());
      open = undefined;
    }
    if (open) segments.push(await open.finish());
    open = undefined;
  } finally {
    await open?.abandon();
  }
  await syncFolder(folder);
  signal?.throwIfAborted();
  return { segments, documents: rows };
}

class OpenSegment {
  readonly #name = randomBytes(6).toString('hex');
  readonly #path: string;
  readonly #writer: SegmentWriter;
  readonly #lexical = new LexicalWriter();

  constructor(folder: string, dense: IndexDense | null) {
    this.#path = segmentPath(folder, this.#name);
    this.#writer = new SegmentWriter(this.#path, dense ?? undefined);
  }

  get isFull(): boolean {
    return this.#lexical.postings >= MOST_POSTINGS || this.#writer.passages >= MOST_PASSAGES;
  }

  async add({ id, stamp, passages }: IndexedDocument): Promise<IndexedRow> {
    const first = this.#writer.passages;
    const texts: string[] = [];
    for await (const { vectors, searchText, ...told } of passages) {
      const passage: Passage = { section: 'body', boxes: [], hasTable: false, hasFigure: false, ...told };
      this.#lexical.add(termsOf(searchText ?? passage.text, passage.title));
      const facet = facetOf(passage.section, passage.hasTable, passage.hasFigure);
      await this.#writer.add(Buffer.from(JSON.stringify(passage), 'utf8'), facet, vectors);
      texts.push(passage.text);
    }
    const count = this.#writer.passages - first;
    return {
      id,
      segment: this.#name,
      first,
      count,
      stamp,
      text_hash: texts.length === 0 ? '' : sha256(texts.join('\n')),
    };
  }

  async finish(): Promise<SegmentRow> {
    const { postings, repeats, ...parts } = this.#lexical.finish();
    const footer = await this.#writer.finish({ ...parts, postings: [postings], repeats: [repeats] });
    await this.#writer[Symbol.asyncDispose]();
    const { passages, length, dense } = footer;
    return { name: this.#name, passages, rows: dense?.rows ?? 0, length };
  }

  async abandon(): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
    await rm(this.#path, { force: true });
  }
}

/** Merges small segments while there are many of them, within a bound. */
async function mergeSome(index: IndexRows, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    if (signal?.aborted) return;
    const chosen = segmentsToMerge(
      index.segments().map((row) => ({ ...row, live: row.passages - index.deletedIn(row.name) })),
    );
    if (chosen.length === 0) return;
    await mergeThese(
      index,
      chosen.map(({ name }) => name),
    );
  }
}

/** Segments with their sizes after deletions. */
interface Sized {
  readonly name: string;
  readonly passages: number;
  readonly live: number;
}

/** The segments to merge now: many of similar size, one that is mostly deleted, or the smallest of too many. */
export function segmentsToMerge(segments: readonly Sized[]): readonly Sized[] {
  const hollow = segments.filter(({ passages, live }) => live * 2 < passages && live <= MERGED_AT_ONCE);
  if (hollow.length > 0) return hollow;
  const bySize = segments.toSorted((a, b) => a.live - b.live);
  const tiers = Map.groupBy(bySize, ({ live }) => Math.floor(Math.log(Math.max(1, live)) / Math.log(FAN)));
  for (const tier of tiers.values()) {
    const some = tier.slice(0, FAN);
    if (tier.length >= FAN && total(some) <= MERGED_AT_ONCE) return some;
  }
  return segments.length > MOST_SEGMENTS ? bySize.slice(0, FAN) : [];
}

function total(segments: readonly Sized[]): number {
  return segments.reduce((sum, { live }) => sum + live, 0);
}

export async function mergeThese(index: IndexRows, names: readonly string[]): Promise<void> {
  const { folder, dense } = index;
  const sources = names.map((name) => ({ path: segmentPath(folder, name), documents: index.documentsIn(name) }));
  const name = randomBytes(6).toString('hex');
  const { footer, moved } = await mergeSegments(segmentPath(folder, name), sources, dense ?? undefined);
  await syncFolder(folder);
  const change: IndexChange = {
    removed: moved.map(({ document }) => document.id),
    segments:
      footer.passages === 0
        ? []
        : [{ name, passages: footer.passages, rows: footer.dense?.rows ?? 0, length: footer.length }],
    documents: moved.map(({ document, first }) => ({ ...document, segment: name, first })),
    dropped: names,
  };
  index.change(change);
}

/** Removes files of merged segments and interrupted updates. */
async function removeOthers(index: IndexRows): Promise<void> {
  const named = new Set(index.segments().map(({ name }) => name));
  for (const file of await readdir(index.folder)) {
    const [, name] = /^segment-([0-9a-f]{12})\.bin(?:\.rows)?$/.exec(file) ?? [];
    // Files of earlier versions.
    const isOld =
      /^(?:(?:passages|offsets|lexical|dense|rows)-[0-9a-f]{8}\.(?:bin|part)|index\.(?:json|sqlite.*))$/.test(file);
    // On some systems open files cannot be removed; the next update tries again.
    if (isOld || (name !== undefined && !named.has(name)))
      await rm(join(index.folder, file), { force: true }).catch(() => undefined);
  }
}
