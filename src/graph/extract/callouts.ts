import type { Block, InternalLink, Stretch } from '../../parse/index.ts';
import { authorYearCallouts } from './callouts-author-year.ts';
import type { ListedReference } from './reference-list.ts';
import { isSortedByName, listReferences } from './reference-list.ts';
import type { Callout } from './callouts-author-year.ts';

export type CalloutStyle = 'square' | 'round' | 'raised' | 'author-year';

export const CALLOUT_VERSION = 6;

/** Blocks whose text may contain callouts. */
const SPEAKING: ReadonlySet<Block['kind']> = new Set(['text', 'list_item', 'caption', 'heading', 'footnote']);

export function findCallouts(blocks: readonly Block[]): {
  readonly references: readonly ListedReference[];
  readonly style: CalloutStyle | undefined;
  readonly callouts: readonly Callout[];
} {
  const references = listReferences(blocks);
  if (references.length === 0) return { references, style: undefined, callouts: [] };
  const texts = blocks.filter((block) => SPEAKING.has(block.kind) && block.text.length > 3);
  const styles: readonly (readonly [CalloutStyle, Callout[]])[] = [
    ['square', numberCallouts(texts, references, 'square')],
    ['round', numberCallouts(texts, references, 'round')],
    ['raised', raised(texts, references)],
    ['author-year', authorYearCallouts(texts, references)],
  ];
  // A document has one style, the one that cites most of the list. Numbers in other brackets mean something else.
  const named = references.every(({ label }) => label === null) && isSortedByName(references);
  const [best] = styles
    .map(([style, callouts]) => {
      const doubt = named && style !== 'author-year' ? NUMBERS_OF_NAMED_LIST : 1;
      return { style, callouts, reach: reach(callouts) * TRUST[style] * doubt };
    })
    .sort((a, b) => b.reach - a.reach);
  const pages = new Set(
    blocks.filter(({ kind }) => kind === 'reference').flatMap(({ regions }) => regions.map(({ page }) => page)),
  );
  const linked = linkedNumbers(texts, references, pages);
  if (!best || Math.max(best.reach, reach(linked)) === 0) return { references, style: undefined, callouts: [] };
  if (reach(linked) >= LEAST_LINKED * Math.max(best.reach, references.length)) {
    const style = best.style === 'author-year' ? 'raised' : best.style;
    const others = style === 'square' ? best.callouts : style === 'raised' ? raisedCallouts(texts, references) : [];
    return { references, style, callouts: joined(linked, others) };
  }
  if (best.style === 'author-year')
    return { references, style: best.style, callouts: withLinkedSpans(best.callouts, texts, pages) };
  return { references, style: best.style, callouts: best.callouts };
}

const NUMBERS_OF_NAMED_LIST = 0.3;

/** Numbers that the file marks as raised; if it marks too few, digits glued to a word. */
function raised(texts: readonly Block[], references: readonly ListedReference[]): Callout[] {
  const set = raisedCallouts(texts, references);
  const glued = numberCallouts(texts, references, 'raised');
  return reach(set) >= LEAST_SET * reach(glued) ? set : glued;
}

/** Share of the glued numbers that marked ones must reach to be used alone. */
const LEAST_SET = 0.7;

/** Share of the list that links must reach to count as the publisher's own callouts. */
const LEAST_LINKED = 0.4;

/** Linked callouts, and the other callouts that overlap none of them. */
function joined(linked: readonly Callout[], others: readonly Callout[]): Callout[] {
  const byBlock = Map.groupBy(linked, ({ block }) => block);
  const free = others.filter(
    ({ block, start, end }) => !(byBlock.get(block) ?? []).some((each) => each.start < end && start < each.end),
  );
  return [...linked, ...free].sort((a, b) => a.block - b.block || a.start - b.start);
}

/** Weight of a cited entry by style: raised digits and round brackets often mean something else. */
const TRUST: Readonly<Record<CalloutStyle, number>> = { square: 1, round: 0.8, raised: 0.75, 'author-year': 0.95 };

function reach(callouts: readonly Callout[]): number {
  return new Set(callouts.flatMap(({ references, further }) => [...references, ...further])).size;
}

/** Characters around a number or a name inside a link. */
const EDGE_BEFORE = /^[\s[(,;]+/u;
const EDGE_BEHIND = /[\s\]),;.]/u;
const NUMBERS = /^\d{1,3}[a-z]?(?:\s?[,;–—−‐‑-]\s?\d{1,3}[a-z]?|\s\d{1,3}[a-z]?)*$/u;
const LAST_YEAR = /(?:1[6-9]|20)\d\d[a-z]?\)?$/u;
const RANGE = /^\d{1,3}\s?[–—−‐‑-]\s?\d{1,3}$/u;

/** A link to a page of the reference list, without brackets and separators. */
interface LinkedSpan extends Stretch {
  readonly block: Block;
  readonly text: string;
}

