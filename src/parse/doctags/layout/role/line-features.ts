import { lettersOf } from '../../../../base/index.ts';
import type { Findings } from '../findings.ts';
import type { Line } from '../page/segment.ts';
import { widthOf } from '../page/box.ts';
import { countBy, quantile } from '../statistics.ts';
import { hasLetter } from '../text/script.ts';
import type { Features } from '../trees.ts';
import { flag } from '../trees.ts';
import { captionStart, isBoldLabel } from './caption.ts';
import { startsWithMark } from './footnote.ts';
import { headingNumber } from './heading-number.ts';
import {
  isAbstractHeading,
  isArticleType,
  isBackMatter,
  isCommonHeading,
  isKeywords,
  isReferencesHeading,
} from './section-names.ts';
import { listMarker } from './list-item.ts';
import { fitsMore, isCapitals } from './paragraph.ts';

/** What is needed to measure the lines of a document. */
export type LineSetting = Pick<Findings, 'pieces' | 'pages' | 'body' | 'setting' | 'information'>;

/** A line of text in reading order. */
interface Place {
  readonly line: Line;
  readonly piece: number;
  readonly margin: boolean;
  /** A table or picture is right before or after it in the reading order. */
  readonly afterFloat: boolean;
  readonly beforeFloat: boolean;
}

/** Figures of a line alone; those of its neighbours are features too. */
interface Own extends Features {
  readonly ratio: number;
  readonly bold: number;
  readonly italic: number;
  readonly indent: number;
  readonly room: number;
  readonly words: number;
  readonly stop: number;
  readonly lower: number;
  readonly label: number;
  readonly year: number;
  readonly initials: number;
  readonly pages: number;
  readonly link: number;
  readonly caption: number;
  readonly capitals: number;
  readonly style: number;
  readonly names: number;
}

const YEAR = /\b(?:1[89]|20)\d\d[a-z]?\b/u;
/** Volume and pages: "12(3):45–67", "320, 123", "pp. 1-5". */
const PAGES = /\d\s?\(\d+\)|\d\s?[:;,]\s?[A-Za-z]?\d|\d[-–]\d|\bpp?\.\s?\d/u;
const LINK = /\bdoi\b|https?:|www\.|10\.\d{4,5}\/|PMID/iu;
const INITIALS = /(?<!\p{L})\p{Lu}{1,3}(?=[.,;]|\s(?:and|&|\p{Lu})|$)/gu;
const LABEL = /^(?:\[(\d{1,3})\]|\(?(\d{1,3})(?:[.)]|\s|\.?(?=\p{Lu})))/u;

/** Lines around a line whose look says whether it is in a list of references. */
const AROUND = 6;

/** The lines of a document in reading order, each with its features. */
export function measureLines(setting: LineSetting): { readonly line: Line; readonly features: Features }[] {
  const places = placesOf(setting);
  const facts = factsOf(places, setting);
  const own = places.map((place) => ownFeatures(place, setting, facts));
  const labels = countLabels(places);
  const sums = windowSums(own);
  let sinceReferences = -1;
  let sinceAbstract = -1;
  return places.map((place, at) => {
    const [figures, previous, next] = [own[at], own[at - 1], own[at + 1]];
    if (!figures) throw new RangeError('each line has its figures');
    const { line } = place;
    const [before, after] = [places[at - 1], places[at + 1]];
    const pitch = setting.setting.pitches.get(Math.round(line.size * 2) / 2) ?? 1.2 * line.size;
    const isAbove = before?.piece === place.piece;
    const isBelow = after?.piece === place.piece;
    if (figures['referencesName'] === 1 && (before?.piece !== place.piece || line.glyphs.length < 60))
      sinceReferences = 0;
    else if (sinceReferences >= 0) sinceReferences += 1;
    if (figures['abstractName'] === 1) sinceAbstract = 0;
    else if (sinceAbstract >= 0) sinceAbstract += 1;
    const features: Features = {
      ...figures,
      above: isAbove ? clip((line.baseline - before.line.baseline) / pitch, 5) : 5,
      below: isBelow ? clip((after.line.baseline - line.baseline) / pitch, 5) : 5,
      aboveToBelow:
        isAbove && isBelow
          ? clip((line.baseline - before.line.baseline) / Math.max(1, after.line.baseline - line.baseline), 4)
          : 0,
      firstOfPiece: flag(!isAbove),
      afterFloat: flag(place.afterFloat),
      beforeFloat: flag(place.beforeFloat),
      fitted: flag(isAbove && fitsMore(before.line, line)),
      leftOfAbove: isAbove ? clip((line.left - before.line.left) / line.size, 10) : 0,
      leftOfBelow: isBelow ? clip((line.left - after.line.left) / line.size, 10) : 0,
      sameFontAbove: flag(before?.line.font.name === line.font.name),
      aboveRatio: before ? clip(before.line.size / line.size, 3) : 0,
      belowRatio: after ? clip(after.line.size / line.size, 3) : 0,
      aboveBold: previous?.bold ?? 0,
      aboveItalic: previous?.italic ?? 0,
      belowItalic: next?.italic ?? 0,
      aboveIndent: previous?.indent ?? 0,
      belowIndent: next?.indent ?? 0,
      aboveRoom: previous?.room ?? 0,
      belowRoom: next?.room ?? 0,
      aboveWords: previous?.words ?? 0,
      belowWords: next?.words ?? 0,
      aboveStop: previous?.stop ?? 1,
      aboveCapitals: previous?.capitals ?? 0,
      belowCapitals: next?.capitals ?? 0,
      belowYear: next?.year ?? 0,
      aboveCaption: previous?.caption ?? 0,
      aboveStyle: previous?.style ?? 0,
      belowStyle: next?.style ?? 0,
      secondStyle: own[at + 2]?.style ?? 0,
      aboveNames: previous?.names ?? 0,
      counts: labels[at] ?? 0,
      labelsAround: sums('label', at),
      yearsAround: sums('year', at),
      initialsAround: sums('initials', at),
      pagesAround: sums('pages', at),
      linksAround: sums('link', at),
      roomAround: sums('room', at),
      ratioAround: sums('ratio', at),
      indentAround: sums('indent', at),
      sinceReferences: Math.min(300, sinceReferences),
      sinceAbstract: Math.min(60, sinceAbstract),
    };
    return { line, features };
  });
}

