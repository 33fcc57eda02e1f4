import { parseArgs } from 'node:util';

import type { SimulatedScore } from './score/simulated.ts';
import { scoreSimulated, SIMULATED_TARGETS } from './score/simulated.ts';

const { values } = parseArgs({
  options: {
    papers: { type: 'string', default: '200' },
    seeds: { type: 'string', default: '5' },
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const all: SimulatedScore[] = [];
for await (const s of scoreSimulated(Number(values.papers), Number(values.seeds))) {
  all.push(s);
  if (s.misses.length) console.log(s.layout, s.name, s.pages, '\n  ', s.misses.join('\n   '));
}
for (const layout of ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L8']) {
  const g = all.filter((s) => s.layout === layout);
  const f = g.reduce((n, s) => n + s.facts.right, 0) / g.reduce((n, s) => n + s.facts.truth, 0);
  const h =
    (2 * g.reduce((n, s) => n + s.headings.right, 0)) / g.reduce((n, s) => n + s.headings.truth + s.headings.found, 0);
  const c = g.reduce((n, s) => n + s.cells.right, 0) / g.reduce((n, s) => n + s.cells.truth, 0);
  console.log(layout, g.length, f.toFixed(4), h.toFixed(4), c.toFixed(4), g.filter((s) => s.inOrder).length);
}
void SIMULATED_TARGETS;
