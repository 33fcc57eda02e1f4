import type { Draft } from '../draft.ts';
import { draftOf } from '../draft.ts';
import { THEOREM } from './heading-features.ts';
import { headingNumber, isBackMatter, isCommonHeading, isKeywordsLabel } from './heading-number.ts';
import { hasLetter, hasLetterOrDigit } from '../text/letter.ts';
import type { Line } from '../page/line.ts';
import type { Glyph } from '../page/page-content.ts';
import { linePart } from '../page/line.ts';

/** Words that begin a paragraph in another style than it continues. */
interface RunIn {
  readonly draft: Draft;
  readonly head: readonly Line[];
  readonly tail: readonly Line[];
  readonly text: string;
  /** How it is set, by which others like it are known. */
  readonly style: string;
  /** It ends with a full stop or a wide space; a colon also ends labels. */
  readonly closed: boolean;
  readonly bold: boolean;
}

const MAX_LETTERS = 110;
/** A numbered heading may be longer: its number says what it is. */
const MAX_NUMBERED = 220;
const MAX_LINES = 4;
/** Letters in another style that a heading may hold in its midst. */
const MAX_BRIDGE = 24;
/** Paragraphs that begin in one style, from which on the style is one of headings. */
const REPEATED = 3;

/**
 * Cuts headings off the paragraphs they begin: numbered ones, names that sections have, and those in a style that begins
 * several paragraphs of the document.
 */
export function splitRunInHeadings(drafts: readonly Draft[], margins: ReadonlySet<number>): Draft[] {
  const start = drafts.findIndex((draft) => draft.kind === 'heading');
  const found = new Map<Draft, RunIn>();
  for (const [index, draft] of drafts.entries()) {
    const runIn = draft.kind === 'text' && index > start && !margins.has(draft.piece) ? runInOf(draft) : undefined;
    if (runIn) found.set(draft, runIn);
  }
  // "Additional file 1", "Additional file 2" are labels: what is counted are names.
  const names = new Map<string, Set<string>>();
  for (const { style, closed, text } of found.values())
    if (closed && !headingNumber(text))
      names.set(style, (names.get(style) ?? new Set()).add(text.replace(/[\p{N}\W]+/gu, '')));
  return drafts.flatMap((draft) => {
    const runIn = found.get(draft);
    if (!runIn || !isHeading(runIn, names)) return [draft];
    return [
      { ...draftOf('heading', [...runIn.head], draft.piece) },
      { ...draftOf('text', [...runIn.tail], draft.piece) },
    ];
  });
}

function isHeading({ text, style, closed, bold }: RunIn, names: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const number = headingNumber(text);
  const name = (number?.rest ?? text).replace(/(?<![\s.:])[\s.:]+$/u, '');
  if ((number?.depth ?? 0) > 1) return true;
  if (isBackMatter(name) && !/^abbreviations?$/iu.test(name)) return true;
  if (!closed || number || THEOREM.test(text) || isLabel(text) || isKeywordsLabel(text)) return false;
  return isCommonHeading(name) || (names.get(style)?.size ?? 0) >= (bold ? 2 : REPEATED);
}

/** "Additional file 1: …", "Figure S2.", "Note." */
function isLabel(text: string): boolean {
  return (
    /^(?:additional|supplementa\w*|fig\w*|table|scheme|note|box|step|case|patient|question|s\d+)\b/iu.test(text) ||
    /:\s/u.test(text)
  );
}

function runInOf(draft: Draft): RunIn | undefined {
  const [first] = draft.lines;
  const style = first?.glyphs.find((glyph) => hasLetter(glyph.text))?.font;
  if (!first || !style) return undefined;
  const set = (glyph: Glyph): boolean =>
    !hasLetterOrDigit(glyph.text) ||
    (glyph.font.bold === style.bold &&
      (style.bold || glyph.font.italic === style.italic) &&
      (style.bold || sameFace(glyph.font.name, style.name)));
  const lines = draft.lines.slice(0, MAX_LINES);
  const from = first.glyphs.findIndex((glyph) => hasLetter(glyph.text));
  for (const [at, line] of lines.entries()) {
    let end = line.glyphs.findIndex((glyph, index) => (at > 0 || index > from) && !set(glyph));
    while (end > 0) {
      const on = goesOnAfter(line, end, set);
      if (on === undefined) break;
      end = line.glyphs.findIndex((glyph, index) => index > on && !set(glyph));
    }
    if (end < 0) continue;
    // One sign of another font in text that continues as it began ends no heading.
    const rest = [...line.glyphs.slice(end + 1), ...(draft.lines[at + 1]?.glyphs ?? [])];
    const letters = rest.filter(({ text }) => hasLetter(text)).slice(0, 12);
    if (letters.filter(set).length > 0.6 * letters.length) return undefined;
    return cutAt(draft, at, endOfName(line, end));
  }
  return undefined;
}

