import { authorList } from '../references.ts';
import type { Paper } from '../paper.ts';

/** Authors on the first page, shortened with a count if there are too many. */
export function authorLine(paper: Paper, most = 14): string {
  const names = paper.spec.authors.map(({ name }) => name);
  if (names.length > most) return `${names.slice(0, most).join(', ')}, and ${String(names.length - most)} others`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${paper.labels.and} ${names.at(-1) ?? ''}`;
}

export function affiliationLine(paper: Paper): string {
  const places = paper.spec.authors.map(({ affiliation }) => affiliation).filter((place) => place !== undefined);
  return [...new Set(places)].slice(0, 6).join(' · ');
}

/** Journal, volume and identifiers. */
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

/** Running head with the authors. */
export function runningAuthors(paper: Paper): string {
  const [first] = paper.spec.authors;
  const last = first?.name.split(' ').at(-1) ?? '';
  return paper.spec.authors.length > 2
    ? `${last} et al.`
    : shortTitle(authorList(paper.spec.authors.map(({ name }) => name)), 48);
}

/** Running head with the title, cut at a word. */
export function shortTitle(title: string, most = 56): string {
  if (title.length <= most) return title;
  const cut = title.lastIndexOf(' ', most);
  return `${title.slice(0, cut > 0 ? cut : most)} …`;
}
