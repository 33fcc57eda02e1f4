import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { toScored } from './score/model.ts';
import type { Column, ScoreSet } from './score/sets.ts';
import { COLUMNS, LOWER_IS_BETTER, SETS } from './score/sets.ts';

// npm run score:parse [-- --set pdf] [--only REGEXP] [--json] [--write DIR]
// Scores our parsers on the open documents, beside what other engines reach; exit 1 when a target is missed.

interface Scorer {
  readonly scoreDoc: (prediction: unknown, truth: unknown) => Scores;
  readonly readTruth: (path: string) => unknown;
}

interface Scores {
  readonly overall: number;
  readonly textSim: number;
  readonly bowF1: number;
  readonly titleOk: number | null;
  readonly headF1: number;
  readonly headTruth: number;
  readonly headLevel: number | null;
  readonly tables: { readonly truth: number; readonly detF1: number; readonly teds: number } | null;
  readonly listF1: number | null;
  readonly captionF1: number | null;
  readonly footnoteF1: number | null;
  readonly refF1: number | null;
  readonly paraF1: number;
  readonly formulaRatio: number | null;
  readonly furnitureLeak: number | null;
  readonly hyphenResidue: number;
}

type Row = Readonly<Record<Column, number | null>>;

const { values: options } = parseArgs({
  options: {
    set: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'string' },
  },
});
const shared = join(dirname(import.meta.dirname), '..', 'shared');
const scorer = await loadScorer();
const missed: string[] = [];
const report: Record<string, unknown> = {};
for (const set of SETS.filter((each) => options.set === undefined || each.name === options.set)) await scoreSet(set);
if (options.json) console.log(JSON.stringify(report, undefined, 1));
if (missed.length > 0) console.error(`\nmissed: ${missed.join(', ')}`);
process.exit(missed.length > 0 ? 1 : 0);

async function loadScorer(): Promise<Scorer> {
  const folder = join(shared, 'tools', 'parse-score', 'src');
  if (!existsSync(join(folder, 'score.ts'))) {
    console.error(`THE SCORER IS ABSENT: ${folder} does not exist, so nothing was scored`);
    process.exit(2);
  }
  const [score, io] = await Promise.all([
    import(join(folder, 'score.ts')) as Promise<Pick<Scorer, 'scoreDoc'>>,
    import(join(folder, 'io.ts')) as Promise<Pick<Scorer, 'readTruth'>>,
  ]);
  return { scoreDoc: score.scoreDoc, readTruth: io.readTruth };
}

async function scoreSet(set: ScoreSet): Promise<void> {
  const folder = join(shared, 'data', 'parse', 'open', set.folder);
  if (!existsSync(folder)) {
    console.error(`THE DOCUMENTS ARE ABSENT: ${folder} does not exist`);
    process.exit(2);
  }
  const only = options.only === undefined ? undefined : new RegExp(options.only);
  const ids = readdirSync(folder)
    .filter((file) => file.endsWith(set.extension))
    .map((file) => file.slice(0, -set.extension.length))
    .filter((id) => existsSync(join(folder, id + set.truth)) && (!only || only.test(id)))
    .sort();
  const rows: { id: string; row: Row }[] = [];
  for (const id of ids) {
    const document = toScored(await set.parse(readFileSync(join(folder, id + set.extension))));
    if (options.write !== undefined)
      writeFileSync(join(options.write, `${id}.json`), JSON.stringify(document, undefined, 1));
    rows.push({ id, row: rowOf(scorer.scoreDoc(document, scorer.readTruth(join(folder, id + set.truth)))) });
  }
  const mean = meanOf(rows.map((each) => each.row));
  report[set.name] = { mean, documents: Object.fromEntries(rows.map(({ id, row }) => [id, row])) };
  if (!options.json) print(set, rows, mean);
  if (only) return;
  for (const [column, target] of Object.entries(set.targets) as [Column, number][]) {
    const value = mean[column];
    if (value === null || (LOWER_IS_BETTER.has(column) ? value > target : value < target - 1e-9))
      missed.push(`${set.name} ${column} ${value?.toFixed(3) ?? '–'} (${target})`);
  }
}

function rowOf(scores: Scores): Row {
  const tables = scores.tables !== null && scores.tables.truth > 0 ? scores.tables : null;
  return {
    overall: scores.overall,
    text: scores.textSim,
    bow: scores.bowF1,
    title: scores.titleOk,
    headF1: scores.headTruth > 0 ? scores.headF1 : null,
    hlevel: scores.headLevel,
    tabDet: tables?.detF1 ?? null,
    teds: tables?.teds ?? null,
    list: scores.listF1,
    capt: scores.captionF1,
    foot: scores.footnoteF1,
    refs: scores.refF1,
    para: scores.paraF1,
    formula: scores.formulaRatio,
    leak: scores.furnitureLeak,
    hyph: scores.hyphenResidue,
  };
}

function meanOf(rows: readonly Row[]): Row {
  const entries = COLUMNS.map((column) => {
    const values = rows.map((row) => row[column]).filter((value) => value !== null);
    return [column, values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length];
  });
  return Object.fromEntries(entries) as Row;
}

function print(set: ScoreSet, rows: readonly { id: string; row: Row }[], mean: Row): void {
  const line = (name: string, row: Readonly<Partial<Record<Column, number | null>>>): string =>
    name.padEnd(26).slice(0, 26) + COLUMNS.map((column) => (row[column]?.toFixed(3) ?? '–').padStart(8)).join('');
  console.log(`\n${set.name}: ${rows.length} documents`);
  console.log(' '.repeat(26) + COLUMNS.map((column) => column.padStart(8)).join(''));
  for (const { id, row } of rows) console.log(line(id, row));
  console.log(line('MEAN', mean));
  console.log(line('target', set.targets));
  for (const [name, row] of Object.entries(set.baselines)) console.log(line(name, row));
}
