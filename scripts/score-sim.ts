import { checkOptions } from '../test/support/options.ts';
import type { SimulatedScore } from './score/simulated.ts';
import { LAYOUTS, ORDERED, scoreSimulated, SIMULATED_TARGETS, summarise } from './score/simulated.ts';

// npm run score:sim [-- --papers 210] [--seeds 5] [--json]
// Parses papers of simulated worlds and compares with what was printed on them; exit 1 when a target is missed.
const options = checkOptions({ papers: 210, seeds: 5, json: false });
const { papers, seeds } = options;
const scores: SimulatedScore[] = [];
for await (const score of scoreSimulated(papers, seeds)) {
  scores.push(score);
  if (options.json) continue;
  for (const miss of score.misses)
    console.log(`${score.layout} seed ${score.seed} work ${score.work}: ${miss.slice(0, 400)}`);
}
const summary = summarise(scores);
if (options.json) console.log(JSON.stringify({ ...summary, targets: SIMULATED_TARGETS }, undefined, 1));
else print();
if (summary.missed.length > 0) {
  console.error(`missed: ${summary.missed.join(', ')}`);
  process.exitCode = 1;
}

function print(): void {
  const cell = (value: number | string): string => (typeof value === 'number' ? value.toFixed(4) : value).padStart(10);
  console.log(`${scores.length} papers of ${options.seeds} worlds, ${summary.pages} pages`);
  console.log(['layout', 'papers', 'facts', 'headF1', 'cells', 'in order'].map(cell).join(''));
  const rows = [
    ...LAYOUTS.map((layout) => [layout, summary.byLayout[layout]] as const),
    ['plain', summary.plain] as const,
    ['manners', summary.manners] as const,
  ];
  for (const [name, row] of rows)
    if (row) console.log([name, String(row.papers), row.facts, row.headF1, row.cells, row.order].map(cell).join(''));
  const { facts, headF1, cells, order } = SIMULATED_TARGETS;
  console.log(['target', '', facts, headF1, cells, order].map(cell).join(''));
  console.log(`reading order is asked of ${ORDERED.join(', ')}`);
}