function placesOf({ pieces }: LineSetting): Place[] {
  const all = pieces.flatMap(({ lines, margin }, piece) => lines.map((line) => ({ line, piece, margin })));
  return all.flatMap((place, at) =>
    place.line.float === undefined
      ? [
          {
            ...place,
            afterFloat: all[at - 1]?.line.float !== undefined,
            beforeFloat: all[at + 1]?.line.float !== undefined,
          },
        ]
      : [],
  );
}

type Facts = ReturnType<typeof factsOf>;

function factsOf(places: readonly Place[], { pages, information }: LineSetting) {
  const first = places[0]?.line.page ?? 1;
  return {
    pages: new Map(pages.map((page) => [page.number, page])),
    first,
    last: Math.max(1, ...places.map(({ line }) => line.page)),
    largest: Math.max(1, ...places.flatMap(({ line }) => (line.page === first ? [line.size] : []))),
    styles: countBy(places, ({ line }) => styleOf(line)),
    count: Math.max(1, places.length),
    name: lettersOf(information),
    width: quantile(
      places.map(({ line }) => widthOf(line.column)),
      0.5,
    ),
  };
}

function styleOf({ size, font, bold, italic }: Line): string {
  return `${Math.round(size * 2)} ${font.name} ${bold > 0.8} ${italic > 0.8}`;
}

