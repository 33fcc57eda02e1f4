import type { Draft } from '../draft.ts';
import { draftOf } from '../draft.ts';
import { unionBox, widthOf } from '../page/box.ts';
import { startsWithMark, startsWithNoteLabel } from './footnote.ts';
import { headingNumber, isChapter } from './heading-number.ts';
import { isKeywords, isBackMatter, isCommonHeading, isReferencesHeading, isArticleType } from './section-names.ts';
import { hasLetter, isWide, isLetters } from '../text/script.ts';
import type { Line, Setting } from '../page/segment.ts';
import { captionStart, isBoldLabel } from './caption.ts';
import { countsOn, hangsUnder, listMarker } from './list-item.ts';
import type { Glyph } from '../page/page-content.ts';

export function joinAcrossBreaks(drafts: readonly Draft[], indented: boolean): Draft[] {
  const result: Draft[] = [];
  let last: Draft | undefined;
  // A paragraph that stopped inside a sentence, with small print at the page's foot behind it: it may continue behind
  // that.
  let waiting: Draft | undefined;
  for (const draft of drafts) {
    if (draft.kind === 'text' || draft.kind === 'list_item') {
      const before =
        waiting && resumes(waiting, draft)
          ? waiting
          : last && last.piece !== draft.piece && goesOn(last, draft, indented)
            ? last
            : undefined;
      if (before) {
        before.lines.push(...draft.lines);
        before.box = before.page === draft.page ? unionBox([before.box, draft.box]) : before.box;
        before.piece = draft.piece;
        last = before;
        waiting = undefined;
        continue;
      }
      // What follows small print is small beside the paragraph, not beside other small print.
      const paragraph = waiting ?? last;
      waiting = paragraph && isSmallPrint(draft, paragraph) && isOpen(paragraph) ? paragraph : undefined;
      last = draft;
    } else if (
      draft.kind === 'heading' ||
      draft.kind === 'formula' ||
      draft.kind === 'title' ||
      draft.kind === 'code'
    ) {
      last = undefined;
      waiting = undefined;
    }
    result.push(draft);
  }
  return result;
}

/** Whether a draft is what a publisher puts under the text of a page: smaller, or with a raised mark in front. */
function isSmallPrint(draft: Draft, before: Draft): boolean {
  const [first] = draft.lines;
  const end = before.lines.at(-1);
  if (!first || !end || draft.page !== before.lines.at(-1)?.page || first.top < end.top) return false;
  return first.size < 0.94 * end.size || startsWithMark(first);
}

function isOpen(draft: Draft): boolean {
  return draft.kind === 'text' && /[\p{L},]$/u.test(draft.lines.at(-1)?.text ?? '');
}

/** Whether a paragraph of the next page or column continues inside the sentence at which another stopped. */
function resumes(waiting: Draft, after: Draft): boolean {
  const end = waiting.lines.at(-1);
  const [start] = after.lines;
  return (
    end !== undefined &&
    start !== undefined &&
    after.kind === 'text' &&
    after.piece !== waiting.piece &&
    Math.abs(end.size - start.size) <= 0.06 * end.size &&
    /^\p{Ll}{2}/u.test(start.text)
  );
}

