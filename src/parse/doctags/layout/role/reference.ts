import { idsIn } from '../../markup/imprint.ts';
import type { Draft } from '../draft.ts';
import { draftOf, textOf } from '../draft.ts';
import { isBackMatter, isReferencesHeading } from './section-names.ts';
import { countBy, mostFrequent, quantile } from '../statistics.ts';
import type { Line } from '../page/segment.ts';
import { splitLikelyReferences } from './likely-references.ts';
import type { RoleScores } from './line-roles.ts';
import { BRACKET, labelledStarts, labelOf, SKIPPED } from './reference-label.ts';

/** Fewer entries are no list of references. */
const FEWEST = 3;

/** Cuts lists of references into entries: those under a heading or with labels, else what looks like references. */
export function splitReferences(drafts: readonly Draft[], scoreLines: () => RoleScores): Draft[] {
  const found = splitFoundReferences(drafts);
  if (isList(found)) return found;
  const likely = splitLikelyReferences(drafts, scoreLines());
  return isList(likely) ? likely : found;
}

function isList(drafts: readonly Draft[]): boolean {
  return drafts.filter(({ kind }) => kind === 'reference').length >= FEWEST;
}

function splitFoundReferences(drafts: readonly Draft[]): Draft[] {
  const result: Draft[] = [];
  let index = 0;
  let list: ListState | undefined;
  while (index < drafts.length) {
    const draft = drafts[index];
    if (!draft) break;
    const titled = draft.kind === 'heading' && isReferencesHeading(textOf(draft));
    if (titled) result.push(draft);
    const resumes = !titled && list !== undefined && goesOnWith(draft, list);
    if (!titled && !resumes && !isLabelledList(drafts, index)) {
      result.push(draft);
      index += 1;
      continue;
    }
    let end = titled ? index + 1 : index;
    const from = end;
    while (end < drafts.length && drafts[end]?.kind !== 'heading') end += 1;
    const section = drafts.slice(from, end);
    const { inside, state } = partOfList(section, resumes ? list : undefined);
    const found = entries([...inside], resumes ? (list?.last ?? 0) + 1 : 1);
    list = state ?? list;
    result.push(...withFloats(found, section, inside));
    index = end;
  }
  return result;
}

/** What is known of a list while its parts are looked for: other sections may be between them. */
interface ListState {
  /** The number of its last entry; 0 where entries have no numbers. */
  readonly last: number;
  readonly size: number;
}

const ENTRY_KINDS: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>(['text', 'list_item', 'formula', 'footnote']);

function partOfList(
  section: readonly Draft[],
  before: ListState | undefined,
): { inside: ReadonlySet<Draft>; state: ListState | undefined } {
  // "Conflict of Interest: …" right after the last entry begins something else.
  const stop = section.findIndex((each) => isBackMatter(/^[^.:]{0,60}(?=[.:])/u.exec(textOf(each))?.[0] ?? ''));
  const candidates = (stop < 0 ? section : section.slice(0, stop)).filter(
    (each) => ENTRY_KINDS.has(each.kind) && each.lines.length > 0,
  );
  const sizes = countBy(
    candidates.flatMap(({ lines }) => lines),
    (line) => Math.round(line.size * 2) / 2,
    ({ glyphs }) => glyphs.length,
  );
  const size = before?.size ?? mostFrequent(sizes) ?? 10;
  // What is after the last entry in another size (an advertisement, a note of the publisher) is no entry.
  const last = candidates.findLastIndex((draft) => isSet(draft, size));
  const inside = new Set(
    withoutStrays(candidates.slice(0, last + 1)).filter((draft) => isSet(draft, size) || draft.lines.length < 3),
  );
  const numbers = [...inside].flatMap(({ lines }) => lines.map((line) => Number(labelOf(line) ?? Number.NaN)));
  let count = before?.last ?? 0;
  for (const number of numbers) if (number > count && number <= count + 1 + SKIPPED) count = number;
  return { inside, state: inside.size > 0 ? { last: count >= 3 ? count : 0, size } : undefined };
}

/**
 * Where entries have labels, what is apart from them or is set unlike them is no entry: a licence, an address, an
 * advertisement.
 */