function ownFeatures({ line, margin }: Place, { body }: LineSetting, facts: Facts): Own {
  const { text, glyphs, size, column } = line;
  const page = facts.pages.get(line.page);
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const number = headingNumber(text);
  const name = number?.rest ?? text;
  const isShort = text.length < 120;
  const label = labelOf(line);
  const letters = lettersOf(text);
  const capitalised = words.filter((word) => /^\p{Lu}/u.test(word)).length;
  const kind = captionStart(line);
  const italics = glyphs.findIndex(({ font, text: each }) => hasLetter(each) && !font.italic);
  return {
    ratio: size / body.size,
    bold: line.bold,
    italic: line.italic,
    math: line.math,
    capitals: flag(isShort && isCapitals(line)),
    otherFont: flag(line.font.name !== body.font),
    italicStart: italics < 0 ? 1 : italics / Math.max(1, glyphs.length),
    boldLabel: flag(isBoldLabel(line)),
    width: clip(widthOf(line) / Math.max(1, widthOf(column)), 2),
    columnWidth: widthOf(column) / Math.max(1, page?.width ?? 600),
    columnToUsual: clip(widthOf(column) / Math.max(1, facts.width ?? 1), 3),
    indent: clip((line.left - column.left) / size, 20),
    room: clip((column.right - line.right) / size, 30),
    letters: Math.min(200, letters.length),
    words: Math.min(30, words.length),
    titleCase: capitalised / Math.max(1, words.length),
    digits: (text.match(/\d/gu)?.length ?? 0) / Math.max(1, text.length),
    commas: Math.min(10, text.match(/,/gu)?.length ?? 0),
    stops: Math.min(10, text.match(/\./gu)?.length ?? 0),
    year: flag(YEAR.test(text)),
    initials: Math.min(10, text.match(INITIALS)?.length ?? 0),
    pages: flag(PAGES.test(text)),
    link: flag(LINK.test(text)),
    lower: flag(/^\p{Ll}/u.test(text)),
    upper: flag(/^\p{Lu}/u.test(text)),
    quote: flag(/^["“‘(]/u.test(text)),
    label: flag(label !== undefined),
    bracket: flag(text.startsWith('[')),
    labelValue: Math.min(100, label ?? 0),
    bullet: flag(isShortMarker(line)),
    mark: flag(startsWithMark(line)),
    stop: flag(/[.!?]["”’)\]]*\d{0,3}$/u.test(text)),
    number: number ? { arabic: 1, roman: 2, letter: 3, appendix: 4 }[number.style] : 0,
    caption: kind === undefined ? 0 : { table: 1, figure: 2, other: 3 }[kind],
    common: flag(isShort && isCommonHeading(name)),
    back: flag(isShort && isBackMatter(name)),
    referencesName: flag(isShort && isReferencesHeading(text)),
    abstractName: flag(/^(?:abstract|summary)\b/iu.test(text) || (isShort && isAbstractHeading(text))),
    keywords: flag(isKeywords(text)),
    articleType: flag(isShort && isArticleType(text)),
    names: flag(/^\p{Lu}[\p{L}’'-]+,?\s(?:\p{Lu}\.?[\s,-]?){1,3}(?:,|\.|;|$)/u.test(text)),
    informed: flag(facts.name.length >= 8 && letters.length >= 6 && facts.name.includes(letters)),
    page: Math.min(5, line.page - facts.first),
    pageShare: line.page / facts.last,
    fromEnd: Math.min(10, facts.last - line.page),
    height: line.top / Math.max(1, page?.height ?? 800),
    left: line.left / Math.max(1, page?.width ?? 600),
    margin: flag(margin),
    sizeToLargest: line.page === facts.first ? size / facts.largest : 0,
    style: (facts.styles.get(styleOf(line)) ?? 0) / facts.count,
    styleCount: Math.min(60, facts.styles.get(styleOf(line)) ?? 0),
  };
}

function isShortMarker(line: Line): boolean {
  return listMarker(line)?.ordered === false;
}

/** The number that a line begins with, as entries of a list of references do. */
function labelOf({ text }: Line): number | undefined {
  const match = LABEL.exec(text);
  const value = match?.[1] ?? match?.[2];
  return value === undefined ? undefined : Number(value);
}

/** How many lines before and after a line, one after the other, count on from its number. */
function countLabels(places: readonly Place[]): number[] {
  const counts = places.map(() => 0);
  const runs = new Map<number, { readonly at: number; readonly length: number }>();
  const starts = places.map(({ line }) => labelOf(line));
  const before = starts.map((value, at) => {
    if (value === undefined) return 0;
    const run = runs.get(value - 1);
    const length = run && at - run.at < 30 ? run.length + 1 : 1;
    runs.set(value, { at, length });
    return length;
  });
  const later = new Map<number, { readonly at: number; readonly length: number }>();
  for (let at = starts.length - 1; at >= 0; at -= 1) {
    const value = starts[at];
    if (value === undefined) continue;
    const run = later.get(value + 1);
    const length = run && run.at - at < 30 ? run.length + 1 : 1;
    later.set(value, { at, length });
    counts[at] = Math.min(20, (before[at] ?? 0) + length - 1);
  }
  return counts;
}

/** Means of a figure over the lines around a line. */
function windowSums(own: readonly Own[]): (name: keyof Own & string, at: number) => number {
  const totals = new Map<string, Float64Array>();
  return (name, at) => {
    let sums = totals.get(name);
    if (!sums) {
      sums = new Float64Array(own.length + 1);
      for (let index = 0; index < own.length; index += 1)
        sums[index + 1] = (sums[index] ?? 0) + (own[index]?.[name] ?? 0);
      totals.set(name, sums);
    }
    const [from, to] = [Math.max(0, at - AROUND), Math.min(own.length, at + AROUND + 1)];
    return ((sums[to] ?? 0) - (sums[from] ?? 0)) / Math.max(1, to - from);
  };
}

function clip(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}