/** A sign or the name of a species in another style inside a heading that has not ended: where its own style continues. */
function goesOnAfter(line: Line, end: number, set: (glyph: Glyph) => boolean): number | undefined {
  const { glyphs } = line;
  const before = glyphs[end - 1];
  const glyph = glyphs[end];
  if (!before || !glyph || /[.:]/u.test(before.text) || glyph.left - before.right > 0.6 * line.size) return undefined;
  const on = glyphs.findIndex(
    (each, index) => index > end && hasLetter(each.text) && set(each) && set(glyphs[index + 1] ?? each),
  );
  return on < 0 || on - end > MAX_BRIDGE ? undefined : on;
}

/** The first words of the text may be set like the heading (a name, a species): then it ends at the full stop before them. */
function endOfName(line: Line, end: number): number {
  const { glyphs } = line;
  if (/[.:]/u.test(glyphs[end - 1]?.text ?? '.')) return end;
  const stop = glyphs.findLastIndex((glyph, index) => {
    const next = glyphs[index + 1];
    return index < end - 1 && glyph.text === '.' && next !== undefined && next.left - glyph.right > 0.12 * line.size;
  });
  if (stop < 0) return end;
  const letters = glyphs.slice(0, stop).filter(({ text }) => hasLetter(text)).length;
  return letters >= 3 && /^\p{Lu}/u.test(glyphs[stop + 1]?.text ?? '') && end - stop < MAX_BRIDGE ? stop + 1 : end;
}

/** Bold and italic of one family have names that begin alike; fonts without a name of their own never do. */
function sameFace(a: string, b: string): boolean {
  // Parts of one font, such as its ligatures, have names that differ in what follows the plus sign.
  if (a.replace(/\+.*/u, '') === b.replace(/\+.*/u, '')) return true;
  return a.slice(0, 6) === b.slice(0, 6) && !/Adv/u.test(a);
}

function cutAt(draft: Draft, at: number, end: number): RunIn | undefined {
  const line = draft.lines[at];
  const glyph = line?.glyphs[end];
  const before = line?.glyphs[end - 1];
  if (!line || !glyph) return undefined;
  const head = [...draft.lines.slice(0, at), ...linePart(line, line.glyphs.slice(0, end))];
  const tail = [...linePart(line, line.glyphs.slice(end)), ...draft.lines.slice(at + 1)];
  const text = head
    .map((each) => each.text)
    .join(' ')
    .trim();
  const rest = tail
    .map((each) => each.text)
    .join(' ')
    .trim();
  const [style] = head[0]?.glyphs ?? [];
  const body = tail[0]?.glyphs[0];
  if (!style || !body || !isNamed(text) || rest.length < 8 || !/^[\p{Lu}\p{N}“"(\p{Lo}]/u.test(rest)) return undefined;
  const isWide =
    before !== undefined && (/[\u2002\u2003]/u.test(before.text) || glyph.left - before.right > 0.6 * line.size);
  const letter = head[0]?.glyphs.find((each) => hasLetter(each.text)) ?? style;
  const isName = letter.font.bold && !body.font.bold && (isBackMatter(text) || isCommonHeading(text));
  if (!/[.:]$/u.test(text) && !isWide && !isName) return undefined;
  // Upright words in the face of the text that only look unlike it because the text continues in italics head nothing.
  if (!letter.font.bold && !letter.font.italic && !letter.font.smallCaps && body.font.italic) return undefined;
  return {
    draft,
    head,
    tail,
    text,
    style: `${letter.font.name} ${letter.font.bold} ${letter.font.italic}`,
    closed: text.endsWith('.') || isWide,
    bold: letter.font.bold,
  };
}

/** Short, with a capital, no sentence. */
function isNamed(text: string): boolean {
  const numbered = (headingNumber(text)?.depth ?? 0) > 1;
  return (
    text.length <= (numbered ? MAX_NUMBERED : MAX_LETTERS) &&
    /^(?:[\dIVXA-Z][\d.)]*\s+)?[\p{Lu}\p{N}]/u.test(text) &&
    (numbered ? /\p{L}{2,}/u : /\p{L}{3,}/u).test(text) &&
    !/[,;]\s*$/u.test(text) &&
    text.split(/\s+/u).length <= (numbered ? 32 : 16)
  );
}
