import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { AppError } from '../base/index.ts';
import type { CitedDocument, CitedHit, Corpus, SearchRequest, SearchSession, StageCall } from '../corpus/index.ts';
import { stageSettings } from '../corpus/index.ts';
import { factsPath } from '../graph/index.ts';
import type { AnswerWriter } from '../model/index.ts';
import { askModel, promptTokens } from '../model/index.ts';
import { chunkOutput } from '../parse/index.ts';
import type { Reader } from '../reader/index.ts';
import type { ItemOutcome, StageEvent, StageOutcome, WorkItem } from '../stage/index.ts';
import { runStage } from '../stage/index.ts';
import { abstractOf, answerSentences, askSettings, checkSupport, dropReasonOf, readCandidates } from '../ask/index.ts';
import type { Cell, Column, Facts, Table, TableRow } from './cell.ts';
import { empty } from './cell.ts';
import { recordValue } from './columns.ts';
import { askedOf, cellQuote, cellsPrompt, checkCells, compoundsOf, extractedCell, quantityCell } from './fill-cells.ts';
import type { ColumnKind } from './known/column-kind.ts';
import { kindOf } from './known/column-kind.ts';
import type { KnownPaper } from './known-cells.ts';
import { knownCell, likelyCell } from './known-cells.ts';
import {
  bringRows,
  readRow,
  rowHash,
  rowOf,
  rowPath,
  saveTable,
  screenedOutOf,
  tableFolder,
  withCorrections,
} from './saved-tables.ts';
import { tablePlace } from './table-place.ts';

export const PASSAGES = 6;
const MOST_PASSAGES = 24;
export const SENTENCES = 3;
/** A cell stands alone: it needs a surer sentence than an answer does. */
const LEAST_CELL = 0.87;
/** The same where no sentence has the words in which papers state it. */
const LEAST_OF_KIND = 0.94;
/** A sentence that names one of the choices may share fewer words with the question. */
export const LEAST_CHOICE = 0.3;

/** Kinds that papers name when they state them: a reader finds them too. */
const SAID_IN_SO_MANY_WORDS: ReadonlySet<ColumnKind> = new Set([
  'funding',
  'limitations',
  'interests',
  'ethics',
  'data',
  'registration',
]);

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

/** A table with people's corrections, and how filling it went. */
export interface FilledTable extends Table {
  /** Its name for `docstokg table --show`. */
  readonly id: string;
  readonly outcome: StageOutcome;
  /** Papers skipped because of the budget; their rows are missing. */
  readonly overBudget: number;
  /** Works without a row because screening excluded them; 0 if works were chosen. */
  readonly screenedOut: number;
}

