import type { Draft } from '../draft.ts';
import { textOf, draftOf } from '../draft.ts';
import type { OutlineEntry, Glyph } from '../page/page-content.ts';
import type { Features, TreeModel } from '../trees.ts';
import { flag, scoreOf } from '../trees.ts';
import model from './level-model.json' with { type: 'json' };
import { mostFrequent, countBy } from '../statistics.ts';
import { BEGINS_NAME, headingKey, THEOREM } from './heading.ts';
import { headingNumber, isChapter } from './heading-number.ts';
import {
  isAbstractHeading,
  isBackMatter,
  isCommonHeading,
  isReferencesHeading,
  isKeywordsLabel,
} from './section-names.ts';
import { hasLetter, hasLetterOrDigit } from '../text/script.ts';
import type { Line } from '../page/segment.ts';
import { linePart } from '../page/segment.ts';
import { fitsMore } from './paragraph.ts';

interface LevelCandidate {
  readonly draft: Draft;
  /** Headings of one group are siblings: set alike, with numbers of one kind, or names of one kind. */
  readonly group: string;
  readonly number: number;
  readonly features: Features;
}

/** Sections that are directly under the title of a paper. */
const TOP =
  /^(?:introduction|background|(?:materials? and |patients and |subjects and )?methods?|methodology|methods and materials|results?(?: and discussions?)?|discussions?|conclusions?|references|acknowledge?ments?|literature cited|bibliography)$/iu;

type Look = ReturnType<typeof lookOf>;

export function levelCandidates(
  drafts: readonly Draft[],
  outline: readonly OutlineEntry[],
  bodySize: number,
): LevelCandidate[] {
  const flow = drafts.filter(({ kind }) => FLOW.has(kind));
  const roman = flow.some((draft) => draft.kind === 'heading' && headingNumber(textOf(draft))?.style === 'roman');
  const looks = flow.flatMap((draft, index) =>
    draft.kind === 'heading' ? [lookOf(draft, flow[index - 1], flow[index + 1], roman)] : [],
  );
  const byStyle = Map.groupBy(looks, ({ style }) => style);
  const tops = looks.filter(({ isTop }) => isTop);
  const heaviest = looks.toSorted((a, b) => b.weight - a.weight)[0];
  const anchor = byStyle.get(mostFrequent(countBy(tops, ({ style }) => style)) ?? '')?.[0] ?? heaviest;
  const weights = [...new Set(looks.map(({ weight }) => weight))].sort((a, b) => b - a);
  const lower = weights.filter((weight) => weight < (anchor?.weight ?? Infinity));
  const levels = new Map(outline.map((entry) => [headingKey(entry.title), entry.level]));
  const outlined = looks.map(({ text }) => levels.get(headingKey(text)));
  const ranks = [...new Set(outlined)].filter((level) => level !== undefined).sort((a, b) => a - b);
  const numbered = looks.filter(({ number }) => number > 0).length / Math.max(1, looks.length);
  const lastPage = Math.max(1, ...drafts.map(({ page }) => page));
  const firstTop = looks.findIndex(({ isTop, text }) => isTop && !isAbstractHeading(text));
  let inAbstract = false;
  return looks.map((look, index) => {
    const { draft, text, name, number, size, style, weight, isTop, isBack } = look;
    const own = byStyle.get(style) ?? [];
    const share = (test: (other: Look) => boolean): number => own.filter(test).length / own.length;
    const numbers = own.flatMap((other) => (other.number > 0 ? other.number : []));
    const follows = (other: Look): boolean =>
      other.before?.kind === 'heading' && styleOf(other.before).style !== other.style;
    const precedes = (other: Look): boolean =>
      other.after?.kind === 'heading' && styleOf(other.after).style !== other.style;
    const previous = looks[index - 1];
    const [next] = look.after?.lines ?? [];
    const last = draft.lines.at(-1);
    const parsed = headingNumber(text);
    inAbstract = isAbstractHeading(name) || (inAbstract && !(isTop && style === anchor?.style));
    const features = {
      numberStyle: parsed ? { arabic: 1, roman: 2, letter: 3, appendix: 4 }[parsed.style] : 0,
      depth: parsed?.depth ?? 0,
      number,
      numbered,
      styleNumber: numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length),
      outline: ranks.indexOf(outlined[index] ?? -1) + 1,
      outlined: outlined.filter((level) => level !== undefined).length / looks.length,
      ratio: size / bodySize,
      anchorRatio: anchor ? size / anchor.size : 1,
      anchorFont: flag(draft.lines[0]?.font.name === anchor?.draft.lines[0]?.font.name),
      anchorBold: Number(look.bold) - Number(anchor?.bold ?? false),
      anchorCapitals: Number(look.capitals) - Number(anchor?.capitals ?? false),
      anchorItalic: Number(look.italic) - Number(anchor?.italic ?? false),
      anchorStyle: flag(style === anchor?.style),
      rank: weights.indexOf(weight),
      below: lower.indexOf(weight) + 1,
      styles: byStyle.size,
      styleCount: Math.min(30, own.length),
      styleTop: share((other) => other.isTop),
      styleBack: share((other) => other.isBack),
      top: flag(isTop),
      common: flag(isCommonHeading(name)),
      back: flag(isBack),
      references: flag(isReferencesHeading(name)),
      bold: flag(look.bold),
      capitals: flag(look.capitals),
      afterHeading: flag(look.before?.kind === 'heading'),
      afterTop: flag(look.before?.kind === 'heading' && previous?.isTop === true),
      beforeHeading: flag(look.after?.kind === 'heading'),
      styleAfter: share(follows),
      styleBefore: share(precedes),
      runIn: flag(
        next !== undefined &&
          last !== undefined &&
          next.page === last.page &&
          Math.abs(next.baseline - last.baseline) < 1,
      ),
      stop: flag(/[.:]$/u.test(text)),
      words: Math.min(20, text.split(/\s+/u).length),
      pageShare: draft.page / lastPage,
      beforeTop: flag(index < firstTop),
      inAbstract: flag(inAbstract),
      previousRatio: previous ? previous.size / size : 0,
      previousStyle: flag(previous?.style === style),
    };
    const kind = isTop ? 'top' : isBack ? 'back' : isAbstractHeading(name) ? 'abstract' : '';
    return { draft, group: `${style} ${number} ${kind}`, number, features };
  });
}

