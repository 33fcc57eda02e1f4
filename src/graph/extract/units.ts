/** A unit as powers of the seven base units (kg, m, s, A, K, mol, cd) and a factor to them. */
export interface Unit {
  readonly text: string;
  readonly factor: number;
  /** Added after the factor: degrees Celsius and Fahrenheit do not begin at nothing. */
  readonly offset: number;
  /** For example `kg m^-3`; empty for a bare ratio such as a percentage. Units that are none of SI's stand for themselves. */
  readonly base: string;
}

type Powers = Readonly<Record<string, number>>;
type Definition = readonly [factor: number, powers: Powers, offset?: number];

const PREFIXES: Readonly<Record<string, number>> = {
  Y: 1e24, Z: 1e21, E: 1e18, P: 1e15, T: 1e12, G: 1e9, M: 1e6, k: 1e3, h: 1e2, da: 10,
  d: 0.1, c: 0.01, m: 1e-3, µ: 1e-6, μ: 1e-6, u: 1e-6, n: 1e-9, p: 1e-12, f: 1e-15,
};

const J: Powers = { kg: 1, m: 2, s: -2 };
const W: Powers = { kg: 1, m: 2, s: -3 };
const PA: Powers = { kg: 1, m: -1, s: -2 };
const VOLT: Powers = { kg: 1, m: 2, s: -3, A: -1 };

/** Symbols that take a prefix. */
const SYMBOLS: Readonly<Record<string, Definition>> = {
  m: [1, { m: 1 }], g: [1e-3, { kg: 1 }], s: [1, { s: 1 }], sec: [1, { s: 1 }], A: [1, { A: 1 }], K: [1, { K: 1 }],
  mol: [1, { mol: 1 }], mole: [1, { mol: 1 }], moles: [1, { mol: 1 }], cd: [1, { cd: 1 }], l: [1e-3, { m: 3 }], L: [1e-3, { m: 3 }], ℓ: [1e-3, { m: 3 }],
  Hz: [1, { s: -1 }], N: [1, { kg: 1, m: 1, s: -2 }], Pa: [1, PA], J: [1, J], W: [1, W], V: [1, VOLT], C: [1, { A: 1, s: 1 }],
  F: [1, { A: 2, s: 4, kg: -1, m: -2 }], Ω: [1, { kg: 1, m: 2, s: -3, A: -2 }], ohm: [1, { kg: 1, m: 2, s: -3, A: -2 }],
  S: [1, { kg: -1, m: -2, s: 3, A: 2 }], T: [1, { kg: 1, s: -2, A: -1 }], Wb: [1, { kg: 1, m: 2, s: -2, A: -1 }],
  H: [1, { kg: 1, m: 2, s: -2, A: -2 }], lm: [1, { cd: 1 }], lx: [1, { cd: 1, m: -2 }], Bq: [1, { s: -1 }], Gy: [1, { m: 2, s: -2 }],
  Sv: [1, { m: 2, s: -2 }], kat: [1, { mol: 1, s: -1 }], eV: [1.602_176_634e-19, J], cal: [4.184, J], bar: [1e5, PA], Torr: [133.322, PA],
  M: [1e3, { mol: 1, m: -3 }], Da: [1, { Da: 1 }], pc: [3.085_677_581e16, { m: 1 }], yr: [31_557_600, { s: 1 }], year: [31_557_600, { s: 1 }],
  B: [1, { byte: 1 }], bp: [1, { bp: 1 }], b: [1, { b: 1 }], IU: [1, { IU: 1 }], U: [1, { U: 1 }], Ci: [3.7e10, { s: -1 }], Wh: [3600, J], Wp: [1, W],
  t: [1e3, { kg: 1 }], ha: [1e4, { m: 2 }], Mt: [1e9, { kg: 1 }], osmol: [1, { osmol: 1 }], Osm: [1, { osmol: 1 }], eq: [1, { eq: 1 }], gal: [3.785e-3, { m: 3 }],
  a: [31_557_600, { s: 1 }], Jy: [1, { Jy: 1 }], cps: [1, { s: -1 }], Svedberg: [1, { Svedberg: 1 }], Bar: [1e5, PA], hr: [3600, { s: 1 }], h: [3600, { s: 1 }],
};

const SECOND: Powers = { s: 1 };
const count = (name: string): Definition => [1, { [name]: 1 }];

