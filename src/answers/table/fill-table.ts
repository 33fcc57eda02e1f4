import { existsSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { AppError, sha256 } from '../../base/index.ts';
import type { CitedDocument, CitedHit, Corpus, SearchRequest, SearchSession, StageCall } from '../../corpus/index.ts';
import { stageSettings } from '../../corpus/index.ts';
import { factsPath } from '../../graph/index.ts';
import type { AnswerWriter } from '../../model/index.ts';
import { askModel } from '../../model/index.ts';
import { chunkOutput } from '../../parse/index.ts';
import type { ItemOutcome, StageEvent, WorkItem } from '../../stage/index.ts';
import { runStage } from '../../stage/index.ts';
import { answerSentences, readCandidates } from '../extract-answer.ts';
import type { Cell, Column, TableRow } from './cell.ts';
import { empty } from './cell.ts';
import { recordValue } from './columns.ts';
import type { Facts } from './fill-cells.ts';
import { cellsPrompt, checkCells, extractedCell, quantityCell } from './fill-cells.ts';
import { readRow, rowHash, rowOf, rowPath, saveTable, tableFolder, withCorrections } from './saved-tables.ts';

export const PASSAGES = 6;
const MOST_PASSAGES = 20;
export const SENTENCES = 3;
/** A sentence that names one of the choices may share fewer words with the question. */
export const LEAST_CHOICE = 0.3;

/** Papers with a row are not read again. */
export interface TableRequest {
  readonly columns: readonly Column[];
  /** Which papers; all by default. */
  readonly search?: SearchRequest | undefined;
  readonly writer?: AnswerWriter | undefined;
  readonly call?: StageCall | undefined;
  readonly report?: ((event: StageEvent) => void) | undefined;
  /** Called with each row that this run fills in. */
  readonly filled?: ((row: TableRow) => void) | undefined;
}

export type FilledTable = Awaited<ReturnType<typeof fillTable>>;

/** One row per paper, one column per question. Repeating an interrupted call resumes it; corrections stay. */
export async function fillTable(corpus: Corpus, session: SearchSession, request: TableRequest, signal?: AbortSignal) {
  const { columns, writer, call = {}, report, filled } = request;
  const { config } = corpus;
  const { data_root: dataRoot, format } = config.parse;
  // As many papers at a time as the model server accepts requests.
  const workers = writer ? config.model.concurrency : 1;
  const options = stageSettings(call, config, { policy: 'io', workers, retries: 0, perItemTimeoutS: 0 });
  const documents = session.documents(request.search);
  if (documents.length === 0)
    throw new AppError('TABLE_NOTHING', 'no papers for the table', {
      hint: 'parse papers first, or choose other --works',
    });
  const table = { columns, model: writer?.name ?? null };
  const folder = tableFolder(corpus, columns);
  await saveTable(folder, table);
  const cfgHash = rowHash(table);
  const corrections = corpus.corrections();
  const byId = new Map(documents.map((each) => [each.document, each]));
  const items = documents.map(({ document }): WorkItem => {
    const formats = format === 'jsonl' ? (['jsonl', 'parquet'] as const) : (['parquet', 'jsonl'] as const);
    const chunks = formats.map((each) => chunkOutput(dataRoot, document, each)).find((path) => existsSync(path));
    const facts = factsPath(dataRoot, document);
    return {
      itemId: document,
      inputs: { ...(chunks !== undefined && { chunks }), ...(existsSync(facts) && { facts }) },
      outputs: { row: rowPath(folder, document) },
      cfgHash,
      costHint: chunks === undefined ? 1 : statSync(chunks).size,
      // For an index without its passages, the document's name is the fingerprint.
      ...(chunks === undefined && { fingerprint: { inputSha256: sha256(document), cfgHash } }),
    };
  });
  /** Papers skipped because of the budget; their rows are missing. */
  let overBudget = 0;
  const made = new Map<string, TableRow>();
  const outcome = await runStage(
    { stageName: 'table', items, totalItems: items.length },
    async (item, { signal: stop }): Promise<ItemOutcome> => {
      const document = byId.get(item.itemId);
      if (!document) return { status: 'skip', reason: 'gone' };
      const facts = item.inputs['facts'];
      const read = facts === undefined ? undefined : await readFacts(facts);
      const cells = await cellsOf(document, read, { session, columns, writer }, stop);
      if (cells === 'over-budget') return { status: 'skip', reason: 'budget' };
      await writeFile(item.outputs['row'] ?? '', JSON.stringify({ cfgHash, cells }));
      if (filled) made.set(item.itemId, rowOf(document, cells));
      return { status: 'success', manifest: { filled: cells.filter(({ kind }) => kind === 'value').length } };
    },
    options,
    {
      afterItem: (item, ended) => {
        if ('status' in ended && ended.reason === 'budget') overBudget += 1;
        const row = made.get(item.itemId);
        made.delete(item.itemId);
        if (row) for (const each of withCorrections({ ...table, rows: [row] }, corrections).rows) filled?.(each);
      },
    },
    { ...(report && { report }), ...(signal && { signal }) },
  );
  const rows = documents.flatMap((document) => readRow(folder, table, document) ?? []);
  return { ...withCorrections({ ...table, rows }, corpus.corrections()), id: basename(folder), outcome, overBudget };
}

async function readFacts(path: string): Promise<Facts | undefined> {
  const { contribution } = JSON.parse(await readFile(path, 'utf8')) as { readonly contribution?: Facts };
  return contribution;
}

/** Taken from the record, else a model, else quantities of the graph, else sentences. */
async function cellsOf(
  { document, work }: CitedDocument,
  facts: Facts | undefined,
  { session, columns, writer }: Pick<TableRequest, 'columns' | 'writer'> & { readonly session: SearchSession },
  signal: AbortSignal,
): Promise<Cell[] | 'over-budget'> {
  const cells = new Map<Column, Cell>();
  const found = new Map<Column, readonly CitedHit[]>();
  for (const column of columns)
    if (column.field !== null) {
      const value = work && recordValue(column, work);
      cells.set(column, value ? { kind: 'value', value, from: 'record', quote: null } : empty('not-in-record'));
    } else {
      const request = { top: PASSAGES, minFit: 0, works: new Set([document]) };
      found.set(column, await session.search(column.question, request, signal));
    }
  const open = columns.filter((column) => !cells.has(column));
  if (writer && open.length > 0) {
    const passages = [
      ...new Map(
        open.flatMap((column) => (found.get(column) ?? []).map((hit) => [hit.passage.id, hit] as const)),
      ).values(),
    ].slice(0, MOST_PASSAGES);
    const written = await askModel(
      cellsPrompt(open, passages),
      (content) => checkCells(content, open, passages),
      writer,
      signal,
    );
    if (written === 'over-budget') return 'over-budget';
    for (const [at, column] of open.entries()) {
      const cell = written?.[at];
      if (cell) cells.set(column, cell);
    }
  }
  for (const column of open) {
    if (cells.has(column)) continue;
    const passages = found.get(column) ?? [];
    const scored = await readCandidates(session.reader, column.question, passages, signal);
    const sentences = answerSentences(scored, {
      most: SENTENCES,
      least: column.type === 'choice' ? LEAST_CHOICE : session.reader.least,
    });
    cells.set(column, (facts && quantityCell(column, facts)) ?? extractedCell(column, sentences, passages));
  }
  return columns.map((column) => cells.get(column) ?? empty('no-sentence'));
}