function goesOn(before: Draft, after: Draft, indented: boolean): boolean {
  const end = before.lines.at(-1);
  const [start] = after.lines;
  if (!end || !start) return false;
  if (Math.abs(end.size - start.size) > 0.06 * end.size) return false;
  if (after.kind === 'list_item' || isKeywords(start.text)) return false;
  const lower = /^[\p{Ll}(\p{N}]/u.test(start.text);
  const closed = /[.!?]["”’)\]]*\p{N}{0,3}$/u.test(end.text);
  if (/[-\u2010]$/u.test(end.text) && /^\p{Ll}/u.test(start.text)) return true;
  // The room left on the last line is measured in its own column.
  const full = !fitsMore(end, { ...start, column: end.column });
  if (before.kind === 'list_item') {
    // What continues is at the item's indent.
    const hang = start.left - start.column.left;
    const hangs = hang > 0.6 * start.size && Math.abs(end.left - end.column.left - hang) < 0.5 * start.size;
    return !closed || (hangs && full);
  }
  const isIndented = start.left > start.column.left + 0.7 * start.size;
  if (!closed && /^\p{Ll}/u.test(start.text)) return true;
  if (!full) return false;
  if (isIndented && indented) return false;
  if (closed) return indented ? !isIndented : lower;
  return true;
}

type LineClass = 'text' | 'formula' | 'code';

export function cutParagraphs(lines: readonly Line[], piece: number, setting: Setting): Draft[] {
  const classes = classify(lines, setting);
  const drafts: Draft[] = [];
  let open: Line[] = [];
  let openClass: LineClass = 'text';
  const close = (): void => {
    if (open.length > 0) drafts.push(draftOf(openClass, open, piece));
    open = [];
  };
  lines.forEach((line, index) => {
    const kind = classes[index] ?? 'text';
    const previous = open.at(-1);
    if (previous && (kind !== openClass || startsAnew(open, line, lines[index + 1], kind, setting))) close();
    open.push(line);
    openClass = kind;
  });
  close();
  return drafts;
}

function classify(lines: readonly Line[], setting: Setting): LineClass[] {
  const classes = lines.map((line): LineClass => {
    if (listMarker(line)?.ordered === false || startsWithMark(line)) return 'text';
    if (line.monospaced > 0.75 && line.glyphs.length > 2) return 'code';
    return isFormulaLine(line) ? 'formula' : 'text';
  });
  // One line of letters of equal width amid a paragraph is a name in the text, not a listing.
  classes.forEach((kind, index) => {
    if (kind !== 'code' || classes[index - 1] === 'code' || classes[index + 1] === 'code') return;
    const line = lines[index];
    const attached = [index - 1, index + 1].some(
      (at) =>
        line &&
        classes[at] === 'text' &&
        Math.abs((lines[at]?.baseline ?? Infinity) - line.baseline) < 1.35 * line.size,
    );
    if (attached) classes[index] = 'text';
  });
  // The last words of a paragraph may be a formula: it is at the edge, right below a full line.
  lines.forEach((line, index) => {
    const above = lines[index - 1];
    if (classes[index] !== 'formula' || classes[index - 1] !== 'text' || classes[index + 1] === 'formula' || !above)
      return;
    const atEdge = line.left < line.column.left + 0.5 * line.size && above.left < line.column.left + 2 * line.size;
    const near = line.baseline - above.baseline < Math.max(1.35 * line.size, 1.1 * pitchOf(line, setting));
    if (atEdge && near && !endsSentence(above) && !fitsMore(above, line)) classes[index] = 'text';
  });
  // Limits of sums, numerators and denominators are above and below the line of the formula, overlapping it.
  for (let pass = 0; pass < 2; pass += 1)
    lines.forEach((line, index) => {
      if (classes[index] !== 'text') return;
      const filled = line.segments.reduce((sum, segment) => sum + segment.right - segment.left, 0);
      const short = filled < 0.4 * widthOf(line.column);
      const near = [index - 1, index + 1].some((at) => {
        const other = lines[at];
        if (!other || classes[at] !== 'formula') return false;
        return Math.abs(other.baseline - line.baseline) < 0.95 * Math.max(line.size, other.size);
      });
      const stray = short && !/\p{L}{3,}/u.test(line.text) && !listMarker(line);
      const beside = [index - 1, index + 1].some((at) => classes[at] === 'formula' && closeTo(line, lines[at]));
      if (stray && beside) classes[index] = 'formula';
      if (near && short && (line.math > 0.2 || !/\p{L}{4,}/u.test(line.text))) classes[index] = 'formula';
    });
  return classes;
}

/** An entry of a table of contents. */
export function hasLeaders(text: string): boolean {
  const line = text.replace(/(?<!\d)\d+$|(?<![ivxlc])[ivxlc]+$/iu, '').trimEnd();
  return /(?:[.·…_]\s?){5}$/u.test(line);
}

function closeTo(line: Line, other: Line | undefined): boolean {
  return other !== undefined && Math.abs(other.baseline - line.baseline) < 2.2 * Math.max(line.size, other.size);
}

function startsAnew(
  open: readonly Line[],
  line: Line,
  next: Line | undefined,
  kind: LineClass,
  setting: Setting,
): boolean {
  const previous = open.at(-1);
  const [first] = open;
  if (!previous || !first) return false;
  const gap = line.baseline - previous.baseline;
  const pitch = pitchOf(line, setting);
  if (kind === 'formula') return gap > 2.6 * line.size;
  if (kind === 'code') return gap > 2.2 * pitch;
  // "4.1" below "4 Methods".
  if (open.length === 1 && headingNumber(previous.text)?.depth === 1 && (headingNumber(line.text)?.depth ?? 0) > 1)
    return true;
  // The name of a chapter below its number.
  if (open.length === 1 && isChapter(previous.text) && previous.glyphs.length < 12 && isDisplay(line, setting))
    return gap > 3 * line.size;
  if (!listMarker(line) && gap < 1.4 * pitch && hangsUnder(first, line)) return false;
  const inStyle = endsLike(previous, line) || beginsLike(previous, line);
  if (Math.abs(line.size - previous.size) > 0.07 * Math.max(line.size, previous.size) && !inStyle) return true;
  if (gap > SLACK * pitch && gap > slackFor(previous, line) * pitch) return true;
  // A word that is broken at the line's end continues; so does "COVID-19".
  if (/\p{L}[-\u2010]$/u.test(previous.text) && /^(?:\p{Ll}|\d{1,3}\b)/u.test(line.text)) return false;
  if (hasLeaders(previous.text)) return true;
  if (isKeywords(line.text)) return true;
  // The heading of the references may be set like the text.
  if (isReferencesHeading(line.text) || isReferencesHeading(previous.text)) return true;
  if (endsSentence(previous) && startsWithName(line)) return true;
  if (captionStart(line) && (!sentenceGoesOn(previous) || isBoldLabel(line))) return true;
  if (line.size < 0.96 * setting.size && startsWithNoteLabel(line) && endsSentence(previous)) return true;
  if (captionStart(first)) return false;
  if (line.size < 0.96 * setting.size && startsWithMark(line)) return true;
  const own = listMarker(line);
  const marker = own && !countsOn(open, own) ? own : undefined;
  // "Research Article" above a title in the same type.
  if (open.length === 1 && isDisplay(previous, setting) && isArticleType(previous.text)) return true;
  if (!inStyle && (styleChanges(previous, line) || fontChanges(open, line))) return true;
  if (isDisplay(previous, setting) && isDisplay(line, setting))
    return (
      (marker !== undefined && listMarker(first) !== undefined) ||
      (headingNumber(line.text) !== undefined && !goesOnWithQuantity(previous, line)) ||
      isCommonHeading(previous.text) ||
      isBackMatter(previous.text)
    );
  if (isCentred(previous) && !isCentred(line) && fitsMore(previous, line)) return true;
  if (marker && (listMarker(first) || fitsMore(previous, line) || endsSentence(previous))) return true;
  const em = line.size;
  const column = line.column.left;
  if (previous.left > first.left + 0.6 * em) return line.left <= first.left + 0.6 * em;
  const indent = line.left - previous.left;
  // The second line of a hanging paragraph is indented too: it continues when the first line is full and the next
  // stays.
  if (indent > 0.6 * em && line.left - column > 0.6 * em) {
    if (open.length === 1 && next && Math.abs(next.left - line.left) < 0.3 * em && !fitsMore(previous, line))
      return false;
    if (open.length === 1 && !fitsMore(previous, line) && (listMarker(previous) || !setting.indented)) return false;
    return true;
  }
  return fitsMore(previous, line) && !isCentred(previous) && !isBrokenName(previous, line, setting);
}

/** "… over / 12 h": a full line goes on with a number that a small letter follows. */
function goesOnWithQuantity(previous: Line, line: Line): boolean {
  return /^\d+\s\p{Ll}/u.test(line.text) && !fitsMore(previous, line);
}

/** A heading may be broken before the line is full: it goes on in its own font, which is not that of the text. */
function isBrokenName(previous: Line, line: Line, setting: Setting): boolean {
  const { name } = line.font;
  return name !== setting.font && name === previous.font.name && /^\p{Ll}/u.test(line.text) && !endsSentence(previous);
}

/** "Funding:" in bold before a statement in the type of the text. */
function startsWithName(line: Line): boolean {
  const end = line.glyphs.findIndex((glyph) => !glyph.font.bold);
  if (end < 4 || end > 60) return false;
  return isBackMatter(/^[^:.]{4,70}(?=[:.])/u.exec(line.text)?.[0] ?? '');
}

function pitchOf(line: Line, setting: Setting): number {
  return setting.pitches.get(Math.round(line.size * 2) / 2) ?? line.size * 1.2;
}

/** The distance between two lines of a paragraph, in usual distances. */
const SLACK = 1.28;

/** What that distance may be where something makes it larger. */
function slackFor(previous: Line, line: Line): number {
  // A sentence that is not finished on a full line continues below, even where something tall pushes the lines apart.
  const unfinished = !/[.!?:;]["”’)\]]*$/u.test(previous.text) && !fitsMore(previous, line);
  const atEdge = line.left < line.column.left + 2 && line.bold < 0.9 && !isCapitals(line) && !headingNumber(line.text);
  if (unfinished && atEdge && previous.bold < 0.9 && !areOfTwoFonts(previous, line)) return 1.7;
  if (
    isCentred(previous) &&
    isCentred(line) &&
    (previous.bold > 0.9 ? line.bold > 0.9 : isCapitals(previous) && isCapitals(line))
  )
    return 1.6;
  return previous.math > 0.08 || line.math > 0.08 ? 1.5 : SLACK;
}

/** A line set as headings are, entirely in one style, ends where that style ends. */
function styleChanges(previous: Line, line: Line): boolean {
  if (previous.glyphs.length <= 2 || line.glyphs.length <= 2) return false;
  if (previous.bold > 0.9 !== line.bold > 0.9) return true;
  if (isCapitals(previous) && !isCapitals(line) && previous.text.length > 12) return true;
  const set = isCentred(previous) || fitsMore(previous, line);
  if (set && isCapitals(previous) !== isCapitals(line)) return true;
  return set && previous.italic > 0.9 && line.italic < 0.5;
}

function isDisplay(line: Line, setting: Setting): boolean {
  return line.size > 1.12 * setting.size || line.bold > 0.9 || isCapitals(line);
}

const SMALL_LETTER = /^[a-z]$/;

/** Set in capitals, also in small ones; letters of formulas do not count. */
export function isCapitals(line: Line): boolean {
  let letters = '';
  let small = true;
  for (const glyph of line.glyphs) {
    if (glyph.font.math) continue;
    // One small letter of a plain font is enough.
    if (!glyph.font.smallCaps && SMALL_LETTER.test(glyph.text)) return false;
    if (!hasLetter(glyph.text)) continue;
    letters += glyph.text;
    if (!glyph.font.smallCaps) small = false;
  }
  if (letters.length < 4) return false;
  return small || (letters === letters.toUpperCase() && letters !== letters.toLowerCase());
}

/** True when the first word of the next line would have found room: the break was wanted. */
export function fitsMore(previous: Line, line: Line): boolean {
  const room = line.column.right - previous.right;
  return room > firstWordWidth(line) + 0.9 * line.size;
}

function firstWordWidth(line: Line): number {
  const [first] = line.glyphs;
  if (!first) return 0;
  let { left, right } = first;
  for (const glyph of line.glyphs) {
    if (glyph === first) continue;
    // A line may be broken between any two ideographs.
    if (glyph.left - right > 0.15 * line.size || isWide(glyph.text)) break;
    // On a page that is read from right to left, numbers and Latin words come from their far end.
    left = Math.min(left, glyph.left);
    right = Math.max(right, glyph.right);
  }
  return right - left;
}

function isCentred(line: Line): boolean {
  const { column } = line;
  const axis = (column.left + column.right) / 2;
  return Math.abs((line.left + line.right) / 2 - axis) < 0.8 * line.size && line.left > column.left + 1.2 * line.size;
}

function endsSentence(line: Line): boolean {
  return /[.!?:;]["”’)\]]*$/u.test(line.text);
}

function sentenceGoesOn(line: Line): boolean {
  return !/[.!?:]["”’)\]]*\d*$/u.test(line.text);
}

/** The lines so far are set in one font and the next in another: a heading and its text. */
function fontChanges(open: readonly Line[], line: Line): boolean {
  const previous = open.at(-1);
  if (!previous || line.font.math || previous.glyphs.length <= 5 || /[,;\u2010-]$/u.test(previous.text)) return false;
  // A full line in another font may be emphasised, but not in another size too.
  const isResized = Math.abs(previous.size - line.size) > 0.03 * line.size;
  if (!isResized && (open.length > 1 || previous.right >= line.column.right - line.size)) return false;
  return areOfTwoFonts(previous, line) && open.every(({ font }) => font.name === previous.font.name);
}

/** Neither has more than a sign or two in the font of the other; a species in a heading is in a third one. */
function areOfTwoFonts(previous: Line, line: Line): boolean {
  const share = (own: Line, { font }: Line): number =>
    own.glyphs.filter((glyph) => glyph.font.name === font.name).length / own.glyphs.length;
  return previous.font.name !== line.font.name && share(previous, line) <= 0.15 && share(line, previous) <= 0.15;
}

/**
 * A line that begins in one style, as under a run-in heading, and ends in the style in which the next one continues.
 */
function endsLike(previous: Line, line: Line): boolean {
  const first = previous.glyphs.find(isLetter);
  const last = previous.glyphs.findLast(isLetter);
  const next = line.glyphs.find(isLetter);
  if (!first || !last || !next || first.font === last.font || first.font === next.font) return false;
  const letters = previous.glyphs.filter(isLetter);
  // The last word may be emphasised.
  const isAlike = ({ font, size }: Glyph): boolean => font === next.font && Math.abs(size - next.size) < 0.3;
  if (letters.slice(-24).filter(isAlike).length > 4) return true;
  // One word of the text may be behind the heading's full stop.
  const stop = previous.glyphs.findLastIndex(({ text }) => /[.:]/u.test(text));
  const behind = stop < 0 ? [] : previous.glyphs.slice(stop + 1).filter(isLetter);
  return behind.length > 0 && behind.length < letters.length && behind.every(isAlike);
}

/** A line that begins in the style in which the full line before it is set: the end of a run-in heading. */
function beginsLike(previous: Line, line: Line): boolean {
  const [first, second, ...more] = line.glyphs.filter(isLetter);
  const last = previous.glyphs.findLast(isLetter);
  if (!first || !second || !last || first.font !== last.font || second.font !== last.font) return false;
  return (
    previous.bold > 0.9 &&
    Math.abs(first.size - last.size) < 0.3 &&
    more.some(({ font }) => font !== last.font) &&
    !endsSentence(previous) &&
    !fitsMore(previous, line)
  );
}

function isLetter({ text }: Glyph): boolean {
  return hasLetter(text);
}

const OPERATOR = /[=+\-−×÷<>≤≥≈≡∼∝∑∏∫√∂∇∈∉⊂⊆∪∩∞±∓⟨⟩|‖·∗→←↔∀∃¬∧∨⊕⊗]/u;
const EQUATION_NUMBER = /\(\s*[A-Z]?\.?\d{1,3}(?:[.-]\d{1,3})?[a-z]?\s*\)\s*$/;

/** True for a line of a display formula: set off from the text, made of symbols rather than words. */
export function isFormulaLine(line: Line): boolean {
  const { text } = line;
  const symbols = text.replace(/\s/gu, '').length;
  if (symbols === 0) return false;
  const words = wordLetters(line);
  const share = words / symbols;
  const numbered = EQUATION_NUMBER.test(text);
  const indent = line.left - line.column.left;
  const width = widthOf(line.column);
  const setOff = indent > 1.2 * line.size || widthOf(line) < 0.5 * width;
  // Hardly a word and an equation's sign: a formula in whatever font.
  if (share < 0.08 && /[=≤≥≈≡∝]/u.test(text) && symbols > 5) return true;
  if (!setOff) return OPERATOR.test(text) && line.math > (numbered ? 0.15 : 0.3) && share < (numbered ? 0.3 : 0.2);
  if (line.math > 0.3 && share < 0.3) return true;
  if (numbered && share < 0.4 && line.math > 0.1) return true;
  // Simple papers set formulas in the text's italic; the equation number identifies them.
  if (numbered && share < 0.4 && /[=≤≥≈≡∝]/u.test(text)) return true;
  return share < 0.2 && line.math > 0.12 && OPERATOR.test(text);
}

const FUNCTIONS =
  /^(?:exp|log|sin|cos|tan|max|min|arg|lim|det|sup|inf|mod|var|cov|diag|rank|sgn|tanh|sinh|cosh|argmin|argmax|erf|tr|if|otherwise)$/i;

/** Letters in words of three or more, set in a text font at full size: what a formula has few of. */
function wordLetters(line: Line): number {
  let count = 0;
  let word = '';
  let right = -Infinity;
  const close = (): void => {
    if (word.length >= 3 && !FUNCTIONS.test(word)) count += word.length;
    word = '';
  };
  for (const glyph of line.glyphs) {
    const letter = isLetters(glyph.text) && !glyph.font.math && glyph.size > 0.87 * line.size;
    if (!letter || glyph.left - right > 0.15 * line.size) close();
    if (letter) word += glyph.text;
    right = glyph.right;
  }
  close();
  return count;
}
