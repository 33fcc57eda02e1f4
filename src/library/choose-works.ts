import { readFileSync } from 'node:fs';

import { AppError } from '../base/index.ts';
import type { SavedSet } from '../database/index.ts';
import { LABELS } from '../database/index.ts';
import type { CorpusWorks } from './corpus-works.ts';
import type { WorkFilter } from './works/work-table.ts';
import { parseYears, WORK_FACETS } from './works/work-table.ts';

const FIELDS = [...WORK_FACETS, 'title', 'author', 'venue', 'label'] as const;
const MOST_LISTED = 100_000;

/** Parses a filter such as `year:2018-2022 author:"van Oppen" retracted:no heat waves`. */
export function parseWorkFilter(text: string): WorkFilter {
  const filter: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (const [, field, quoted, bare, word] of text.matchAll(/(?<!\S)([a-z]{1,20}):(?:"([^"]{0,500})"|(\S*))|(\S+)/gi)) {
    const name = field?.toLowerCase() ?? '';
    const value = quoted ?? bare ?? '';
    if (name === '') words.push((word ?? '').replaceAll('"', ''));
    else if (name === 'retracted' && /^(?:yes|no)$/i.test(value)) filter['retracted'] = /^yes$/i.test(value);
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

/** Rather than a name or a list of ids. */
function isFilter(text: string): boolean {
  const starts = [...FIELDS, 'retracted'].map((field) => `${field}:`);
  return text
    .toLowerCase()
    .split(/\s/)
    .some((word) => starts.some((start) => word.startsWith(start)));
}

/** Selects by a saved set, `included` or `excluded`, a filter, ids with commas, or a file of ids, `@FILE`. */
export function chooseWorks(works: CorpusWorks, text: string): ReadonlySet<string> {
  const named = works.records.sets().find(({ name }) => name === text);
  if (named) return worksOfSet(works, named);
  const label = LABELS.find((each) => each === text);
  if (label) return new Set([...works.records.labels()].flatMap(([work, own]) => (own === label ? [work] : [])));
  if (isFilter(text)) return works.table.ids(parseWorkFilter(text));
  const ids = text.startsWith('@') ? listIn(text.slice(1)) : text.split(',');
  return new Set(ids.map((id) => id.trim()).flatMap((id) => (id === '' ? [] : [workOf(works, id)])));
}

export function worksOfSet(works: CorpusWorks, { works: listed, filter }: SavedSet): ReadonlySet<string> {
  return listed ? new Set(listed) : works.table.ids(parseWorkFilter(filter ?? ''));
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
