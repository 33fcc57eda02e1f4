import type { Stretch } from '../../parse/index.ts';

/** A unit as powers of the seven base units (kg, m, s, A, K, mol, cd) and a factor to them. */
export interface Unit {
  readonly text: string;
  readonly factor: number;
  /** Added after the factor, for degrees Celsius and Fahrenheit. */
  readonly offset: number;
  /** For example `kg m^-3`; empty for a ratio such as a percentage. Units outside SI are their own base. */
  readonly base: string;
}

const FACTOR = /^(?<symbol>[\p{L}Ωµμ%‰°ℓ]{1,12})(?<power>(?:\^?[-−–⁻]?[1-4](?!\d)|[⁻]?[¹²³⁴]))?(?![\p{L}\d])/u;
const JOIN = /^(?:\s?[/·⋅∙×.*]\s?|\s(?:per\s)?|(?=[(]))/u;

/** The unit at the beginning of a text and its length; undefined when there is none. */
export function readUnit(text: string): { readonly unit: Unit; readonly length: number } | undefined {
  const first = readFactor(text);
  if (!first) return undefined;
  let { length } = first;
  let factor = first.factor;
  const powers = new Map(Object.entries(first.powers));
  let joined = 0;
  while (joined < 4) {
    const rest = text.slice(length);
    const join = JOIN.exec(rest);
    if (!join || join[0] === '') break;
    const divides = /\/|per/.test(join[0]);
    const next = readFactor(rest.slice(join[0].length), true);
    // "m s-1" and "mg kg-1" are units, "m s" is not.
    if (!next || (/^[\s.]+$/.test(join[0]) && !next.raised)) break;
    const sign = divides ? -1 : 1;
    factor *= next.factor ** sign;
    for (const [base, power] of Object.entries(next.powers)) powers.set(base, (powers.get(base) ?? 0) + sign * power);
    length += join[0].length + next.length;
    joined += 1;
  }
  // "60 C" is a temperature that lost its sign, "8 F" are women: alone, these letters are hardly ever units.
  if (joined === 0 && /^[CF]$/.test(text.slice(0, length))) return undefined;
  return {
    length,
    unit: { text: text.slice(0, length), factor, offset: joined === 0 ? first.offset : 0, base: baseText(powers) },
  };
}

/** A symbol at the beginning of a text; `raised` if it has an exponent. */
function readFactor(text: string, inner = false) {
  for (const name of WHOLE_NAMES.get(text[0] ?? '') ?? []) {
    if (!text.startsWith(name)) continue;
    const behind = text.slice(name.length, name.length + 1);
    if (/[\p{L}]$/u.test(name) && /[\p{L}\d]/u.test(behind)) continue;
    const [factor, powers, offset = 0] = WHOLE[name] ?? [1, {}];
    const power = exponent(/^(?:\^?[-−–⁻]?[1-4](?!\d)|⁻?[¹²³⁴])/u.exec(text.slice(name.length))?.[0]);
    if (/^[%‰°]/.test(name) || power.length === 0)
      return { factor, powers, offset, length: name.length, raised: false };
    return { ...raise(factor, powers, power.value), offset: 0, length: name.length + power.length, raised: true };
  }
  const match = FACTOR.exec(text);
  const symbol = match?.groups?.['symbol'];
  if (!match || symbol === undefined) return undefined;
  const definition = defined(symbol, inner);
  if (!definition) return undefined;
  const power = exponent(match.groups?.['power']);
  return {
    ...raise(definition[0], definition[1], power.value),
    offset: 0,
    length: match[0].length,
    raised: power.length > 0,
  };
}

function defined(symbol: string, inner: boolean): Definition | undefined {
  const bare = SYMBOLS[symbol];
  if (bare && (inner || symbol !== 'a')) return bare;
  for (const length of [1, 2]) {
    const prefix = PREFIXES.get(symbol.slice(0, length));
    const rest = SYMBOLS[symbol.slice(length)];
    if (prefix !== undefined && rest && symbol.length > length) return [rest[0] * prefix, rest[1]];
  }
  return undefined;
}

function exponent(text: string | undefined): { readonly value: number; readonly length: number } {
  if (text === undefined || text === '') return { value: 1, length: 0 };
  return { value: Number(plainDigits(text).replace('^', '')), length: text.length };
}

function raise(factor: number, powers: Powers, by: number): { readonly factor: number; readonly powers: Powers } {
  return {
    factor: factor ** by,
    powers: Object.fromEntries(Object.entries(powers).map(([base, power]) => [base, power * by])),
  };
}

function baseText(powers: ReadonlyMap<string, number>): string {
  return [...powers]
    .filter(([, power]) => power !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([base, power]) => (power === 1 ? base : `${base}^${power}`))
    .join(' ');
}

type Powers = Readonly<Record<string, number>>;
type Definition = readonly [factor: number, powers: Powers, offset?: number];

const PREFIXES: ReadonlyMap<string, number> = new Map(
  'Y:24 Z:21 E:18 P:15 T:12 G:9 M:6 k:3 h:2 da:1 d:-1 c:-2 m:-3 µ:-6 μ:-6 u:-6 n:-9 p:-12 f:-15'
    .split(' ')
    .map((entry) => entry.split(':'))
    .map(([prefix = '', power = '']) => [prefix, Number(`1e${power}`)]),
);

/** A definition and its names: factor, powers such as `kg m^-3`, names, offset. */
type Row = readonly [factor: number, powers: string, names: string, offset?: number];

function table(rows: readonly Row[]): Readonly<Record<string, Definition>> {
  return Object.fromEntries(
    rows.flatMap(([factor, powers, names, offset]) => {
      const parsed = Object.fromEntries(
        powers
          .split(' ')
          .filter((part) => part !== '')
          .map((part) => part.split('^'))
          .map(([base = '', power = '1']) => [base, Number(power)]),
      );
      const definition: Definition = offset === undefined ? [factor, parsed] : [factor, parsed, offset];
      return names.split('|').map((name) => [name, definition]);
    }),
  );
}

function ownBase(names: string): Row[] {
  return names.split(' ').map((name) => [1, name, name]);
}

/** Symbols that take a prefix. */
const SYMBOLS: Readonly<Record<string, Definition>> = table([
  ...ownBase('m A K Da bp b IU U Jy Svedberg'),
  [0.001, 'kg', 'g'],
  [1, 's', 's|sec'],
  [1, 'mol', 'mol|mole|moles'],
  [1, 'cd', 'cd|lm'],
  [0.001, 'm^3', 'l|L|ℓ'],
  [1, 's^-1', 'Hz|Bq|cps'],
  [1, 'kg m s^-2', 'N'],
  [1, 'kg m^-1 s^-2', 'Pa'],
  [1, 'kg m^2 s^-2', 'J'],
  [1, 'kg m^2 s^-3', 'W|Wp'],
  [1, 'kg m^2 s^-3 A^-1', 'V'],
  [1, 'A s', 'C'],
  [1, 'A^2 s^4 kg^-1 m^-2', 'F'],
  [1, 'kg m^2 s^-3 A^-2', 'Ω|ohm'],
  [1, 'kg^-1 m^-2 s^3 A^2', 'S'],
  [1, 'kg s^-2 A^-1', 'T'],
  [1, 'kg m^2 s^-2 A^-1', 'Wb'],
  [1, 'kg m^2 s^-2 A^-2', 'H'],
  [1, 'cd m^-2', 'lx'],
  [1, 'm^2 s^-2', 'Gy|Sv'],
  [1, 'mol s^-1', 'kat'],
  [1.602176634e-19, 'kg m^2 s^-2', 'eV'],
  [4.184, 'kg m^2 s^-2', 'cal'],
  [100000, 'kg m^-1 s^-2', 'bar|Bar'],
  [133.322, 'kg m^-1 s^-2', 'Torr'],
  [1000, 'mol m^-3', 'M'],
  [30856775810000000, 'm', 'pc'],
  [31557600, 's', 'yr|year|a'],
  [1, 'byte', 'B'],
  [37000000000, 's^-1', 'Ci'],
  [3600, 'kg m^2 s^-2', 'Wh'],
  [1000, 'kg', 't'],
  [10000, 'm^2', 'ha'],
  [1, 'osmol', 'osmol|Osm'],
  [1, 'eq', 'eq'],
  [0.003785, 'm^3', 'gal'],
  [3600, 's', 'hr|h'],
]);

/** Symbols and words without prefixes, also in German, French, Spanish, Portuguese, Italian and Russian. */
const WHOLE: Readonly<Record<string, Definition>> = table([
  ...ownBase('°N °S °E °W pH kDa kb Mb nt aa PFU OD SD Rp Rs RJ Mbps USD EUR dpi cpm'),
  [
    0.01,
    '',
    'Prozent|pour cent|por ciento|per cento|por cento|процент|процента|процентов|%|percent|per cent|pct|wt%|wt.%|vol%|vol.%|mol%|at%|at.%|wt. %|wt %',
  ],
  [1, 's', 'Sekunde|Sekunden|seconde|secondes|segundo|segundos|секунда|секунды|секунд|second|seconds|secs'],
  [60, 's', 'Minuten|minuto|minutos|минута|минуты|минут|min|mins|minute|minutes'],
  [3600, 's', 'Stunde|Stunden|heure|heures|hora|horas|час|часа|часов|hour|hours|hrs'],
  [86400, 's', 'Tag|Tage|Tagen|jour|jours|día|días|день|дня|дней|d|day|days|night|nights'],
  [604800, 's', 'Woche|Wochen|semaine|semaines|semana|semanas|неделя|недели|недель|week|weeks|wk|wks'],
  [2629800, 's', 'Monat|Monate|Monaten|mois|meses|месяц|месяца|месяцев|month|months|mo'],
  [31557600, 's', 'Jahr|Jahre|Jahren|ans|années|año|años|anos|год|года|лет|years|yrs|y|year-old|years old'],
  [0.001, '', '‰|mrad'],
  [1e-6, '', 'ppm|ppmv'],
  [1e-9, '', 'ppb|ppbv'],
  [1e-12, '', 'ppt'],
  [1, 'K', '°C|° C|℃|ºC|˚C|oC', 273.15],
  [0.5555555555555556, 'K', '°F', 255.372222],
  [0.017453292519943295, '', '°|˚|degree|degrees|deg'],
  [1, '', 'rad|sr'],
  [4.848e-6, '', 'arcsec'],
  [0.0002909, '', 'arcmin'],
  [1e-10, 'm', 'Å|Å'],
  [0.001, 's', 'millisecond|milliseconds'],
  [315576000, 's', 'decade|decades'],
  [3155760000, 's', 'century|centuries'],
  [31557600000000, 's', 'Ma|Myr'],
  [31557600000, 's', 'ka|kyr'],
  [31557600000000000, 's', 'Ga|Gyr|byr'],
  [1, 'm', 'meter|meters|metre|metres'],
  [1000, 'm', 'kilometers|kilometres'],
  [1609.344, 'm', 'mile|miles'],
  [0.3048, 'm', 'feet|ft'],
  [0.0254, 'm', 'inch|inches'],
  [1e-6, 'm', 'micron|microns'],
  [149597870700, 'm', 'AU'],
  [9461000000000000, 'm', 'ly'],
  [0.001, 'kg', 'gram|grams'],
  [1, 'kg', 'kilograms'],
  [0.453592, 'kg', 'lb|lbs|pounds'],
  [1000, 'kg', 'tons|tonnes|tonne'],
  [0.0283495, 'kg', 'oz'],
  [0.001, 'm^3', 'litre|litres|liter|liters'],
  [1e-6, 'm^3', 'cc'],
  [4046.86, 'm^2', 'acres'],
  [10000, 'm^2', 'hectares'],
  [133.322, 'kg m^-1 s^-2', 'mmHg'],
  [101325, 'kg m^-1 s^-2', 'atm'],
  [6894.76, 'kg m^-1 s^-2', 'psi'],
  [0.016666666666666666, 's^-1', 'rpm'],
  [1, 'dB', 'dB|dBA'],
  [1, 'fold', 'fold|x|times'],
  [1, 'CFU', 'CFU|cfu'],
  [1, 'px', 'px|pixels'],
  [1, 'cycle', 'cycles'],
  [1.989e30, 'kg', 'M☉|M⊙'],
]);

/** Units without prefixes by their first character, longest first. */
const WHOLE_NAMES = Map.groupBy(
  Object.keys(WHOLE).sort((a, b) => b.length - a.length),
  (name) => name[0] ?? '',
);

export interface PrintedNumber extends Stretch {
  readonly value: number;
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
 * "10−6" is a power of ten that lost its superscript: no range goes down from ten to a single digit. In "100 000" the space
 * parts thousands; in "day 7 100 cells" it does not.
 */
const NUMBER =
  /(?<sign>(?<=^|[\s([=<>≤≥~∼≈/,])[-−–+](?=[\d.]))?(?:(?<![\d.,])(?<bare>10(?:\s?\^\s?[-−–]?\d{1,2}|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|[-−–][1-9]|−[1-9]\d)(?![\d.,%]\d|[\d%]))|(?<digits>(?<!\b(?:days?|weeks?|months?|years?|fig(?:ure)?s?|tables?|groups?|stages?|grades?|types?|phases?|steps?|cases?|no|age|aged)\.?\s)(?<![\d.,]\s?)[1-9]\d{0,2}(?:[ \u00a0]\d{3}){1,4}(?![\d,]|[ \u00a0]\d|\.\d{3}\b)(?:\.\d{1,30})?|\d{1,3}(?:[,\u2009\u202f]\d{3}){1,8}(?:\.\d{1,30})?(?!\d)|\d+(?:[.·]\d+)?|[.·]\d+)(?<times>\s?[×x*⋅·]\s?10\s?\^?[-−–⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|e[-−+]?\d{1,3}(?![\p{L}\d]))?)(?<scale>\s(?:hundred|thousand|million|billion)\b)?|(?<spelt>\b(?![- ])(?:[- ]?(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion)\b){1,8})/giu;

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
      bare === undefined
        ? Number((digits ?? '').replace(/[, \u00a0\u2009\u202f]/g, '').replace('·', '.'))
        : powerOfTen(bare);
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
  const power = /(?:10\s?\^?|[eE]\+?)(?<power>-?\d{1,3})$/.exec(plainDigits(times))?.groups?.['power'];
  return 10 ** Math.max(-300, Math.min(300, Number(power ?? 0)));
}

/** A number with plain digits and minus signs in place of raised and typeset ones. */
function plainDigits(text: string): string {
  return text.replaceAll(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => String('⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit))).replaceAll(/[−–⁻]/g, '-');
}
