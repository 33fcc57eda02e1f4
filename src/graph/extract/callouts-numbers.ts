import type { Block } from '../../parse/index.ts';
import type { Callout } from './callouts.ts';
import type { ListedReference } from './reference-list.ts';
import { isSortedByName } from './reference-list.ts';

const PATTERNS: Readonly<Record<'square' | 'round' | 'raised', RegExp>> = {
  square:
    /\[(?:refs?\.?\s)?(?<numbers>\d{1,3}[a-z]?\.?(?:\s?(?:[,;&–—−‐-]|,?\sand\s)\s?\d{1,3}[a-z]?\.?)*)(?=\]|,?\s(?:p|pp|and references|for|see)\b|;)/gu,
  round: /\((?:refs?\.?\s|see\s)?(?<numbers>\d{1,3}[a-z]?\.?(?:\s?(?:[,;&–—−‐-]|,?\sand\s)\s?\d{1,3}[a-z]?\.?)*)\)/gu,
  // Glued to the word or the sign in front, as raised digits are in plain text; what follows is no letter or digit of a name.
  raised:
    /(?<=\p{L}{2}[.,;:]{0,2}|[\p{L}\d][)%\]”"’'*]{1,3}[.,;:]?|\p{Lu}[.,;:]|\p{L}\d{1,2},)(?<numbers>[1-9]\d{0,2}(?:[.)]?\s?[,–—−‐-]\s?\d{1,3})*\.?)(?![\p{L}\d%°]|[.,]\d|[-–]\p{L})/gu,
};

/** Words that a number directly behind them completes: "Fig.2", "Table1". */
const NUMBERED =
  /(?:\b(?:figs?|figures?|tables?|refs?|sect?|section|no|nos|vol|pp?|step|type|phase|group|case|model|scheme|adj|supplementary)|eqs?)\.?$/iu;
/** Chemical formulas, whose numbers count atoms. */
const FORMULA = /(?:^|[^\p{L}])(?:[A-Z][a-z]?\d*){1,6}$/u;
const MOST_ATOMS = 12;
const UNIT = /(?:^|[\s/·\d])(?:[kcmnµμd]?m|s|g|L|kg)$/u;

/** Numbers and what may stand between and around them; "10−6" and "2+" are other things. */
const RAISED_NUMBERS =
  /^[\s,;]*(?<numbers>\d{1,3}[a-z]?(?:\)?\s?[,;–—−‐-]\s?\d{1,3}[a-z]?|\s\d{1,3}[a-z]?)*)\)?[\s,;]*$/u;
/** A power: of ten, of a variable, of a unit. */
const BASE = /(?:(?<![\d.])10|(?:^|[^\p{L}])\p{L})$/u;

/** Behind a digit raised digits are written "4^22": a power, unless what stands in front is a year or the number of a name. */
const BEHIND_DIGIT = /(?<=\d)\^(?<numbers>\d{1,3}(?:\s?[,–—−‐-]\s?\d{1,3})*)(?![\p{L}\d%]|\.\d)/gu;
const NAMED_NUMBER =
  /(?:\p{L}[-‐–−]|(?<!\p{L})(?:figs?|figures?|tables?|eqs?|equations?|sections?|types?|phases?|groups?|versions?|days?)\.?\s)(?:\d{1,3}\s?[-‐–−]\s?)?\d{1,3}$|(?<![\d.,])(?:1[89]|20)\d\d$/iu;

/** Finds callouts by number: in square or round brackets, or raised. */
export function numberCallouts(
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

/** Finds callouts by number where the file itself says which numbers are set raised. */
export function raisedCallouts(blocks: readonly Block[], references: readonly ListedReference[]): Callout[] {
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
          // What begins a word belongs to it: the mark of an address, the mass of an isotope.
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

/** Callouts of the numbers that stand in the blocks; where they are not in square brackets, they have to count as references do. */
function inOrder(
  blocks: readonly Block[],
  references: readonly ListedReference[],
  numbersIn: (block: Block) => readonly { readonly numbers: string; readonly from: number }[],
  style: 'square' | 'round' | 'raised',
): Callout[] {
  const byLabel = labelsOf(references);
  // A list in the order of names is not numbered as it is cited.
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
      // Lists that are numbered as they are cited grow step by step: a number far ahead is another thing.
      if (isOrdered && smallest > highest + LEAP) continue;
      highest = Math.max(highest, largest);
      found.push(...callouts);
    }
  }
  return !isOrdered || isInOrder(found) ? found : [];
}

/** Sentences, and not names and addresses: most words begin with a small letter. */
function isProse(block: Block): boolean {
  const words = block.text.match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  return words.filter((word) => /^\p{Ll}/u.test(word)).length >= words.length * 0.5;
}

/** How far ahead of the highest number so far a new one may be: some callouts stand in tables or are lost. */
const LEAP = 8;

/** Whether the numbers first appear in rising order, mostly: then they count references and nothing else. */
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

/** Positions by the number under which the text points to them. */
export function labelsOf(references: readonly ListedReference[]): Map<string, number> {
  const numbered = references.filter(({ label }) => label !== null && /^\d+[a-z]?$/.test(label));
  if (numbered.length * 2 > references.length)
    return new Map(numbered.map(({ label, position }) => [label ?? '', position]));
  return new Map(references.map(({ position }) => [String(position), position]));
}

/** Reads "3, 5–7" into one callout per printed number; undefined when none is in the list. */
export function readNumbers(
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

/** What stands between the ends of a range: "3–5", "[3]–[5]". */
export function isRangeJoint(text: string): boolean {
  return /^\.?\s?[\])]?\s?[-–—−‐]\s?[[(]?\s?$/u.test(text);
}

/** Two numbers further apart than this are no range of references. */
const LONGEST_RANGE = 40;

/** "[3–5]" means 4 as well. */
export function meantBetween(first: number, last: number, byLabel: ReadonlyMap<string, number>): number[] {
  if (!(last > first && last - first < LONGEST_RANGE)) return [];
  return Array.from({ length: last - first - 1 }, (_, step) => byLabel.get(String(first + 1 + step)) ?? 0).filter(
    (position) => position > 0,
  );
}

/** Whether a number completes the word in front of it: "Fig. 2". */
export function isNumbered(text: string, at: number): boolean {
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
