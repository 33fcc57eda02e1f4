import { authorList } from '../references.ts';
import type { Paper } from '../paper.ts';

/** Authors on the first page: all of them, or as many as fit and how many more there are. */
export function authorLine(paper: Paper, most = 14): string {
  const names = paper.spec.authors.map(({ name }) => name);
  if (names.length > most) return `${names.slice(0, most).join(', ')}, and ${String(names.length - most)} others`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${paper.labels.and} ${names.at(-1) ?? ''}`;
}

/** The places the authors work at, each once. */
export function affiliationLine(paper: Paper): string {
  const places = paper.spec.authors.map(({ affiliation }) => affiliation).filter((place) => place !== undefined);
  return [...new Set(places)].slice(0, 6).join(' · ');
}

/** Where the paper appeared and under which numbers it is known. */
export function imprint({ spec, volume, firstPage }: Paper, journal: string): string {
  return [
    `${journal} ${String(volume)} (${String(spec.year)}) ${String(firstPage)}`,
    spec.doi && `https://doi.org/${spec.doi}`,
    spec.pmcid,
    spec.arxivId && `arXiv:${spec.arxivId}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What runs along the top of the pages: who wrote it. */
export function runningAuthors(paper: Paper): string {
  const [first] = paper.spec.authors;
  const last = first?.name.split(' ').at(-1) ?? '';
  return paper.spec.authors.length > 2
    ? `${last} et al.`
    : shortTitle(authorList(paper.spec.authors.map(({ name }) => name)), 48);
}

/** A title cut at a word for the top of the pages. */
export function shortTitle(title: string, most = 56): string {
  if (title.length <= most) return title;
  const cut = title.lastIndexOf(' ', most);
  return `${title.slice(0, cut > 0 ? cut : most)} …`;
}