const FLOW: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>([
  'heading',
  'text',
  'list_item',
  'formula',
  'code',
  'reference',
]);

/** `before` and `after` are what is right before and after a heading in the text. */
function lookOf(draft: Draft, before: Draft | undefined, after: Draft | undefined, roman: boolean) {
  const text = textOf(draft);
  const name = (headingNumber(text)?.rest ?? text).replace(/(?<![\s.:])[\s.:]+$/u, '');
  return {
    ...styleOf(draft),
    draft,
    text,
    name,
    number: numberLevel(text, roman),
    isTop: TOP.test(name),
    isBack: isBackMatter(name),
    before,
    after,
  };
}

/** How a heading is set: larger is higher, then capitals, then bold, then upright. */
function styleOf({ lines: [line] }: Draft) {
  const size = Math.round((line?.size ?? 10) * 2) / 2;
  const letters = line?.text.replace(/[^\p{L}]/gu, '') ?? '';
  const [bold, italic] = [(line?.bold ?? 0) > 0.8, (line?.italic ?? 0) > 0.8];
  const capitals = letters === letters.toUpperCase();
  return {
    size,
    bold,
    italic,
    capitals,
    style: `${size} ${bold} ${italic} ${capitals} ${line?.font.name ?? ''}`,
    weight: size * 20 + (capitals ? 4 : 0) + (bold ? 2 : 0) - (italic ? 1 : 0),
  };
}

/** The level that a heading's number says; 0 without one. */
function numberLevel(text: string, roman: boolean): number {
  const number = headingNumber(text);
  if (!number) return 0;
  if (number.style === 'letter') return number.depth + (roman ? 1 : 0);
  return number.style === 'arabic' ? number.depth + (roman ? 2 : 0) : 1;
}

export function setHeadingLevels(drafts: readonly Draft[], outline: readonly OutlineEntry[], bodySize: number): void {
  const candidates = levelCandidates(drafts, outline, bodySize);
  // In a book the numbers count: its sections may be called as those of a paper, but they are below chapters.
  const isBook = candidates.filter(({ draft }) => isChapter(textOf(draft))).length > 1;
  const levels = levelsOf(candidates, model).map((level, index) =>
    Math.max(level, isBook ? (candidates[index]?.number ?? 0) : 0),
  );
  const least = Math.min(...levels);
  // The highest heading has level 1.
  candidates.forEach(({ draft }, index) => {
    draft.level = Math.min(6, (levels[index] ?? 1) - least + 1);
  });
}

