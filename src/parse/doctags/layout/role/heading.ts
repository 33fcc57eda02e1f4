import { headingNumber } from './heading-number.ts';
import { isCommonHeading, isBackMatter, isReferencesHeading, isKeywords, isKeywordsLabel } from './section-names.ts';
import { endOfFrontMatter, isFrontMatter } from './title.ts';
import { namesInLine } from '../output/byline.ts';
import type { Draft } from '../draft.ts';
import { textOf } from '../draft.ts';
import { hasLetter } from '../text/script.ts';
import type { Line } from '../page/segment.ts';
import { listMarker } from './list-item.ts';
import type { OutlineEntry, Glyph } from '../page/page-content.ts';
import { isCapitals } from './paragraph.ts';
import model from './heading-model.json' with { type: 'json' };
import type { Features } from '../trees.ts';
import { flag, scoreOf } from '../trees.ts';
import { countBy } from '../statistics.ts';
import { widthOf } from '../page/box.ts';

export interface HeadingSetting {
  readonly size: number;
  readonly font: string;
  readonly pitches: ReadonlyMap<number, number>;
  readonly outline: readonly OutlineEntry[];
  /** Column pieces in the margin: nothing there heads the text. */
  readonly margins: ReadonlySet<number>;
  readonly pageHeights: ReadonlyMap<number, number>;
  /** Pages wider than high. */
  readonly slides: ReadonlySet<number>;
}

interface Candidate {
  readonly draft: Draft;
  readonly text: string;
  readonly features: Features;
  /**
   * A sign that needs no weighing: a number of two parts or a name that sections share, set unlike the text; a slide's
   * title.
   */
  readonly isCertain: boolean;
}

