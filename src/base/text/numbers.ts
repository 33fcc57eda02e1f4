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
}

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES: Readonly<Record<string, number>> = { hundred: 1e2, thousand: 1e3, million: 1e6, billion: 1e9 };
const ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth'.split(
    ' ',
  );
const PARTS: Readonly<Record<string, number>> = {
  ...{ half: 2, third: 3, quarter: 4, fourth: 4, fifth: 5, sixth: 6, seventh: 7, eighth: 8, ninth: 9, tenth: 10 },
};
/** Words with a hyphen before a number that is one: others make a name of it, such as interleukin-6. */
const BEFORE_NUMBERS = new Set('pre post mid late early under over above below since sub'.split(' '));
/** Numbers up to this one are also used without counting: "one of them", "the two groups". */
const IDIOMATIC = 2;
/** A fraction in words stands for percentages this near, in points. */
const NEAR_FRACTION = 1;

const SMALL = `(?:${[...TENS].join('|')})(?:[- ](?:${UNITS.slice(1, 10).join('|')}))?|${UNITS.toReversed().join('|')}`;
const SPELLED = `(?:${SMALL})(?:[- ](?:and )?(?:${Object.keys(SCALES).join('|')}|${SMALL}))*`;
const GROUPED = String.raw`\d{1,3}(?: \d{3})+(?![\d.,]?\d)`;
const POWER = String.raw`10\^-?\d+`;
const DIGITS = String.raw`(?:\d+(?:[.,]\d+)*|(?<![\d\p{L}.])\.\d+)(?:[eE][-+]?\d+(?![\p{L}\d]))?`;
const AMOUNT = new RegExp(
  String.raw`${POWER}|${GROUPED}|${DIGITS}|(?<![\p{L}\p{N}])(?:(?:${SPELLED})|(?:${ORDINALS.join('|')}))(?![\p{L}\p{N}])`,
  'giu',
);
const PERCENT = String.raw`\s*(?:%|per ?cent\b|pct\b|percentage points?\b)`;
const IS_PERCENT = new RegExp(`^${PERCENT}`, 'iu');
/** The first of "45 and 50%", "12–15%". */
const IS_LISTED_PERCENT = new RegExp(
  String.raw`^(?:\s*(?:-|to|and|or|,|;|vs\.?|versus|±|\+/-)\s*\d[\d.,]*){1,4}${PERCENT}`,
  'iu',
);
const IS_LEVEL =
  /^\s*%?-?\s*(?:CIs?\b|CrIs?\b|HDI\b|(?:confidence|credible|credibility|prediction) (?:interval|limit|level))/i;
const IS_LABEL =
  /\b(?:tables?|tabs?|figs?|figures?|sections?|sect|chapters?|eqs?|equations?|appendix|appendices|supplement\p{L}*|refs?|references?|box|scheme|panel|pages?|pp)\.?\s*\(?(?:[S\d.]*\d\p{L}?(?:\s*(?:,|-|and|&|to)\s*)?)*$/iu;
/** Units that are one capital letter; other capitals after a number make a name: 3D, 5FU. */
const IS_NAMED_AFTER = /^(?:(?![ACFGHJKLMNTVWΩ](?!\p{L}))\p{Lu}|-\p{Lu})/u;

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
  const found: Amount[] = [];
  for (const { 0: written, index } of text.matchAll(AMOUNT)) {
    const [before, after] = [text.slice(0, index), text.slice(index + written.length)];
    if (/^\p{L}/u.test(written)) found.push(...spelledAmount(written, index, after));
    else found.push(writtenAmount(written, index, before.slice(-80), after.slice(0, 80)));
  }
  // "2/3" is a fraction too.
  for (const { 0: written, 1: part, 2: whole, index } of text.matchAll(/(?<![\d./])(\d{1,2})\/(\d{1,2})(?![\d./])/g))
    if (Number(part) < Number(whole))
      found.push({
        ...NOT_CLAIMED,
        text: written,
        start: index,
        kind: 'fraction',
        readings: [[Number(part) / Number(whole)]],
      });
  return found;
}

