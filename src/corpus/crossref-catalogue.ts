import type { Catalogue } from '../graph/index.ts';
import type { Asking } from '../harvest/index.ts';

/** What of an answer is kept: a registered work has less, an answer may have anything. */
const LONGEST = 1_000;
const MOST_AUTHORS = 100;

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
        authors: authors.slice(0, MOST_AUTHORS).map((name) => name.slice(0, LONGEST)),
        year,
        venue: venue === null ? null : venue.slice(0, LONGEST),
        score,
      };
    },
  };
}
