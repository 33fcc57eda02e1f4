import type { Block, Cell, ParsedDocument, Stretch } from '../document.ts';
import { tableGrid } from '../doctags/formats/structure.ts';

const ABBREVIATION =
  /(?:^|[\s([])(?:figs?|eqs?|refs?|secs?|sects?|tabs?|chaps?|nos?|vols?|pp?|al|cf|vs|ca|approx|resp|e\.g|i\.e|etc|dr|prof|mr|mrs|ms|st|[\p{Lu}])\.\s*$/iu;
const LONGEST_ABBREVIATION = 12;

/** Segmenters are slow to create. The cache is bounded because a document can name any language. */
const segmenters = new Map<string, Intl.Segmenter>();
const MOST_SEGMENTERS = 64;

function segments(text: string, granularity: 'sentence' | 'word' | 'grapheme', language: string): Intl.Segments {
  const key = `${granularity}/${language}`;
  let segmenter = segmenters.get(key);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity });
    if (segmenters.size >= MOST_SEGMENTERS) segmenters.clear();
    segmenters.set(key, segmenter);
  }
  return segmenter.segment(text);
}

/** Cuts a stretch of a text at sentence ends; the pieces tile it. */
export function sentences(text: string, span: Stretch, language: string): Stretch[] {
  const found: Stretch[] = [];
  let start = span.start;
  for (const { index, segment } of segments(text.slice(span.start, span.end), 'sentence', language)) {
    const end = span.start + index + segment.length;
    if (end < span.end && ABBREVIATION.test(text.slice(Math.max(start, end - LONGEST_ABBREVIATION), end))) continue;
    found.push({ start, end });
    start = end;
  }
  return found;
}

/** Cuts before each word, so that spaces and punctuation stay with the previous word. */
export function words(text: string, span: Stretch, language: string): Stretch[] {
  const starts: number[] = [span.start];
  let blank = true;
  for (const { index, segment, isWordLike } of segments(text.slice(span.start, span.end), 'word', language)) {
    if (isWordLike === true && !blank) starts.push(span.start + index);
    blank &&= segment.trim() === '';
  }
  return between(starts, span.end);
}

export function graphemes(text: string, span: Stretch, language: string): Stretch[] {
  const starts: number[] = [];
  for (const { index } of segments(text.slice(span.start, span.end), 'grapheme', language))
    starts.push(span.start + index);
  return between(starts, span.end);
}

/** Cuts between code points: the last resort, for one character with hundreds of combining marks. */
export function codePoints(text: string, span: Stretch): Stretch[] {
  const starts: number[] = [];
  for (let at = span.start; at < span.end; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) starts.push(at);
  return between(starts, span.end);
}

function between(starts: readonly number[], end: number): Stretch[] {
  return starts.map((start, at) => ({ start, end: starts[at + 1] ?? end }));
}

/** A language tag that Intl accepts; unknown ones fall back to the rules for all languages. */
export function segmentationLanguage(language: string | undefined): string {
  if (!language) return 'und';
  try {
    return Intl.Segmenter.supportedLocalesOf([language])[0] ?? 'und';
  } catch {
    // Intl throws for an invalid language tag.
    return 'und';
  }
}

type Cuttable = 'prose' | 'row' | 'line';

/** The smallest structural unit: a paragraph, a list item, a table row, a caption, a line of code. */
interface Part extends Stretch {
  readonly cut: Cuttable;
}

/** Blocks that belong together: a list, a table with its caption, a paragraph. Groups cover the flow without gaps. */
export interface Group extends Stretch {
  readonly kind: Block['kind'];
  readonly section: number;
  readonly parts: readonly Part[];
  readonly blocks: readonly Block[];
  /** For a table with named columns: the header to repeat before rows in another chunk, and where the rows begin. */
  readonly header?: { readonly caption: string; readonly columns: string; readonly bodyStart: number };
}

interface Heading {
  readonly text: string;
  readonly level: number;
  readonly start: number;
}

/** A document as one running text without page furniture, and its structure. */
export interface Flow {
  readonly text: string;
  readonly title: string;
  /** The offset of the title in the flow; Infinity if it is not in the text. */
  readonly titleStart: number;
  readonly groups: readonly Group[];
  /** The headings above each section, outermost first. */
  readonly sections: readonly (readonly Heading[])[];
}

const BETWEEN_PARTS = '\n';
const BETWEEN_GROUPS = '\n\n';
const BETWEEN_CELLS = ' | ';
const FURNITURE: ReadonlySet<Block['kind']> = new Set(['page_header', 'page_footer']);
const FLOATS: ReadonlySet<Block['kind']> = new Set(['table', 'picture', 'code']);

export function flowOf(document: Pick<ParsedDocument, 'blocks' | 'metadata'>): Flow {
  const floats = new Set(document.blocks.filter(({ kind }) => FLOATS.has(kind)).map(({ order }) => order));
  const owned = new Map<number, Block[]>();
  const free: Block[] = [];
  for (const block of document.blocks) {
    if (FURNITURE.has(block.kind)) continue;
    const attached = (block.kind === 'caption' || block.kind === 'footnote') && block.parent !== undefined;
    if (attached && floats.has(block.parent)) owned.set(block.parent, [...(owned.get(block.parent) ?? []), block]);
    else free.push(block);
  }
  const writer = new FlowWriter();
  const lastReference = free.findLastIndex(({ kind }) => kind === 'reference');
  for (let at = 0; at < free.length;) {
    const run = runFrom(free, at);
    if (at === lastReference + 1 && run[0]?.kind === 'footnote') writer.closeSection();
    writer.add(run, owned.get(run[0]?.order ?? -1) ?? []);
    at += run.length;
  }
  return writer.finish(document.metadata.title ?? '');
}

