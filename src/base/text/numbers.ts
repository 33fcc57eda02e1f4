/** How a number is meant. */
type Kind = 'count' | 'percent' | 'either' | 'ordinal' | 'fraction';

interface Amount {
  /** As it is written, and where. */
  readonly text: string;
  readonly start: number;
  readonly kind: Kind;
  /** Ways to read it: each a list of numbers that must all be there. */
  readonly readings: readonly (readonly number[])[];
  /** False for labels and names with digits. */
  readonly isClaimed: boolean;
  /** Whether it says something about what is quoted: the 2 of "(Table 2)" does not. */
  readonly isGiven: boolean;
  /** The level of an interval: "95% CI". */
  readonly isLevel: boolean;
  readonly isSpelled: boolean;
  /** The word after it, in lower case; empty if there is none. */
  readonly next: string;
}

const UNITS = wordList(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
);
const TENS = wordList('twenty thirty forty fifty sixty seventy eighty ninety');
const SCALES: Readonly<Record<string, number>> = { hundred: 1e2, thousand: 1e3, million: 1e6, billion: 1e9 };
const ORDINALS = wordList(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth',
);
/** Parts of a whole, in the singular and the plural. */
const PARTS: Readonly<Record<string, number>> = {
  half: 2,
  halves: 2,
  quarter: 4,
  quarters: 4,
  ...Object.fromEntries(
    ORDINALS.slice(2, 10).flatMap((word, at) => [
      [word, at + 3],
      [`${word}s`, at + 3],
    ]),
  ),
};
/** Words with a hyphen before a number that is one: others make a name of it, such as interleukin-6. */
const BEFORE_NUMBERS = new Set(wordList('pre post mid late early under over above below since sub'));
/** What a number after these words labels. */
const LABELS = new Set(
  wordList(
    'table tables tab figure figures fig figs section sections sect chapter chapters equation equations eq eqs appendix appendices supplement supplementary reference references ref refs box scheme panel page pages pp',
  ),
);
/** What stands between the numbers of a list of labels. */
const LIST_WORDS = new Set(['and', 'to', '&', '-', '']);
/** Numbers up to this one are also used without counting: "one of them", "the two groups". */
const IDIOMATIC = 2;
/** Words up to this number may count what a quote lists; they must only not differ from what it counts. */
const COUNTED = 10;
/** Letters by which two words are forms of one: patient, patients. */
const STEM = 5;
/** A fraction in words stands for percentages this near, in points. */
const NEAR_FRACTION = 1;

const NUMERAL =
  /10\^-?\d+|\d{1,3}(?: \d{3}){1,5}(?![\d.,]?\d)|(?:\d+(?:[.,]\d+)*|(?<![\d\p{L}.])\.\d+)(?:[eE][-+]?\d+(?![\p{L}\d]))?/gu;
const PERCENT = /^ ?(?:%|per ?cent\b|pct\b|percentage points?\b)/i;
/** The first of "45 and 50%", "12-15%". */
const LISTED_PERCENT = /^(?: ?(?:-|to|and|or|,|;|vs\.?|versus|±|\+\/-) ?\d[\d.,]{0,12}){1,4} ?(?:%|per ?cent\b|pct\b)/i;
const LEVEL =
  /^ ?%?-? ?(?:CIs?\b|CrIs?\b|HDI\b|(?:confidence|credible|credibility|prediction) (?:interval|limit|level))/i;
/** Units that are one capital letter; other capitals after a number make a name: 3D, 5FU. */
const NAMED_AFTER = /^(?:(?![ACFGHJKLMNTVWΩ](?!\p{L}))\p{Lu}|-\p{Lu})/u;

function wordList(words: string): string[] {
  return words.split(' ');
}

/**
 * The first number of a sentence that is not in the quotes, or in the words around them, as the same quantity;
 * undefined if all are there.
 */