const NOT_CLAIMED = { isClaimed: false, isGiven: true, isLevel: false, isSpelled: false };

function writtenAmount(written: string, start: number, before: string, after: string): Amount {
  const hyphenated = /([\p{L}\p{N}]*\p{L})-$/u.exec(before)?.[1];
  const isNumberAfter = hyphenated === undefined || BEFORE_NUMBERS.has(hyphenated.toLowerCase());
  // H1N1, CD4, x64, IL-6, and 3D, 5-HT.
  const isAttached = /\p{L}$/u.test(before);
  const isName = isAttached || !isNumberAfter || IS_NAMED_AFTER.test(after);
  const isLabel = IS_LABEL.test(before) || /\d\.\d+\.\d/.test(written);
  const isCited = /\[[\d ,;-]*$/.test(before) && /^[\d ,;-]*\]/.test(after);
  const isOrdinal = /^(?:st|nd|rd|th)\b/.test(after);
  const isPercent = IS_PERCENT.test(after);
  const scale = /^[ -](thousand|million|billion)\b/i.exec(after)?.[1]?.toLowerCase();
  const readings = readingsOf(written);
  const scaled = SCALES[scale ?? ''];
  return {
    text: written + (IS_PERCENT.exec(after)?.[0] ?? ''),
    start,
    kind: isOrdinal ? 'ordinal' : isPercent ? 'percent' : IS_LISTED_PERCENT.test(after) ? 'either' : 'count',
    readings: scaled === undefined ? readings : readings.map((numbers) => numbers.map((number) => number * scaled)),
    isClaimed: !isName && !isLabel && !isCited,
    isGiven: !isLabel && !isAttached && (isNumberAfter || /^\p{Lu}?\p{Ll}+$/u.test(hyphenated)),
    isLevel: isPercent && IS_LEVEL.test(after),
    isSpelled: false,
  };
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
  const decimal = Number(written.replace(/^(\d+),(\d+)$/, '$1.$2'));
  const listed = written.split(',').map(Number);
  return [...(Number.isNaN(decimal) ? [] : [[decimal]]), ...(listed.length > 1 ? [listed] : [])];
}

function spelledAmount(written: string, start: number, after: string): Amount[] {
  const words = written.toLowerCase().split(/[- ]/);
  const shared = { text: written, start, isClaimed: true, isGiven: true, isLevel: false, isSpelled: true };
  const [first = ''] = words;
  if (words.length === 1 && ORDINALS.includes(first))
    return [{ ...shared, kind: 'ordinal', readings: [[ORDINALS.indexOf(first) + 1]], isClaimed: false }];
  let [total, group] = [0, 0];
  for (const word of words) {
    const scale = SCALES[word];
    const value = UNITS.includes(word) ? UNITS.indexOf(word) : 20 + 10 * TENS.indexOf(word);
    if (word === 'hundred') group = Math.max(1, group) * 100;
    else if (scale !== undefined) [total, group] = [total + Math.max(1, group) * scale, 0];
    else if (word !== 'and') group += value;
  }
  const value = total + group;
  const [part, of] = /^[- ]([a-z]+?)(?:ve)?(s?)\b/i.exec(after)?.slice(1) ?? [];
  const whole = PARTS[part?.toLowerCase() === 'hal' ? 'half' : (part?.toLowerCase() ?? '')];
  if (whole !== undefined && (of === 's' || value === 1) && value < whole)
    return [{ ...shared, text: `${written} ${part}${of}`, kind: 'fraction', readings: [[value / whole]] }];
  return [{ ...shared, kind: IS_PERCENT.test(after) ? 'percent' : 'count', readings: [[value]] }];
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
    .replaceAll(/(?<=\p{L})-\s*\n\s*(?=\p{L})/gu, '-')
    .replaceAll(/(?<=\d)[·⋅](?=\d)/g, '.')
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .replaceAll('⁄', '/')
    .replaceAll(/\s/g, ' ');
}

/** Digits of a script are ten code points in a row. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 128) return digit;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}
