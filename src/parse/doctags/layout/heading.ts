import { findAuthors } from './authors.ts';
import type { Draft } from './draft.ts';
import { headingNumber, isBackMatter, isCommonHeading } from './heading-number.ts';
import { hasLetter } from './letter.ts';
import type { Line } from './line.ts';
import { listMarker } from './list.ts';
import { isKeywords, isKeywordsLabel } from './keywords.ts';
import { hasLeaders, isCapitals } from './paragraph.ts';
import type { Glyph, OutlineEntry } from './page-content.ts';
import { textOf } from './draft-text.ts';
import type { TagOf } from './structure.ts';
import { headingTag, trustsHeadingTags } from './structure.ts';
import { coverPage, endOfFrontMatter, isFrontMatter } from './front-matter.ts';

/** What headings are compared with. */
export interface HeadingSetting {
  readonly size: number;
  readonly font: string;
  readonly bold: boolean;
  readonly pitches: ReadonlyMap<number, number>;
  readonly outline: readonly OutlineEntry[];
  /** Column pieces in the margin: nothing there heads the text. */
  readonly margins: ReadonlySet<number>;
  /** What a tagged file says. */
  readonly tagOf: TagOf;
}

const MAX_LETTERS = 220;
/** Times that a line of the text's size may occur and still be a heading. */
const TOO_OFTEN = 5;
/** Names that head a statement or its proof, not a section. */
export const THEOREM =
  /^(?:proof|theorem|lemma|proposition|corollary|definition|remark|example|claim|fact|conjecture|assumption|axiom)s?\b(?:\s+(?:of|\d|[A-Z]\b)|[.:(]|$)/i;

interface Look {
  readonly draft: Draft;
  readonly text: string;
  readonly ratio: number;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly capitals: boolean;
  readonly centred: boolean;
  readonly numbered: boolean;
  /** Set in another typeface than the running text. */
  readonly otherFace: boolean;
  readonly above: number;
  readonly below: number;
  readonly style: string;
}

/** Marks the drafts that are headings, by how they are set, their numbers and the outline. */
export function markHeadings(drafts: readonly Draft[], setting: HeadingSetting): void {
  const front = endOfFrontMatter(drafts);
  const cover = coverPage(drafts);
  const contents = contentsPages(drafts);
  const looks = drafts.flatMap((draft, index) => {
    const look = lookOf(drafts, index, setting);
    if (draft.page === cover || (contents.has(draft.page) && !CONTENTS.test(textOf(draft)))) return [];
    // Names and addresses between the title and the abstract are large or bold, but head nothing.
    if (isFrontMatter(drafts, index, front) && !isCommonHeading(nameOf(textOf(draft)))) return [];
    return look ? [look] : [];
  });
  const outlined = outlineMatches(looks, setting.outline);
  const counts = new Map<string, number>();
  for (const { text } of looks) counts.set(text, (counts.get(text) ?? 0) + 1);
  const trusted = trustsHeadingTags(drafts, setting.tagOf);
  const certain = looks.filter((look) => outlined.has(look.draft) || isClear(look));
  const styles = new Map<string, number>();
  for (const look of certain) styles.set(look.style, (styles.get(look.style) ?? 0) + 1);
  const own = headingStyles(looks, drafts, setting);
  for (const look of looks) {
    const tag = trusted ? headingTag(setting.tagOf(look.draft)) : undefined;
    if (tag !== undefined) {
      look.draft.kind = 'heading';
      look.draft.level = tag;
      continue;
    }
    // Chapters have sections of the same name; anything else that recurs so often is no name.
    if ((counts.get(look.text) ?? 0) >= TOO_OFTEN && look.ratio < 1.12 && !isCommonHeading(nameOf(look.text))) continue;
    const known = (styles.get(look.style) ?? 0) >= 2;
    const heads = !isSentence(look) && headsText(look, drafts, setting);
    const styled = heads && (own.has(look.style) || look.bold);
    if (outlined.has(look.draft) || isClear(look) || (known && isLikely(look)) || styled) look.draft.kind = 'heading';
  }
}

const CONTENTS = /^(?:(?:table of )?contents|list of (?:figures|tables)|outline|agenda)$/iu;
/** Entries with leaders from which on a page is one of contents. */
const FEWEST_ENTRIES = 4;
/** Letters of an entry at most. */
const SHORT = 200;

/** Pages that list what other pages hold: names of chapters there are entries. */
function contentsPages(drafts: readonly Draft[]): ReadonlySet<number> {
  const entries = new Map<number, number>();
  for (const { lines } of drafts)
    for (const { page, text } of lines) if (hasLeaders(text)) entries.set(page, (entries.get(page) ?? 0) + 1);
  const pages = new Set([...entries].filter(([, count]) => count >= FEWEST_ENTRIES).map(([page]) => page));
  // A slide that names the parts of a talk: short lines and nothing else.
  for (const [page, own] of Map.groupBy(drafts, (draft) => draft.page))
    if (own.some((draft) => CONTENTS.test(textOf(draft))) && own.every((draft) => textOf(draft).length < SHORT))
      pages.add(page);
  return pages;
}

/** A heading's words without its number. */
function nameOf(text: string): string {
  return headingNumber(text)?.rest ?? text;
}

function lookOf(drafts: readonly Draft[], index: number, setting: HeadingSetting): Look | undefined {
  const draft = drafts[index];
  const [first] = draft?.lines ?? [];
  const last = draft?.lines.at(-1);
  if (!draft || !first || !last || draft.kind !== 'text' || draft.lines.length > 5 || setting.margins.has(draft.piece))
    return undefined;
  const text = textOf(draft);
  const letters = text.replace(/[^\p{L}]/gu, '');
  if (letters.length < 2 || text.length > MAX_LETTERS) return undefined;
  if (THEOREM.test(text) || hasLeaders(text) || isKeywordsLabel(text) || isKeywords(text)) return undefined;
  if (draft.lines.every((line) => line.monospaced > 0.5)) return undefined;
  // Names of authors with the marks of their addresses.
  if (/\p{Ll}[\d*†‡]/u.test(text) && findAuthors([text]).length >= 2) return undefined;
  if (endsAsText(draft.lines, setting)) return undefined;
  if (/[=≤≥∑∫]/u.test(text) && draft.lines.some((line) => line.math > 0.05)) return undefined;
  const numbered = headingNumber(text) !== undefined;
  // "1. measured before and after;" is an item of a list.
  if (/[;.]$/u.test(text) && /^\p{Ll}/u.test(headingNumber(text)?.rest ?? '')) return undefined;
  if (!numbered && !/^[\p{Lu}\p{N}"“(]/u.test(text) && !/^\p{Lo}/u.test(text)) return undefined;
  const previous = drafts[index - 1];
  const next = drafts[index + 1];
  const pitch = setting.pitches.get(Math.round(setting.size * 2) / 2) ?? setting.size * 1.2;
  const axis = (first.column.left + first.column.right) / 2;
  const every = (test: (line: Line) => boolean): boolean => draft.lines.every(test);
  const bold = !setting.bold && every((line) => line.bold > 0.8);
  const capitals = every((line) => isCapitals(line)) || (letters.length === 3 && letters === letters.toUpperCase());
  const italic = every((line) => line.italic > 0.8);
  const centred = every(
    (line) =>
      Math.abs((line.left + line.right) / 2 - axis) < 0.8 * line.size && line.left > line.column.left + line.size,
  );
  const ratio = first.size / setting.size;
  // Statements of a programming language in capitals.
  if (capitals && !numbered && ratio < 1.12 && /[_=|<>{}]/u.test(text)) return undefined;
  return {
    draft,
    text,
    ratio,
    bold,
    italic,
    capitals,
    centred,
    numbered,
    otherFace: faceOf(first.font.name) !== faceOf(setting.font) && !first.font.math && !first.font.monospaced,
    above: previous && previous.piece === draft.piece ? (first.baseline - previous.box.bottom) / pitch : 3,
    below: next && next.piece === draft.piece ? (next.box.top - last.baseline) / pitch : 1,
    style: `${Math.round(first.size * 2) / 2} ${first.font.name}${bold ? ' bold' : ''}${italic ? ' italic' : ''}${capitals ? ' capitals' : ''}${centred ? ' centred' : ''}`,
  };
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

function isSentence(look: Look): boolean {
  return (
    /[.,;:!]["”)]?$/u.test(look.text) && !(look.numbered && isNumberedName(look.text)) && !isCommonHeading(look.text)
  );
}

/** "2.2 Agents." is a heading with a full stop; "4 None of this diminishes the value of it." is a note. */
function isNumberedName(text: string): boolean {
  const name = headingNumber(text)?.rest ?? '';
  const stopped = name.endsWith('.');
  return text.length < 80 && !(stopped && (/[,;]\s/u.test(text) || name.split(/\s+/u).length > 8));
}

/** Enough signs together: size, weight, capitals, place, number, a name that sections have. */
function isClear(look: Look): boolean {
  const { text } = look;
  const number = headingNumber(text);
  const common = isCommonHeading(number?.rest ?? text) || isBackMatter(number?.rest ?? text);
  const lines = look.draft.lines.length;
  if (common && lines === 1 && signs(look) >= 1) return true;
  if (isSentence(look) || text.length > 200) return false;
  const [marked] = look.draft.lines;
  const bullet = marked ? listMarker(marked) : undefined;
  // Some journals put a square before their headings.
  if (bullet?.ordered === false) {
    const name = text.slice(bullet.marker.length).trim();
    return lines === 1 && (isCommonHeading(name) || isBackMatter(name));
  }
  if (look.ratio >= 1.12) return true;
  return signs(look) >= 3;
}

function signs(look: Look): number {
  const depth = headingNumber(look.text)?.depth ?? 0;
  const styled = look.bold || look.capitals || look.italic || look.ratio > 1.04;
  return (
    (look.ratio > 1.12 ? 3 : look.ratio > 1.04 ? 1 : look.ratio < 0.85 ? -2 : 0) +
    (look.bold ? 2 : 0) +
    (look.capitals ? 2 : 0) +
    (look.italic ? 1 : 0) +
    (look.centred ? 1 : 0) +
    (look.above > 1.2 ? 1 : 0) +
    (look.otherFace ? 1 : 0) +
    (/^\(?\d{1,2}[.)]\s/.test(look.text) && !look.numbered ? 1 : 0) +
    (depth > 1 || (depth === 1 && styled) ? 2 : depth === 1 ? 1 : 0)
  );
}

/**
 * Styles in which the document sets its headings: unlike the text, at least three times on lines of their own above
 * running text, and hardly anywhere else.
 */
function headingStyles(looks: readonly Look[], drafts: readonly Draft[], setting: HeadingSetting): ReadonlySet<string> {
  const heads = new Map<string, number>();
  for (const look of looks)
    if (isUnlikeText(look) && !isSentence(look) && headsText(look, drafts, setting))
      heads.set(look.style, (heads.get(look.style) ?? 0) + 1);
  const all = Map.groupBy(looks, (look) => look.style);
  return new Set(
    [...heads]
      .filter(([style, count]) => count >= 3 && count >= 0.6 * (all.get(style)?.length ?? 0))
      .map(([style]) => style),
  );
}

function isUnlikeText(look: Look): boolean {
  return look.bold || look.italic || look.capitals || (look.otherFace && look.ratio > 0.9) || look.ratio > 1.04;
}

/** Running text follows right below in the same column, or after another heading. */
function headsText(look: Look, drafts: readonly Draft[], setting: HeadingSetting): boolean {
  if (look.above < 1.1 || look.draft.lines.length > 2 || /=/u.test(look.text)) return false;
  const next = drafts[drafts.indexOf(look.draft) + 1];
  const [line] = next?.lines ?? [];
  if (!next || !line || next.kind !== 'text') return false;
  const body = line.font.name === setting.font && Math.abs(line.size - setting.size) < 0.06 * setting.size;
  return body && line.right - line.left > 0.7 * (line.column.right - line.column.left);
}

/** Not clear alone, but set like headings that are. */
function isLikely(look: Look): boolean {
  if (isSentence(look)) return false;
  if (look.italic && look.draft.lines.length <= 2) return look.above > 1.1;
  return look.bold || look.capitals;
}

/** Drafts that the outline names, page by page. */
function outlineMatches(looks: readonly Look[], outline: readonly OutlineEntry[]): Map<Draft, OutlineEntry> {
  const result = new Map<Draft, OutlineEntry>();
  const wanted = outline
    .map((entry) => ({ entry, key: headingKey(entry.title) }))
    .filter((each) => each.key.length > 2);
  for (const look of looks) {
    const key = headingKey(look.text);
    const match = wanted.find(
      (each) => each.key === key && (each.entry.page === 0 || Math.abs(each.entry.page - look.draft.page) <= 1),
    );
    if (match) result.set(look.draft, match.entry);
  }
  return result;
}

/** A heading's words without number, case and punctuation, for comparison. */
export function headingKey(text: string): string {
  return (headingNumber(text)?.rest ?? text).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
