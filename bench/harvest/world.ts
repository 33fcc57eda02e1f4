import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

import { Admin, Simulation } from '../../sim/index.ts';

/** What the parent is told when the world stands. */
export interface WorldUp {
  readonly url: string;
  readonly works: number;
}

// A large simulated world in a process of its own, and the ids of all its works in a file; ends with its parent.
const [works = '', timeScale = '', list = ''] = process.argv.slice(2);
const simulation = await Simulation.open({
  parameters: { seed: 7, works: Number(works), hosts: 400, profile: 'load' },
  timeScale: Number(timeScale),
  latency: false,
  documents: 'plain',
});
const admin = await Admin.open(simulation);
const file = createWriteStream(list);
let count = 0;
for (const { id } of simulation.world.works()) {
  count += 1;
  if (!file.write(`${JSON.stringify({ id: `https://openalex.org/${id}` })}\n`)) await once(file, 'drain');
}
file.end();
await finished(file);
const up: WorldUp = { url: admin.url, works: count };
process.send?.(up);
process.on('disconnect', () => process.exit(0));
