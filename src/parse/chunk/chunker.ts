import type { Flow, Group } from './flow.ts';
import { sentences, words, codePoints, graphemes, segmentationLanguage, flowOf } from './flow.ts';
import type { ChunkOptions, Chunk } from './chunk.ts';
import { embeddedText } from './chunk.ts';
import type { Tokenizer } from './tokenizer.ts';
import { AppError, sha256 } from '../../base/index.ts';
import type { ParsedDocument, Region, Stretch } from '../document.ts';

interface ChunkDraft {
  readonly section: number;
  readonly start: number;
  readonly end: number;
  readonly pieces: readonly Piece[];
  readonly repeated: string;
  readonly context: string;
  readonly text: string;
  readonly tokens: number;
  /** Tokens of its own text, without context and repetition. */
  readonly ownTokens: number;
}

class Packer {
  readonly #flow: Flow;
  readonly #options: ChunkOptions;
  readonly #tokenizer: Tokenizer;
  readonly #language: string;
  readonly #cutter: Cutter;
  readonly #contextAt: (section: number, start: number) => Context;

  constructor(flow: Flow, tokenizer: Tokenizer, language: string, options: ChunkOptions) {
    this.#flow = flow;
    this.#options = options;
    this.#tokenizer = tokenizer;
    this.#language = language;
    this.#cutter = new Cutter(flow.text, tokenizer, language);
    this.#contextAt = createContexts(flow, tokenizer, options.maxTokens);
  }

  packSection(groups: readonly Group[]): ChunkDraft[] {
    const drafts: ChunkDraft[] = [];
    const pending = groups.map((group) => this.#cutter.whole(group)).toReversed();
    while (pending.length > 0) {
      const draft = this.#fill(pending, drafts.at(-1));
      const before = drafts.at(-1);
      // White space alone is not a chunk; it is added to the previous one.
      if (before && draft.text.slice(draft.repeated.length).trim() === '') {
        drafts[drafts.length - 1] = { ...before, end: draft.end };
      } else drafts.push(draft);
    }
    this.#evenTail(drafts);
    return drafts;
  }

  draft(pieces: readonly Piece[], repeated: string, context?: string): ChunkDraft {
    const first = pieces[0];
    const last = pieces.at(-1);
    const section = first?.group.section ?? 0;
    const start = first?.start ?? 0;
    const end = last?.end ?? 0;
    const text = repeated + this.#flow.text.slice(start, end).trimEnd();
    const said = context ?? this.#contextAt(section, start).text;
    const tokens = this.#tokenizer.count(embeddedText({ context: said, text })) + this.#tokenizer.specials;
    const ownTokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
    return { section, start, end, pieces, repeated, context: said, text, tokens, ownTokens };
  }

  #fill(pending: Piece[], before: ChunkDraft | undefined): ChunkDraft {
    const first = pending.at(-1);
    if (!first) return this.draft([], '');
    let repeated = this.#repeatedBefore(first, before);
    let budget = this.#room(first) - this.#tokenizer.count(repeated);
    if (first.tokens > budget && first.grain === 'part' && first.group.header) {
      // A row without its header is better than a row cut in two.
      repeated = '';
      budget = this.#room(first);
    }
    const taken: Piece[] = [];
    let used = 0;
    for (let piece = pending.at(-1); piece; piece = pending.at(-1)) {
      if (used + piece.tokens <= budget) {
        taken.push(piece);
        used += piece.tokens;
        pending.pop();
        continue;
      }
      const finer = this.#mayCut(piece, taken, used) ? this.#cutter.finer(piece) : undefined;
      if (finer) {
        pending.pop();
        for (const each of finer.toReversed()) pending.push(each);
      } else if (taken.length > 0) break;
      else {
        // A single code point that exceeds the limit is taken, and the text repeated before it is dropped.
        taken.push(piece);
        pending.pop();
        break;
      }
    }
    return this.#exact(taken, repeated, pending);
  }

  /** Token counts are added up while filling; if a tokenizer's counts do not add up, the exact count decides. */
  #exact(taken: Piece[], repeated: string, pending: Piece[]): ChunkDraft {
    for (let draft = this.draft(taken, repeated); ; draft = this.draft(taken, draft.repeated)) {
      if (draft.tokens <= this.#options.maxTokens) return draft;
      const last = taken.at(-1);
      if (taken.length > 1 && last) {
        taken.pop();
        pending.push(last);
        continue;
      }
      const finer = last && this.#cutter.finer(last);
      if (!finer) return this.#withoutExtras(taken);
      taken.pop();
      for (const each of finer.slice(1).toReversed()) pending.push(each);
      taken.push(...finer.slice(0, 1));
    }
  }