/** Items of one list, or of one reference list, form a group. */
function runFrom(blocks: readonly Block[], at: number): Block[] {
  const first = blocks[at];
  if (!first) return [];
  if (first.kind !== 'list_item' && first.kind !== 'reference') return [first];
  let end = at + 1;
  while (blocks[end]?.kind === first.kind) end += 1;
  return blocks.slice(at, end);
}

interface Line {
  readonly text: string;
  readonly cut: Cuttable;
}

function linesOf(
  blocks: readonly Block[],
  attached: readonly Block[],
): { lines: Line[]; captionLines: number; headerLines: number } {
  const found: Line[] = [];
  let headerLines = 0;
  const prose = (text: string): void => {
    if (text.trim() !== '') found.push({ text: text.trimEnd(), cut: 'prose' });
  };
  for (const block of attached) if (block.kind === 'caption') prose(block.text.trim());
  const captionLines = found.length;
  for (const block of blocks) {
    if (block.kind === 'table') {
      const rows = tableGrid(block.table);
      // -1 for a table of header rows only, which has no body to repeat them for.
      const firstOfBody = rows.findIndex((row) => !row.some((cell) => cell?.kind === 'column-header'));
      for (const [at, row] of rows.entries()) {
        const text = rowText(row);
        if (text.replaceAll(/[|\s]/g, '') !== '') found.push({ text, cut: 'row' });
        if (at + 1 === firstOfBody) headerLines = found.length - captionLines;
      }
      if (rows.length === 0) prose(block.text.trim());
    } else if (block.kind === 'code') {
      const text = block.text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
      // Blank lines stay with the previous line, so that no chunk is empty.
      if (text !== '') for (const line of text.split(/\n(?=[^\n]*\S)/)) found.push({ text: line, cut: 'line' });
    } else prose(lineOf(block));
  }
  for (const block of attached) if (block.kind !== 'caption') prose(block.text.trim());
  return { lines: found, captionLines, headerLines };
}

function lineOf(block: Block): string {
  const text = block.text.trim();
  if (block.kind !== 'list_item' || text === '') return text;
  return `${'  '.repeat(block.depth)}${block.marker ?? '-'} ${text}`;
}

class FlowWriter {
  readonly #pieces: string[] = [];
  readonly #groups: Group[] = [];
  readonly #sections: Heading[][] = [[]];
  #length = 0;
  #title: { text: string; start: number } | undefined;

  add(blocks: readonly Block[], attached: readonly Block[]): void {
    const [first] = blocks;
    const { lines, captionLines, headerLines } = linesOf(blocks, attached);
    if (!first || lines.length === 0) return;
    const start = this.#length;
    if (first.kind === 'heading' || first.kind === 'title')
      this.#openSection(first.text, first.kind === 'heading' ? first.level : 0);
    const parts = lines.map(({ text, cut }, at): Part => {
      const from = this.#length;
      this.#put(text + (at + 1 === lines.length ? BETWEEN_GROUPS : BETWEEN_PARTS));
      return { start: from, end: this.#length, cut };
    });
    const bodyStart = parts[captionLines + headerLines]?.start;
    const text = (from: number, to: number): string =>
      lines
        .slice(from, to)
        .map((line) => line.text)
        .join(BETWEEN_PARTS);
    this.#groups.push({
      kind: first.kind,
      section: this.#sections.length - 1,
      start,
      end: this.#length,
      parts,
      blocks: [...blocks, ...attached],
      ...(headerLines > 0 &&
        bodyStart !== undefined && {
          header: {
            caption: text(0, captionLines),
            columns: text(captionLines, captionLines + headerLines),
            bodyStart,
          },
        }),
    });
  }

  #openSection(heading: string, level: number): void {
    const text = oneLine(heading);
    if (level === 0) this.#title ??= { text, start: this.#length };
    const above = (this.#sections.at(-1) ?? []).filter((each) => each.level < level);
    this.#sections.push(level === 0 ? [] : [...above, { text, level, start: this.#length }]);
  }

  /** Notes at the end of a page are below the references, but they are text. */
  closeSection(): void {
    this.#sections.push([]);
  }

  #put(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }

  finish(known: string): Flow {
    return {
      text: this.#pieces.join(''),
      title: oneLine(known) || (this.#title?.text ?? ''),
      titleStart: this.#title?.start ?? Infinity,
      groups: this.#groups,
      sections: this.#sections,
    };
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * A cell that spans rows is repeated in each, so that every row is readable alone; empty ones at the end are left out.
 */
function rowText(row: readonly (Cell | undefined)[]): string {
  const texts = row.map((cell, column) => (cell?.column === column ? oneLine(cell.text) : undefined));
  return texts.slice(0, texts.findLastIndex((text) => text !== undefined) + 1).join(BETWEEN_CELLS);
}