/** Symbols and words that stand as they are. */
const WHOLE: Readonly<Record<string, Definition>> = {
  '%': [0.01, {}], '‰': [1e-3, {}], percent: [0.01, {}], 'per cent': [0.01, {}], pct: [0.01, {}], 'wt%': [0.01, {}], 'wt.%': [0.01, {}], 'vol%': [0.01, {}], 'vol.%': [0.01, {}], 'mol%': [0.01, {}], 'at%': [0.01, {}], 'at.%': [0.01, {}], 'wt. %': [0.01, {}], 'wt %': [0.01, {}],
  ppm: [1e-6, {}], ppb: [1e-9, {}], ppt: [1e-12, {}], ppmv: [1e-6, {}], ppbv: [1e-9, {}],
  '°C': [1, { K: 1 }, 273.15], '° C': [1, { K: 1 }, 273.15], '℃': [1, { K: 1 }, 273.15], 'ºC': [1, { K: 1 }, 273.15], '°F': [5 / 9, { K: 1 }, 255.372_222], '˚C': [1, { K: 1 }, 273.15], 'oC': [1, { K: 1 }, 273.15],
  '°': [Math.PI / 180, {}], '˚': [Math.PI / 180, {}], degree: [Math.PI / 180, {}], degrees: [Math.PI / 180, {}], deg: [Math.PI / 180, {}], rad: [1, {}], mrad: [1e-3, {}], sr: [1, {}], arcsec: [4.848e-6, {}], arcmin: [2.909e-4, {}], '°N': count('°N'), '°S': count('°S'), '°E': count('°E'), '°W': count('°W'),
  Å: [1e-10, { m: 1 }], Å: [1e-10, { m: 1 }], min: [60, SECOND], mins: [60, SECOND], minute: [60, SECOND], minutes: [60, SECOND], hour: [3600, SECOND], hours: [3600, SECOND], hrs: [3600, SECOND],
  second: [1, SECOND], seconds: [1, SECOND], secs: [1, SECOND], millisecond: [1e-3, SECOND], milliseconds: [1e-3, SECOND], d: [86_400, SECOND], day: [86_400, SECOND], days: [86_400, SECOND], week: [604_800, SECOND], weeks: [604_800, SECOND], wk: [604_800, SECOND], wks: [604_800, SECOND],
  month: [2_629_800, SECOND], months: [2_629_800, SECOND], mo: [2_629_800, SECOND], years: [31_557_600, SECOND], yrs: [31_557_600, SECOND], y: [31_557_600, SECOND], 'year-old': [31_557_600, SECOND], 'years old': [31_557_600, SECOND], decade: [315_576_000, SECOND], decades: [315_576_000, SECOND], century: [3.15576e9, SECOND], centuries: [3.15576e9, SECOND], night: [86_400, SECOND], nights: [86_400, SECOND],
  Ma: [3.15576e13, SECOND], Myr: [3.15576e13, SECOND], ka: [3.15576e10, SECOND], kyr: [3.15576e10, SECOND], Ga: [3.15576e16, SECOND], Gyr: [3.15576e16, SECOND], byr: [3.15576e16, SECOND],
  meter: [1, { m: 1 }], meters: [1, { m: 1 }], metre: [1, { m: 1 }], metres: [1, { m: 1 }], kilometers: [1e3, { m: 1 }], kilometres: [1e3, { m: 1 }], mile: [1609.344, { m: 1 }], miles: [1609.344, { m: 1 }], feet: [0.3048, { m: 1 }], ft: [0.3048, { m: 1 }], inch: [0.0254, { m: 1 }], inches: [0.0254, { m: 1 }], micron: [1e-6, { m: 1 }], microns: [1e-6, { m: 1 }], AU: [1.495_978_707e11, { m: 1 }], ly: [9.461e15, { m: 1 }],
  gram: [1e-3, { kg: 1 }], grams: [1e-3, { kg: 1 }], kilograms: [1, { kg: 1 }], mg: [1e-6, { kg: 1 }], lb: [0.453_592, { kg: 1 }], lbs: [0.453_592, { kg: 1 }], pounds: [0.453_592, { kg: 1 }], tons: [1e3, { kg: 1 }], tonnes: [1e3, { kg: 1 }], tonne: [1e3, { kg: 1 }], oz: [0.028_349_5, { kg: 1 }],
  litre: [1e-3, { m: 3 }], litres: [1e-3, { m: 3 }], liter: [1e-3, { m: 3 }], liters: [1e-3, { m: 3 }], cc: [1e-6, { m: 3 }], acres: [4046.86, { m: 2 }], hectares: [1e4, { m: 2 }],
  mmHg: [133.322, PA], atm: [101_325, PA], psi: [6894.76, PA], rpm: [1 / 60, { s: -1 }], dB: count('dB'), dBA: count('dB'), 'fold': count('fold'), x: count('fold'), times: count('fold'), 'pH': count('pH'), cm: [0.01, { m: 1 }], mM: [1, { mol: 1, m: -3 }], kDa: count('kDa'), kb: count('kb'), Mb: count('Mb'), nt: count('nt'), aa: count('aa'), CFU: count('CFU'), cfu: count('CFU'), PFU: count('PFU'), OD: count('OD'), SD: count('SD'), Rp: count('Rp'), Rs: count('Rs'), RJ: count('RJ'), Mbps: count('Mbps'), USD: count('USD'), EUR: count('EUR'), kcal: [4184, J], dpi: count('dpi'), px: count('px'), pixels: count('px'), cycles: count('cycle'), cpm: count('cpm'), 'M☉': [1.989e30, { kg: 1 }], 'M⊙': [1.989e30, { kg: 1 }],
};

