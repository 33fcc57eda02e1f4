import type { Box } from '../../../document.ts';
import { unionBox, overlapX, widthOf } from '../page/box.ts';
import type { Draft } from '../draft.ts';
import { isCommonHeading } from './section-names.ts';
import type { Line } from '../page/segment.ts';

const SYMBOL = /^[∗*†‡§¶‖#⋆★✉]/u;

export function startsWithMark(line: Line): boolean {
  const [first] = line.glyphs;
  if (!first) return false;
  const raised = first.size < 0.87 * line.size && line.baseline - first.baseline > 0.12 * line.size;
  if (raised && /^[\p{N}\p{Ll}∗*†‡§¶‖#]/u.test(first.text)) return true;
  return SYMBOL.test(line.text) && /\p{L}/u.test(line.text);
}

const NOTE_LABEL = /^(?:notes?|abbreviations?|sources?|footnotes?|legend)\s?[.:]\s/iu;

/** A label in bold or italics that begins notes under a table or figure: "Notes: …", "Abbreviations: …". */
export function startsWithNoteLabel(line: Line): boolean {
  if (!NOTE_LABEL.test(line.text)) return false;
  const [first] = line.glyphs;
  const last = line.glyphs.at(-1);
  return first !== undefined && last !== undefined && first.font !== last.font;
}

const NOTES: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>(['text', 'list_item', 'code', 'formula']);

/** Marks footnotes: small text at the foot of a column that begins with a mark or is under a short rule. */
export function markFootnotes(
  drafts: readonly Draft[],
  bodySize: number,
  rules: ReadonlyMap<number, readonly Box[]>,
): void {
  const pieces = Map.groupBy(drafts, (draft) => draft.piece);
  for (const piece of pieces.values()) {
    const last = piece.at(-1);
    if (last && isAtFoot(last, drafts, bodySize)) markFoot(piece, bodySize, rules);
    markTableNotes(piece, bodySize);
  }
}

/** Nothing of the running text is below. */
function isAtFoot(last: Draft, drafts: readonly Draft[], bodySize: number): boolean {
  return !drafts.some(
    (other) =>
      other.page === last.page &&
      other.box.top > last.box.bottom - 2 &&
      overlapX(other.box, last.box) > 0 &&
      other.lines.some((line) => line.size >= 0.96 * bodySize),
  );
}

function markFoot(piece: readonly Draft[], bodySize: number, rules: ReadonlyMap<number, readonly Box[]>): void {
  let start = -1;
  for (let index = piece.length - 1; index >= 0; index -= 1) {
    const draft = piece[index];
    const [first] = draft?.lines ?? [];
    if (!draft || !first || !NOTES.has(draft.kind) || heads(draft)) break;
    // A list of references in small type may be at the foot, below the last note.
    if (isLabelled(first)) continue;
    if (!draft.lines.every((line) => line.size < 0.96 * bodySize || line.glyphs.length < 4)) break;
    if (startsWithMark(first)) start = index;
    const marked = startsWithMark(first) || /^\d{1,3}\)\s/.test(first.text);
    if ((rules.get(draft.page) ?? []).some((rule) => isFootnoteRule(rule, first, marked))) {
      start = index;
      break;
    }
  }
  if (start < 0) return;
  let open: Draft | undefined;
  for (const draft of piece.slice(start)) {
    const [first] = draft.lines;
    const apart = open && first ? first.top - open.box.bottom > 0.6 * first.size : false;
    // Set off from the notes, at the very foot: the name of a conference, a licence.
    if (apart && first && !startsWithMark(first) && draft === piece.at(-1)) {
      draft.kind = 'page_footer';
      continue;
    }
    if (first && isLabelled(first)) {
      open = undefined;
      continue;
    }
    // Text without a mark continues the note above.
    if (open && first && !startsWithMark(first)) {
      open.lines.push(...draft.lines);
      open.box = unionBox([open.box, draft.box]);
      draft.lines = [];
      continue;
    }
    draft.kind = 'footnote';
    open = draft;
  }
}

/** Begins with a number in brackets, as entries of a list of references do. */
function isLabelled(line: Line): boolean {
  return /^\[\d{1,3}\]\s/u.test(line.text);
}

/** Heads what is below it: a line in bold, or a name that sections have. */
function heads({ lines }: Draft): boolean {
  const [line, more] = lines;
  if (!line || more) return false;
  return isCommonHeading(line.text) || (line.bold > 0.9 && line.glyphs.length > 5);
}

function markTableNotes(piece: readonly Draft[], bodySize: number): void {
  let below = -Infinity;
  for (const draft of piece) {
    const [first] = draft.lines;
    // Notes follow a table's rows, or the caption below a figure.
    if (draft.kind === 'table' || draft.kind === 'caption') below = draft.box.bottom;
    else if (
      first &&
      draft.kind === 'text' &&
      first.size < 0.96 * bodySize &&
      first.top - below < 2.5 * first.size &&
      (startsWithMark(first) || startsWithNoteLabel(first))
    ) {
      draft.kind = 'footnote';
      below = draft.box.bottom;
    } else below = -Infinity;
  }
}

/** The line above footnotes: starts at the column's edge; short, unless what follows begins with a mark. */
function isFootnoteRule(rule: Box, line: Line, marked: boolean): boolean {
  const width = widthOf(line.column);
  const distance = line.top - rule.bottom;
  return (
    widthOf(rule) < (marked ? 1.05 : 0.62) * width &&
    widthOf(rule) > 20 &&
    Math.abs(rule.left - line.column.left) < 6 &&
    distance > -4 &&
    distance < line.size
  );
}
