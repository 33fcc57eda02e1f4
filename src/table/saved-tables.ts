import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { AppError, canonicalJson, readFields, sha256, systemClock, writeOwnFile } from '../base/index.ts';
import type { CitedDocument, Corpus, SearchRequest, SearchSession } from '../corpus/index.ts';
import type { Cell, Column, Table, TableRow } from './cell.ts';
import { empty, readCells } from './cell.ts';
import { parseColumns, writtenColumn } from './columns.ts';
import { typedValue } from './fill-cells.ts';

/** Raised when the same papers give different cells. */
const FILL_VERSION = 4;
const TABLE_FILE = 'table.json';

/** The rows are files beside it. */
type TableFile = Omit<Table, 'rows'>;

type TableCorpus = Pick<Corpus, 'config' | 'folder' | 'shared'>;

function tablesFolder({ config }: Pick<Corpus, 'config'>): string {
  return join(config.parse.data_root, 'Tables');
}

export function tableFolder(corpus: Pick<Corpus, 'config'>, columns: readonly Column[]): string {
  return join(tablesFolder(corpus), sha256(canonicalJson(columns)).slice(0, 12));
}

/** Rows with another hash come from another model or version and are not shown. */
export function rowHash({ columns, model }: TableFile): string {
  return sha256(canonicalJson({ version: FILL_VERSION, columns, model }));
}

export function rowPath(folder: string, document: string): string {
  return join(folder, `${document}.json`);
}

/** Writes what a table is, for all machines of its corpus; its rows are files beside it. */
export async function saveTable(
  corpus: Pick<Corpus, 'folder' | 'shared'>,
  folder: string,
  { columns, model }: TableFile,
): Promise<void> {
  const file = { columns: columns.map(writtenColumn), model, at: systemClock.now() };
  await writeOwnFile(join(folder, TABLE_FILE), JSON.stringify(file));
  await corpus.shared?.files.save([pathIn(corpus, join(folder, TABLE_FILE))]);
}