export function missingNumber(
  sentence: string,
  quotes: readonly string[],
  around: readonly string[] = [],
): string | undefined {
  const claimed = amountsIn(plainNumbers(sentence)).filter(({ isClaimed }) => isClaimed);
  if (claimed.length === 0) return undefined;
  const texts = [...quotes, ...around].map(plainNumbers);
  // The unit of a table's numbers stands in its header.
  const isPercentTable = texts.some((text) => /%|\bpercent/i.test(text));
  const known = texts.flatMap((text) =>
    amountsIn(text)
      .filter(({ isGiven }) => isGiven)
      .map((amount) =>
        amount.kind === 'count' && ((isPercentTable && text.includes(' | ')) || /\bpercentages?\b/i.test(text))
          ? { ...amount, kind: 'either' as const }
          : amount,
      ),
  );
  return claimed.find((amount) => !isKnown(amount, known, quotes.length))?.text.trim();
}

/** A number of a text: labels, names with digits, levels of intervals and ordinals are none. */
export interface Quantity {
  /** As it is written, with its percent sign. */
  readonly text: string;
  readonly start: number;
  /** `either` is the first of "45 and 50%". */
  readonly kind: 'count' | 'percent' | 'either';
  readonly value: number;
}

/** The numbers of a text, and the text with plain digits, hyphens and spaces that they are found in. */
export function quantitiesIn(text: string): { readonly plain: string; readonly quantities: readonly Quantity[] } {
  const plain = plainNumbers(text);
  const quantities = amountsIn(plain).flatMap(({ text: written, start, kind, readings, isClaimed, isLevel }) => {
    const value = readings[0]?.[0];
    if (!isClaimed || isLevel || kind === 'ordinal' || kind === 'fraction' || value === undefined) return [];
    return [{ text: written, start, kind, value }];
  });
  return { plain, quantities };
}

/** Whether every number in a sentence is in one of the quotes. */
export function hasNumbersOf(sentence: string, quotes: readonly string[]): boolean {
  return missingNumber(sentence, quotes) === undefined;
}

function isKnown(amount: Amount, known: readonly Amount[], quotes: number): boolean {
  const { kind, readings, isLevel, isSpelled } = amount;
  if (isLevel && !known.some((each) => each.isLevel)) return true;
  const [[value = 0] = []] = readings;
  if (isSpelled && kind === 'count' && (value <= IDIOMATIC || value === quotes)) return true;
  if (isSpelled && kind === 'count' && value <= COUNTED) {
    const rivals = known.filter(
      (each) => each.kind === 'count' && each.next.slice(0, STEM) === amount.next.slice(0, STEM),
    );
    return rivals.length === 0 || rivals.some((each) => each.readings.flat().includes(value));
  }
  if (kind === 'fraction')
    return known.some(
      (each) =>
        (each.kind === 'fraction' && each.readings[0]?.[0] === value) ||
        (each.kind === 'percent' && Math.abs((each.readings[0]?.[0] ?? 0) - 100 * value) <= NEAR_FRACTION),
    );
  const fits = (other: Kind): boolean =>
    other === kind ||
    (other === 'either' && kind !== 'ordinal') ||
    (kind === 'either' && other === 'percent') ||
    ((kind === 'ordinal' || kind === 'either') && other === 'count');
  const values = new Set(known.filter((each) => fits(each.kind)).flatMap((each) => each.readings.flat()));
  return readings.some((numbers) => numbers.every((number) => values.has(number)));
}

function amountsIn(text: string): Amount[] {
  const found = [...text.matchAll(NUMERAL)].map(({ 0: written, index }) =>
    writtenAmount(written, index, text.slice(Math.max(0, index - 80), index), text.slice(index + written.length)),
  );
  found.push(...spelledAmounts(text));
  // "2/3" is a fraction too.
  for (const { 0: written, 1: part, 2: whole, index } of text.matchAll(/(?<![\d./])(\d{1,2})\/(\d{1,2})(?![\d./])/g))
    if (Number(part) < Number(whole)) {
      const readings = [[Number(part) / Number(whole)]];
      found.push({ ...NOT_CLAIMED, text: written, start: index, kind: 'fraction', readings });
    }
  return found;
}

