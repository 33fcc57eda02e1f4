import type { Definition, Powers } from './unit-table.ts';
import { PREFIXES, SYMBOLS, WHOLE } from './unit-table.ts';

/** A unit as powers of the seven base units (kg, m, s, A, K, mol, cd) and a factor to them. */
export interface Unit {
  readonly text: string;
  readonly factor: number;
  /** Added after the factor: degrees Celsius and Fahrenheit do not begin at nothing. */
  readonly offset: number;
  /** For example `kg m^-3`; empty for a bare ratio such as a percentage. Units that are none of SI's stand for themselves. */
  readonly base: string;
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  '⁰': '0',
  '¹': '1',
  '²': '2',
  '³': '3',
  '⁴': '4',
  '⁵': '5',
  '⁶': '6',
  '⁷': '7',
  '⁸': '8',
  '⁹': '9',
  '⁻': '-',
};
/** By their first character, the longest first. */
const WHOLE_NAMES = Map.groupBy(
  Object.keys(WHOLE).sort((a, b) => b.length - a.length),
  (name) => name[0] ?? '',
);
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
    const prefix = PREFIXES[symbol.slice(0, length)];
    const rest = SYMBOLS[symbol.slice(length)];
    if (prefix !== undefined && rest && symbol.length > length) return [rest[0] * prefix, rest[1]];
  }
  return undefined;
}

function exponent(text: string | undefined): { readonly value: number; readonly length: number } {
  if (text === undefined || text === '') return { value: 1, length: 0 };
  const plain = Array.from(text, (letter) => SUPERSCRIPTS[letter] ?? letter)
    .join('')
    .replace(/[−–]/, '-')
    .replace('^', '');
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
