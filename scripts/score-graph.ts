import { parseArgs } from 'node:util';

import { graphTasks, missingGraphData } from './score/graph-tasks.ts';

// npm run score:graph [-- --task planted|linking|callouts|abbreviations|quantities|software] [--json]
// Scores what the graph is made of on the open data, the half that was worked on and the half that was kept aside apart,
// beside what has to be reached, and what was planted in simulated papers, which needs no data; exit 1 when something is missed.

const { values: options } = parseArgs({
  options: { task: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const tasks = graphTasks().filter(({ group }) => options.task === undefined || group === options.task);
const absent = tasks.some(({ own }) => !own) ? missingGraphData() : undefined;
if (absent !== undefined)
  console.error(`THE DATA OR ITS SCORER ARE ABSENT: ${absent} does not exist, so only simulated papers are scored`);
const scored = tasks.filter(({ own }) => own || absent === undefined);
if (scored.length === 0) process.exit(2);

const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(3)).padStart(7);
const rows: unknown[] = [];
const missed: string[] = [];
if (!options.json) console.log(`${' '.repeat(34)}    all   work   kept  floor      P      R`);
for (const task of scored) {
  for (const row of await task.score()) {
    rows.push(row);
    const low =
      (row.f1 ?? 0) < row.floor || (row.p ?? 0) < (row.leastPrecision ?? 0) || (row.r ?? 0) < (row.leastRecall ?? 0);
    if (low) missed.push(row.name);
    if (!options.json)
      console.log(
        row.name.padEnd(34) +
          [row.f1, row.work, row.kept, row.floor, row.p, row.r].map(figure).join('') +
          (low ? '  MISSED' : ''),
      );
  }
}
if (options.json) console.log(JSON.stringify({ rows, missed }, undefined, 1));
else console.log(missed.length > 0 ? `\nmissed: ${missed.join(', ')}` : '\nevery floor is reached');
process.exit(missed.length > 0 ? 1 : 0);
