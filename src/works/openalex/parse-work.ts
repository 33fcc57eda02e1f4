import * as z from 'zod';

import { normalizeDoi } from '../../base/index.ts';
import type { WorkIds } from '../ids.ts';
import {
  parseArxivId,
  normalizeHalId,
  normalizeOpenAlexId,
  normalizeZenodoId,
  orcidIn,
  pmcidFromField,
  pmidFromField,
  normalizeTopicId,
} from '../ids.ts';
import { parseLicense, parseVersion } from '../license.ts';
import { lenient, maybe, objects, text, validItems } from '../lookup.ts';
import { withProvenance, plainText, emptyRecord } from '../record/record.ts';
import type { Author, Funder, WorkRecord } from '../record/record.ts';
import type { Work, WorkLocation } from '../work.ts';

const said = lenient(z.string());
const listed = <S extends z.ZodRawShape>(shape: S) => lenient(z.array(z.object(shape)));
const works = lenient(z.array(z.string()));

const openAlexLocation = z.object({
  id: text,
  is_oa: maybe(z.boolean()),
  landing_page_url: text,
  pdf_url: text,
  license: said,
  version: said,
  source: lenient(z.object({ type: text, display_name: text, host_organization_name: said, issn: works })),
});

const openAlexWork = z.object({
  id: z.string().optional(),
  doi: text,
  title: text,
  display_name: text,
  publication_year: lenient(z.number()),
  type: said,
  language: said,
  ids: maybe(z.record(z.string(), maybe(z.union([z.string(), z.number()])))),
  is_retracted: maybe(z.boolean()),
  open_access: maybe(z.object({ is_oa: maybe(z.boolean()), oa_status: said })),
  authorships: lenient(
    objects({
      author: maybe(z.object({ display_name: text, orcid: said })),
      raw_author_name: said,
      institutions: listed({ display_name: text, ror: text }),
    }),
  ),
  primary_location: maybe(openAlexLocation),
  best_oa_location: maybe(openAlexLocation),
  locations: maybe(validItems(openAlexLocation)),
  has_content: lenient(z.object({ pdf: maybe(z.boolean()), grobid_xml: maybe(z.boolean()) })),
  content_urls: lenient(z.object({ pdf: text, grobid_xml: text })),
  publication_date: said,
  biblio: lenient(z.object({ volume: text, issue: text, first_page: text, last_page: text })),
  abstract_inverted_index: lenient(z.record(z.string(), z.array(z.number()))),
  referenced_works: works,
  related_works: works,
  cited_by_count: lenient(z.number()),
  topics: listed({ id: text, display_name: text }),
  keywords: listed({ display_name: text }),
  awards: listed({ funder_display_name: text, funder_award_id: text }),
  funders: listed({ display_name: text, ror: text }),
  updated_date: said,
});

export const openAlexPage = z.object({
  meta: z.object({ count: lenient(z.number()), next_cursor: said }),
  results: z.array(z.unknown()),
});

export const openAlexTopics = z.object({
  results: z.array(z.object({ id: z.string(), display_name: z.string() })),
});

export const openAlexRefusal = z.object({
  message: text,
  creditsRequired: maybe(z.number()),
  dailyRemainingUsd: maybe(z.number()),
});

/** Fields to select; `select` accepts root level only. */
export const OPENALEX_SELECT = Object.keys(openAlexWork.shape).join(',');

type Location = z.output<typeof openAlexLocation>;
type Parsed = z.output<typeof openAlexWork>;

const MAX_LOCATIONS = 50;
const MAX_AUTHORS = 20;

interface ReadRecord {
  readonly data: Parsed;
  readonly id: string;
  readonly ids: WorkIds;
  readonly places: readonly Location[];
}

/** Undefined if it has no id or another shape. `at` is when it was read. */
export function parseOpenAlex(value: unknown, at: string) {
  const { data } = openAlexWork.safeParse(value);
  const id = data && normalizeOpenAlexId(data.id ?? String(data.ids?.['openalex'] ?? ''));
  if (!data || id === undefined) return undefined;
  const places = [data.best_oa_location, data.primary_location, ...(data.locations ?? [])].filter(
    (each) => each !== null,
  );
  const read = { data, id, ids: idsOf(data, id, places), places };
  return { work: workOf(read), record: recordOf(read, at) };
}

export function parseOpenAlexWork(value: unknown): Work | undefined {
  return parseOpenAlex(value, '')?.work;
}

