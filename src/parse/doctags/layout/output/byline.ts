import type { Block, Box } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { regionsOf } from '../draft.ts';
import { overlapX, unionBox, widthOf } from '../page/box.ts';
import { countBy } from '../statistics.ts';
import type { Segment } from '../page/segment.ts';
import { isSpaceBefore, wordGap } from '../text/glyph-text.ts';
import { plainPhrase, spellings, wordFinder } from '../text/phrases.ts';
import bylineWords from './byline-words.json' with { type: 'json' };
import { isArticleType, isCommonHeading } from '../role/section-names.ts';

/** Between two parts of a byline: a mark of an affiliation, a footnote sign or a digit was there. */
const MARK = '\u2042';
const SIGNS = /[\p{N}∗*†‡§¶‖#⋆✉✝^_{}[\]\ufffd\p{Co}\p{So}]/u;
const SEPARATORS =
  /[,;·•|&/\u2042，、；]|(?<=\s)\.(?=\s)|(?<=[\s\u2042])(?:(?:and|AND|und|et|en|och|og|ve|và|и|та|by|with)(?=\s)|[ye](?=\s+[^\s,;&|\u2042]+\s+[^\s,;&|\u2042]))/u;
const NAME_WORD = /^(?:[dlDL][’'])?\p{Lu}[\p{L}\p{M}’'‘`´¨¸˘˜.‐‑-]*$/u;
const PARTICLE =
  /^(?:[Dd](?:e|el|ella|a|as|o|os|i|u)|van|von|der|den|het|[Ll](?:a|e|os)|el|al|bin|ibn|bint|ter|ten|te|zu|af|av|y|e|d[’']|[’']t)$/;
const SUFFIX = /^(?:Jr\.?|Sr\.?|I{2,3}|IV)$/;
const MOST_NAME_WORDS = 9;
/** Words of addresses, dates and imprints: a part with one of them is no name, and neither is what is beside it. */
const hasNoName = wordFinder(bylineWords.noName);
/** A Chinese, Japanese or Korean name: a few characters, perhaps with a space behind the family name. */
const WIDE_NAME =
  /^[\p{Script=Han}\p{Script=Hangul}]{1,2}\s?[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}]{1,3}$/u;
const hasMonth = wordFinder(bylineWords.month);
/** What title pages of theses have above the name. */
const BY = spellings(bylineWords.by);
/** A place of work: what is above it is a name. */
const isPlace = wordFinder(bylineWords.place);
/** Degrees and memberships behind a name: short, with two capitals or more ("PhD", "MSc", "M.D.", "FRACP", "RDH"). */
const DEGREE = /^(?:(?:[A-Z][a-z]{0,3}\.?){2,3}|[A-Z]{2,6}(?:-[A-Z]{1,3})?|Dr\.?|Prof\.?|Pharm\.?D\.?|Jr\.?|Sr\.?)$/;
/** "… and Ada Stone, on behalf of the Plain Study Group" */
const GROUP = /[\s\u2042,;](?:(?:and\s|&\s)?(?:for|on behalf of) the|(?:and|&) the)\s/iu;
const isGroup = wordFinder(bylineWords.group);
/** A capital inside a name otherwise than in "McDonald": the file names its letters wrongly. */
const MISNAMED = /(?<=\p{L}{4}\p{Ll})\p{Lu}|(?<=\p{Ll})\p{Lu}\p{L}?(?!\p{L})/u;
const INITIALS = /^(?:\p{Lu}\.?[\s‐‑-]?){1,3}$/u;
const TITLES = /^(?:(?:[Bb]y|BY|Dr|Prof|Mr|Mrs|Ms|Ing|Sir)\.?\s+)+/;

/** A date below the names, as LaTeX sets it; its digits are marks here. */
function isDate(text: string): boolean {
  const year = MARK.repeat(4);
  return (text.startsWith(year) || text.trimEnd().endsWith(year)) && hasMonth(text);
}

interface Part {
  readonly text: string;
  readonly isMarked: boolean;
}

/**
 * What is printed side by side in one row, with marks and separators; names are set in one type, addresses mostly in
 * another.
 */
interface Cell extends Box {
  readonly text: string;
  readonly size: number;
  readonly baseline: number;
  readonly font: string;
}

/** Gaps in a row, in ems: names further apart than this are two names, and cells further apart are two columns. */
const NAME_GAP = 1.5;
const CELL_GAP = 4;
/** Most cells between the title and a byline, and in a byline. */
const REACH = 30;
const MOST_SEGMENTS = 2_000;

/** Rows that consist only of names, marks and degrees, as `Given Family`. `known` confirms a single name. */
export function findByline(drafts: readonly Draft[], known: string, blocks: readonly Block[]): string[] {
  const isWord = vocabulary(blocks);
  const cells = cellsOf(segmentsBelowTitle(drafts));
  const title = drafts.find((draft) => draft.kind === 'title')?.box;
  for (const first of cells.slice(0, REACH)) {
    if (
      (isAddress(first.text) && !isMarkedInFront(first.text)) ||
      !/[\p{Lu}\p{Script=Han}\p{Script=Hangul}]/u.test(first.text)
    )
      continue;
    const above = cells.slice(0, cells.indexOf(first)).findLast((cell) => isBelow(first, cell));
    if (above && isOpen(above.text, '')) continue;
    const readings = [true, false].map((isWide) => readRun(runFrom(first, cells, isWide), cells, { known, isWord }));
    const [best] = readings.filter((each) => each !== undefined).sort((a, b) => b.names.length - a.names.length);
    if (!best) continue;
    // A name beside the title that an address follows is an editor's.
    if (best.isCut && title && overlapX(first, title) <= 0) continue;
    if (best.isCut) return [];
    const more = cells.filter(
      (cell) => !best.run.includes(cell) && cell.baseline > first.baseline && isSameType(cell, first),
    );
    const isOverAddress = (cell: Cell): boolean => isAddressBelow(cell, cells);
    const isGrid = best.run.every(isOverAddress);
    const names = [
      ...best.names,
      ...more.flatMap((cell) => namesBelow(cell.text, isWord, isGrid && isOverAddress(cell))),
    ];
    return [...new Set(givenFirst(names).map(readable))];
  }
  return [];
}

/** Authors are looked for between the title and the first paragraph of their column, and in larger type beside that. */
function segmentsBelowTitle(drafts: readonly Draft[]): Segment[] {
  const title = drafts.find((draft) => draft.kind === 'title');
  if (!title) return [];
  const others = drafts.filter(
    (draft) => draft.page === title.page && (draft.kind === 'text' || draft.kind === 'heading'),
  );
  const below = others.filter(({ box }) => box.top > title.box.top + 2);
  const prose = below.filter((draft) => isProse(draft) && overlapX(draft.box, title.box) > 0);
  const start = prose.toSorted((a, b) => a.box.top - b.box.top)[0];
  const areas = prose.flatMap(regionsOf).filter(({ page }) => page === title.page);
  const size = start?.lines.at(-1)?.size ?? 0;
  const [own] = title.lines;
  const lines = below.flatMap((draft) =>
    draft.lines.filter(
      (line) =>
        line.page === title.page &&
        (start === undefined ||
          draft === start ||
          line.bottom < start.box.top + 2 ||
          (line.size > 1.05 * size && line.top < start.box.bottom) ||
          (overlapX(line, title.box) > 0 && !areas.some(({ box }) => line.top > box.top && overlapX(line, box) > 0))) &&
        !(own && Math.abs(line.size - own.size) < 0.03 * own.size && line.font.name === own.font.name),
    ),
  );
  return lines.flatMap(({ segments }) => [...segments]).slice(0, MOST_SEGMENTS);
}

function isProse({ lines }: Draft): boolean {
  const words = lines.flatMap(({ text }) => text.match(/(?<!\p{L})\p{L}{4,}/gu) ?? []);
  return (
    lines.length > 2 && words.length > 15 && words.filter((word) => /^\p{Ll}/u.test(word)).length > 0.6 * words.length
  );
}

/** Rows from top to bottom, cut where there is a wide gap or the size changes. */
function cellsOf(segments: readonly Segment[]): Cell[] {
  const rows: Segment[][] = [];
  // Marks that are apart from their names come last: they find the row below them.
  const order = segments.toSorted((a, b) => Number(isSigns(a)) - Number(isSigns(b)) || a.baseline - b.baseline);
  for (const segment of order) {
    const [above, below] = isSigns(segment) ? [0.6, 0.2] : [0.35, 0.35];
    const row = rows.findLast(([first]) => {
      const rise = first ? (first.baseline - segment.baseline) / first.size : 1;
      return rise < above && rise > -below;
    });
    if (row) row.push(segment);
    else rows.push([segment]);
  }
  return rows
    .sort(([a], [b]) => (a?.baseline ?? 0) - (b?.baseline ?? 0))
    .flatMap((row) => {
      const cells: Segment[][] = [];
      for (const segment of row.toSorted((a, b) => a.left - b.left)) {
        const last = cells.at(-1)?.at(-1);
        const most = last?.font.name === segment.font.name ? CELL_GAP : NAME_GAP;
        const isNear = last && segment.left - last.right < most * Math.max(last.size, segment.size);
        const isAlike =
          last && (Math.abs(last.size - segment.size) < 0.15 * last.size || isSigns(last) || isSigns(segment));
        if (isNear && isAlike) cells.at(-1)?.push(segment);
        else cells.push([segment]);
      }
      return cells.map(cellOf);
    });
}

function cellOf(segments: readonly Segment[]): Cell {
  const main = segments.reduce((best, each) => (each.glyphs.length > best.glyphs.length ? each : best));
  const { size, baseline, font } = main;
  return { ...unionBox(segments), text: markedText(segments, main), size, baseline, font: font.name };
}

function isSigns({ text }: Segment): boolean {
  return !/\p{L}{2}/u.test(text);
}

/** A mark in front is that of a note or an address. */
function isAddress(text: string): boolean {
  return /^[\s,]*\u2042/u.test(text) || isDate(text) || hasNoName(withoutGroup(text));
}

/** "1Ada Stone, 2Carl Brook": as many marks as names, in front of them. */
function isMarkedInFront(text: string): boolean {
  const names = namesInLine(text.replaceAll(MARK, '1'));
  return names.length > 1 && (text.match(/\u2042+/gu)?.length ?? 0) >= names.length;
}

function isSameType(a: Cell, b: Cell): boolean {
  return Math.abs(a.size - b.size) < 0.06 * b.size && fontOf(a) === fontOf(b);
}

/** A file may hold one font in parts: "Corbel-Bold", "Corbel-Bold2". */
function fontOf({ font }: Cell): string {
  return font.replace(/(?<=\p{L}{4})\d$/u, '');
}

/** The cells of the same type below one, and beside it if `isWide`. */
function runFrom(first: Cell, cells: readonly Cell[], isWide: boolean): Cell[] {
  const run = [first];
  let box: Box = first;
  for (const cell of cells.slice(cells.indexOf(first) + 1)) {
    const last = run.at(-1) ?? first;
    const isBeside = Math.abs(cell.baseline - last.baseline) < 0.3 * first.size;
    if (
      !isSameType(cell, first) ||
      (isBeside ? !isWide : Math.min(cell.right, box.right) <= Math.max(cell.left, box.left))
    )
      continue;
    if (isAddress(cell.text) && !isBeside && !isOpen(last.text, cell.text)) break;
    run.push(cell);
    box = unionBox([box, cell]);
  }
  // Where names have marks, rows below the last one with a mark are addresses.
  const marked = run.findLastIndex(({ text }) => text.includes(MARK));
  const end = run.findIndex((cell, at) => at > marked && !isOpen(run[at - 1]?.text ?? '', cell.text));
  return marked < 0 || end < 0 ? run : run.slice(0, end);
}

function isBelow(cell: Cell, above: Cell): boolean {
  const distance = cell.baseline - above.baseline;
  const isOver = Math.min(cell.right, above.right) > Math.max(cell.left, above.left);
  return isSameType(cell, above) && isOver && distance > 0 && distance < 1.8 * cell.size;
}

function isOpen(before: string, text: string): boolean {
  return /(?:[,;|&·•]|\band)[\s\u2042]*$/u.test(before) || /^(?:[,;|&·•]|and\b)/u.test(text.trim());
}

/** The names of the longest part of a run that reads as names from its beginning. */
function readRun(
  run: readonly Cell[],
  cells: readonly Cell[],
  { known, isWord }: { readonly known: string; readonly isWord: (word: string) => boolean },
) {
  for (let to = run.length; to > 0; to -= 1) {
    const part = run.slice(0, to);
    for (const text of [joinRows(part, cells, true), joinRows(part, cells, false)]) {
      const parts = splitParts(text);
      const names = namesIn(parts, isWord);
      const below = cells[cells.findIndex((cell) => cell === part.at(-1)) + 1]?.text ?? '';
      const above = cells[cells.findIndex((cell) => cell === part[0]) - 1]?.text.trim() ?? '';
      const isNamed = isPlace(below) || isDate(below) || BY.has(plainPhrase(above.replace(/\s?:$/, '')));
      if (!names || !(isNamed || isEvident(names, parts, known))) continue;
      const next = run[to]?.text ?? '';
      const after = splitParts(next);
      const goesOn = after.filter((each) => each.isMarked && isName(each.text)).length;
      // More names follow that cannot be read.
      const isCut =
        (goesOn > after.length / 2 && !hasDegree(after)) || (next !== '' && isOpen(part.at(-1)?.text ?? '', next));
      return { names, run: part, isCut };
    }
  }
  return undefined;
}

/**
 * Rows as one text; where the next word would have had room in a row, its end may part two names; so does a row
 * between.
 */
function joinRows(run: readonly Cell[], cells: readonly Cell[], areEndsSeparators: boolean): string {
  const [left, right] = [Math.min(...run.map((cell) => cell.left)), Math.max(...run.map((cell) => cell.right))];
  let text = '';
  for (const [at, cell] of run.entries()) {
    const last = run[at - 1];
    const word = (cell.text.trim().split(' ')[0]?.length ?? 0) * 0.55 * cell.size;
    const isShort = last && widthOf(last) + word < right - left;
    const isBeside = last && Math.abs(last.baseline - cell.baseline) < 0.3 * cell.size;
    const isApart = last && cells.some(({ baseline }) => last.baseline + 1 < baseline && baseline + 1 < cell.baseline);
    text += (at === 0 ? '' : isBeside || isApart || (areEndsSeparators && isShort) ? ' | ' : ' ') + cell.text;
  }
  return text;
}

/** Names that alternate with addresses: a degree behind them, or an address below as in the first row, proves them. */
function namesBelow(text: string, isWord: (word: string) => boolean, isOverAddress: boolean): string[] {
  const parts = splitParts(text);
  return isOverAddress || hasDegree(parts) ? (namesIn(parts, isWord) ?? []) : [];
}

/** Whether the next row in the column of a cell is close and in another type, as addresses below names are. */
function isAddressBelow(cell: Cell, cells: readonly Cell[]): boolean {
  const next = cells.find(
    (other) => other.baseline > cell.baseline + 0.5 * cell.size && other.left < cell.right && other.right > cell.left,
  );
  return (
    next !== undefined &&
    next.baseline - cell.baseline < 2.5 * cell.size &&
    !isSameType(next, cell) &&
    !isDate(next.text)
  );
}

function hasDegree(parts: readonly Part[]): boolean {
  return parts.some(({ text }, at) => at > 0 && isDegree(text));
}

/**
 * Two names or more stand for each other; a single one needs a mark, a degree, an initial, the file's own word or an
 * address below.
 */
function isEvident(names: readonly string[], parts: readonly Part[], known: string): boolean {
  const [only = ''] = names;
  return (
    names.length > 1 ||
    hasDegree(parts) ||
    parts.some(({ isMarked }) => isMarked) ||
    /(?:^|\s)\p{Lu}\.(?:\s|$)/u.test(only) ||
    (known !== '' && known.includes(only.split(/\s+/).at(-1) ?? only))
  );
}

/** The names in a line of plain text, if there is nothing else. */
export function namesInLine(text: string): string[] {
  const marked = Array.from(text, (sign) => (SIGNS.test(sign) ? MARK : sign)).join('');
  return namesIn(splitParts(marked), () => false) ?? [];
}

/** The share of names that may be words of the text. */
const MOST_WORDS = 0.25;

const MANY_NAMES = 5;

function isFamilyName(text: string): boolean {
  return /^\p{Lu}[\p{L}\p{M}’'-]*\p{Ll}$/u.test(text);
}

function namesIn(parts: readonly Part[], isWord: (word: string) => boolean): string[] | undefined {
  if (parts.some(({ text }) => hasNoName(text) || isArticleType(text))) return undefined;
  const names: string[] = [];
  const rest = parts.map(({ text }) => text.replace(TITLES, ''));
  for (let at = 0; at < rest.length; at += 1) {
    const part = rest[at] ?? '';
    const next = rest[at + 1] ?? '';
    // "Smith, J., Jones, K."; "Cleveland, OH" alone is a place
    if (isFamilyName(part) && INITIALS.test(next) && !isDegree(part)) {
      if (rest.length <= 2 && !next.includes('.')) return undefined;
      names.push(`${next} ${part}`);
      at += 1;
    } else if (isName(part) && part.length < 60) names.push(withoutDegree(part));
    else if (!(names.length > 0 && (isDegree(part) || /^\p{L}$/u.test(part)))) return undefined;
  }
  // Either all names have the family name first or none has: otherwise a name is cut off.
  const lasts = names.map((name) => name.split(/\s+/).at(-1) ?? '');
  // Family names may be in capitals: "Hyunwook KIM, Jun-Pyo MYONG".
  const areCapitals =
    lasts.some((last) => last.length > 3) && lasts.every((last) => last.length > 1 && last === last.toUpperCase());
  const cut = areCapitals ? 0 : lasts.filter((last) => INITIALS.test(last) && !SUFFIX.test(last)).length;
  // Of many people one may have a family name of one letter.
  const isWhole =
    (cut === 0 || cut === names.length || (cut === 1 && names.length >= MANY_NAMES)) &&
    !names.some((name) => MISNAMED.test(name));
  // Among many names one may read as words ("Can Long"); topics all do.
  const isTopic = names.filter((name) => isPlainWords(name, isWord)).length > MOST_WORDS * names.length;
  return names.length > 0 && isWhole && !isTopic ? names : undefined;
}

/** Two or more capitalised words with particles before the last, and perhaps "Jr." after it. */
function isName(text: string): boolean {
  if (WIDE_NAME.test(text)) return !isCommonHeading(text);
  const words = text.split(/\s+/);
  if (words.length > 2 && SUFFIX.test(words.at(-1) ?? '')) {
    words.pop();
    words.push(words.pop()?.replace(/,$/, '') ?? '');
  }
  if (words.length < 2 || words.length > MOST_NAME_WORDS || !NAME_WORD.test(words.at(-1) ?? '')) return false;
  return words.slice(0, -1).every((word) => NAME_WORD.test(word) || PARTICLE.test(word));
}

function isDegree(text: string): boolean {
  return text.split(/\s/).every((word) => DEGREE.test(word));
}

function withoutDegree(name: string): string {
  return name.replace(/\s(?:Ph\.?D|M\.?D|MSc|BSc|MPH|M\.?S)\.?$/u, '').trimEnd();
}

/** Whether all words of a part are words of the text: a topic, not a name. */
function isPlainWords(part: string, isWord: (word: string) => boolean): boolean {
  const words = part.split(/[\s-]+/).filter((word) => word.length > 2);
  return words.length > 0 && words.every((word) => isWord(word.toLowerCase()));
}

/** Words that the text uses in lower case, more than once: an address of mail is no text. */
function vocabulary(blocks: readonly Block[]): (word: string) => boolean {
  let counts: Map<string, number> | undefined;
  return (word) => {
    counts ??= countBy(
      blocks
        .slice(0, 300)
        .filter(({ kind }) => kind === 'text' || kind === 'list_item')
        .flatMap(({ text }) => text.match(/(?<![\p{L}.@/-])\p{Ll}{3,}/gu) ?? []),
      (each) => each,
    );
    return (counts.get(word) ?? 0) > 1;
  };
}

/** The names before a group that is the last author, or for which they write. */
function withoutGroup(text: string): string {
  const found = GROUP.exec(text);
  const rest = (found ? text.slice(0, found.index) : text).replace(/(?<![\s\u2042,;])[\s\u2042,;]+$/u, (end) =>
    end.includes(MARK) ? MARK : '',
  );
  const last = Math.max(...[',', ';', MARK].map((sign) => rest.lastIndexOf(sign, rest.length - 2)));
  return last > 0 && isGroup(rest.slice(last)) ? rest.slice(0, last) + MARK : rest;
}

function splitParts(text: string): Part[] {
  const parts: Part[] = [];
  // Brackets hold a mark or, if longer, something else than names.
  let rest = withoutGroup(text.replaceAll(/\([^()]*\)/g, (inner) => (inner.length < 10 ? MARK : ',')));
  for (;;) {
    const found = SEPARATORS.exec(rest);
    const end = found?.index ?? rest.length;
    const part = rest.slice(0, end).replaceAll(/\s+/gu, ' ').trim();
    const isMarked = found?.[0] === MARK;
    if (/\p{L}/u.test(part)) parts.push({ text: part, isMarked });
    if (!found) return parts;
    rest = rest.slice(end + found[0].length);
  }
}

/**
 * A cell with a sign for everything that is raised, in another slant (a place behind a name) or no letter of a name.
 */
function markedText(segments: readonly Segment[], { size, baseline, font }: Segment): string {
  let text = '';
  let right: number | undefined;
  const glyphs = segments.flatMap((segment) => [...segment.glyphs]).sort((a, b) => a.left - b.left);
  const spaces = glyphs.map((glyph, at) => (glyph.left - (glyphs[at - 1]?.right ?? glyph.left)) / size);
  // Twice the space between words parts two names, unless the row is spread out.
  const usual = wordGap(glyphs);
  const nameGap = Math.min(NAME_GAP, Math.max(0.75, 2 * Math.min(...spaces.filter((space) => space > 0.2))));
  for (const [at, glyph] of glyphs.entries()) {
    const rise = (baseline - glyph.baseline) / size;
    const isSmall = glyph.size < 0.9 * size;
    const isMark = isSmall && (rise > 0.1 || /\p{Ll}/u.test(glyph.text));
    const gap = right === undefined ? 0 : (glyph.left - right) / size;
    if (gap > nameGap) text += ' | ';
    else if (isSpaceBefore(glyphs, at, gap, usual)) text += ' ';
    if (rise > 0.15 && glyph.text === '.' && !isSmall) text += ' · ';
    else text += isMark || SIGNS.test(glyph.text) || (glyph.font.italic && !font.italic) ? MARK : glyph.text;
    right = Math.max(right ?? glyph.right, glyph.right);
  }
  // The sign of an ORCID is often written "ID" in the text of the file, or as joiners that show nothing.
  return text
    .replaceAll(/\p{Cf}+/gu, (signs, at: number) => (/\S/u.test(text[at + signs.length] ?? '') ? '' : MARK))
    .replaceAll(/(?<=\p{Ll})ID(?![\p{L}])/gu, MARK);
}

/** Names with the family name first ("Gruia AT") are turned around where all of a byline are so. */
function givenFirst(names: readonly string[]): string[] {
  const isInitials = (word: string | undefined): boolean =>
    word !== undefined && /^(?:\p{Lu}\.?[-‐]?){1,3}$/u.test(word);
  const areFamilyFirst = names.every((name) => {
    const words = name.split(/\s+/);
    return isInitials(words.at(-1)) && !isInitials(words[0]) && /\p{Ll}/u.test(name);
  });
  if (!areFamilyFirst) return [...names];
  return names.map((name) => {
    const words = name.split(/\s+/);
    return [words.at(-1), ...words.slice(0, -1)].join(' ');
  });
}

/** A name in capitals is written as names are. */
function readable(name: string): string {
  if (/\p{Ll}/u.test(name)) return name;
  return name.replaceAll(/\p{Lu}[\p{Lu}\p{M}]{2,}/gu, (word) => word.slice(0, 1) + word.slice(1).toLowerCase());
}