/** Levels from 1 on; siblings have one level. */
export function levelsOf(
  candidates: readonly Omit<LevelCandidate, 'draft'>[],
  { second, third }: { readonly second: TreeModel; readonly third: TreeModel },
): number[] {
  const groups = new Map(
    [...Map.groupBy(candidates, ({ group }) => group)].map(([group, own]) => {
      const mean = (model: TreeModel): number =>
        own.reduce((sum, { features }) => sum + scoreOf(model, features), 0) / own.length;
      return [group, mean(second) <= 0 ? 1 : mean(third) <= 0 ? 2 : 3];
    }),
  );
  // Deeper levels are known by their numbers alone.
  return candidates.map(({ group, number }) => Math.max(groups.get(group) ?? 1, number > 3 ? number : 0));
}

/** Words that begin a paragraph in another style than it continues. */
interface RunIn {
  readonly head: readonly Line[];
  readonly tail: readonly Line[];
  readonly text: string;
  /** Font, bold and italic: other run-in headings are set alike. */
  readonly style: string;
  /** It ends with a full stop or a wide space; a colon also ends labels. */
  readonly closed: boolean;
  /** Nothing but its bold type ends it, and white space is above it. */
  readonly spaced: boolean;
  readonly bold: boolean;
}

const MAX_LETTERS = 110;
/** A numbered heading may be longer: its number says what it is. */
const MAX_NUMBERED = 220;
const MAX_LINES = 4;
/** Letters in another style that a heading may hold in its midst. */
const MAX_BRIDGE = 24;
/** A style that begins at least this many paragraphs is a heading style. */
const REPEATED = 3;

/** Cuts off run-in headings: numbered ones, common names, and those in a style that recurs. */
export function splitRunInHeadings(
  drafts: readonly Draft[],
  { margins, font }: { readonly margins: ReadonlySet<number>; readonly font: string },
): Draft[] {
  const start = drafts.findIndex((draft) => draft.kind === 'heading');
  const found = new Map<Draft, RunIn>();
  for (const [index, draft] of drafts.entries()) {
    if (draft.kind !== 'text' || index <= start || margins.has(draft.piece)) continue;
    const runIn = runInOf(draft, isSpaced(draft, drafts[index - 1])) ?? wholeRunIn(draft, drafts[index + 1]);
    if (runIn && !isTextType(runIn, font)) found.set(draft, runIn);
  }
  // "Additional file 1", "Additional file 2" are labels: what is counted are names.
  const names = new Map<string, Set<string>>();
  for (const { style, closed, spaced, text } of found.values())
    if ((closed || spaced) && !headingNumber(text))
      names.set(style, (names.get(style) ?? new Set()).add(text.replace(/[\p{N}\W]+/gu, '')));
  return drafts.flatMap((draft) => {
    const runIn = found.get(draft);
    if (!runIn || !isHeading(runIn, names)) return [draft];
    const heading = draftOf('heading', [...runIn.head], draft.piece);
    return runIn.tail.length > 0 ? [heading, draftOf('text', [...runIn.tail], draft.piece)] : [heading];
  });
}

/** Upright words in the font of the text only look unlike it because the text goes on in italics: they head nothing. */
function isTextType({ head, text }: RunIn, name: string): boolean {
  const letter = head[0]?.glyphs.find((each) => hasLetter(each.text))?.font;
  return letter?.name === name && !letter.bold && !letter.italic && !letter.smallCaps && !headingNumber(text);
}

/** White space is above a draft, and it begins at the edge of its column. */
function isSpaced(draft: Draft, before: Draft | undefined): boolean {
  const [first] = draft.lines;
  if (!first || first.left - first.column.left > 0.5 * first.size) return false;
  return before?.piece !== draft.piece || first.top - before.box.bottom > 0.6 * first.size;
}

