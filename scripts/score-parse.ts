import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured } from './score/data.ts';
import { MODELS_VARIABLE } from './score/fold-models.ts';
import type { Row, SetScores } from './score/score-set.ts';
import { missingData, scoreSet, summarise } from './score/score-set.ts';
import type { Column, ScoreSet } from './score/sets.ts';
import { leftOutHalves, leftOutParts } from './score/left-out.ts';
import { COLUMNS, folderSet, leftOutSet, SETS } from './score/sets.ts';
import { DRAFT_PASSES } from '../src/parse/doctags/layout/draft-passes.ts';

// npm run score:parse [-- --set NAME] [--half work|opened|kept] [--only REGEXP] [--json] [--write DIR] [--data DIR] [--without PASS]
//   [--left-out DIR] [--folds 0,1,2,3] [--per-publisher 6] [--models DIR]
// --left-out scores papers of the training manifest in DIR (ID.pdf, ID.xml; see `npm run train:papers`), by folds of publishers;
//   with --half those of one half of all publishers.
// --models takes for each fold the models that saw none of its publishers (`npm run train -- … --folds DIR`).
// --data scores the PDFs of another folder that have ID.truth.json or, in all of it, ID.xml beside them; --without leaves a pass over drafts out.
// Scores our parsers on the open documents, beside what other engines reach; exit 1 when a target is missed.

const passes = DRAFT_PASSES.map(({ name }) => name).filter((name) => name !== 'paragraphs');
const options = checkOptions({
  set: ['', ...SETS.map(({ name }) => name)],
  half: ['', 'work', 'opened', 'kept'],
  only: '',
  json: false,
  write: '',
  data: '',
  leftOut: '',
  folds: '0,1,2,3',
  perPublisher: 6,
  models: '',
  without: ['', ...passes],
});
const absent = missingData();
if (absent !== undefined) nothingMeasured(`${absent} does not exist`);
const { write } = options;
const missed: string[] = [];
const report: Record<string, unknown> = {};
const sets =
  options.leftOut !== ''
    ? [leftOutSet(resolve(options.leftOut), leftOutPapers())]
    : options.data !== ''
      ? [folderSet(resolve(options.data))]
      : SETS.filter(({ name }) => options.set === '' || name === options.set);
for (const set of sets) {
  const scores = options.models === '' ? await scoreHere(set) : await scoreByFolds(set);
  missed.push(...scores.missed);
  report[set.name] = {
    mean: scores.mean,
    parts: scores.parts,
    spread: scores.spread,
    documents: Object.fromEntries(scores.rows.map(({ id, row }) => [id, row])),
  };
  if (!options.json) print(set, scores);
}
if (options.json) console.log(JSON.stringify(report, undefined, 1));
if (missed.length > 0) console.error(`\nmissed: ${missed.join(', ')}`);
else if (!options.json) console.log('\nevery target is met');
process.exit(missed.length > 0 ? 1 : 0);

function leftOutPapers(): ReadonlyMap<string, string> {
  const { half, folds, perPublisher } = options;
  return half === '' ? leftOutParts(folds.split(',').map(Number), perPublisher) : leftOutHalves(perPublisher);
}

function scoreHere(set: ScoreSet): Promise<SetScores> {
  return scoreSet(set, {
    without: options.without === '' ? [] : [options.without],
    only: options.only === '' ? undefined : new RegExp(options.only),
    half: options.half === '' ? undefined : options.half,
    ...(write !== '' && {
      keep: (id, blocks) =>
        writeFileSync(join(write, `${id}.json`), JSON.stringify({ blocks, structured: true }, undefined, 1)),
    }),
  });
}

/** Each fold in a process of its own, with the models that saw none of its publishers. */
async function scoreByFolds(set: ScoreSet): Promise<SetScores> {
  const rows: { readonly id: string; readonly row: Row }[] = [];
  for (const fold of options.folds.split(',')) {
    const own = ['--left-out', options.leftOut, '--folds', fold, '--per-publisher', String(options.perPublisher)];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', join(import.meta.dirname, 'score', 'fold-models.ts'), import.meta.filename, '--json', ...own],
      { maxBuffer: 2 ** 28, env: { ...process.env, [MODELS_VARIABLE]: resolve(options.models, fold) } },
    );
    const { documents } = Object.values(
      JSON.parse(stdout) as Record<string, { documents: Record<string, Row> }>,
    )[0] ?? {
      documents: {},
    };
    rows.push(...Object.entries(documents).map(([id, row]) => ({ id, row })));
  }
  return summarise(rows, set.parts ?? new Map());
}

function print(set: ScoreSet, { rows, mean, parts, spread }: SetScores): void {
  const line = (name: string, row: Readonly<Partial<Record<Column, number | null>>>): string =>
    name.padEnd(26).slice(0, 26) + COLUMNS.map((column) => (row[column]?.toFixed(3) ?? '–').padStart(8)).join('');
  console.log(`\n${set.name}: ${rows.length} documents`);
  console.log(' '.repeat(26) + COLUMNS.map((column) => column.padStart(8)).join(''));
  for (const { id, row } of rows) console.log(line(id, row));
  console.log(line('MEAN', mean));
  for (const [part, row] of Object.entries(parts)) console.log(line(part, row));
  console.log(`10th percentile ${spread.tenth.toFixed(3)}, below .80: ${spread.below}`);
  console.log(line('target', set.targets));
  for (const [name, overall] of Object.entries(set.others)) console.log(line(name, { overall }));
}