const NOT_CLAIMED = { isClaimed: false, isGiven: true, isLevel: false, isSpelled: false, next: '' };

function writtenAmount(written: string, start: number, before: string, rest: string): Amount {
  const after = rest.slice(0, 80);
  const hyphenated = before.endsWith('-')
    ? before
        .slice(0, -1)
        .split(/[^\p{L}\p{N}]/u)
        .at(-1)
    : undefined;
  const isWord = hyphenated !== undefined && /\p{L}$/u.test(hyphenated);
  const isNumberAfter = !isWord || BEFORE_NUMBERS.has(hyphenated.toLowerCase());
  // H1N1, CD4, x64, IL-6, and 3D, 5-HT.
  const isAttached = /\p{L}$/u.test(before);
  const isName = isAttached || !isNumberAfter || NAMED_AFTER.test(after);
  const isLabel = isLabelled(before);
  const isCited = /\[[\d ,;-]{0,40}$/.test(before) && /^[\d ,;-]{0,40}\]/.test(after);
  const isOrdinal = /^(?:st|nd|rd|th)\b/.test(after);
  const [percent] = PERCENT.exec(after) ?? [];
  const scale = SCALES[/^[ -](thousand|million|billion)\b/i.exec(after)?.[1]?.toLowerCase() ?? ''] ?? 1;
  return {
    text: written + (percent ?? ''),
    start,
    kind: isOrdinal ? 'ordinal' : percent !== undefined ? 'percent' : LISTED_PERCENT.test(after) ? 'either' : 'count',
    readings: readingsOf(written).map((numbers) => numbers.map((number) => number * scale)),
    isClaimed: !isName && !isLabel && !isCited,
    isGiven: !isLabel && !isAttached && (isNumberAfter || /^\p{Lu}?\p{Ll}+$/u.test(hyphenated ?? '')),
    isLevel: percent !== undefined && LEVEL.test(after),
    isSpelled: false,
    next: nextWord(after),
  };
}

function nextWord(after: string): string {
  return /^[ -]?(\p{L}{1,40})/u.exec(after)?.[1]?.toLowerCase() ?? '';
}

/** Whether the words before a number end with "Table", "Figs. 1 and" and the like. */
function isLabelled(before: string): boolean {
  for (const word of before.trimEnd().split(' ').toReversed()) {
    const bare = word.replaceAll(/[().,;:]/g, '').toLowerCase();
    if (LABELS.has(bare)) return true;
    // "[Table" and "S" of "Table S2".
    if (bare.startsWith('[') && LABELS.has(bare.slice(1))) return true;
    if (!LIST_WORDS.has(bare) && !/^s?[\d-]*[a-z]?$/.test(bare)) return false;
  }
  return false;
}

/** "12 345" may be one number or two, "2,3" a decimal or a list, and a superscript may be lost. */
function readingsOf(written: string): number[][] {
  if (written.includes(' ')) return [[Number(written.replaceAll(' ', ''))], written.split(' ').map(Number)];
  if (written.includes('^')) {
    const [base = '', power = ''] = written.split('^');
    return [[Number(base) ** Number(power)], [Number(base), Number(power)], [Number(base + power)]];
  }
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(written)) return [[Number(written.replaceAll(',', ''))]];
  if (/^\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$/.test(written))
    return [[Number(written.replaceAll('.', '').replace(',', '.'))]];
  // Versions and sections: 11.0.1.
  if (/^\d+\.\d+\.\d/.test(written)) return [written.split('.').map(Number)];
  const decimal = Number(written.replace(/^(\d+),(\d+)$/, '$1.$2'));
  const listed = written.split(',').map(Number);
  return [...(Number.isNaN(decimal) ? [] : [[decimal]]), ...(listed.length > 1 ? [listed] : [])];
}