function linkedNumbers(
  blocks: readonly Block[],
  references: readonly ListedReference[],
  pages: ReadonlySet<number>,
): Callout[] {
  const byLabel = labelsOf(references);
  const spans = spansOf(blocks, pages).filter(
    ({ block, start, text }) => NUMBERS.test(text) && !isNumbered(block.text, start),
  );
  // A link over "12 13" or "3, 5–7" is one callout. If every number has its own link, a link over a range is one per entry.
  const wholes = spans.some(({ text }) => !/^\d+[a-z]?$/u.test(text) && !RANGE.test(text));
  const callouts = spans.flatMap(({ block, start, end, text }) => {
    const found = readNumbers(block, start, text, byLabel) ?? [];
    const [first, ...others] = found.flatMap(({ references: each, further }) => [...further, ...each]);
    if (first === undefined || found.length < 2) return found;
    const place = { block: block.order, start, end };
    if (wholes) return [{ ...place, references: [first], further: others }];
    // The ends of a range are at their printed numbers, the entries between at the dash.
    const [from, to] = [found[0], found.at(-1)];
    return found.flatMap((each) => [
      ...each.further.map((position) => ({
        ...place,
        start: from?.end ?? start,
        end: to?.start ?? end,
        references: [position],
        further: [],
      })),
      { ...each, further: [] },
    ]);
  });
  return withRanges(callouts, blocks, byLabel);
}

/** "3–6" with a link on each end cites 4 and 5 as well: they are added to the second end. */
function withRanges(
  callouts: readonly Callout[],
  blocks: readonly Block[],
  byLabel: ReadonlyMap<string, number>,
): Callout[] {
  const texts = new Map(blocks.map(({ order, text }) => [order, text]));
  return callouts.map((last, at) => {
    const first = callouts[at - 1];
    const text = texts.get(last.block) ?? '';
    if (first?.block !== last.block || !isRangeJoint(text.slice(first.end, last.start))) return last;
    const [from, to] = [first, last].map(({ start, end }) => Number(text.slice(start, end)));
    if (from === undefined || to === undefined) return last;
    return { ...last, further: meantBetween(from, to, byLabel) };
  });
}

/** Some publishers link names and year, some the year alone: callouts begin where most links begin. */
function withLinkedSpans(printed: readonly Callout[], blocks: readonly Block[], pages: ReadonlySet<number>): Callout[] {
  const spans = Map.groupBy(spansOf(blocks, pages), ({ block }) => block.order);
  const texts = new Map(blocks.map(({ order, text }) => [order, text]));
  const linked = printed.map((callout) => {
    const [span] = (spans.get(callout.block) ?? [])
      .filter(({ start, end }) => start < callout.end && start >= callout.start && end >= callout.end - 1)
      .toSorted((a, b) => a.end - a.start - (b.end - b.start));
    const text = texts.get(callout.block)?.slice(callout.start, callout.end) ?? '';
    const year = callout.start + (LAST_YEAR.exec(text)?.index ?? 0);
    return { callout, year, start: span?.start };
  });
  const named = linked.filter(({ callout, year }) => callout.start < year);
  const years = named.filter(({ year, start }) => start === year).length;
  const wholes = named.filter(({ callout, start }) => start === callout.start).length;
  return linked.map(({ callout, year, start }) => ({
    ...callout,
    start: years > wholes ? year : (start ?? callout.start),
  }));
}

function spansOf(blocks: readonly Block[], pages: ReadonlySet<number>): LinkedSpan[] {
  return blocks.flatMap((block) => {
    const spans = (block.jumps ?? []).filter(({ page }) => pages.has(page)).map((jump) => trimmed(block, jump));
    // Some files draw a link several times in one place.
    return [...new Map(spans.map((span) => [`${span.start}:${span.end}`, span])).values()];
  });
}

function trimmed(block: Block, jump: InternalLink): LinkedSpan {
  const text = block.text.slice(jump.start, jump.end);
  const before = EDGE_BEFORE.exec(text)?.[0].length ?? 0;
  let behind = 0;
  while (behind < text.length - before && EDGE_BEHIND.test(text.charAt(text.length - behind - 1))) behind += 1;
  const [start, end] = [jump.start + before, jump.end - behind];
  return { block, start, end, text: block.text.slice(start, end) };
}