export function parseOpenAlexRecord(value: unknown, at: string): WorkRecord | undefined {
  return parseOpenAlex(value, at)?.record;
}

function workOf({ data, id, ids, places }: ReadRecord): Work {
  // The best location is listed twice.
  const byUrls = Map.groupBy(places, ({ landing_page_url: landing, pdf_url: pdf }) => `${landing ?? ''} ${pdf ?? ''}`);
  return {
    id,
    ids,
    title: plainText(data.title ?? data.display_name),
    year: data.publication_year,
    type: data.type,
    language: data.language,
    authors: (data.authorships ?? [])
      .map(({ author }) => author?.display_name ?? '')
      .filter((name) => name !== '')
      .slice(0, MAX_AUTHORS),
    isRetracted: data.is_retracted ?? false,
    isOpen: data.open_access?.is_oa ?? null,
    locations: [...byUrls.values()].flatMap(([each]) => (each ? [locationOf(each)] : [])).slice(0, MAX_LOCATIONS),
    content: {
      pdf: data.has_content?.pdf ?? (data.content_urls?.pdf ?? null) !== null,
      tei: data.has_content?.grobid_xml ?? (data.content_urls?.grobid_xml ?? null) !== null,
    },
    urls: [],
    isComplete: true,
  };
}

/** Includes ids in the URLs of its locations. */
function idsOf(data: Parsed, openalex: string, locations: readonly Location[]): WorkIds {
  const named = (name: string): string => String(data.ids?.[name] ?? '');
  const doi = normalizeDoi(data.doi ?? named('doi')) ?? null;
  const urls = locations.flatMap(({ landing_page_url: landing, pdf_url: pdf }) => [landing ?? '', pdf ?? '']);
  const first = <T>(read: (text: string) => T | undefined, texts: readonly string[] = urls): T | null =>
    texts
      .values()
      .map(read)
      .find((found) => found !== undefined) ?? null;
  // OpenAlex has no field for arXiv ids: they are in location ids, URLs, or the DOI.
  const atArxiv = [
    ...locations.map(({ id }) => id ?? '').filter((id) => /^(?:pmh:)?oai:arxiv\.org:/i.test(id)),
    ...urls.filter((url) => /^https?:\/\/(?:www\.|export\.)?arxiv\.org\//i.test(url)),
  ];
  const arxiv = first(parseArxivId, [...atArxiv, doi ?? '']);
  return {
    openalex,
    doi,
    // A location names the version OpenAlex saw; the work is its latest.
    arxiv: arxiv && { id: arxiv.id, version: null },
    pmid: pmidFromField(named('pmid')) ?? null,
    pmcid: pmcidFromField(named('pmcid')) ?? first(pmcidInUrl),
    hal: first((url) => (/hal\.science|archives-ouvertes\.fr/i.test(url) ? normalizeHalId(url) : undefined)),
    zenodo: normalizeZenodoId(doi ?? '') ?? first(normalizeZenodoId),
  };
}

/** Some OpenAlex URLs lack the prefix: `…/pmc/articles/12008803`. */
function pmcidInUrl(url: string): string | undefined {
  const [, id] =
    /(?:ncbi\.nlm\.nih\.gov|europepmc\.org)[^\s/]{0,60}\/(?:pmc\/)?articles?\/(?:PMC\/)?((?:PMC)?\d{1,10})\b/i.exec(
      url,
    ) ?? [];
  return pmcidFromField(id ?? '');
}

function locationOf(location: Location): WorkLocation {
  return {
    landingUrl: location.landing_page_url ?? null,
    pdfUrl: location.pdf_url ?? null,
    isOpen: location.is_oa ?? false,
    license: parseLicense(location.license),
    version: parseVersion(location.version),
    hostType: location.source?.type ? (location.source.type === 'repository' ? 'repository' : 'publisher') : null,
  };
}

const MOST_AUTHORS = 500;
const MOST_REFERENCES = 5000;
const MOST_WORDS = 20_000;
const MOST_NAMED = 50;

function recordOf({ data, id, ids, places }: ReadRecord, at: string): WorkRecord {
  const best = data.best_oa_location ?? data.primary_location;
  const license = parseLicense(places.find(({ license }) => license !== null)?.license);
  const source = data.primary_location?.source ?? null;
  const record: WorkRecord = {
    ...emptyRecord(id, ids),
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
      orcid: orcidIn(author?.orcid ?? null),
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
