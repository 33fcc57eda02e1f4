import { fingerprints } from './letters.ts';
import { lettersOf } from './letters.ts';
import { surnameOf } from './surname.ts';

/** What is known about a work that a reference may mean. */
export interface CitedWork {
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly source: string | null;
  readonly volume: string | null;
  readonly pages: string | null;
}

/** The first page or the article number, without leading zeros: "578-588" is 578, "e15784" stays. */
export function firstPageOf(pages: string | null): string | undefined {
  const first = /[a-z]{0,4}\d+/i.exec(pages ?? '')?.[0].toLowerCase();
  return first?.replace(/^0+(?=\d)/, '');
}

/** The names under which a work is looked up. */
export function workKeys(work: CitedWork): Set<string> {
  const keys = new Set<string>();
  const surname = surnameOf(work.authors[0] ?? '');
  const page = firstPageOf(work.pages);
  const volume = numberOf(work.volume);
  if (work.title !== null) for (const row of fingerprints(lettersOf(work.title))) keys.add(`t:${row}`);
  if (volume !== undefined && page !== undefined) keys.add(`n:${volume}:${page}`);
  if (surname !== '' && page !== undefined) keys.add(`p:${page}:${surname}`);
  if (surname !== '' && work.year !== null) keys.add(`a:${work.year}:${surname}`);
  return keys;
}

/** The first number of a volume such as "17(3)" or "B 12". */
export function numberOf(volume: string | null): string | undefined {
  return /\d+/.exec(volume ?? '')?.[0].replace(/^0+(?=\d)/, '');
}