const PATTERNS: Readonly<Record<'square' | 'round' | 'raised', RegExp>> = {
  square:
    /\[(?:refs?\.?\s)?(?<numbers>\d{1,3}[a-z]?\.?(?:\s?(?:[,;&–—−‐‑-]|,?\sand\s)\s?\d{1,3}[a-z]?\.?)*)(?=\]|,?\s(?:p|pp|and references|for|see)\b|;)/gu,
  round: /\((?:refs?\.?\s|see\s)?(?<numbers>\d{1,3}[a-z]?\.?(?:\s?(?:[,;&–—−‐‑-]|,?\sand\s)\s?\d{1,3}[a-z]?\.?)*)\)/gu,
  // Digits directly behind a word or sign, as plain text shows raised ones, and not followed by more of a name.
  raised:
    /(?<=\p{L}{2}[.,;:]{0,2}|[\p{L}\d][)%\]”"’'*]{1,3}[.,;:]?|\p{Lu}[.,;:]|\p{L}\d{1,2},)(?<numbers>[1-9]\d{0,2}(?:[.)]?\s?[,–—−‐‑-]\s?\d{1,3})*\.?)(?![\p{L}\d%°]|[.,]\d|[-–]\p{L})/gu,
};

/** Words that take a number: "Fig.2", "Table1". */
const NUMBERED =
  /(?:\b(?:figs?|figures?|tables?|refs?|sect?|section|no|nos|vol|pp?|step|type|phase|group|case|model|scheme|adj|supplementary)|eqs?)\.?$/iu;
/** Chemical formulas, whose numbers count atoms. */
const FORMULA = /(?:^|[^\p{L}])(?:[A-Z][a-z]?\d*){1,6}$/u;
const MOST_ATOMS = 12;
const UNIT = /(?:^|[\s/·\d])(?:[kcmnµμd]?m|s|g|L|kg)$/u;

/** Numbers and separators only; "10−6" and "2+" do not match. */
const RAISED_NUMBERS =
  /^[\s,;]*(?<numbers>\d{1,3}[a-z]?(?:\)?\s?[,;–—−‐‑-]\s?\d{1,3}[a-z]?|\s\d{1,3}[a-z]?)*)\)?[\s,;]*$/u;
/** What an exponent can follow: ten, a variable, a unit. */
const BASE = /(?:(?<![\d.])10|(?:^|[^\p{L}])\p{L})$/u;

/** Raised digits behind a digit are written "4^22": a power, unless the first number is a year or part of a name. */
const BEHIND_DIGIT = /(?<=\d)\^(?<numbers>\d{1,3}(?:\s?[,–—−‐‑-]\s?\d{1,3})*)(?![\p{L}\d%]|\.\d)/gu;
const NAMED_NUMBER =
  /(?:\p{L}[-‐–−]|(?<!\p{L})(?:figs?|figures?|tables?|eqs?|equations?|sections?|types?|phases?|groups?|versions?|days?)\.?\s)(?:\d{1,3}\s?[-‐–−]\s?)?\d{1,3}$|(?<![\d.,])(?:1[89]|20)\d\d$/iu;

function numberCallouts(
  blocks: readonly Block[],
  references: readonly ListedReference[],
  style: 'square' | 'round' | 'raised',
): Callout[] {
  return inOrder(
    blocks,
    references,
    ({ text }) =>
      [...text.matchAll(PATTERNS[style])]
        .map((match) => {
          const numbers = match.groups?.['numbers'] ?? '';
          return { numbers, from: match.index + match[0].indexOf(numbers) };
        })
        .filter(({ numbers, from }) => style !== 'raised' || isRaised(text, from, numbers)),
    style,
  );
}

/** Finds numbers that the file marks as raised. */
function raisedCallouts(blocks: readonly Block[], references: readonly ListedReference[]): Callout[] {
  return inOrder(
    blocks,
    references,
    ({ text, raised = [] }) =>
      [
        ...raised.flatMap(({ start, end }) => {
          const shown = text.slice(start, end);
          const numbers = RAISED_NUMBERS.exec(shown)?.groups?.['numbers'];
          if (numbers === undefined) return [];
          const before = text.slice(Math.max(0, start - 24), start);
          // At the beginning of a word it is the mark of an address or the mass of an isotope.
          if (before === '' || /\s$/u.test(before) || BASE.test(before) || isPowerOfUnit(before, numbers)) return [];
          return [{ numbers, from: start + shown.indexOf(numbers) }];
        }),
        ...behindDigits(text),
      ].toSorted((a, b) => a.from - b.from),
    'raised',
  );
}

/** "in 2019^12", "COVID-19^3", "eq 4^22". */
function behindDigits(text: string): { readonly numbers: string; readonly from: number }[] {
  return [...text.matchAll(BEHIND_DIGIT)]
    .filter(({ index }) => NAMED_NUMBER.test(text.slice(Math.max(0, index - 24), index)))
    .map((match) => ({ numbers: match.groups?.['numbers'] ?? '', from: match.index + 1 }));
}

