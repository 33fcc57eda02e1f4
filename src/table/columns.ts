import { AppError, parseYaml } from '../base/index.ts';
import type { CitedWork } from '../corpus/index.ts';
import type { Column } from './cell.ts';

const COLUMN_TYPES: readonly Column['type'][] = ['text', 'number', 'yes/no', 'choice', 'list'];

const RECORD_FIELDS: Readonly<Record<string, (work: CitedWork) => string | number | null>> = {
  title: ({ title }) => title,
  authors: ({ authors }) => authors.map(({ name }) => name).join('; ') || null,
  year: ({ year }) => year,
  date: ({ date }) => date,
  venue: ({ venue }) => venue,
  journal: ({ venue }) => venue,
  type: ({ type }) => type,
  doi: ({ doi }) => doi,
  licence: ({ license }) => license,
  license: ({ license }) => license,
  url: ({ url }) => url,
};

const MOST_COLUMNS = 50;
const LONGEST = 500;
const MOST_BYTES = 100_000;
const KNOWN = ['name', 'question', 'type', 'unit', 'choices'] as const;

export function recordValue({ field }: Column, work: CitedWork): string | null {
  const value = field === null ? null : RECORD_FIELDS[field]?.(work);
  return value === null || value === undefined || value === '' ? null : String(value);
}

/** Columns as they are named on the command line: `sample size`, `sample size:number`, `dose:number:mg`. */
export function parseColumn(text: string): Column {
  const [name = '', type, unit] = text.split(':').map((part) => part.trim());
  return columnOf({ name, ...(type !== undefined && { type }), ...(unit !== undefined && { unit }) }, text);
}

/** Reads `columns.yaml`: a list, or an object with a list `columns`, of names or of column objects. */
export function parseColumns(text: string, path: string): Column[] {
  if (text.length > MOST_BYTES) throw wrong(path, `it is longer than ${MOST_BYTES} characters`);
  let read: unknown;
  try {
    read = parseYaml(text, { maxAliasCount: 0 });
  } catch (cause) {
    throw wrong(path, cause instanceof Error ? cause.message.split('\n')[0] : 'not YAML', cause);
  }
  const list: unknown = Array.isArray(read) ? read : (read as { columns?: unknown } | null)?.columns;
  if (!Array.isArray(list) || list.length === 0) throw wrong(path, 'no list of columns');
  return checkedColumns(
    (list as unknown[]).map((each) => columnOf(typeof each === 'string' ? { name: each } : each, path)),
    path,
  );
}

/** Columns of a request: texts as on the command line, or objects as in a file. */
export function columnsFrom(given: readonly unknown[]): Column[] {
  return checkedColumns(
    given.map((each) => (typeof each === 'string' ? parseColumn(each) : columnOf(each, 'columns'))),
    'columns',
  );
}

/** A column as written to a file; `parseColumns` reads it. */
export function writtenColumn({ name, question, type, unit, choices, field }: Column): Record<string, unknown> {
  return {
    name,
    ...(field === null && { question }),
    type,
    ...(unit !== null && { unit }),
    ...(type === 'choice' && { choices }),
  };
}

export function checkedColumns(columns: readonly Column[], where: string): Column[] {
  if (columns.length > MOST_COLUMNS) throw wrong(where, `more than ${MOST_COLUMNS} columns`);
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name)) throw wrong(where, `two columns are called "${name}"`);
    names.add(name);
  }
  return [...columns];
}

function columnOf(given: unknown, where: string): Column {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong(where, 'a column has no name');
  const unknown = Object.keys(given).find((key) => !KNOWN.some((known) => known === key));
  if (unknown !== undefined) throw wrong(where, `"${unknown.slice(0, 50)}" is not a column property`);
  const { name, question, type = 'text', unit, choices } = given as Record<string, unknown>;
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST)
    throw wrong(where, 'a column has no name');
  const known = COLUMN_TYPES.find((each) => each === type);
  if (!known) throw wrong(where, `"${String(type).slice(0, 50)}" is not a column type: ${COLUMN_TYPES.join(', ')}`);
  const texts = [question, unit].map((each) => (each === undefined ? null : each));
  if (texts.some((each) => each !== null && (typeof each !== 'string' || each.length > LONGEST)))
    throw wrong(where, `question and unit of "${name}" must be strings`);
  const listed = Array.isArray(choices) ? choices.map(String) : [];
  if (known === 'choice' ? listed.length < 2 : choices !== undefined)
    throw wrong(where, `a choice column needs two or more choices ("${name}")`);
  const [asked, of] = texts as (string | null)[];
  const field = name.trim().toLowerCase();
  return {
    name: name.trim(),
    question: asked ?? name.trim(),
    type: known,
    unit: of ?? null,
    choices: listed,
    field: asked === null && Object.hasOwn(RECORD_FIELDS, field) ? field : null,
  };
}

function wrong(where: string, why: string | undefined, cause?: unknown): AppError {
  return new AppError('TABLE_COLUMNS', `${where}: ${why ?? ''}`, {
    hint: 'see the guide "Asking and tabulating"',
    ...(cause !== undefined && { cause }),
  });
}
