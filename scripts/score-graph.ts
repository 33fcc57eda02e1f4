import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured, SHARED } from './score/data.ts';

import { graphTasks } from './score/graph-tasks.ts';

// npm run score:graph [-- --task planted|linking|callouts|abbreviations|quantities|software] [--data DIR]
// Scores what the graph is made of: on open data, with the half that the rules were written on and the half that was kept
// aside, and on what was planted in simulated papers, which needs no data. --data scores another folder of the same form,
// or the folder of one task. Exit 1 when a floor is missed, 2 when there is nothing to score.

const options = checkOptions({ task: '', data: '' });
const tasks = graphTasks(options.data === '' ? undefined : options.data);
const scored = tasks.filter(({ group }) =>
  options.task === '' ? options.data === '' || group !== 'planted' : group === options.task,
);
if (!tasks.some(({ group }) => group !== 'planted'))
  console.error(`there is no data or no scorer at ${options.data || SHARED}: only simulated papers can be scored`);
if (scored.length === 0) nothingMeasured('no task has this name, or data');

const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(3)).padStart(7);
const missed: string[] = [];
console.log(`${' '.repeat(38)}    all   work   kept  floor      P      R`);
for (const task of scored) {
  for (const row of await task.score()) {
    const low =
      row.f1 !== null &&
      (row.f1 < row.floor || (row.p ?? 0) < (row.leastPrecision ?? 0) || (row.r ?? 0) < (row.leastRecall ?? 0));
    if (low) missed.push(row.name);
    console.log(
      row.name.padEnd(38) +
        [row.f1, row.work, row.kept, row.floor, row.p, row.r].map(figure).join('') +
        (low ? '  MISSED' : ''),
    );
  }
}
console.log(missed.length > 0 ? `\nmissed: ${missed.join(', ')}` : '\nevery floor is reached');
process.exit(missed.length > 0 ? 1 : 0);