  #withoutExtras(taken: readonly Piece[]): ChunkDraft {
    const bare = this.draft(taken, '');
    return bare.tokens <= this.#options.maxTokens ? bare : this.draft(taken, '', '');
  }

  /** Tokens available for text in a chunk that begins with this piece. */
  #room(piece: Piece): number {
    const context = this.#contextAt(piece.group.section, piece.start);
    return this.#options.maxTokens - this.#tokenizer.specials - context.tokens;
  }

  /** Whether to cut a piece: if it fits no chunk, or if the previous chunk would stay too small. */
  #mayCut(piece: Piece, taken: readonly Piece[], used: number): boolean {
    const fitsAlone = piece.tokens <= this.#room(piece);
    const isTable = piece.group.kind === 'table';
    if (taken.length === 0) return true;
    if (used >= this.#options.minTokens) return !fitsAlone && !(isTable && piece.grain === 'group');
    if (!fitsAlone) return true;
    const onlyHeadings = taken.every(({ group }) => group.kind === 'heading' || group.kind === 'title');
    if (piece.grain === 'group') return onlyHeadings || !isTable;
    return onlyHeadings && piece.grain === 'part' && !isTable;
  }

  /** The text repeated before this piece: its table's header, or the end of the previous chunk. */
  #repeatedBefore(first: Piece, before: ChunkDraft | undefined): string {
    const { header } = first.group;
    if (header) {
      if (first.start < header.bodyStart) return '';
      const { maxTokens } = this.#options;
      const both = header.caption === '' ? header.columns : `${header.caption}\n${header.columns}`;
      if (this.#tokenizer.count(both) <= maxTokens / 3) return `${both}\n`;
      return this.#tokenizer.count(header.columns) <= maxTokens / 2 ? `${header.columns}\n` : '';
    }
    if (!before || this.#options.overlapTokens === 0 || before.pieces.at(-1)?.group.kind === 'table') return '';
    return this.#flow.text.slice(this.#overlapStart(before), before.end);
  }

  /** Goes back from the end of a chunk by whole sentences, or by words if a sentence is too long. */
  #overlapStart(before: ChunkDraft): number {
    const { text } = this.#flow;
    const last = before.pieces.at(-1);
    const span = { start: Math.max(before.start, last?.group.start ?? before.start), end: before.end };
    const fits = (from: number): boolean =>
      this.#tokenizer.count(text.slice(from, before.end)) <= this.#options.overlapTokens;
    const starts = sentences(text, span, this.#language).map(({ start }) => start);
    const sentence = starts.find((start) => start > before.start && fits(start));
    if (sentence !== undefined) return sentence;
    const tail = { start: starts.at(-1) ?? span.start, end: before.end };
    const word = words(text, tail, this.#language).find(({ start }) => start > before.start && fits(start));
    return word?.start ?? before.end;
  }

  /** Moves pieces from the second-to-last chunk of a section to a last one that is too small. */
  #evenTail(drafts: ChunkDraft[]): void {
    const { minTokens, maxTokens } = this.#options;
    for (;;) {
      const tail = drafts.at(-1);
      const before = drafts.at(-2);
      const moved = before?.pieces.at(-1);
      if (!tail || !before || !moved || tail.ownTokens >= minTokens || before.pieces.length < 2) return;
      if (moved.group.header || tail.repeated !== '') return;
      const shorter = this.draft(before.pieces.slice(0, -1), before.repeated);
      const longer = this.draft([moved, ...tail.pieces], '');
      if (shorter.ownTokens < minTokens || longer.tokens > maxTokens) return;
      drafts.splice(-2, 2, shorter, { ...longer, end: tail.end });
    }
  }
}

interface Context {
  readonly text: string;
  readonly tokens: number;
}

/** The title and headings above a chunk that its text lacks; at most half of a chunk, innermost kept. */
function createContexts(
  flow: Flow,
  tokenizer: Tokenizer,
  maxTokens: number,
): (section: number, start: number) => Context {
  const known = new Map<string, Context>();
  return (section, start) => {
    const parts = (flow.sections[section] ?? []).filter((heading) => heading.start < start).map(({ text }) => text);
    if (flow.title !== '' && !(flow.titleStart >= start && flow.titleStart !== Infinity)) parts.unshift(flow.title);
    const key = parts.join('\n');
    let context = known.get(key);
    if (!context) {
      context = fit(parts, tokenizer, Math.floor(maxTokens / 2));
      known.set(key, context);
    }
    return context;
  };
}

function fit(parts: readonly string[], tokenizer: Tokenizer, budget: number): Context {
  for (let from = 0; from < parts.length; from += 1) {
    const text = parts.slice(from).join('\n');
    const tokens = tokenizer.count(`${text}\n`);
    if (tokens <= budget) return { text, tokens };
  }
  return { text: '', tokens: 0 };
}

