import { normalizeDoi } from '../ids/doi.ts';

/** A row of the review file: an entry of a list, and what a person decided. */
export interface ReviewedEntry {
  /** List name and line: `refs.bib#12`. */
  readonly entry: string;
  readonly decision:
    | { readonly kind: 'chosen'; readonly doi: string }
    | { readonly kind: 'refused' }
    | { readonly kind: 'open' };
}

/** True for the header of a review file. */
export function isReviewHeader(header: readonly string[]): boolean {
  return ['entry', 'accept', 'chosen_doi', 'candidate_1'].every((name) => header.includes(name));
}

const YES = /^(?:y|yes|x|true|ok|accept)$/i;
const NO = /^(?:n|no|none|false|0|refuse)$/i;

/** The decision in a row: a DOI the person entered, else the number of a candidate; "yes" is the first. */
export function reviewedEntry(row: ReadonlyMap<string, string>): ReviewedEntry {
  const entry = (row.get('entry') ?? '').trim();
  const accept = (row.get('accept') ?? '').trim();
  const chosen = normalizeDoi(row.get('chosen_doi') ?? '');
  if (chosen !== undefined) return { entry, decision: { kind: 'chosen', doi: chosen } };
  const number = YES.test(accept) ? 1 : /^[1-9]$/.test(accept) ? Number(accept) : 0;
  const doi = normalizeDoi(row.get(`candidate_${number}`) ?? '');
  if (doi !== undefined) return { entry, decision: { kind: 'chosen', doi } };
  return { entry, decision: NO.test(accept) ? { kind: 'refused' } : { kind: 'open' } };
}
