import type { WorkIds } from '../ids/work-ids.ts';
import { parsePersonName } from '../record/person-name.ts';
import { withProvenance } from '../record/merge-records.ts';
import type { Author, WorkRecord } from '../record/record.ts';
import { emptyRecord } from '../record/record.ts';

type Text = 'title' | 'date' | 'venue' | 'publisher' | 'volume' | 'issue' | 'pages' | 'language' | 'abstract' | 'type';

/** Column and field names of lists, and what they hold. */
const FIELDS: Readonly<Record<string, Text | 'authors' | 'author' | 'group' | 'keywords'>> = {
  title: 'title',
  display_name: 'title',
  author: 'authors',
  authors: 'authors',
  creator: 'authors',
  one_author: 'author',
  one_group: 'group',
  year: 'date',
  publication_year: 'date',
  date: 'date',
  issued: 'date',
  publication_date: 'date',
  journal: 'venue',
  journaltitle: 'venue',
  booktitle: 'venue',
  venue: 'venue',
  source: 'venue',
  publication_title: 'venue',
  container_title: 'venue',
  publisher: 'publisher',
  school: 'publisher',
  institution: 'publisher',
  work_type: 'type',
  volume: 'volume',
  issue: 'issue',
  number: 'issue',
  pages: 'pages',
  page: 'pages',
  language: 'language',
  abstract: 'abstract',
  abstract_note: 'abstract',
  keywords: 'keywords',
  keyword: 'keywords',
};

const MOST_AUTHORS = 500;
const LONGEST = 100_000;

/** The record in a list entry; undefined if the entry has only ids. */
export function listedRecord(
  id: string,
  ids: WorkIds,
  fields: Iterable<readonly [string, string]>,
  at = '',
): WorkRecord | undefined {
  const texts: Partial<Record<Text, string>> = {};
  const authors: Author[] = [];
  const keywords: string[] = [];
  for (const [name, value] of fields) {
    const meaning = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (meaning === undefined || value === '') continue;
    if (meaning === 'authors') authors.push(...authorsIn(value));
    else if (meaning === 'author') authors.push(...value.split(';').flatMap(authorIn));
    else if (meaning === 'group') authors.push({ ...NOBODY, name: value });
    else if (meaning === 'keywords')
      keywords.push(
        ...value
          .split(/[,;]/)
          .map((word) => word.trim())
          .filter((word) => word !== ''),
      );
    else texts[meaning] ??= value.slice(0, LONGEST);
  }
  if (Object.keys(texts).length === 0 && authors.length === 0) return undefined;
  const record: WorkRecord = {
    ...emptyRecord(id, ids),
    ...texts,
    date: dateIn(texts.date ?? ''),
    pages: texts.pages?.replace(/\s{0,4}[-–]{1,3}\s{0,4}/, '-') ?? null,
    authors: authors.slice(0, MOST_AUTHORS),
    keywords: keywords.slice(0, 200),
  };
  return withProvenance(record, 'list', at);
}

/** "Berg, Ana and Liu, Wei" (BibTeX), "Berg, Ana; Liu, Wei" (tables), or one name. */
function authorsIn(text: string): Author[] {
  const parts = / and /i.test(text) ? text.split(/\sand\s/i) : text.split(';');
  return parts.flatMap(authorIn);
}

const NOBODY: Author = { name: '', family: null, given: null, orcid: null, institutions: [] };

/** One name; empty for an empty text or "et al.". */
function authorIn(text: string): Author[] {
  const part = text.trim();
  if (part === '' || part.toLowerCase() === 'others') return [];
  const { name, family, given } = parsePersonName(part);
  return [part.includes(',') ? { ...NOBODY, name, family, given } : { ...NOBODY, name }];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** "2020/01/02", "2020 Jan 5", "2020-01" and the like, to their precision. */
function dateIn(text: string): string | null {
  const [, year, month = '', day = ''] =
    /\b((?:1[5-9]|20)\d\d)(?:[\s/.-]+(\d{1,2}|[a-z]{3})[a-z]*)?(?:[\s/.-]+(\d{1,2}))?\b/i.exec(text.slice(0, 200)) ??
    [];
  if (year === undefined) return null;
  const number = /^\d/.test(month) ? Number(month) : MONTHS.indexOf(month.toLowerCase()) + 1;
  if (number < 1 || number > 12) return year;
  const exact = Number(day) >= 1 && Number(day) <= 31 ? `-${day.padStart(2, '0')}` : '';
  return `${year}-${String(number).padStart(2, '0')}${exact}`;
}
