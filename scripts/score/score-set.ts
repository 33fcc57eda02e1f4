import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ParsedDocument } from '../../src/parse/document.ts';
import { OPEN_PAPERS, SHARED } from './data.ts';
import { isWorkedOn } from './halves.ts';
import type { Column, Scores, ScoreSet } from './sets.ts';
import { COLUMNS, LOWER_IS_BETTER, READ } from './sets.ts';

export interface Scorer {
  readonly scoreDoc: (prediction: unknown, truth: unknown) => Scores;
  readonly readTruth: (path: string) => unknown;
  /** Reads what another program wrote. */
  readonly readPred: (path: string) => unknown;
}

/** Scores of a document; null if it has nothing of the kind. */
export type Row = Readonly<Record<Column, number | null>>;

/** Scores of a set, and its missed targets. */
export interface SetScores {
  readonly rows: readonly { readonly id: string; readonly row: Row }[];
  readonly mean: Row;
  /** Means of the parts of a set: the development half and the held-out half, or folds of publishers. */
  readonly parts: Readonly<Record<string, Row>>;
  /** The score that nine of ten documents reach, and how many are below .80. */
  readonly spread: { readonly tenth: number; readonly below: number };
  readonly missed: readonly string[];
}

/** Whether a document was used for development, opened later, or only scored. */
export type Half = 'work' | 'opened' | 'kept';

const tool = join(SHARED, 'tools', 'parse-score', 'src');

/** What is missing of the documents and their scorer; undefined if complete. */
export function missingData(): string | undefined {
  return [OPEN_PAPERS, join(tool, 'score.ts')].find((path) => !existsSync(path));
}

export async function scoreSet(
  set: ScoreSet,
  options: {
    readonly only?: RegExp | undefined;
    readonly half?: Half | undefined;
    /** Layout passes to leave out. */
    readonly without?: readonly string[];
    readonly keep?: (id: string, blocks: readonly ScoredBlock[]) => void;
  } = {},
): Promise<SetScores> {
  const scorer = await loadScorer();
  const folder = resolve(OPEN_PAPERS, set.folder);
  const parts = set.parts ?? readHalves(set, folder);
  const ids = readdirSync(folder)
    .filter((file) => file.endsWith(set.extension))
    .map((file) => file.slice(0, -set.extension.length))
    .filter((id) => existsSync(join(folder, id + set.truth)) && (!options.only || options.only.test(id)))
    .filter((id) => set.parts === undefined || set.parts.has(id))
    .filter((id) => options.half === undefined || parts.size === 0 || parts.get(id) === options.half)
    .sort();
  const rows: { id: string; row: Row }[] = [];
  for (const id of ids) {
    const bytes = readFileSync(join(folder, id + set.extension));
    const file = join(folder, id + set.truth);
    const truth = set.readTruth ? await set.readTruth(id, readFileSync(file), bytes) : scorer.readTruth(file);
    if (truth === undefined) continue;
    const document = toScored(await set.parse(bytes, options.without ?? []));
    options.keep?.(id, document.blocks);
    const plain = await set.plain?.(bytes);
    const engine = plain === undefined ? null : scorer.scoreDoc({ blocks: [{ kind: 'text', text: plain }] }, truth);
    rows.push({ id, row: { ...rowOf(scorer.scoreDoc(document, truth)), plain: engine?.textSim ?? null } });
  }
  const missed = (scores: SetScores): string[] =>
    options.only || options.half
      ? []
      : [...missedTargets(set, scores.mean), ...tooLow(set, rows), ...scrambled(set, rows)];
  const scores = summarise(rows, parts);
  return { ...scores, missed: missed(scores) };
}

/** Means and spread of scored documents. */
export function summarise(rows: SetScores['rows'], parts: ReadonlyMap<string, string>): SetScores {
  const means = [...Map.groupBy(rows, ({ id }) => parts.get(id) ?? '')]
    .filter(([part]) => part !== '')
    .map(([part, own]) => [part, meanOf(own.map(({ row }) => row))] as const)
    .sort(([a], [b]) => PART_ORDER.indexOf(a) - PART_ORDER.indexOf(b) || a.localeCompare(b));
  const overall = rows.map(({ row }) => row.overall ?? 0).sort((a, b) => a - b);
  return {
    rows,
    mean: meanOf(rows.map(({ row }) => row)),
    parts: Object.fromEntries(means),
    spread: {
      tenth: overall[Math.floor(overall.length / 10)] ?? 0,
      below: overall.filter((each) => each < 0.8).length,
    },
    missed: [],
  };
}

