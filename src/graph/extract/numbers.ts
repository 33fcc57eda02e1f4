/** A number in a text. */
export interface PrintedNumber {
  readonly start: number;
  readonly end: number;
  readonly value: number;
  /** Written as a word. */
  readonly spelt: boolean;
}

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const SPELT: Readonly<Record<string, number>> = {
  ...Object.fromEntries(SMALL.split(' ').map((word, value) => [word, value])),
  ...Object.fromEntries(TENS.split(' ').map((word, at) => [word, 20 + 10 * at])),
  hundred: 100,
  thousand: 1000,
  million: 1e6,
  billion: 1e9,
};

/**
 * Digits with an optional power of ten or scale word, or number words. A bare power of ten is "10^6", "10⁻⁶", or "10−6" where
 * plain text lost the superscript: no range goes down from ten to a single digit.
 */
const NUMBER =
  /(?<sign>(?<=^|[\s([=<>≤≥~∼≈/,])[-−–+](?=[\d.]))?(?:(?<![\d.,])(?<bare>10(?:\s?\^\s?[-−–]?\d{1,2}|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|[-−–][1-9]|−[1-9]\d)(?![\d.,%]\d|[\d%]))|(?<digits>\d{1,3}(?:[,\u2009\u202f]\d{3}){1,8}(?:\.\d{1,30})?(?!\d)|\d+(?:[.·]\d+)?|[.·]\d+)(?<times>\s?[×x*⋅·]\s?10\s?\^?[-−–⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|e[-−+]?\d{1,3}(?![\p{L}\d]))?)(?<scale>\s(?:hundred|thousand|million|billion)\b)?|(?<spelt>\b(?![- ])(?:[- ]?(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion)\b){1,8})/giu;

const SUPERSCRIPT_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Every number of a text, in digits or in words. */
export function findNumbers(text: string): PrintedNumber[] {
  const found: PrintedNumber[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const { sign, bare, digits, times, scale, spelt } = match.groups ?? {};
    const end = match.index + match[0].length;
    if (spelt !== undefined) {
      found.push({ start: match.index, end, value: speltValue(spelt), spelt: true });
      continue;
    }
    const plain =
      bare === undefined ? Number((digits ?? '').replace(/[,\u2009\u202f]/g, '').replace('·', '.')) : powerOfTen(bare);
    const negative = sign !== undefined && sign !== '+';
    const scaled = SPELT[scale?.trim().toLowerCase() ?? ''] ?? 1;
    found.push({
      start: match.index,
      end,
      value: (negative ? -1 : 1) * plain * powerOfTen(times) * scaled,
      spelt: false,
    });
  }
  return found;
}

function speltValue(text: string): number {
  let total = 0;
  for (const word of text.toLowerCase().split(/[- ]/)) {
    const value = SPELT[word] ?? 0;
    total = value >= 100 ? Math.max(1, total) * value : total + value;
  }
  return total;
}

function powerOfTen(times: string | undefined): number {
  if (times === undefined) return 1;
  const plain = Array.from(times, (letter) =>
    SUPERSCRIPT_DIGITS.includes(letter) ? String(SUPERSCRIPT_DIGITS.indexOf(letter)) : letter,
  )
    .join('')
    .replace(/[−–⁻]/g, '-');
  const power = /(?:10\s?\^?|[eE]\+?)(?<power>-?\d{1,3})$/.exec(plain)?.groups?.['power'];
  return 10 ** Math.max(-300, Math.min(300, Number(power ?? 0)));
}
