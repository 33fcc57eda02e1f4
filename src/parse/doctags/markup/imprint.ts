import { findDoi } from '../../../base/index.ts';
import type { Imprint } from '../../document.ts';

const ARXIV_NEW = /(?:arxiv[:.\s/]{1,3}(?:abs\/|pdf\/)?|arxiv\.org\/(?:abs|pdf|html)\/)(\d{4}\.\d{4,5})(?:v\d{1,3})?/i;
const ARXIV_OLD =
  /(?:arxiv[:.\s/]{1,3}(?:abs\/|pdf\/)?|arxiv\.org\/(?:abs|pdf|html)\/)([a-z-]{2,16}(?:\.[A-Z]{2})?\/\d{7})(?:v\d{1,3})?/i;

/** The first arXiv identifier in a text, without its version. */
export function findArxivId(text: string): string | undefined {
  if (!/arxiv/i.test(text)) return undefined;
  return (ARXIV_NEW.exec(text) ?? ARXIV_OLD.exec(text))?.[1];
}

export function idsIn(sources: readonly string[]): { readonly doi?: string; readonly arxivId?: string } {
  const first = (find: (text: string) => string | undefined): string | undefined =>
    sources.map(find).find((found) => found !== undefined);
  const [doi, arxivId] = [first(findDoi), first(findArxivId)];
  return { ...(doi !== undefined && { doi }), ...(arxivId !== undefined && { arxivId }) };
}

const LONGEST = 500;
const MOST = 100;

/** What a source says of a publication, by field; texts that are missing or blank are left out. */
export type Stated = { readonly [Field in keyof Imprint]?: Imprint[Field] | undefined };

export function imprintOf(stated: Stated): { readonly imprint?: Imprint } {
  const kept = Object.entries(stated).flatMap(([field, value]): [string, string | string[]][] => {
    if (typeof value === 'string') return usable(value) ? [[field, value.trim()]] : [];
    const list = [...new Set((value ?? []).map((each) => each.trim()).filter(usable))].slice(0, MOST);
    return list.length === 0 ? [] : [[field, list]];
  });
  return kept.length === 0 ? {} : { imprint: Object.fromEntries(kept) };
}

function usable(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * A date in the spellings of heads of pages and papers (`2020/05/17`, `17 May 2020`, `May 2020`) in ISO 8601; undefined
 * for none.
 */
export function isoDate(text: string): string | undefined {
  const plain = text.trim().slice(0, 60);
  const figures = /^((?:1[5-9]|20)\d\d)(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?![\d-/.])/.exec(plain);
  if (figures) return joined(figures[1], figures[2], figures[3]);
  const year = /(?<!\d)((?:1[5-9]|20)\d\d)(?!\d)/.exec(plain)?.[1];
  const word = /[a-z]{3,}/i.exec(plain)?.[0].slice(0, 3).toLowerCase();
  const month = word === undefined ? -1 : MONTHS.indexOf(word);
  if (month === -1) return year;
  const day = /(?<!\d)(\d{1,2})(?!\d)/.exec(plain)?.[1];
  return joined(year, String(month + 1), day);
}

/** Year, month and day as far as they are such. */
export function joined(year: string | undefined, month?: string, day?: string): string | undefined {
  if (year === undefined || !/^(?:1[5-9]|20)\d\d$/.test(year)) return undefined;
  const two = (text: string | undefined, most: number): string | undefined => {
    const number = Number(text ?? Number.NaN);
    return Number.isInteger(number) && number >= 1 && number <= most ? String(number).padStart(2, '0') : undefined;
  };
  const [m, d] = [two(month, 12), two(day, 31)];
  return m === undefined ? year : d === undefined ? `${year}-${m}` : `${year}-${m}-${d}`;
}

export const ORCID = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i;

const INSTITUTION =
  /univers|institut|hospital|college|academy|\bakademie|cent(?:er|re|ro)\b|laborator|foundation|ministr|council|agency|clinic|klinik|inserm|cnrs|school of|hochschule|politecnic|polytechnic|corporation|\binc\b|\bltd\b|gmbh/i;

/** "University of Oslo" of "Department of Biology, University of Oslo, Norway"; empty for none. */
export function namedInstitution(address: string): string {
  const parts = address
    .split(/[,;]/)
    .map((part) => part.replace(/^[\s\d*†‡§]+/u, '').replace(/(?<![\s.])[\s.]+$/u, ''))
    .filter((part) => part !== '');
  const named = parts.filter(
    (part) => INSTITUTION.test(part) && !/^(?:department|dept|division|faculty|section)\b/i.test(part),
  );
  return (named.find((part) => /univers/i.test(part)) ?? named[0] ?? '').slice(0, LONGEST);
}

export function pageRange(first: string | undefined, last: string | undefined): string | undefined {
  if (first === undefined || first === '') return undefined;
  return last === undefined || last === '' || last === first ? first : `${first}-${last}`;
}

/** An arXiv id that is alone, or in an address or behind its word. */
export function statedArxivId(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return findArxivId(/arxiv/i.test(text) ? text : `arXiv:${text}`);
}