const MAX_LETTERS = 220;
const MAX_LINES = 7;
/** Names that head a statement or its proof, not a section. */
export const THEOREM =
  /^(?:proof|theorem|lemma|proposition|corollary|definition|remark|example|claim|fact|conjecture|assumption|axiom)s?\b(?:\s+(?:of|\d|[A-Z]\b)|[.:(]|$)/i;

/** A capital, a number or a quote; "mRNA" and "qRT-PCR" keep their small letter. */
export const BEGINS_NAME = /^(?:[\p{Lu}\p{N}"“(\p{Lo}]|\p{Ll}{1,2}\p{Lu})/u;

type Look = NonNullable<ReturnType<typeof lookOf>>;

export function headingCandidates(drafts: readonly Draft[], setting: HeadingSetting): Candidate[] {
  const looks = drafts.flatMap((_, index) => lookOf(drafts, index, setting) ?? []);
  const document = documentOf(drafts, looks, setting);
  return looks.map((look) => ({
    draft: look.draft,
    text: look.text,
    features: featuresOf(look, drafts, setting, document),
    isCertain: isCertain(look, drafts, setting),
  }));
}

function lookOf(drafts: readonly Draft[], index: number, setting: HeadingSetting) {
  const draft = drafts[index];
  const [first] = draft?.lines ?? [];
  const last = draft?.lines.at(-1);
  if (!draft || !first || !last || draft.kind !== 'text' || draft.lines.length > MAX_LINES) return undefined;
  if (setting.margins.has(draft.piece) || hasPageNumber(last)) return undefined;
  const text = textOf(draft);
  if (/^[•◦‣▶]/u.test(text) || text.length > MAX_LETTERS || (text.match(/\p{L}/gu)?.length ?? 0) < 2) return undefined;
  if (!headingNumber(text) && !BEGINS_NAME.test(text) && !listMarker(first)) return undefined;
  const bold = draft.lines.every((line) => line.bold > 0.8);
  const italic = draft.lines.every((line) => line.italic > 0.8);
  const capitals = draft.lines.every((line) => isCapitals(line));
  const size = Math.round(first.size * 2) / 2;
  const next = drafts[index + 1];
  const [line] = next?.lines ?? [];
  const isBody =
    next?.kind === 'text' &&
    line !== undefined &&
    line.font.name === setting.font &&
    Math.abs(line.size - setting.size) < 0.06 * setting.size &&
    widthOf(line) > 0.7 * widthOf(line.column);
  return {
    draft,
    index,
    text,
    first,
    last,
    name: headingNumber(text)?.rest ?? text,
    style: `${size} ${first.font.name} ${bold} ${italic} ${capitals}`,
    isUnlikeText:
      bold ||
      italic ||
      capitals ||
      faceOf(first.font.name) !== faceOf(setting.font) ||
      first.size > 1.04 * setting.size,
    headsText: isBody,
  };
}

/** An entry of a table of contents: the number of its page is far behind it. */
function hasPageNumber({ segments, size }: Line): boolean {
  const [end, before] = segments.toReversed();
  return (
    end !== undefined &&
    before !== undefined &&
    /^(?:\d{1,4}|[ivxlc]{1,6})$/u.test(end.text) &&
    end.left - before.right > 4 * size
  );
}

function isCertain(look: Look, drafts: readonly Draft[], setting: HeadingSetting): boolean {
  const { draft, index, text, first, name, isUnlikeText } = look;
  if (/[.,;!]["”)]?$/u.test(text) || draft.lines.length > 2 || THEOREM.test(text) || isKeywordsLabel(text))
    return false;
  if (endsAsText(draft.lines, setting)) return false;
  const titled = drafts.find(({ kind }) => kind === 'title')?.page;
  const isTop = drafts[index - 1]?.page !== draft.page && draft.page !== titled;
  const isSlide = setting.slides.has(draft.page);
  if (isSlide && first.size > 1.15 * setting.size) return true;
  if (isTop && first.size > 1.3 * setting.size) return true;
  const depth = headingNumber(text)?.depth ?? 0;
  return isUnlikeText && first.size > 0.9 * setting.size && (depth > 1 || isCommonHeading(name));
}

type DocumentFacts = ReturnType<typeof documentOf>;

function documentOf(drafts: readonly Draft[], looks: readonly Look[], setting: HeadingSetting) {
  // How many headings may be set in each style, and the shares of those that look like headings or not.
  const styles = Map.groupBy(looks, ({ style }) => style)
    .entries()
    .map(([style, own]) => {
      const share = (test: (look: Look) => boolean): number => own.filter(test).length / own.length;
      const shares = {
        count: own.length,
        named: share(({ name }) => isCommonHeading(name) || isBackMatter(name)),
        numbered: share(({ text }) => headingNumber(text) !== undefined),
        heads: share(({ headsText }) => headsText),
        sentences: share(({ text }) => /[.,;]$/u.test(text)),
      };
      return [style, shares] as const;
    });
  const outlined = new Map<string, number[]>();
  for (const { title, page } of setting.outline) {
    const key = headingKey(title);
    if (key.length > 2) outlined.set(key, [...(outlined.get(key) ?? []), page]);
  }
  const short = drafts.filter(({ lines }) => lines.length === 1 && (lines[0]?.text.length ?? 0) < 40);
  return {
    front: endOfFrontMatter(drafts),
    counts: countBy(looks, ({ text }) => text),
    styles: new Map(styles),
    outlined,
    lastPage: Math.max(1, ...drafts.map(({ page }) => page)),
    short: countBy(short, ({ page }) => page),
  };
}

function featuresOf(look: Look, drafts: readonly Draft[], setting: HeadingSetting, document: DocumentFacts): Features {
  const { draft, index, text, first, last, name } = look;
  const previous = drafts[index - 1];
  const next = drafts[index + 1];
  const [nextLine] = next?.lines ?? [];
  const previousLine = previous?.lines.at(-1);
  const pitch = setting.pitches.get(Math.round(setting.size * 2) / 2) ?? setting.size * 1.2;
  const { column } = first;
  const width = Math.max(1, widthOf(column));
  const number = headingNumber(text);
  const words = text.split(/\s+/u);
  const capitalised = words.filter((word) => /^\p{Lu}/u.test(word)).length;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const style = document.styles.get(look.style);
  const marker = listMarker(first);
  const samePiece = (other: Draft | undefined): boolean => other?.piece === draft.piece;
  const outlinePages = document.outlined.get(headingKey(text)) ?? [];
  const every = (test: (line: Line) => boolean): number => (draft.lines.every(test) ? 1 : 0);
  const mean = (value: (line: Line) => number): number =>
    draft.lines.reduce((sum, line) => sum + value(line), 0) / draft.lines.length;
  return {
    ratio: first.size / setting.size,
    bold: mean((line) => line.bold),
    italic: mean((line) => line.italic),
    capitals: every((line) => isCapitals(line)),
    otherFace: flag(faceOf(first.font.name) !== faceOf(setting.font) && !first.font.math),
    lines: draft.lines.length,
    letters: Math.min(letters, MAX_LETTERS),
    words: Math.min(words.length, 40),
    width: widthOf(last) / width,
    indent: Math.max(-5, Math.min(20, (first.left - column.left) / first.size)),
    centred: every(
      (line) =>
        Math.abs((line.left + line.right) / 2 - (column.left + column.right) / 2) < 0.8 * line.size &&
        line.left > column.left + line.size,
    ),
    above: previous && samePiece(previous) ? clip((first.baseline - previous.box.bottom) / pitch) : 5,
    below: next && samePiece(next) ? clip((next.box.top - last.baseline) / pitch) : 5,
    firstOfPiece: flag(!samePiece(previous)),
    height: first.top / Math.max(1, setting.pageHeights.get(draft.page) ?? 792),
    pageShare: draft.page / document.lastPage,
    firstPage: flag(draft.page === 1),
    front: flag(isFrontMatter(drafts, index, document.front)),
    number: number ? { arabic: 1, roman: 2, letter: 3, appendix: 4 }[number.style] : 0,
    depth: number?.depth ?? 0,
    marker: flag(/^\(?\d{1,2}[.)]\s/u.test(text)),
    bullet: flag(marker?.ordered === false),
    common: flag(isCommonHeading(name)),
    back: flag(isBackMatter(name)),
    references: flag(isReferencesHeading(name)),
    stop: flag(text.endsWith('.')),
    comma: flag(/[,;]$/u.test(text)),
    titleCase: capitalised / words.length,
    digits: (text.match(/\d/gu)?.length ?? 0) / text.length,
    commas: text.match(/,/gu)?.length ?? 0,
    equals: flag(/[=≤≥∑∫<>|{}_]/u.test(text)),
    keywords: flag(isKeywordsLabel(text) || isKeywords(text)),
    names: Math.min(4, namesInLine(text).length),
    year: flag(/\b(?:19|20)\d\d\b/u.test(text)),
    // 0: the file does not say where the entry leads.
    outlined: flag(outlinePages.some((page) => page === 0 || Math.abs(page - draft.page) <= 1)),
    sameText: Math.min(10, document.counts.get(text) ?? 1),
    styleCount: Math.min(50, style?.count ?? 1),
    styleNamed: style?.named ?? 0,
    styleNumbered: style?.numbered ?? 0,
    styleHeads: style?.heads ?? 0,
    styleSentences: style?.sentences ?? 0,
    styleUnlike: flag(look.isUnlikeText),
    headsText: flag(look.headsText),
    nextText: flag(next?.kind === 'text'),
    nextLines: Math.min(12, next?.lines.length ?? 0),
    nextLower: flag(/^\p{Ll}/u.test(nextLine?.text ?? '')),
    nextRatio: nextLine ? nextLine.size / first.size : 0,
    nextBold: nextLine?.bold ?? 0,
    nextSameStyle: flag(
      nextLine !== undefined && nextLine.font.name === first.font.name && Math.abs(nextLine.size - first.size) < 0.3,
    ),
    previousText: flag(previous?.kind === 'text'),
    previousEnds: flag(/[.!?:]["”’)\]]*$/u.test(previousLine?.text ?? '.')),
    previousRatio: previousLine ? previousLine.size / first.size : 0,
    previousShort: flag(previous !== undefined && previous.lines.length === 1 && (previousLine?.text.length ?? 0) < 40),
    shortOnPage: Math.min(40, document.short.get(draft.page) ?? 0),
  };
}

function clip(value: number): number {
  return Math.max(-2, Math.min(6, value));
}

/** Begins in one type and ends in that of the running text: a heading with the first words of its paragraph. */
function endsAsText(lines: readonly Line[], setting: HeadingSetting): boolean {
  const glyphs = lines.flatMap((line) => line.glyphs.filter(({ text }) => hasLetter(text)));
  const isBody = ({ font, size }: Glyph): boolean =>
    font.name === setting.font && Math.abs(size - setting.size) < 0.06 * setting.size;
  const [first] = glyphs;
  const last = glyphs.at(-1);
  if (!first || !last || glyphs.slice(0, 3).some(isBody) || first.font === last.font) return false;
  return glyphs.slice(-24).filter(isBody).length > 4;
}

/** The family of a font: its name without style and size. */
function faceOf(name: string): string {
  // The fonts of TeX name the style in two or three letters; all of them belong together.
  if (/^(?:cm|sf|ec|lm|tc)[a-z]{1,5}\d*$/iu.test(name)) return 'tex';
  return name
    .replace(/[-,].*/su, '')
    .replace(/(?:bold|medium|light|regular|italic|roman|book){1,6}$/iu, '')
    .replace(/(?<!\d)\d+$/u, '')
    .toLowerCase()
    .slice(0, 8);
}

export function headingKey(text: string): string {
  return (headingNumber(text)?.rest ?? text).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

export function markHeadings(drafts: readonly Draft[], setting: HeadingSetting): void {
  for (const { draft, features, isCertain } of headingCandidates(drafts, setting))
    if (isCertain || scoreOf(model, features) > 0) draft.kind = 'heading';
}