/** A run-in heading that fills its line, so that its text begins on the next one. */
function wholeRunIn(draft: Draft, after: Draft | undefined): RunIn | undefined {
  const last = draft.lines.at(-1);
  const [next] = after?.lines ?? [];
  const letter = draft.lines[0]?.glyphs.find(({ text }) => hasLetter(text));
  const text = textOf(draft);
  if (!last || !next || !letter || after?.kind !== 'text') return undefined;
  const step = next.baseline - last.baseline;
  if (next.page !== last.page || step <= 0 || step > 2 * next.size || next.left > last.right) return undefined;
  if (!text.endsWith('.') || !isNamed(text) || fitsMore(last, next)) return undefined;
  if (!draft.lines.every(({ bold }) => bold > 0.9) || next.bold > 0.5) return undefined;
  return { head: draft.lines, tail: [], text, style: styleOfRunIn(letter), closed: true, spaced: false, bold: true };
}

/** Bold run-in headings are alike in any font; others are known by their font. */
function styleOfRunIn({ font, size }: Glyph): string {
  return font.bold ? `bold ${Math.round(size)}` : `${font.name} ${font.italic}`;
}

function isHeading(
  { text, style, closed, spaced, bold }: RunIn,
  names: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const number = headingNumber(text);
  const name = (number?.rest ?? text).replace(/(?<![\s.:])[\s.:]+$/u, '');
  if ((number?.depth ?? 0) > 1) return true;
  if (isBackMatter(name) && !/^abbreviations?$/iu.test(name)) return true;
  const isNumbered = number !== undefined && !/^A\s/u.test(text);
  if ((!closed && !spaced) || isNumbered || THEOREM.test(text) || isLabel(text) || isKeywordsLabel(text)) return false;
  return isCommonHeading(name) || (names.get(style)?.size ?? 0) >= (bold && closed ? 2 : REPEATED);
}

/** "Additional file 1: …", "Figure S2.", "Note." */
function isLabel(text: string): boolean {
  return /^(?:additional|supplementa\w*|fig\w*|table|scheme|note|box|step|case|patient|question|s\d+)\b/iu.test(text);
}

function runInOf(draft: Draft, isApart: boolean): RunIn | undefined {
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
    return cutAt(draft, at, endOfName(line, end), isApart);
  }
  return undefined;
}

/**
 * A sign or the name of a species in another style inside a heading that has not ended: where its own style continues.
 */
function goesOnAfter(line: Line, end: number, set: (glyph: Glyph) => boolean): number | undefined {
  const { glyphs } = line;
  const before = glyphs[end - 1];
  const glyph = glyphs[end];
  if (!before || !glyph || /[.:]/u.test(before.text) || glyph.left - before.right > 0.6 * line.size) return undefined;
  const on = glyphs.findIndex(
    (each, index) => index > end && hasLetterOrDigit(each.text) && set(each) && set(glyphs[index + 1] ?? each),
  );
  return on < 0 || on - end > MAX_BRIDGE ? undefined : on;
}

/**
 * The first words of the text may be set like the heading (a name, a species): then it ends at the full stop before
 * them.
 */
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

function cutAt(draft: Draft, at: number, end: number, isApart: boolean): RunIn | undefined {
  const line = draft.lines[at];
  const glyph = line?.glyphs[end];
  const before = line?.glyphs[end - 1];
  if (!line || !glyph) return undefined;
  const head = [...draft.lines.slice(0, at), ...linePart(line, line.glyphs.slice(0, end))];
  const tail = [...linePart(line, line.glyphs.slice(end)), ...draft.lines.slice(at + 1)];
  const [text = '', rest = ''] = [head, tail].map((lines) =>
    lines
      .map((each) => each.text)
      .join(' ')
      .trim(),
  );
  const [style] = head[0]?.glyphs ?? [];
  const body = tail[0]?.glyphs[0];
  if (!style || !body || !isNamed(text) || rest.length < 8 || !BEGINS_NAME.test(rest)) return undefined;
  const isWide =
    before !== undefined && (/[\u2002\u2003]/u.test(before.text) || glyph.left - before.right > 0.6 * line.size);
  const letter = head[0]?.glyphs.find((each) => hasLetter(each.text)) ?? style;
  const isName = letter.font.bold && !body.font.bold && (isBackMatter(text) || isCommonHeading(text));
  const closed = text.endsWith('.') || isWide;
  const spaced = isApart && letter.font.bold && !body.font.bold && /\p{L}$/u.test(text);
  if (!closed && !text.endsWith(':') && !isName && !spaced) return undefined;
  return {
    head,
    tail,
    text,
    style: styleOfRunIn(letter),
    closed,
    spaced,
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
