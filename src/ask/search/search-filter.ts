import { AppError, sha256 } from '../../base/index.ts';
import type { SearchFilter, Section } from '../../search/index.ts';
import { SECTIONS } from '../../search/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { parseLicense, retractionOf, yearOf } from '../../works/index.ts';
import { parseYears } from '../works/work-filter.ts';
import type { Records } from '../../store/index.ts';
import { folded } from '../../store/index.ts';

/** Which passages to search, as people write it; every field is optional. */
export interface PassageFilter {
  /** `2020`, `2018-2022`, `2018-`, `-2022`. */
  readonly year?: string | undefined;
  /** Part of an author's name, or an ORCID. */
  readonly author?: string | undefined;
  /** Part of the name of a journal or repository. */
  readonly venue?: string | undefined;
  /** `article`, `preprint`, `review`, … */
  readonly type?: string | undefined;
  /** `cc-by`, `cc0`, …; comma-separated. */
  readonly license?: string | undefined;
  /**
   * Parts of papers, comma-separated: `methods,results`; front matter and reference lists are searched only if named.
   */
  readonly section?: string | undefined;
  /** Only passages that contain one. */
  readonly has?: 'table' | 'figure' | undefined;
  readonly excludeRetracted?: boolean | undefined;
  /** Only these works, by their ids or the names of their documents. */
  readonly works?: ReadonlySet<string> | undefined;
}

type Accepts = (record: WorkRecord) => boolean;

/** Converts the filter to that of an index; `hidden` documents are never searched. */
export function searchFilter(
  filter: PassageFilter,
  records: Pick<Records, 'ofDocument'> | undefined,
  hidden: ReadonlySet<string>,
): SearchFilter {
  const tests: Accepts[] = [];
  if (filter.year !== undefined) tests.push(inYears(filter.year));
  if (filter.author !== undefined) tests.push(byAuthor(filter.author));
  if (filter.venue !== undefined) tests.push(contains(filter.venue, ({ venue }) => [venue]));
  if (filter.type !== undefined) tests.push(oneOf(filter.type, ({ type }) => type));
  if (filter.license !== undefined)
    tests.push(
      oneOf(
        filter.license,
        ({ license }) => license,
        (each) => parseLicense(each)?.slug ?? each,
      ),
    );
  const { excludeRetracted = false, works } = filter;
  const accepts = (document: string): boolean => {
    if (hidden.has(document)) return false;
    if (works && !works.has(document) && !works.has(records?.ofDocument(document)?.id ?? document)) return false;
    if (tests.length === 0 && !excludeRetracted) return true;
    const record = records?.ofDocument(document);
    // A document without a record counts as not retracted and has no year.
    if (!record) return tests.length === 0;
    return tests.every((test) => test(record)) && !(excludeRetracted && retractionOf(record));
  };
  const { year, author, venue, type, license } = filter;
  const key = JSON.stringify([
    year,
    author,
    venue,
    type,
    license,
    excludeRetracted,
    hidden.size,
    works && sha256([...works].sort().join('\n')),
  ]);
  return {
    ...((tests.length > 0 || works || excludeRetracted || hidden.size > 0) && { documents: { key, accepts } }),
    ...(filter.section !== undefined && { sections: sectionsOf(filter.section) }),
    ...(filter.has !== undefined && { has: filter.has }),
  };
}

function inYears(text: string): Accepts {
  const [first, last] = parseYears(text);
  return (record) => {
    const year = yearOf(record);
    return year !== null && year >= first && year <= last;
  };
}

function byAuthor(text: string): Accepts {
  const orcid = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i.exec(text)?.[0].toUpperCase();
  if (orcid !== undefined) return ({ authors }) => authors.some((author) => author.orcid === orcid);
  return contains(text, ({ authors }) => authors.map(({ name }) => name));
}

/** Whether every word of the text is in one of the values, ignoring case and accents. */
function contains(text: string, read: (record: WorkRecord) => readonly (string | null)[]): Accepts {
  const words = folded(text)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  return (record) =>
    read(record).some((value) => value !== null && words.every((word) => folded(value).includes(word)));
}

function oneOf(
  text: string,
  read: (record: WorkRecord) => string | null,
  normal: (value: string) => string = (value) => value,
): Accepts {
  const wanted = new Set(text.split(',').map((each) => normal(each.trim().toLowerCase())));
  return (record) => wanted.has((read(record) ?? '').toLowerCase());
}

function sectionsOf(text: string): Section[] {
  return text.split(',').map((each) => {
    const name = each.trim().toLowerCase();
    const section = SECTIONS.find((known) => known === name || `${known}s` === name || known === `${name}s`);
    if (!section) throw wrong('section', each, SECTIONS.join(', '));
    return section;
  });
}

function wrong(what: string, value: string, hint: string): AppError {
  return new AppError('USAGE_FILTER', `"${value.slice(0, 100)}" is not a valid ${what}`, { hint });
}
