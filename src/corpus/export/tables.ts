import { namesNoWork } from '../../download/index.ts';
import { csvLine } from '../../harvest/index.ts';
import { retractionOf, yearOf } from '../../works/index.ts';
import type { ExportedWork } from './exported-work.ts';

const COLUMNS = [
  'id', 'doi', 'pmid', 'pmcid', 'title', 'authors', 'year', 'date', 'venue', 'volume', 'issue', 'pages', 'type', 'language', 'license', 'access',
  'version', 'outcome', 'reason', 'detail', 'label', 'retracted', 'file', 'url', 'abstract',
] as const; // prettier-ignore

/** A table of all works with the outcome of each. */
export function* csvTable(works: Iterable<ExportedWork>): Generator<string> {
  yield csvLine(COLUMNS);
  for (const { record, outcome, reason, detail, label, file, license } of works) {
    const { ids, title, date, venue, volume, issue, pages, type, language, access, version, url, abstract } = record;
    const authors = record.authors.map(({ name }) => name).join('; ');
    const known: Record<(typeof COLUMNS)[number], string | number | null> = {
      id: record.id, doi: ids.doi, pmid: ids.pmid, pmcid: ids.pmcid, title, authors, year: yearOf(record), date, venue, volume, issue, pages,
      type, language, license, access, version, outcome, reason, detail, label, retracted: retractionOf(record) ? 'retracted' : null, file, url, abstract,
    }; // prettier-ignore
    yield csvLine(COLUMNS.map((name) => known[name]));
  }
}

/** The table that ASReview and Rayyan read; `included` is empty where nobody has screened yet. */
export function* screeningTable(works: Iterable<ExportedWork>): Generator<string> {
  yield csvLine(['record_id', 'title', 'abstract', 'authors', 'year', 'doi', 'keywords', 'url', 'included']);
  for (const { record, label, isOtherVersion, reason } of works) {
    if (isOtherVersion || namesNoWork(reason)) continue;
    const { id, title, abstract, authors, ids, keywords, url } = record;
    const included = label === null ? '' : label === 'included' ? 1 : 0;
    const names = authors.map(({ name }) => name).join('; ');
    yield csvLine([id, title, abstract, names, yearOf(record), ids.doi, keywords.join('; '), url, included]);
  }
}