function withoutStrays(drafts: readonly Draft[]): readonly Draft[] {
  const labelled = drafts.filter(({ lines: [first] }) => first && labelOf(first) !== undefined);
  if (labelled.length < 3 || labelled.length < 0.5 * drafts.length) return drafts;
  const fonts = new Set(labelled.flatMap(({ lines }) => lines.map(({ font }) => font.name)));
  const gaps = drafts.flatMap((draft, index) =>
    labelled.includes(draft) ? (gapAbove(draft, drafts[index - 1]) ?? []) : [],
  );
  const usual = quantile(gaps, 0.8) ?? 0;
  let isStray = false;
  return drafts.filter((draft, index) => {
    const [first] = draft.lines;
    const gap = gapAbove(draft, drafts[index - 1]);
    if (!first || labelled.includes(draft)) isStray = false;
    else if (gap === undefined ? !fonts.has(first.font.name) : gap > usual + 0.5 * first.size) isStray = true;
    return !isStray;
  });
}

/** The white space above a draft, where the one before is over it. */
function gapAbove({ lines: [first], piece }: Draft, before: Draft | undefined): number | undefined {
  const last = before?.lines.at(-1);
  return first && last && before?.piece === piece && last.page === first.page ? first.top - last.bottom : undefined;
}

function isSet({ lines }: Draft, size: number): boolean {
  return lines.some((line) => Math.abs(line.size - size) < 0.08 * size);
}

/**
 * The next entries of a list that other sections have interrupted: the numbers continue, or the shape of its entries.
 */
function goesOnWith(draft: Draft, list: ListState): boolean {
  const [first] = draft.lines;
  if (!first || !ENTRY_KINDS.has(draft.kind) || !isSet(draft, list.size)) return false;
  if (list.last > 0) {
    const number = Number(labelOf(first) ?? Number.NaN);
    return number > list.last && number <= list.last + 1 + SKIPPED;
  }
  return AUTHOR_YEAR.test(textOf(draft).slice(0, 400));
}

/** "Devi, M. M., Guchhait, S. K., … (2020)": an entry of a list that is ordered by names. */
const AUTHOR_YEAR =
  /^\p{Lu}[\p{L}’'-]+(?:\s\p{Lu}[\p{L}’'-]+)?,?\s(?:\p{Lu}\.?[\s,-]{0,2}){1,4}.{0,300}?\b(?:19|20)\d\d[a-z]?\b/u;

/** Puts tables and pictures that are among the references back where they were: before the next entry. */
function withFloats(found: readonly Draft[], section: readonly Draft[], inside: ReadonlySet<Draft>): Draft[] {
  const places = new Map<Line, number>();
  section.forEach((draft, place) => {
    if (inside.has(draft)) for (const line of draft.lines) places.set(line, place);
  });
  const floats = section.flatMap((draft, place) => (inside.has(draft) ? [] : [{ draft, place }]));
  const result: Draft[] = [];
  for (const entry of found) {
    const [first] = entry.lines;
    const place = (first && places.get(first)) ?? Infinity;
    while ((floats[0]?.place ?? Infinity) < place) result.push(...floats.splice(0, 1).map(({ draft }) => draft));
    result.push(entry);
  }
  return [...result, ...floats.map(({ draft }) => draft)];
}

/** Paragraphs without a label that may be between two entries. */
const MOST_BETWEEN = 3;

/** A list of references without a heading: labels from [1] on, most of them with a year. */
function isLabelledList(drafts: readonly Draft[], start: number): boolean {
  const first = drafts[start];
  if (!first || !/^(?:\[1\]|1[.)]?)\s/u.test(textOf(first))) return false;
  // In small type with raised numbers they look like notes, but notes of one page are few.
  const areNotes = first.kind === 'footnote';
  if (first.kind !== 'text' && first.kind !== 'list_item' && !areNotes) return false;
  let expected = 1;
  let years = 0;
  let between = 0;
  for (let index = start; index < drafts.length && expected <= 8; index += 1) {
    const draft = drafts[index];
    // Entries follow each other; a column of text may be between two of them.
    if (!draft || draft.kind === 'heading' || between > MOST_BETWEEN) break;
    if (areNotes && draft.page !== first.page) break;
    if (areNotes ? draft.kind !== 'footnote' : draft.kind !== 'text' && draft.kind !== 'list_item') continue;
    const before = expected;
    for (const line of draft.lines) if (labelOf(line) === String(expected)) expected += 1;
    between = expected > before ? 0 : between + 1;
    if (/\b(?:19|20)\d\d\b/.test(textOf(draft))) years += 1;
  }
  return expected > 6 && years >= 4;
}

