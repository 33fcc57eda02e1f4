import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { asked, oneOf, readOptions } from '../test/support/options.ts';
import type { Half, SetScores } from './score/score-set.ts';
import { missingData, scoreSet } from './score/score-set.ts';
import type { Column, ScoreSet } from './score/sets.ts';
import { COLUMNS, folderSet, SETS } from './score/sets.ts';
import { DRAFT_PASSES } from '../src/parse/doctags/layout/draft-passes.ts';

// npm run score:parse [-- --set NAME] [--half work|opened|kept] [--only REGEXP] [--json] [--write DIR] [--data DIR] [--without PASS]
// --data scores the PDFs of another folder that have ID.truth.json beside them; --without leaves a pass over drafts out.
// Scores our parsers on the open documents, beside what other engines reach; exit 1 when a target is missed.

const { values: options } = asked(() =>
  readOptions({
    options: {
      set: { type: 'string' },
      half: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'string' },
      data: { type: 'string' },
      without: { type: 'string' },
    },
  }),
);
asked(() => {
  const passes = DRAFT_PASSES.map(({ name }) => name).filter((name) => name !== 'paragraphs');
  const known = { set: SETS.map(({ name }) => name), without: passes, half: ['work', 'opened', 'kept'] };
  for (const name of ['set', 'without', 'half'] as const)
    if (options[name] !== undefined) oneOf(name, options[name], known[name]);
});
const absent = missingData();
if (absent !== undefined) {
  console.error(`THE DOCUMENTS OR THEIR SCORER ARE ABSENT: ${absent} does not exist, so nothing was scored`);
  process.exit(2);
}
const { write } = options;
const missed: string[] = [];
const report: Record<string, unknown> = {};
const sets =
  options.data === undefined
    ? SETS.filter((each) => options.set === undefined || each.name === options.set)
    : [folderSet(resolve(options.data))];
const without = options.without === undefined ? [] : [options.without];
for (const set of sets) {
  const scores = await scoreSet(set, {
    without,
    only: options.only === undefined ? undefined : new RegExp(options.only),
    half: options.half as Half | undefined,
    ...(write !== undefined && {
      keep: (id, blocks) =>
        writeFileSync(join(write, `${id}.json`), JSON.stringify({ blocks, structured: true }, undefined, 1)),
    }),
  });
  missed.push(...scores.missed);
  report[set.name] = {
    mean: scores.mean,
    halves: scores.halves,
    documents: Object.fromEntries(scores.rows.map(({ id, row }) => [id, row])),
  };
  if (!options.json) print(set, scores);
}
if (options.json) console.log(JSON.stringify(report, undefined, 1));
if (missed.length > 0) console.error(`\nmissed: ${missed.join(', ')}`);
else if (!options.json) console.log('\nevery target is met');
process.exit(missed.length > 0 ? 1 : 0);

function print(set: ScoreSet, { rows, mean, halves }: SetScores): void {
  const line = (name: string, row: Readonly<Partial<Record<Column, number | null>>>): string =>
    name.padEnd(26).slice(0, 26) + COLUMNS.map((column) => (row[column]?.toFixed(3) ?? '–').padStart(8)).join('');
  console.log(`\n${set.name}: ${rows.length} documents`);
  console.log(' '.repeat(26) + COLUMNS.map((column) => column.padStart(8)).join(''));
  for (const { id, row } of rows) console.log(line(id, row));
  console.log(line('MEAN', mean));
  for (const [half, row] of Object.entries(halves)) console.log(line(`${half} half`, row));
  console.log(line('target', set.targets));
  for (const [name, overall] of Object.entries(set.others)) console.log(line(name, { overall }));
}
