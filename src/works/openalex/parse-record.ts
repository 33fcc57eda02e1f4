import type { z } from 'zod';

import { parseLicense, parseVersion } from '../license.ts';
import { withProvenance } from '../record/merge-records.ts';
import type { Author, Funder, WorkRecord } from '../record/record.ts';
import { emptyRecord } from '../record/record.ts';
import { plainText } from '../record/plain-text.ts';
import { idsOf } from './parse-work.ts';
import { openAlexWork } from './schema.ts';
import { normalizeOpenAlexId, normalizeTopicId } from '../ids/catalogue-ids.ts';

type Parsed = z.output<typeof openAlexWork>;

const MOST_AUTHORS = 500;
const MOST_REFERENCES = 5000;
const MOST_WORDS = 20_000;
const MOST_NAMED = 50;

/** An OpenAlex record as our record; undefined if it has no id or another shape. `at` is when it was read. */
export function parseOpenAlexRecord(value: unknown, at: string): WorkRecord | undefined {
  const parsed = openAlexWork.safeParse(value);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  const openalex = normalizeOpenAlexId(data.id ?? String(data.ids?.['openalex'] ?? ''));
  if (openalex === undefined) return undefined;
  const places = [data.best_oa_location, data.primary_location, ...(data.locations ?? [])].filter(
    (each) => each !== null,
  );
  const best = data.best_oa_location ?? data.primary_location;
  const license = parseLicense(places.find(({ license: said }) => said !== null)?.license);
  const source = data.primary_location?.source ?? null;
  const record: WorkRecord = {
    ...emptyRecord(openalex, idsOf(data, openalex, places)),
    type: data.type,
    title: plainText(data.title ?? data.display_name),
    authors: (data.authorships ?? []).slice(0, MOST_AUTHORS).flatMap(authorOf),
    date: data.publication_date ?? (data.publication_year === null ? null : String(data.publication_year)),
    venue: source?.display_name ?? null,
    publisher: source?.host_organization_name ?? null,
    issn: source?.issn ?? [],
    volume: data.biblio?.volume ?? null,
    issue: data.biblio?.issue ?? null,
    pages: pagesOf(data.biblio),
    language: data.language,
    abstract: abstractOf(data.abstract_inverted_index),
    topics: (data.topics ?? [])
      .slice(0, MOST_NAMED)
      .flatMap(({ id, display_name: name }) =>
        name === null ? [] : [{ id: normalizeTopicId(id ?? '') ?? null, name }],
      ),
    keywords: (data.keywords ?? [])
      .slice(0, MOST_NAMED)
      .flatMap(({ display_name: name }) => (name === null ? [] : [name])),
    funders: fundersOf(data),
    references: worksIn(data.referenced_works),
    related: worksIn(data.related_works),
    citedBy: data.cited_by_count,
    license: license === null ? null : (license.slug ?? license.raw),
    version: parseVersion(best?.version),
    access: data.open_access?.oa_status ?? null,
    notices: data.is_retracted ? [{ kind: 'retraction', doi: null, date: null, source: 'openalex' }] : [],
    url: data.primary_location?.landing_page_url ?? data.doi,
    changed: data.updated_date,
  };
  return withProvenance(record, 'openalex', at);
}

function authorOf({
  author,
  institutions,
  raw_author_name: raw,
}: NonNullable<Parsed['authorships']>[number]): Author[] {
  const name = author?.display_name ?? raw;
  if (name === null) return [];
  return [
    {
      name: name.slice(0, 300),
      family: null,
      given: null,
      orcid: /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i.exec(author?.orcid ?? '')?.[0].toUpperCase() ?? null,
      institutions: (institutions ?? [])
        .slice(0, MOST_NAMED)
        .flatMap(({ display_name: named, ror }) => (named === null ? [] : [{ name: named, ror }])),
    },
  ];
}

function pagesOf(biblio: Parsed['biblio']): string | null {
  const { first_page: first, last_page: last } = biblio ?? { first_page: null, last_page: null };
  if (first === null || first === '') return null;
  return last === null || last === '' || last === first ? first : `${first}-${last}`;
}

/** The abstract, rebuilt from its inverted index. */
function abstractOf(index: Parsed['abstract_inverted_index']): string | null {
  const words: string[] = [];
  for (const [word, places] of Object.entries(index ?? {})) {
    for (const place of places) if (Number.isInteger(place) && place >= 0 && place < MOST_WORDS) words[place] = word;
  }
  const text = words.filter((word) => word !== undefined).join(' ');
  return text === '' ? null : text;
}

function fundersOf({ awards, funders }: Parsed): Funder[] {
  const found = new Map<string, { name: string; ror: string | null; awards: string[] }>();
  for (const { display_name: name, ror } of funders ?? [])
    if (name !== null) found.set(name, { name, ror, awards: [] });
  for (const { funder_display_name: name, funder_award_id: award } of awards ?? []) {
    if (name === null) continue;
    const funder = found.get(name) ?? { name, ror: null, awards: [] };
    if (award !== null) funder.awards.push(award);
    found.set(name, funder);
  }
  return [...found.values()].slice(0, MOST_NAMED);
}

function worksIn(urls: readonly string[] | null): string[] {
  return (urls ?? []).slice(0, MOST_REFERENCES).flatMap((url) => normalizeOpenAlexId(url) ?? []);
}