function entries(drafts: readonly Draft[], first: number): Draft[] {
  const lines = drafts.flatMap((draft) => draft.lines.map((line) => ({ line, draft, first: draft.lines[0] === line })));
  if (lines.length === 0) return [];
  const starts = chooseStarts(
    lines.map((each) => each.line),
    lines.map((each) => each.first),
    first,
  );
  const result: Draft[] = [];
  let open: Line[] = [];
  let piece = lines[0]?.draft.piece ?? 0;
  lines.forEach(({ line, draft }, index) => {
    if (starts[index] && open.length > 0) {
      result.push(draftOf('reference', open, piece));
      open = [];
    }
    if (open.length === 0) piece = draft.piece;
    open.push(line);
  });
  if (open.length > 0) result.push(draftOf('reference', open, piece));
  return result;
}

function chooseStarts(lines: readonly Line[], paragraph: boolean[], first: number): boolean[] {
  return labelledStarts(lines, first) ?? hangingStarts(lines) ?? spacedStarts(lines) ?? paragraph;
}

function startsEntry(line: Line, previous: Line | undefined): boolean {
  if (!previous) return true;
  return (
    /^[\p{Lu}\p{N}“"‘'\p{Lo}]|^(?:de|van|von|di|da|del|la|le|el|al|bin|ter)\b/iu.test(line.text) &&
    /[.\d)\]/\p{L}]$/u.test(previous.text)
  );
}

/** First lines hang out to the left of the lines that follow. */
function hangingStarts(lines: readonly Line[]): boolean[] | undefined {
  const edges = new Map<Line['column'], number>();
  for (const line of lines) edges.set(line.column, Math.min(line.left, edges.get(line.column) ?? Infinity));
  const indents = lines.map((line) => line.left - (edges.get(line.column) ?? 0));
  const indent =
    quantile(
      indents.filter((each, at) => each >= 0.5 * (lines[at]?.size ?? 0)),
      0.5,
    ) ?? 0;
  // A column with nothing but the rest of an entry has no line at its edge: it is as much narrower than the others.
  const width =
    quantile(
      [...edges].map(([column, edge]) => column.right - edge),
      0.5,
    ) ?? 0;
  for (const [column, edge] of edges)
    if (Math.abs(width - (column.right - edge) - indent) < 0.1 * indent) edges.set(column, edge - indent);
  const starts = lines.map((line) => line.left < (edges.get(line.column) ?? 0) + 0.5 * line.size);
  const count = starts.filter(Boolean).length;
  return count < 2 || count > 0.85 * lines.length ? undefined : starts;
}

/**
 * Entries without an indent that white space divides: two distances between lines, and the larger one comes before
 * entries.
 */
function spacedStarts(lines: readonly Line[]): boolean[] | undefined {
  const steps = lines.map((line, index) => {
    const previous = lines[index - 1];
    return previous?.column === line.column && previous.page === line.page
      ? (line.baseline - previous.baseline) / line.size
      : undefined;
  });
  const known = steps.filter((step): step is number => step !== undefined && step > 0.5);
  const narrow = quantile(known, 0.25) ?? 0;
  const wide = known.filter((step) => step > 1.15 * narrow).length;
  const between = known.filter((step) => step > 1.06 * narrow && step <= 1.15 * narrow).length;
  if (wide < 3 || wide > 0.6 * known.length || between > 0.1 * wide) return undefined;
  const starts = lines.map((line, index) => {
    const step = steps[index];
    return step === undefined ? startsEntry(line, lines[index - 1]) : step > 1.15 * narrow;
  });
  const right = lines.filter((line, index) => starts[index] && startsEntry(line, lines[index - 1])).length;
  return right >= 0.8 * starts.filter(Boolean).length ? starts : undefined;
}

export function referenceIds(
  text: string,
  links: readonly { readonly url: string }[],
): { doi?: string; arxivId?: string; label?: string } {
  // A DOI may be broken at the end of a line; a year behind it is not part of it.
  const tight = text.replace(
    /(10\.\d{4,9}\/[^\s,;]{0,200})\s{1,8}(?!\((?:19|20)\d\d\))(?=[\w.()/:;-]{0,100}\d)/gu,
    '$1',
  );
  const label = BRACKET.exec(text)?.[1] ?? /^(\d{1,3})(?:[.)]\s|\.(?=\p{Lu}))/u.exec(text)?.[1];
  return { ...idsIn([...links.map(({ url }) => url), tight]), ...(label === undefined ? {} : { label }) };
}