/** One row per paper, one column per question. Repeating an interrupted call resumes it; corrections stay. */
export async function fillTable(
  corpus: Corpus,
  session: SearchSession,
  request: TableRequest,
  signal?: AbortSignal,
): Promise<FilledTable> {
  const { columns, writer, call = {}, report, filled } = request;
  const { config } = corpus;
  const { support, contextTokens } = askSettings(config);
  const { data_root: dataRoot, format } = config.parse;
  // As many papers at a time as the model server accepts requests.
  const workers = writer ? config.model.concurrency : 1;
  const options = stageSettings(call, config, { policy: 'io', workers, retries: 0, perItemTimeoutS: 0 });
  const documents = await session.documents(request.search);
  if (documents.length === 0)
    throw new AppError('TABLE_NOTHING', 'no papers for the table', {
      hint: 'parse papers first, or choose other --works',
    });
  const table = { columns, model: writer?.name ?? null };
  const folder = tableFolder(corpus, columns);
  await bringRows(corpus, folder);
  await saveTable(corpus, folder, table);
  const cfgHash = rowHash(table);
  const corrections = corpus.corrections();
  const byId = new Map(documents.map((each) => [each.document, each]));
  const place = tablePlace(corpus);
  const items = documents.map(({ document }): WorkItem => {
    const formats = format === 'jsonl' ? (['jsonl', 'parquet'] as const) : (['parquet', 'jsonl'] as const);
    const chunks = formats.map((each) => chunkOutput(dataRoot, document, each)).find((path) => place.has(path));
    const facts = factsPath(dataRoot, document);
    const inputs = { ...(chunks !== undefined && { chunks }), ...(place.has(facts) && { facts }) };
    const inputSha256 = place.hashOf(document, inputs);
    return {
      itemId: document,
      inputs,
      outputs: { row: rowPath(folder, document) },
      cfgHash,
      costHint: (chunks !== undefined && statSync(chunks, { throwIfNoEntry: false })?.size) || 1,
      ...(inputSha256 !== undefined && { fingerprint: { inputSha256, cfgHash } }),
    };
  });
  let overBudget = 0;
  const made = new Map<string, TableRow>();
  const outcome = await runStage(
    { stageName: 'table', items: place.source(items), totalItems: items.length },
    async (item, { signal: stop }): Promise<ItemOutcome> => {
      const document = byId.get(item.itemId);
      if (!document) return { status: 'skip', reason: 'gone' };
      const facts = item.inputs['facts'];
      const read = facts === undefined ? undefined : await readFacts(await place.bring(facts));
      const row = await openRow(document, read, { session, columns, contextTokens }, stop);
      const cells = await cellsOf(row, { session, writer, support }, stop);
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
  const screenedOut = screenedOutOf(session, request.search);
  const corrected = withCorrections({ ...table, rows }, corpus.corrections());
  return { ...corrected, id: basename(folder), outcome, overBudget, screenedOut };
}

async function readFacts(path: string): Promise<Facts | undefined> {
  const { contribution } = JSON.parse(await readFile(path, 'utf8')) as { readonly contribution?: Facts };
  return contribution;
}

/** A row before anything is asked: what is known, and the passages for what is not. */
interface OpenRow {
  readonly columns: readonly Column[];
  readonly paper: KnownPaper;
  /** Cells from the record, the graph and statements of the paper. */
  readonly known: ReadonlyMap<Column, Cell>;
  readonly open: readonly Column[];
  /** What the search found for each open column. */
  readonly found: ReadonlyMap<Column, readonly CitedHit[]>;
  /** The passages that a model gets, in the order of the paper. */
  readonly passages: readonly CitedHit[];
}

async function openRow(
  { document, work }: CitedDocument,
  facts: Facts | undefined,
  { session, columns, contextTokens }: Pick<TableRequest, 'columns'> & Sources,
  signal?: AbortSignal,
): Promise<OpenRow> {
  const paper = { facts, passages: await session.passagesOf(document) };
  const known = new Map<Column, Cell>();
  const found = new Map<Column, readonly CitedHit[]>();
  for (const column of columns) {
    const value = column.field === null ? undefined : work && recordValue(column, work);
    const cell: Cell | undefined =
      column.field === null
        ? knownCell(column, paper)
        : value
          ? { kind: 'value', value, from: 'record', quotes: [] }
          : empty('not-in-record');
    if (cell) known.set(column, cell);
    else {
      const request = { top: PASSAGES, minFit: 0, works: new Set([document]) };
      found.set(column, await session.search(column.question, request, signal));
    }
  }
  const open = columns.filter((column) => !known.has(column));
  const passages = passagesFor(open, { paper, found, contextTokens });
  return { columns, paper, known, open, found, passages };
}

/**
 * What a model gets, in the order of the paper: all of it if it fits, else the abstract, what rules would fill cells from,
 * and a share for each column.
 */
export function passagesFor(
  open: readonly Column[],
  { paper, found, contextTokens }: Pick<OpenRow, 'paper' | 'found'> & Pick<Sources, 'contextTokens'>,
): CitedHit[] {
  if (open.length === 0) return [];
  const text = paper.passages.filter(({ passage }) => passage.section !== 'references');
  if (fits(text, contextTokens)) return text;
  const likely = new Set(
    open.flatMap((column) => likelyCell(column, paper)?.quotes.flatMap(({ passage }) => passage?.id ?? []) ?? []),
  );
  const first = [...abstractOf(paper.passages), ...text.filter(({ passage }) => likely.has(passage.id))];
  const shared = sharedOut([...found.values()], first, contextTokens);
  const order = new Map(paper.passages.map(({ passage }, at) => [passage.id, at]));
  return shared.sort((one, other) => (order.get(one.passage.id) ?? 0) - (order.get(other.passage.id) ?? 0));
}

interface Sources {
  readonly session: SearchSession;
  readonly contextTokens: number;
}

/** The share of a model's context that passages may take; the rest is for questions and the answer. */
const ROOM = 0.6;

function fits(passages: readonly CitedHit[], contextTokens: number): boolean {
  return promptTokens(cellsPrompt([], passages)) <= ROOM * contextTokens;
}

/** What comes first, then the best passage of each column, the second of each, and so on, as many as a prompt may have. */
export function sharedOut(
  lists: readonly (readonly CitedHit[])[],
  first: readonly CitedHit[],
  contextTokens: number,
): CitedHit[] {
  const chosen = new Map(first.map((hit) => [hit.passage.id, hit]));
  for (let at = 0; at < PASSAGES; at += 1)
    for (const list of lists) {
      const hit = list[at];
      if (!hit || chosen.has(hit.passage.id)) continue;
      if (chosen.size >= MOST_PASSAGES || !fits([...chosen.values(), hit], contextTokens)) return [...chosen.values()];
      chosen.set(hit.passage.id, hit);
    }
  return [...chosen.values()];
}

const MISQUOTED: ReadonlySet<string> = new Set([
  'no-quote',
  'quote-too-short',
  'quote-not-in-paper',
  'number-not-in-quote',
]);

/** What is known first; then a model reads the passages; without one the reader chooses sentences. */
async function cellsOf(
  row: OpenRow,
  { session, writer, support }: Pick<TableRequest, 'writer'> & { session: SearchSession; support: boolean },
  signal: AbortSignal,
): Promise<Cell[] | 'over-budget'> {
  const { columns, paper, known, open, found, passages } = row;
  const cells = new Map(known);
  if (writer && open.length > 0) {
    const written = await askModel(
      cellsPrompt(open, passages),
      (content) => checkCells(content, open, passages),
      writer,
      signal,
    );
    if (written === 'over-budget') return 'over-budget';
    const filled = open.flatMap((column, at) => {
      const checked = written?.[at];
      if (checked) cells.set(column, checked.cell);
      return checked?.cell.kind === 'value' ? [{ column, value: checked.cell.value, quotes: checked.quotes }] : [];
    });
    const cases = filled.map(({ column, value, quotes }) => ({
      asked: askedOf(column),
      sentence: `${column.question}${column.question.endsWith('?') ? '' : ':'} ${value}`,
      quotes,
    }));
    const { verdicts } = support ? await checkSupport(cases, passages, { writer, session }, signal) : { verdicts: [] };
    for (const [at, { column }] of filled.entries()) {
      const reason = dropReasonOf(verdicts[at]);
      if (reason) cells.set(column, empty(reason, cells.get(column)?.quotes));
    }
  }
  for (const column of open) {
    const written = cells.get(column);
    // A value whose quote the model got wrong is not lost if rules find one.
    if (written && !(written.kind === 'empty' && MISQUOTED.has(written.reason))) continue;
    cells.set(
      column,
      (paper.facts && quantityCell(column, paper.facts)) ??
        likelyCell(column, paper) ??
        written ??
        (await readCell(column, found.get(column) ?? [], paper, session, signal)),
    );
  }
  return columns.map((column) => cells.get(column) ?? empty('no-sentence'));
}

/** The score from which on a sentence fills in a cell. */
function leastOf(column: Column, { name, least }: Reader): number {
  if (column.type === 'choice') return LEAST_CHOICE;
  // A number of the kind asked for says more than a sentence about it.
  if (column.type === 'number') return least;
  const kind = kindOf(column);
  // Readers do not know what is asked of every paper, such as its comparison, unless it is said in so many words.
  if (kind !== undefined && !SAID_IN_SO_MANY_WORDS.has(kind)) return Number.POSITIVE_INFINITY;
  if (name !== 'trained') return least;
  return kind === undefined ? LEAST_CELL : LEAST_OF_KIND;
}

async function readCell(
  column: Column,
  found: readonly CitedHit[],
  { passages }: KnownPaper,
  { reader }: SearchSession,
  signal: AbortSignal,
): Promise<Cell> {
  const own = new Map([...found, ...abstractOf(passages)].map((hit) => [hit.passage.id, hit]));
  const scored = await readCandidates(reader, column.question, [...own.values()], { signal });
  const isNamed = compoundsOf(column);
  // Rules compare stems: "following" would answer a question about follow-up.
  const fitting = reader.name === 'rules' ? scored.filter(({ candidate }) => isNamed(candidate.text)) : scored;
  const sentences = answerSentences(fitting, { most: SENTENCES, least: leastOf(column, reader) });
  const [nearest] = sentences.length > 0 ? [] : answerSentences(fitting, { most: 1, least: reader.least });
  return nearest ? empty('not-sure', nearest.quotes.map(cellQuote)) : extractedCell(column, sentences, found);
}

/** About what filling in a table would cost; an unreadable answer is requested, and paid for, once more. */
export interface TableEstimate {
  readonly papers: number;
  /** Papers whose row is there, or whose answer is stored. */
  readonly known: number;
  readonly requests: number;
  readonly inputTokens: number;
  readonly mostOutputTokens: number;
  /** Null if prices are not set. */
  readonly mostUsd: number | null;
}

/** Tokens of a case in the check of support, for the estimate: a value, its quote and the sentences around it. */
const TOKENS_PER_CASE = 300;
const TOKENS_OF_TASK = 500;

/** About what a model costs, without asking it; rows that are there and stored answers cost nothing. */
export async function estimateTable(
  corpus: Corpus,
  session: SearchSession,
  { columns, search, writer }: TableRequest,
  signal?: AbortSignal,
): Promise<TableEstimate> {
  const documents = await session.documents(search);
  const { support, contextTokens } = askSettings(corpus.config);
  const table = { columns, model: writer?.name ?? null };
  const folder = tableFolder(corpus, columns);
  await bringRows(corpus, folder);
  const place = tablePlace(corpus);
  let [known, requests, inputTokens, mostOutputTokens] = [0, 0, 0, 0];
  for (const document of documents) {
    signal?.throwIfAborted();
    const path = factsPath(corpus.config.parse.data_root, document.document);
    const facts = place.has(path) ? await readFacts(await place.bring(path)) : undefined;
    const row = readRow(folder, table, document)
      ? undefined
      : await openRow(document, facts, { session, columns, contextTokens }, signal);
    const prompt = row && row.open.length > 0 ? cellsPrompt(row.open, row.passages) : undefined;
    if (!writer || !row || !prompt || writer.answers.find(writer.server.keyOf(prompt))) {
      known += 1;
      continue;
    }
    requests += support ? 2 : 1;
    inputTokens += promptTokens(prompt) + (support ? TOKENS_OF_TASK + TOKENS_PER_CASE * row.open.length : 0);
    mostOutputTokens += writer.maxTokens * (support ? 2 : 1);
  }
  const mostUsd = writer?.budget?.usd(inputTokens, mostOutputTokens) ?? null;
  return { papers: documents.length, known, requests, inputTokens, mostOutputTokens, mostUsd };
}