type Cut = (text: string, piece: Piece, language: string) => readonly Stretch[];

/** The granularities of a piece, and how it is cut to each; cutting moves to the next one in this list. */
const CUTS = {
  group: (_text, piece) => [piece],
  part: (_text, piece) => piece.group.parts,
  sentence: (text, piece, language) => (isRow(piece) ? cells(text, piece) : sentences(text, piece, language)),
  word: words,
  grapheme: graphemes,
  'code-point': codePoints,
} as const satisfies Readonly<Record<string, Cut>>;
type Grain = keyof typeof CUTS;
const GRAINS = Object.keys(CUTS) as Grain[];

function isRow({ group, start: at }: Piece): boolean {
  return group.parts.find(({ start, end }) => start <= at && at < end)?.cut === 'row';
}

/** A range of the flow that the packer moves as a whole. */
interface Piece extends Stretch {
  readonly tokens: number;
  readonly grain: Grain;
  readonly group: Group;
}

class Cutter {
  readonly #text: string;
  readonly #tokenizer: Tokenizer;
  readonly #language: string;

  constructor(text: string, tokenizer: Tokenizer, language: string) {
    this.#text = text;
    this.#tokenizer = tokenizer;
    this.#language = language;
  }

  whole(group: Group): Piece {
    return this.#piece(group, 'group', group);
  }