/** Turns numbers into callouts. Unless they are in square brackets, they must first appear in rising order, as citations do. */
function inOrder(
  blocks: readonly Block[],
  references: readonly ListedReference[],
  numbersIn: (block: Block) => readonly { readonly numbers: string; readonly from: number }[],
  style: 'square' | 'round' | 'raised',
): Callout[] {
  const byLabel = labelsOf(references);
  // Entries sorted by name are cited in any order.
  const isOrdered = style !== 'square' && !isSortedByName(references);
  const found: Callout[] = [];
  let highest = 0;
  for (const block of blocks) {
    if (style !== 'square' && !isProse(block)) continue;
    for (const { numbers, from } of numbersIn(block)) {
      const callouts = readNumbers(block, from, numbers, byLabel);
      if (!callouts) continue;
      const largest = Math.max(...callouts.flatMap(({ references: each }) => each));
      const smallest = Math.min(...callouts.flatMap(({ references: each }) => each));
      // A number far ahead of those cited so far means something else.
      if (isOrdered && smallest > highest + LEAP) continue;
      highest = Math.max(highest, largest);
      found.push(...callouts);
    }
  }
  return !isOrdered || isInOrder(found) ? found : [];
}

/** Whether a block is prose and not names and addresses: half of its words begin with a small letter. */
function isProse(block: Block): boolean {
  const words = block.text.match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  return words.filter((word) => /^\p{Ll}/u.test(word)).length >= words.length * 0.5;
}

/** How far a number may be ahead of the highest so far: some callouts are in tables or are not found. */
const LEAP = 8;

function isInOrder(callouts: readonly Callout[]): boolean {
  const seen = new Set<number>();
  let highest = 0;
  let rising = 0;
  for (const { references, further } of callouts)
    for (const number of [...further, ...references]) {
      if (seen.has(number)) continue;
      seen.add(number);
      if (number > highest) rising += 1;
      highest = Math.max(highest, number);
    }
  return seen.size > 1 && rising / seen.size > 0.6;
}

/** Positions in the list by the number that the text uses. */
function labelsOf(references: readonly ListedReference[]): Map<string, number> {
  const numbered = references.filter(({ label }) => label !== null && /^\d+[a-z]?$/.test(label));
  if (numbered.length * 2 > references.length)
    return new Map(numbered.map(({ label, position }) => [label ?? '', position]));
  return new Map(references.map(({ position }) => [String(position), position]));
}

/** Reads "3, 5–7" into one callout per printed number; undefined when none is in the list. */
function readNumbers(
  block: Block,
  from: number,
  numbers: string,
  byLabel: ReadonlyMap<string, number>,
): Callout[] | undefined {
  const callouts: Callout[] = [];
  let previous: { readonly number: number; readonly end: number } | undefined;
  for (const match of numbers.matchAll(/\d{1,3}[a-z]?/g)) {
    const position = byLabel.get(match[0]) ?? byLabel.get(String(Number.parseInt(match[0], 10)));
    if (position === undefined) continue;
    const start = from + match.index;
    const joint = previous ? numbers.slice(previous.end, match.index) : '';
    const number = Number.parseInt(match[0], 10);
    const between = previous && isRangeJoint(joint) ? meantBetween(previous.number, number, byLabel) : [];
    callouts.push({
      block: block.order,
      start,
      end: start + match[0].length,
      references: [position],
      further: between,
    });
    previous = { number, end: match.index + match[0].length };
  }
  return callouts.length === 0 ? undefined : callouts;
}

/** Whether a text joins the ends of a range: "3–5", "[3]–[5]". */
function isRangeJoint(text: string): boolean {
  return /^\.?\s?[\])]?\s?[-–—−‐‑]\s?[[(]?\s?$/u.test(text);
}

const LONGEST_RANGE = 40;

/** The entries inside a range: 4 in "[3–5]". */
function meantBetween(first: number, last: number, byLabel: ReadonlyMap<string, number>): number[] {
  if (!(last > first && last - first < LONGEST_RANGE)) return [];
  return Array.from({ length: last - first - 1 }, (_, step) => byLabel.get(String(first + 1 + step)) ?? 0).filter(
    (position) => position > 0,
  );
}

/** Whether a number belongs to the word in front: "Fig. 2". */
function isNumbered(text: string, at: number): boolean {
  return NUMBERED.test(text.slice(Math.max(0, at - 24), at).trimEnd());
}

/** Whether digits behind a word are raised and not part of its name: "insects10" is, "CO2" and "Fig. 2" are not. */
function isRaised(text: string, from: number, numbers: string): boolean {
  const before = text.slice(Math.max(0, from - 24), from);
  if (NUMBERED.test(before)) return false;
  if ((FORMULA.test(before) || /\p{Lu}$/u.test(before)) && Number.parseInt(numbers, 10) <= MOST_ATOMS) return false;
  return !isPowerOfUnit(before, numbers);
}

/** "m2", "cm3". */
function isPowerOfUnit(before: string, numbers: string): boolean {
  return UNIT.test(before) && /^[23]$/.test(numbers);
}
