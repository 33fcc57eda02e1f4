import { sentencesOf } from '../graph/index.ts';
import { isHowToCite, isKeywords } from '../parse/index.ts';

/** The part of a passage that a candidate is cut from. */
export interface ReadPassage {
  readonly document: string;
  readonly title: string;
  /** Headings above the passage, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** A row of a table as it stands in a passage. */
export interface TableRowText {
  /** The caption above the table; empty if it has none. */
  readonly caption: string;
  /** Column headers; empty strings where a column has none. */
  readonly header: readonly string[];
  readonly cells: readonly string[];
}

/** How search found the passage of a candidate: 1 for the best of the search, near 0 for the last. */
export interface FoundBy {
  readonly passage: number;
  /** The same for its paper, by all of its passages that were found. */
  readonly paper: number;
}

/** A sentence or a table row that may answer a question. */
export interface Candidate {
  readonly passage: ReadPassage;
  readonly found: FoundBy;
  /** Its place in the passage's text. */
  readonly start: number;
  readonly end: number;
  /** What is read: the sentence, or the row with its caption and column headers. */
  readonly text: string;
  /** The row, if the candidate is one. */
  readonly row: TableRowText | null;
}

const BETWEEN_CELLS = ' | ';
const LONGEST_SENTENCE = 700;
/** Shorter texts are labels and numbers. */
const SHORTEST_SENTENCE = 25;
const LONGEST_CAPTION = 160;
/** A longer text without a full stop is a sentence all the same. */
const LONGEST_HEADING = 80;
/** Blocks of a passage are divided by an empty line. */
const BLOCK = /[^\n](?:[^\n]|\n(?!\n))*/g;

/** The sentences and table rows of a passage, in order; labels, keyword lines and "how to cite" are left out. */
export function candidatesOf(passage: ReadPassage, found: FoundBy): Candidate[] {
  const candidates: Candidate[] = [];
  const addSentences = (text: string, at: number): void => {
    for (const { start, end } of sentencesOf(text)) {
      const sentence = text.slice(start, end).replaceAll(/\s+/g, ' ');
      // What ends a block without a full stop is a heading or a label, unless the passage is cut there.
      const isCut = at + end >= passage.text.trimEnd().length;
      if (
        isReadable(sentence) &&
        (isCut || sentence.length >= LONGEST_HEADING || /[.!?。！？]\W{0,3}$/u.test(sentence))
      )
        candidates.push({ passage, found, start: at + start, end: at + end, text: sentence, row: null });
    }
  };
  for (const { 0: block, index } of passage.text.matchAll(BLOCK)) {
    const lines = [...block.matchAll(/[^\n]+/g)].map(({ 0: text, index: at }) => ({ text, at: index + at }));
    const rows = lines.filter(({ text }) => text.includes(BETWEEN_CELLS));
    const [head, ...body] = rows;
    if (head === undefined || body.length === 0) {
      addSentences(block, index);
      continue;
    }
    const caption = lines.filter(({ at }) => at < head.at);
    for (const { text, at } of lines) if (!text.includes(BETWEEN_CELLS)) addSentences(text, at);
    const shared = { caption: caption.map(({ text }) => text).join(' '), header: cellsOf(head.text) };
    for (const { text, at } of body) {
      const row = { ...shared, cells: cellsOf(text) };
      if (row.cells.some((cell) => cell !== ''))
        candidates.push({ passage, found, start: at, end: at + text.length, text: rowText(row), row });
    }
  }
  return candidates;
}

/** A row in words: caption, first cell, then each cell after its column's header. */
export function rowText({ caption, header, cells }: TableRowText): string {
  const [first = '', ...others] = cells;
  const named = others.flatMap((cell, at) => (cell === '' ? [] : [`${header[at + 1] ?? ''}: ${cell}`]));
  const subject = [header[0] ?? '', first].filter((part) => part !== '').join(' ');
  return `${caption.slice(0, LONGEST_CAPTION)} | ${subject}; ${named.join('; ')}`;
}

function cellsOf(line: string): string[] {
  return line.split(BETWEEN_CELLS).map((cell) => cell.trim());
}

function isReadable(text: string): boolean {
  return (
    text.length >= SHORTEST_SENTENCE &&
    text.length <= LONGEST_SENTENCE &&
    !isLabel(text) &&
    !isKeywords(text) &&
    !isHowToCite(text)
  );
}

/** A label of a figure or a heading: all its longer words have capitals. */
function isLabel(text: string): boolean {
  return /\p{Lu}/u.test(text) && !/(?<![\p{L}\p{M}-])\p{Ll}{3,}/u.test(text);
}
