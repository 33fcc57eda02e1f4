import { namesOf } from './csl.ts';
import type { Author, WorkRecord } from './record.ts';
import { yearOf } from './record.ts';

/** With more authors, APA 7 names the first nineteen and the last. */
const MOST_AUTHORS = 20;

/** A work as an APA 7 citation, in plain text. */
export function apaCitation(record: WorkRecord): string {
  const year = yearOf(record);
  const title = record.title?.replace(/(?<![.\s])[.\s]+$/, '');
  const where = placeOf(record);
  const address = record.ids.doi === null ? record.url : `https://doi.org/${record.ids.doi}`;
  const authors = authorsOf(record.authors);
  const date = `(${year ?? 'n.d.'})`;
  const parts = [
    // Without authors the title comes first.
    authors === '' ? `${title ?? 'Untitled'}. ${date}` : `${authors} ${date}. ${title ?? 'Untitled'}`,
    where,
  ].filter((part) => part !== '');
  return `${parts.map((part) => part.replace(/\.$/, '')).join('. ')}.${address === null ? '' : ` ${address}`}`;
}

function placeOf({ venue, volume, issue, pages }: WorkRecord): string {
  if (venue === null) return '';
  const number = volume === null ? '' : `${volume}${issue === null ? '' : `(${issue})`}`;
  return [venue, number, pages?.replace(/-+/, '–') ?? ''].filter((part) => part !== '').join(', ');
}

function authorsOf(authors: readonly Author[]): string {
  const named = authors.map(citedName);
  if (named.length === 0) return '';
  if (named.length === 1) return named[0] as string;
  if (named.length > MOST_AUTHORS) return `${named.slice(0, MOST_AUTHORS - 1).join(', ')}, … ${named.at(-1)}`;
  return `${named.slice(0, -1).join(', ')}, & ${named.at(-1)}`;
}

/** "van der Berg, A. M."; hyphenated given names keep their hyphen. */
function citedName(author: Author): string {
  const { family, given, name } = namesOf(author);
  if (family === null) return name;
  const initials = (given ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) =>
      word
        .split('-')
        .map((part) => `${part.slice(0, 1).toUpperCase()}.`)
        .join('-'),
    )
    .join(' ');
  return initials === '' ? family : `${family}, ${initials}`;
}