  /** The same range in finer pieces; undefined if it cannot be cut further. */
  finer(piece: Piece): Piece[] | undefined {
    for (const grain of GRAINS.slice(GRAINS.indexOf(piece.grain) + 1)) {
      const spans: readonly Stretch[] = CUTS[grain](this.#text, piece, this.#language);
      if (spans.length > 1) return spans.map((span) => this.#piece(span, grain, piece.group));
    }
    return undefined;
  }

  #piece(span: Stretch, grain: Grain, group: Group): Piece {
    // In byte-level vocabularies a space belongs to the next word: counted that way, the counts of pieces add up.
    const from = this.#text[span.start - 1] === ' ' ? span.start - 1 : span.start;
    const to = this.#text[span.end - 1] === ' ' ? span.end - 1 : span.end;
    const tokens = this.#tokenizer.count(this.#text.slice(from, to));
    return { start: span.start, end: span.end, tokens, grain, group };
  }
}

/** Cuts a row between cells; used only for a row longer than a chunk. */
function cells(text: string, span: Stretch): Stretch[] {
  const found: Stretch[] = [];
  let start = span.start;
  for (let at = text.indexOf(' | ', start); at !== -1 && at + 3 < span.end; at = text.indexOf(' | ', at + 3)) {
    found.push({ start, end: at + 3 });
    start = at + 3;
  }
  found.push({ start, end: span.end });
  return found;
}

/** With fewer tokens, a heading, a table header and a row do not fit together. */
const LEAST_MAX_TOKENS = 32;

/** Cuts a document into chunks. The same document, tokenizer and options give the same chunks with the same ids. */
export function chunkDocument(
  id: string,
  document: Pick<ParsedDocument, 'blocks' | 'metadata'>,
  tokenizer: Tokenizer,
  options: ChunkOptions,
): Chunk[] {
  checkOptions(options);
  const flow = flowOf(document);
  const packer = new Packer(flow, tokenizer, segmentationLanguage(document.metadata.language), options);
  const drafts = [...sectionsOf(flow.groups)].flatMap((groups) => packer.packSection(groups));
  const seen = new Map<string, number>();
  return mergeSmall(drafts, flow, packer, options).map((draft, index) => {
    const body = sha256(`${id}\n${embeddedText(draft)}`);
    const occurrence = seen.get(body) ?? 0;
    seen.set(body, occurrence + 1);
    // Without its position, an id stays the same when text is added above. Equal passages are numbered.
    return toChunk(occurrence === 0 ? body : sha256(`${body}#${occurrence}`), { id, index, flow, draft });
  });
}

function checkOptions(options: ChunkOptions): void {
  const { maxTokens, minTokens, overlapTokens } = options;
  if (maxTokens >= LEAST_MAX_TOKENS && minTokens <= maxTokens / 2 && overlapTokens <= maxTokens / 4) return;
  throw new AppError(
    'CHUNK_OPTIONS',
    `max ${maxTokens}, min ${minTokens}, overlap ${overlapTokens} tokens is not a valid combination`,
    { hint: `max must be at least ${LEAST_MAX_TOKENS}, min at most half of max, and overlap at most a quarter of max` },
  );
}

function* sectionsOf(groups: readonly Group[]): Generator<Group[]> {
  let section: Group[] = [];
  for (const group of groups) {
    if (section.length > 0 && group.section !== section[0]?.section) {
      yield section;
      section = [];
    }
    section.push(group);
  }
  if (section.length > 0) yield section;
}

function toChunk(
  hash: string,
  from: { readonly id: string; readonly index: number; readonly flow: Flow; readonly draft: ChunkDraft },
): Chunk {
  const { flow, draft } = from;
  const groups = [...new Set(draft.pieces.map(({ group }) => group))];
  const paths = [...new Set(groups.map(({ section }) => flow.sections[section] ?? []))];
  const shared = commonHeadings(paths);
  const blocks = groups.flatMap((group) => group.blocks);
  const regions: Region[] = blocks.flatMap((block) => block.regions);
  return {
    id: hash.slice(0, 32),
    document: from.id,
    index: from.index,
    text: draft.text,
    repeated: draft.repeated.length,
    context: draft.context,
    tokens: draft.tokens,
    start: draft.start,
    end: draft.end,
    title: flow.title,
    headings: (shared.length > 0 ? shared : (paths[0] ?? [])).map(({ text }) => text),
    kinds: [...new Set(groups.map(({ kind }) => kind))],
    blocks: blocks.map(({ order }) => order),
    regions,
    pageStarts: pageStartsOf(groups, draft),
  };
}

/** Where pages begin in the text of a draft, offset and page in turns. */
function pageStartsOf(groups: readonly Group[], { start, end, repeated }: ChunkDraft): number[] {
  const pairs: number[] = [];
  for (const group of groups) {
    const regions = group.blocks.flatMap((block) => block.regions);
    const areas = regions.map(({ box }) => Math.max(1, (box.right - box.left) * (box.bottom - box.top)));
    const whole = areas.reduce((sum, area) => sum + area, 0);
    let before = 0;
    for (const [at, { page }] of regions.entries()) {
      const from = group.start + Math.round(((group.end - group.start) * before) / whole);
      before += areas[at] ?? 0;
      if (from >= end) break;
      const offset = Math.max(0, repeated.length + from - start);
      // What begins before this text, or at the same place as the piece before it, gives way to what follows.
      if (pairs.at(-2) === offset) pairs.splice(-2);
      if (pairs.at(-1) !== page) pairs.push(pairs.length === 0 ? 0 : offset, page);
    }
  }
  return pairs;
}

/** The title page and the reference list are not merged with the body: they answer no questions. */
function mergeSmall(drafts: readonly ChunkDraft[], flow: Flow, packer: Packer, options: ChunkOptions): ChunkDraft[] {
  const merged: ChunkDraft[] = [];
  for (const draft of drafts) {
    const before = merged.at(-1);
    const small = before && (before.ownTokens < options.minTokens || draft.ownTokens < options.minTokens);
    const joined = small && arePeers(flow, before, draft) ? join(packer, before, draft) : undefined;
    if (joined && joined.tokens <= options.maxTokens) merged[merged.length - 1] = joined;
    else merged.push(draft);
  }
  return merged;
}

function join(packer: Packer, first: ChunkDraft, second: ChunkDraft): ChunkDraft {
  return { ...packer.draft([...first.pieces, ...second.pieces], first.repeated, first.context), end: second.end };
}

/** Whether the second chunk's section is a sibling of the first's, or below it. */
function arePeers(flow: Flow, first: ChunkDraft, second: ChunkDraft): boolean {
  const above = flow.sections[first.section] ?? [];
  const below = flow.sections[second.pieces[0]?.group.section ?? 0] ?? [];
  if (isTitlePage(first, above) && below.length > 0) return false;
  if (isReferenceList(first) !== isReferenceList(second)) return false;
  return below.length >= above.length && commonHeadings([above, below]).length >= above.length - 1;
}

/** The title and what precedes the first heading: authors, affiliations, dates. */
function isTitlePage({ pieces }: ChunkDraft, headings: readonly unknown[]): boolean {
  const kinds = pieces.map(({ group }) => group.kind).filter((kind) => kind !== 'heading');
  return headings.length === 0 && kinds.includes('title') && kinds.some((kind) => kind !== 'title');
}

function isReferenceList({ pieces }: ChunkDraft): boolean {
  const kinds = pieces.map(({ group }) => group.kind).filter((kind) => kind !== 'heading');
  return kinds.length > 0 && kinds.every((kind) => kind === 'reference');
}

function commonHeadings<T>(paths: readonly (readonly T[])[]): readonly T[] {
  const [first = [], ...rest] = paths;
  let length = 0;
  while (length < first.length && rest.every((path) => path[length] === first[length])) length += 1;
  return first.slice(0, length);
}
