import { parseArgs } from 'node:util';

import { graphTasks, missingGraphData } from './score/graph-tasks.ts';

// npm run score:graph [-- --task linking|callouts|abbreviations|quantities|software] [--json]
// Scores what the graph is made of on the open data, the half that was worked on and the half that was kept aside apart,
// beside what has to be reached; exit 1 when something is missed.

const { values: options } = parseArgs({
  options: { task: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const absent = missingGraphData();
if (absent !== undefined) {
  console.error(`THE DATA OR ITS SCORER ARE ABSENT: ${absent} does not exist, so nothing was scored`);
  process.exit(2);
}

const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(3)).padStart(7);
const rows: unknown[] = [];
const missed: string[] = [];
if (!options.json) console.log(`${' '.repeat(34)}    all   work   kept  floor      P      R`);
for (const task of graphTasks()) {
  if (options.task !== undefined && task.group !== options.task) continue;
  for (const row of await task.score()) {
    rows.push(row);
    const low = (row.f1 ?? 0) < row.floor || (row.leastPrecision !== undefined && (row.p ?? 0) < row.leastPrecision);
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
