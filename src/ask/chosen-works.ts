import { readFileSync } from 'node:fs';

import { AppError } from '../base/index.ts';
import type { SavedSet } from '../store/index.ts';
import { LABELS } from '../store/index.ts';
import type { CorpusWorks } from './corpus-works.ts';
import type { WorkFilter } from './works/work-filter.ts';
import { parseYears, WORK_FACETS } from './works/work-filter.ts';

const FIELDS = [...WORK_FACETS, 'title', 'author', 'venue', 'label'] as const;
const PAGE = 1_000;
const MOST_LISTED = 100_000;

/**
 * Parses a filter as people write it: `year:2018-2022 type:article author:"van Oppen" retracted:no heat waves`. Words
 * without a field are searched in titles, authors, venues and ids.
 */
export function parseWorkFilter(text: string): WorkFilter {
  const filter: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (const [, field, quoted, bare, word] of text.matchAll(/(?<!\S)([a-z]{1,20}):(?:"([^"]{0,500})"|(\S*))|(\S+)/gi)) {
    const name = field?.toLowerCase() ?? '';
    const value = quoted ?? bare ?? '';
    if (name === '') words.push((word ?? '').replaceAll('"', ''));
    else if (name === 'retracted' && /^(?:yes|no)$/i.test(value)) filter['isRetracted'] = /^yes$/i.test(value);
    else if (FIELDS.some((each) => each === name) && value !== '' && filter[name] === undefined) filter[name] = value;
    else
      throw new AppError('USAGE_FILTER', `"${`${name}:${value}`.slice(0, 100)}" is not a filter condition`, {
        hint: `fields, each once: ${FIELDS.join(', ')}, retracted (yes or no)`,
      });
  }
  const { year } = filter;
  if (typeof year === 'string' && year !== 'none') parseYears(year);
  if (words.length > 0) filter['q'] = words.join(' ');
  if (Object.keys(filter).length === 0)
    throw new AppError('USAGE_FILTER', 'the filter is empty', { hint: `fields: ${FIELDS.join(', ')}, retracted` });
  return filter;
}

/** Whether a text is a filter rather than a name or a list of ids. */
function isFilter(text: string): boolean {
  const names: readonly string[] = [...FIELDS, 'retracted'];
  return text
    .split(/\s/)
    .some((word) => names.includes(word.split(':', 1)[0]?.toLowerCase() ?? '') && word.includes(':'));
}

/**
 * The ids of the chosen works: by the name of a saved set, `included` or `excluded` by screening, a filter, or
 * comma-separated ids; `@FILE` has one id per line.
 */
export function chooseWorks(works: CorpusWorks, text: string): ReadonlySet<string> {
  const named = works.records.sets().find(({ name }) => name === text);
  if (named) return worksOfSet(works, named);
  const label = LABELS.find((each) => each === text);
  if (label) return new Set([...works.records.labels()].flatMap(([work, own]) => (own === label ? [work] : [])));
  if (isFilter(text)) return filteredWorks(works, parseWorkFilter(text));
  const ids = text.startsWith('@') ? listIn(text.slice(1)) : text.split(',');
  return new Set(ids.map((id) => id.trim()).flatMap((id) => (id === '' ? [] : [workOf(works, id)])));
}

/** The ids of the works of a saved set. */
export function worksOfSet(works: CorpusWorks, { works: listed, filter }: SavedSet): ReadonlySet<string> {
  return listed ? new Set(listed) : filteredWorks(works, parseWorkFilter(filter ?? ''));
}

function filteredWorks({ table }: CorpusWorks, filter: WorkFilter): ReadonlySet<string> {
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = table.page({ ...filter, sort: 'id', limit: PAGE, cursor });
    for (const { id } of page.items) found.add(id);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return found;
}

function workOf(works: CorpusWorks, id: string): string {
  const found = works.find(id);
  if (found) return found.id;
  const sets = works.records.sets().map(({ name }) => name);
  throw new AppError('USAGE_WORKS', `"${id.slice(0, 100)}" is neither a work of this run nor a saved set`, {
    hint: `${sets.length > 0 ? `sets: ${sets.slice(0, 10).join(', ')}; ` : ''}a filter has fields, such as year:2020-2022`,
  });
}

function listIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/).slice(0, MOST_LISTED);
  } catch (cause) {
    throw new AppError('USAGE_WORKS', `${path} cannot be read`, { hint: 'a file with one id on each line', cause });
  }
}
