import type { Stream } from '../random/stream.ts';

/** Suffix of every simulated host; reserved, so it does not exist outside. */
export const SUFFIX = '.sim.test';

/** A URL at a simulated host, by its real name. */
export function at(host: string, path: string): string {
  return `http://${host}${SUFFIX}${path}`;
}

/** The number contained in every URL and identifier of a work, so that each can be mapped back. */
export function numberOf(index: number): number {
  return 1_000_000 + index;
}

/** Candidate works in a text: every run of digits that is a work number. */
export function indexesIn(text: string, works: number): number[] {
  const found: number[] = [];
  for (const [digits] of text.matchAll(/\d{7,}/g)) {
    const index = Number(digits.slice(-7)) - 1_000_000;
    if (index >= 0 && index < works && !found.includes(index)) found.push(index);
  }
  return found;
}

/** An ORCID iD in the range 0009-… with its ISO 7064 check digit. */
export function orcid(author: number): string {
  const base = `0009000${String(author).padStart(8, '0')}`;
  let total = 0;
  for (const digit of base) total = (total + Number(digit)) * 2;
  const check = (12 - (total % 11)) % 11;
  const all = `${base}${check === 10 ? 'X' : check}`;
  return all.match(/.{4}/g)?.join('-') ?? all;
}

/** A Crossref DOI; `nasty` ones contain the characters that clients often mishandle. */
export function crossrefDoi(index: number, venue: string, year: number, nasty: number | null): string {
  const number = numberOf(index);
  const plain = `10.5555/${venue}.${year}.${number}`;
  if (nasty === null) return plain;
  const forms = [
    `10.5555/(sici)1096-8644(199601)99:1<1::aid-${number}>3.0.co;2-1`,
    `10.5555/${venue}#${number}`,
    `10.5555/${venue}%2b${number}`,
    `10.5555//${venue}.${number}`,
    `10.5555/${venue}?${number}`,
    plain,
    plain,
  ];
  return forms[nasty % forms.length] as string;
}

/** The DOI as OpenAlex shows it: a nasty one may be upper case or end in a dot. */
export function shownDoi(doi: string, nasty: number | null): string {
  if (nasty === 5) return doi.toUpperCase();
  if (nasty === 6) return `${doi}.`;
  return doi;
}

const OLD_MONTHS_FROM = 1992 * 12;

/** A new-style id for four of five papers, otherwise an old-style one; the digits encode the work. */
export function arxivId(index: number, draw: Stream): string {
  if (draw.chance(0.8)) return `24${pad(1 + draw.below(12))}.${pad(index % 100_000, 5)}`;
  const month = OLD_MONTHS_FROM + Math.floor(index / 1_000);
  return `math/${String(Math.floor(month / 12)).slice(-2)}${pad((month % 12) + 1)}${pad(index % 1_000, 3)}`;
}

/** The work number in an arXiv id; the caller verifies it. */
export function arxivIndex(id: string): number | null {
  const modern = /^\d{4}\.(\d{5})$/.exec(id);
  if (modern) return Number(modern[1]);
  const old = /^math\/(\d{2})(\d{2})(\d{3})$/.exec(id);
  if (!old) return null;
  const year = Number(old[1]) + (Number(old[1]) > 90 ? 1900 : 2000);
  return (year * 12 + Number(old[2]) - 1 - OLD_MONTHS_FROM) * 1_000 + Number(old[3]);
}

export function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

const GUID_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** An OSF GUID: five characters that encode the work. */
export function osfGuid(index: number): string {
  let rest = numberOf(index);
  let guid = '';
  for (let place = 0; place < 5; place += 1) {
    guid = (GUID_LETTERS[rest % GUID_LETTERS.length] ?? 'a') + guid;
    rest = Math.floor(rest / GUID_LETTERS.length);
  }
  return guid;
}

export function osfIndex(guid: string): number {
  let number = 0;
  for (const letter of guid) number = number * GUID_LETTERS.length + GUID_LETTERS.indexOf(letter);
  return number - 1_000_000;
}
