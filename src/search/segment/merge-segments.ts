import type { IndexedRow } from '../../store/index.ts';
import { DenseIndex } from './dense.ts';
import { CodedIndex } from './codes.ts';
import { LexicalSegment } from './lexical.ts';
import { SegmentFile } from './segment-file.ts';
import type { SegmentFooter } from './segment-file.ts';
import type { DenseKind } from './write-segment.ts';
import { SegmentWriter } from './write-segment.ts';

/** A segment to merge: its file and its valid documents. */
export interface MergedSegment {
  readonly path: string;
  readonly documents: readonly IndexedRow[];
}

/** The position of a document in the new segment. */
interface Moved {
  readonly document: IndexedRow;
  readonly first: number;
}

const GONE = 0xff_ff_ff_ff;

/** Writes the valid passages of several segments into one. */
export async function mergeSegments(
  path: string,
  sources: readonly MergedSegment[],
  dense: DenseKind | undefined,
): Promise<{ readonly footer: SegmentFooter; readonly moved: readonly Moved[] }> {
  using files = new DisposableStack();
  await using writer = await SegmentWriter.create(path, dense);
  const moved: Moved[] = [];
  const opened: { readonly lexical: LexicalSegment; readonly targets: Uint32Array }[] = [];
  const lengths: number[] = [];
  for (const { path: from, documents } of sources) {
    const file = files.use(new SegmentFile(from));
    const targets = new Uint32Array(file.footer.passages).fill(GONE);
    const lexical = new LexicalSegment(file);
    const offsets = new Float64Array(file.section('offsets'));
    const facets = new Uint8Array(file.section('facets'));
    const vectors = vectorsOf(file);
    for (const document of documents) {
      moved.push({ document, first: writer.passages });
      for (let place = document.first; place < document.first + document.count; place += 1) {
        targets[place] = writer.passages;
        const record = new Uint8Array((offsets[place + 1] as number) - (offsets[place] as number));
        file.into('passages', record, offsets[place]);
        await writer.add(record, facets[place] as number, vectors(place));
        lengths.push(lexical.length(place));
      }
    }
    opened.push({ lexical, targets });
  }
  const merged = mergeTerms(opened);
  const footer = await writer.finish({ lengths: Uint32Array.from(lengths), ...merged });
  return { footer, moved };
}

function vectorsOf(file: SegmentFile): (place: number) => readonly Float32Array[] {
  const { dense, passages } = file.footer;
  if (!dense) return () => [];
  const layout = { ...dense, passages };
  // Large segments are read row by row: a scan would load them completely.
  const index = dense.rows > LARGE ? new CodedIndex(file, layout) : new DenseIndex(file, layout);
  return (place) => index.vectors(place);
}

const LARGE = 50_000;

/** The sorted terms of all segments, with renumbered postings. */
function mergeTerms(sources: readonly { readonly lexical: LexicalSegment; readonly targets: Uint32Array }[]): {
  terms: Uint8Array;
  termOffsets: Uint32Array;
  postingOffsets: Float64Array;
  postings: Uint32Array[];
  repeats: Uint16Array[];
} {
  const cursors = sources.map(() => 0);
  const terms: Buffer[] = [];
  const [termOffsets, postingOffsets] = [[0], [0]];
  const [postings, repeats]: [Uint32Array[], Uint16Array[]] = [[], []];
  let [termBytes, count] = [0, 0];
  for (;;) {
    const next = lowest(sources, cursors);
    if (!next) break;
    let found = 0;
    for (const [at, { lexical, targets }] of sources.entries()) {
      const cursor = cursors[at] as number;
      if (cursor >= lexical.size || !lexical.term(cursor).equals(next)) continue;
      cursors[at] = cursor + 1;
      const kept = move(lexical.postings(lexical.at(cursor)), targets);
      postings.push(kept.places);
      repeats.push(kept.repeats);
      found += kept.places.length;
    }
    if (found === 0) continue;
    terms.push(next);
    termBytes += next.length;
    count += found;
    termOffsets.push(termBytes);
    postingOffsets.push(count);
  }
  return {
    terms: Buffer.concat(terms),
    termOffsets: Uint32Array.from(termOffsets),
    postingOffsets: Float64Array.from(postingOffsets),
    postings,
    repeats,
  };
}

function lowest(
  sources: readonly { readonly lexical: LexicalSegment }[],
  cursors: readonly number[],
): Buffer | undefined {
  let least: Buffer | undefined;
  for (const [at, { lexical }] of sources.entries()) {
    const cursor = cursors[at] as number;
    if (cursor >= lexical.size) continue;
    const term = lexical.term(cursor);
    if (!least || Buffer.compare(term, least) < 0) least = term;
  }
  return least;
}

/** Renumbers postings and drops those of deleted passages. Their order does not change. */
function move(
  { places, repeats }: { readonly places: Uint32Array; readonly repeats: Uint16Array },
  targets: Uint32Array,
): { places: Uint32Array; repeats: Uint16Array } {
  const movedPlaces = new Uint32Array(places.length);
  const movedRepeats = new Uint16Array(places.length);
  let kept = 0;
  for (let at = 0; at < places.length; at += 1) {
    const target = targets[places[at] as number] as number;
    if (target === GONE) continue;
    movedPlaces[kept] = target;
    movedRepeats[kept] = repeats[at] as number;
    kept += 1;
  }
  return { places: movedPlaces.subarray(0, kept), repeats: movedRepeats.subarray(0, kept) };
}