/** A path as all machines of a corpus name it. */
export function pathIn({ folder }: Pick<Corpus, 'folder'>, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** The tables of a corpus, newest first; `at` is when a table was last started. */
export async function savedTables(corpus: TableCorpus) {
  const folder = tablesFolder(corpus);
  await corpus.shared?.files.bringNew(`${pathIn(corpus, folder)}/`, (path) => path.endsWith(`/${TABLE_FILE}`));
  if (!existsSync(folder)) return [];
  const tables = readdirSync(folder).flatMap((id) => {
    const path = join(folder, id, TABLE_FILE);
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (written === undefined) return [];
    try {
      const { model, at: started } = readFields(path);
      const at = typeof started === 'number' ? started : written;
      const columns = parseColumns(readFileSync(path, 'utf8'), path);
      return [{ columns, model: typeof model === 'string' ? model : null, id, at }];
    } catch {
      // Not a table of ours; it is rewritten when the table is next filled in.
      return [];
    }
  });
  return tables.sort((one, other) => other.at - one.at);
}

/** Changes when a row of any table is filled in, on any machine. */
export function tablesStamp(corpus: TableCorpus): string {
  const folder = tablesFolder(corpus);
  if (corpus.shared) return corpus.shared.files.stamp(`${pathIn(corpus, folder)}/`);
  if (!existsSync(folder)) return '';
  const times = readdirSync(folder).map((id) => `${id} ${statSync(join(folder, id)).mtimeMs}`);
  return sha256(times.join('\n')).slice(0, 16);
}

/** Fills in nothing; `next` is where the next page starts, `screenedOut` as in a filled table. */
export async function readTable(
  corpus: Corpus,
  session: SearchSession,
  id: string,
  page: { readonly search?: SearchRequest; readonly from?: number; readonly limit?: number } = {},
) {
  const { search = {}, from = 0, limit = Infinity } = page;
  const table = await tableNamed(corpus, id);
  await bringRows(corpus, join(tablesFolder(corpus), id));
  const documents = await session.documents(search);
  const rows: TableRow[] = [];
  let at = from;
  for (; at < documents.length && rows.length < limit; at += 1) {
    const document = documents[at];
    const row = document && readRow(join(tablesFolder(corpus), id), table, document);
    if (row) rows.push(row);
  }
  const { columns, model } = table;
  const corrected = withCorrections({ columns, model, rows }, corpus.corrections());
  return { ...corrected, id, next: at < documents.length ? at : null, screenedOut: screenedOutOf(session, search) };
}

/** Works that a table leaves out because screening excluded them; none if works are chosen. */
export function screenedOutOf(session: SearchSession, { works }: SearchRequest = {}): number {
  return works === undefined ? session.worksScreenedOut : 0;
}

/** Fetches the rows of a table that other machines have filled in. */
export async function bringRows(corpus: TableCorpus, folder: string): Promise<void> {
  await corpus.shared?.files.bringNew(`${pathIn(corpus, folder)}/`);
}

async function tableNamed(corpus: Corpus, id: string): Promise<TableFile> {
  const table = (await savedTables(corpus)).find((each) => each.id === id);
  if (table) return table;
  throw new AppError('TABLE_UNKNOWN', `there is no table ${id.slice(0, 100)}`, {
    hint: 'fill one with docstokg table',
  });
}

/** The row of a document; undefined if this model has not filled it in, or it is unreadable. */
export function readRow(folder: string, table: TableFile, document: CitedDocument): TableRow | undefined {
  const { cfgHash, cells } = readFields(rowPath(folder, document.document));
  const read = cfgHash === rowHash(table) ? readCells(cells, table.columns.length) : undefined;
  return read && rowOf(document, read);
}

export function rowOf({ document, work, link }: CitedDocument, cells: Cell[]): TableRow {
  const cited = work && { id: work.id, title: work.title, year: work.year, apa: work.apa, doi: work.doi };
  return { document, work: cited, link, cells };
}

/** Applies people's corrections, by the id of the work or the name of its document. */
export function withCorrections(table: Table, corrections: ReadonlyMap<string, ReadonlyMap<string, string>>): Table {
  const rows = table.rows.map((row) => {
    const own = corrections.get(row.work?.id ?? row.document) ?? corrections.get(row.document);
    if (!own) return row;
    const cells = row.cells.map((cell, at): Cell => {
      const value = own.get(table.columns[at]?.name ?? '');
      if (value === undefined) return cell;
      return value === '' ? empty('corrected') : { kind: 'value', value, from: 'corrected', quotes: cell.quotes };
    });
    return { ...row, cells };
  });
  return { ...table, rows };
}

/** Corrects a cell for later runs too and returns its row; '' empties it, null restores the extracted value. */
export async function correctCell(
  corpus: Corpus,
  session: SearchSession,
  id: string,
  cell: { readonly work: string; readonly column: string; readonly value: string | null },
): Promise<TableRow | undefined> {
  const { columns } = await tableNamed(corpus, id);
  const column = columns.find(({ name }) => name === cell.column);
  if (!column)
    throw new AppError('USAGE_TABLE', `the table has no column "${cell.column.slice(0, 100)}"`, {
      hint: `its columns: ${columns.map(({ name }) => name).join(', ')}`,
    });
  const search = { works: new Set([cell.work]) };
  if ((await session.documents(search)).length === 0)
    throw new AppError('USAGE_WORK', `unknown work "${cell.work.slice(0, 100)}"`, { hint: 'use an id of a row' });
  const value = cell.value?.trim() ?? null;
  const typed = value === null || value === '' ? value : typedValue(column, value);
  if (typeof typed === 'object' && typed !== null)
    throw new AppError('USAGE_TABLE', `"${(value ?? '').slice(0, 100)}" is not a value of "${column.name}"`, {
      hint: column.type === 'choice' ? `one of: ${column.choices.join(', ')}` : `expected ${column.type}`,
    });
  await corpus.correct(cell.work, column.name, typed);
  const { rows } = await readTable(corpus, session, id, { search });
  return rows[0];
}