const PART_ORDER: readonly string[] = ['work', 'opened', 'kept'];

export function readHalves(set: ScoreSet, folder: string): ReadonlyMap<string, Half> {
  const { halvedBy, opened } = set;
  if (!halvedBy) return new Map();
  const halfBy = (group: string): Half => {
    if (isWorkedOn(group)) return 'work';
    return opened?.test(group) ? 'opened' : 'kept';
  };
  const manifest = JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')) as Record<string, string>[];
  return new Map(manifest.map((entry) => [entry.id ?? '', halfBy(entry[halvedBy] ?? '')]));
}

function tooLow(set: ScoreSet, rows: SetScores['rows']): string[] {
  return rows.flatMap(({ id, row }) =>
    row.overall !== null && row.overall < (set.least ?? 0)
      ? [`${set.name} ${id} ${row.overall.toFixed(3)} (${set.least})`]
      : [],
  );
}

/** How far the text score of a document may be below that of the engine. */
const MOST_LOST = 0.02;

function scrambled(set: ScoreSet, rows: SetScores['rows']): string[] {
  return rows.flatMap(({ id, row: { text, plain } }) =>
    text !== null && plain !== null && text < plain - MOST_LOST
      ? [`${set.name} ${id} text ${text.toFixed(3)} (plain ${plain.toFixed(3)})`]
      : [],
  );
}

export async function loadScorer(): Promise<Scorer> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(tool, file)).href);
  const [score, io] = await Promise.all([
    load('score.ts') as Promise<Pick<Scorer, 'scoreDoc'>>,
    load('io.ts') as Promise<Pick<Scorer, 'readTruth' | 'readPred'>>,
  ]);
  return { scoreDoc: score.scoreDoc, readTruth: io.readTruth, readPred: io.readPred };
}

function missedTargets(set: ScoreSet, mean: Row): string[] {
  return (Object.entries(set.targets) as [Column, number][]).flatMap(([column, target]) => {
    const value = mean[column];
    const isMissed = value === null || (LOWER_IS_BETTER.has(column) ? value > target : value < target - 1e-9);
    return isMissed ? [`${set.name} ${column} ${value?.toFixed(3) ?? '–'} (${target})`] : [];
  });
}

export function rowOf(scores: Scores): Row {
  return Object.fromEntries(COLUMNS.map((column) => [column, READ[column](scores)])) as Row;
}

function meanOf(rows: readonly Row[]): Row {
  const entries = COLUMNS.map((column) => {
    const values = rows.map((row) => row[column]).filter((value) => value !== null);
    return [column, values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length];
  });
  return Object.fromEntries(entries) as Row;
}

/** A block in the scorer's format. */
interface ScoredBlock {
  readonly kind: string;
  readonly text: string;
  readonly level?: number;
  readonly ordered?: boolean;
  readonly page?: number;
  readonly table?: { readonly rows: readonly (readonly ScoredCell[])[] };
}

interface ScoredCell {
  readonly text: string;
  readonly rowspan: number;
  readonly colspan: number;
  readonly header: boolean;
}

/** Converts our document to the scorer's model directly, without a text format in between. */
function toScored(document: ParsedDocument): { blocks: ScoredBlock[]; structured: true } {
  const blocks = document.blocks.map((block): ScoredBlock => {
    const page = block.regions[0]?.page;
    const base = { kind: block.kind, text: block.text, ...(page === undefined ? {} : { page }) };
    if (block.kind === 'heading') return { ...base, level: block.level };
    if (block.kind === 'list_item') return { ...base, ordered: block.ordered };
    if (block.kind !== 'table') return base;
    const rows = Array.from({ length: block.table.rows }, (): ScoredCell[] => []);
    for (const cell of block.table.cells.toSorted((a, b) => a.row - b.row || a.column - b.column))
      rows[cell.row]?.push({
        text: cell.text,
        rowspan: cell.rowSpan,
        colspan: cell.columnSpan,
        header: cell.kind === 'column-header' || cell.kind === 'row-header',
      });
    return {
      ...base,
      text: rows
        .flat()
        .map((cell) => cell.text)
        .join(' '),
      table: { rows },
    };
  });
  return { blocks, structured: true };
}
