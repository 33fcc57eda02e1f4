import type { z } from 'zod';

import type { ArxivId } from '../ids/arxiv-id.ts';
import { parseArxivId } from '../ids/arxiv-id.ts';
import { normalizeDoi } from '../ids/doi.ts';
import type { HostType } from '../license.ts';
import { parseLicense, parseVersion } from '../license.ts';
import type { openAlexLocation } from './schema.ts';
import { openAlexWork } from './schema.ts';
import type { Work, WorkLocation } from '../work.ts';
import type { WorkIds } from '../ids/work-ids.ts';
import {
  normalizeHalId,
  normalizeOpenAlexId,
  normalizeZenodoId,
  pmcidFromField,
  pmidFromField,
} from '../ids/catalogue-ids.ts';

type Location = z.output<typeof openAlexLocation>;

const MAX_LOCATIONS = 50;
const MAX_AUTHORS = 20;

/** An OpenAlex record as a work; undefined if it has no id or another shape. */
export function parseOpenAlexWork(value: unknown): Work | undefined {
  const parsed = openAlexWork.safeParse(value);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  const openalex = normalizeOpenAlexId(data.id ?? String(data.ids?.['openalex'] ?? ''));
  if (openalex === undefined) return undefined;
  const found = [data.best_oa_location, data.primary_location, ...(data.locations ?? [])].filter(
    (each) => each !== null,
  );
  const ids = idsOf(data, openalex, found);
  return {
    id: openalex,
    ids,
    title: data.title ?? data.display_name ?? null,
    year: data.publication_year ?? null,
    type: data.type ?? null,
    language: data.language ?? null,
    authors: (data.authorships ?? [])
      .map(({ author }) => author?.display_name ?? '')
      .filter((name) => name !== '')
      .slice(0, MAX_AUTHORS),
    isRetracted: data.is_retracted ?? false,
    isOpen: data.open_access?.is_oa ?? null,
    locations: distinct(found.map(locationOf)).slice(0, MAX_LOCATIONS),
    content: {
      pdf: data.has_content?.pdf ?? (data.content_urls?.pdf ?? null) !== null,
      tei: data.has_content?.grobid_xml ?? (data.content_urls?.grobid_xml ?? null) !== null,
    },
    urls: [],
    isComplete: true,
  };
}

/** All ids in an OpenAlex record, including those in the URLs of its locations. */
export function idsOf(data: z.output<typeof openAlexWork>, openalex: string, locations: readonly Location[]): WorkIds {
  const text = (name: string): string => String(data.ids?.[name] ?? '');
  const doi = normalizeDoi(data.doi ?? text('doi')) ?? null;
  const urls = locations
    .flatMap(({ landing_page_url: landing, pdf_url: pdf }) => [landing, pdf])
    .filter((url) => url !== null);
  const first = <T>(read: (url: string) => T | undefined): T | null => {
    for (const url of urls) {
      const value = read(url);
      if (value !== undefined) return value;
    }
    return null;
  };
  return {
    openalex,
    doi,
    arxiv: arxivOf(doi, locations),
    pmid: pmidFromField(text('pmid')) ?? null,
    pmcid: pmcidFromField(text('pmcid')) ?? pmcidIn(urls),
    hal: first((url) => (/hal\.science|archives-ouvertes\.fr/i.test(url) ? normalizeHalId(url) : undefined)),
    zenodo: normalizeZenodoId(doi ?? '') ?? first(normalizeZenodoId),
  };
}

/** OpenAlex has no field for arXiv ids: they are in location ids, URLs, or the DOI. */
function arxivOf(doi: string | null, locations: readonly Location[]): ArxivId | null {
  const byId = locations.map(({ id }) => id ?? '').find((id) => /^(?:pmh:)?oai:arxiv\.org:/i.test(id));
  const urls = locations.flatMap(({ landing_page_url: landing, pdf_url: pdf }) => [landing ?? '', pdf ?? '']);
  const byUrl = urls.filter((url) => /^https?:\/\/(?:www\.|export\.)?arxiv\.org\//i.test(url));
  for (const text of [byId ?? '', ...byUrl, doi ?? '']) {
    const parsed = parseArxivId(text);
    // A location names the version OpenAlex saw; the work is its latest.
    if (parsed) return { id: parsed.id, version: null };
  }
  return null;
}

function pmcidIn(urls: readonly string[]): string | null {
  for (const url of urls) {
    // Some OpenAlex URLs lack the prefix (…/pmc/articles/12008803).
    const id =
      /(?:ncbi\.nlm\.nih\.gov|europepmc\.org)[^\s/]{0,60}\/(?:pmc\/)?articles?\/(?:PMC\/)?((?:PMC)?\d{1,10})\b/i.exec(
        url,
      )?.[1];
    if (id !== undefined) return pmcidFromField(id) ?? null;
  }
  return null;
}

function locationOf(location: Location): WorkLocation {
  return {
    landingUrl: location.landing_page_url ?? null,
    pdfUrl: location.pdf_url ?? null,
    isOpen: location.is_oa ?? false,
    license: parseLicense(location.license),
    version: parseVersion(location.version),
    hostType: hostTypeOf(location.source?.type ?? null),
  };
}

function hostTypeOf(sourceType: string | null): HostType | null {
  if (sourceType === null) return null;
  return sourceType === 'repository' ? 'repository' : 'publisher';
}

/** The best location is listed twice. */
function distinct(locations: readonly WorkLocation[]): WorkLocation[] {
  const seen = new Set<string>();
  return locations.filter(({ landingUrl, pdfUrl }) => {
    const key = `${landingUrl ?? ''} ${pdfUrl ?? ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
