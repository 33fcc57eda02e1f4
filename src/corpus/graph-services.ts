import type { Catalogue, Directory, KnownWork } from '../graph/index.ts';
import type { Asking } from '../harvest/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { iterateOpenAlex, yearOf } from '../works/index.ts';

/** Bounds of what is stored of an answer, which may contain anything. */
const LONGEST = 1_000;
const MOST_AUTHORS = { openalex: 30, crossref: 100 } as const;

/** OpenAlex, asked for many works at once by the ids under which its records cite them. */
export function openAlexDirectory({
  services,
  contact,
  send,
}: Pick<Asking, 'services' | 'contact' | 'send'>): Directory {
  return {
    origin: 'openalex',
    async ask(ids, signal) {
      const works = new Map<string, KnownWork>();
      const pages = iterateOpenAlex(
        { filter: `openalex:${ids.join('|')}` },
        {
          send,
          baseUrl: services.base('openalex'),
          credentials: services.credentials('openalex'),
          mailto: contact,
          signal,
        },
      );
      for await (const event of pages) {
        if (event.kind === 'work' && event.record) works.set(event.record.id, knownWork(event.record));
        if (event.kind !== 'end' || event.end.kind === 'complete' || event.end.kind === 'limit') continue;
        return { kind: 'away', message: event.end.kind === 'failed' ? event.end.message : event.end.kind };
      }
      return { kind: 'answered', works };
    },
  };
}

function knownWork(record: WorkRecord): KnownWork {
  return {
    kind: 'known',
    doi: record.ids.doi,
    title: record.title?.slice(0, LONGEST) ?? null,
    authors: record.authors.slice(0, MOST_AUTHORS.openalex).map(({ name }) => name.slice(0, LONGEST)),
    year: yearOf(record),
    venue: record.venue?.slice(0, LONGEST) ?? null,
  };
}

/** Crossref, asked for the works of printed references as for the entries of a list that has no ids. */
export function crossrefCatalogue({ byTitle }: Pick<Asking, 'byTitle'>): Catalogue {
  return {
    origin: 'crossref',
    async ask(cited, signal) {
      const finding = await byTitle(cited, signal);
      if (finding.kind === 'away' || finding.kind === 'none') return finding;
      if (finding.kind === 'doubtful') return { kind: 'doubtful' };
      const { doi, title, authors, year, venue, score } = finding.candidate;
      return {
        kind: 'found',
        doi,
        title: title.slice(0, LONGEST),
        authors: authors.slice(0, MOST_AUTHORS.crossref).map((name) => name.slice(0, LONGEST)),
        year,
        venue: venue === null ? null : venue.slice(0, LONGEST),
        score,
      };
    },
  };
}