/** The words of a text that are numbers, each with the next ones that belong to it: "one hundred and five". */
function spelledAmounts(text: string): Amount[] {
  const words = [...text.matchAll(/\p{L}+/gu)].map(({ 0: written, index }) => ({
    word: written.toLowerCase(),
    start: index,
    end: index + written.length,
  }));
  const isNumber = (word: string | undefined): boolean =>
    word !== undefined && (UNITS.includes(word) || TENS.includes(word) || Object.hasOwn(SCALES, word));
  const found: Amount[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const first = words[at];
    if (!first || /\d$/.test(text.slice(0, first.start))) continue;
    const shared = { start: first.start, isClaimed: true, isGiven: true, isLevel: false, isSpelled: true, next: '' };
    const ordinal = ORDINALS.indexOf(first.word) + 1;
    if (ordinal > 0)
      found.push({ ...shared, text: first.word, kind: 'ordinal', readings: [[ordinal]], isClaimed: false });
    // A scale alone counts nothing: "a million", "hundreds".
    if (!isNumber(first.word) || Object.hasOwn(SCALES, first.word)) continue;
    let last = at;
    const isNext = (from: number, to: number): boolean =>
      /^[ -]$/.test(text.slice(words[from]?.end, words[to]?.start)) && isNumber(words[to]?.word);
    for (;;) {
      const isJoined =
        words[last + 1]?.word === 'and' && /^ $/.test(text.slice(words[last]?.end, words[last + 1]?.start));
      if (isNext(last, last + 1) && belongs(words[last]?.word, words[last + 1]?.word)) last += 1;
      else if (isJoined && words[last]?.word === 'hundred' && isNext(last + 1, last + 2)) last += 2;
      else break;
    }
    const value = valueOf(words.slice(at, last + 1).map(({ word }) => word));
    const end = words[last]?.end ?? first.end;
    const written = text.slice(first.start, end);
    const after = text.slice(end, end + 40);
    const part = words[last + 1];
    const whole = part && /^[ -]$/.test(text.slice(end, part.start)) ? PARTS[part.word] : undefined;
    if (whole !== undefined && value < whole && (value === 1 || part?.word.endsWith('s'))) {
      found.push({
        ...shared,
        text: text.slice(first.start, part?.end),
        kind: 'fraction',
        readings: [[value / whole]],
      });
      last += 1;
    } else {
      const kind = PERCENT.test(after) ? 'percent' : 'count';
      found.push({ ...shared, text: written, kind, readings: [[value]], next: nextWord(after) });
    }
    at = last;
  }
  return found;
}

/** Whether a number word goes on with another: "twenty" with "two" and both with "hundred", not "two" with "three". */
function belongs(word = '', next = ''): boolean {
  if (Object.hasOwn(SCALES, next) || Object.hasOwn(SCALES, word)) return true;
  const unit = UNITS.indexOf(next);
  return TENS.includes(word) && unit > 0 && unit < 10;
}

function valueOf(words: readonly string[]): number {
  let [total, group] = [0, 0];
  for (const word of words) {
    const scale = SCALES[word];
    const value = UNITS.includes(word) ? UNITS.indexOf(word) : 20 + 10 * TENS.indexOf(word);
    if (word === 'hundred') group = Math.max(1, group) * 100;
    else if (scale !== undefined) [total, group] = [total + Math.max(1, group) * scale, 0];
    else if (word !== 'and') group += value;
  }
  return total + group;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The text with ASCII digits, plain hyphens and decimal points, and "^" before superscripts. */
function plainNumbers(text: string): string {
  return text
    .replaceAll(/(?<=\d)(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g, (_, sign: string, digits: string) => {
      const plain = Array.from(digits, (digit) => SUPERSCRIPTS.indexOf(digit)).join('');
      return `^${sign === '' ? '' : '-'}${plain}`;
    })
    .normalize('NFKC')
    .replaceAll(/[\u00AD\u200B-\u200D\u2060\uFEFF]/g, '')
    .replaceAll(/[‐‑‒–—―−]/g, '-')
    .replaceAll(/(?<=\p{L})-\n(?=\p{L})/gu, '-')
    .replaceAll(/(?<=\d)[·⋅](?=\d)/g, '.')
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .replaceAll('⁄', '/')
    .replaceAll(/\s+/g, ' ');
}

/** Digits of a script are ten code points in a row. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 128) return digit;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}