const SUPERSCRIPTS: Readonly<Record<string, string>> = { '⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9', '⁻': '-' };
const WHOLE_NAMES = Object.keys(WHOLE).sort((a, b) => b.length - a.length);
const FACTOR = /^(?<symbol>[\p{L}Ωµμ%‰°ℓ]{1,12})(?<power>(?:\^?[-−–⁻]?[1-4](?!\d)|[⁻]?[¹²³⁴]))?(?![\p{L}\d])/u;
const JOIN = /^(?:\s?[/·⋅∙×.*]\s?|\s(?:per\s)?|(?=[(]))/u;

/** The unit that a text begins with, and how many characters it takes; undefined when it begins with none. */
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
    // "5 m s" is no unit, "5 m s-1" and "5 mg kg-1" are.
    if (!next || (/^[\s.]+$/.test(join[0]) && !next.raised)) break;
    const sign = divides ? -1 : 1;
    factor *= next.factor ** sign;
    for (const [base, power] of Object.entries(next.powers)) powers.set(base, (powers.get(base) ?? 0) + sign * power);
    length += join[0].length + next.length;
    joined += 1;
  }
  return {
    length,
    unit: { text: text.slice(0, length), factor, offset: joined === 0 ? first.offset : 0, base: baseText(powers) },
  };
}

interface Factor {
  readonly factor: number;
  readonly powers: Powers;
  readonly offset: number;
  readonly length: number;
  /** It has an exponent. */
  readonly raised: boolean;
}

function readFactor(text: string, inner = false): Factor | undefined {
  for (const name of WHOLE_NAMES) {
    if (!text.startsWith(name)) continue;
    const behind = text.slice(name.length, name.length + 1);
    if (/[\p{L}]$/u.test(name) && /[\p{L}\d]/u.test(behind)) continue;
    const [factor, powers, offset = 0] = WHOLE[name] ?? [1, {}];
    const power = exponent(/^(?:\^?[-−–⁻]?[1-4](?!\d)|⁻?[¹²³⁴])/u.exec(text.slice(name.length))?.[0]);
    if (/^[%‰°]/.test(name) || power.length === 0) return { factor, powers, offset, length: name.length, raised: false };
    return { ...raise(factor, powers, power.value), offset: 0, length: name.length + power.length, raised: true };
  }
  const match = FACTOR.exec(text);
  const symbol = match?.groups?.['symbol'];
  if (!match || symbol === undefined) return undefined;
  const definition = defined(symbol, inner);
  if (!definition) return undefined;
  const power = exponent(match.groups?.['power']);
  return { ...raise(definition[0], definition[1], power.value), offset: 0, length: match[0].length, raised: power.length > 0 };
}

function defined(symbol: string, inner: boolean): Definition | undefined {
  const bare = SYMBOLS[symbol];
  if (bare && (inner || symbol !== 'a')) return bare;
  for (const length of [1, 2]) {
    const prefix = PREFIXES[symbol.slice(0, length)];
    const rest = SYMBOLS[symbol.slice(length)];
    if (prefix !== undefined && rest && symbol.length > length) return [rest[0] * prefix, rest[1]];
  }
  return undefined;
}

function exponent(text: string | undefined): { readonly value: number; readonly length: number } {
  if (text === undefined || text === '') return { value: 1, length: 0 };
  const plain = [...text].map((letter) => SUPERSCRIPTS[letter] ?? letter).join('').replace(/[−–]/, '-').replace('^', '');
  return { value: Number(plain), length: text.length };
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
