import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { openInspector } from '../src/harvest/inspector.ts';
import { ablate } from '../test/support/ablation.ts';
import { openWorld } from '../test/support/harvest.ts';

// npm run verify:ablation [-- --seed 1 --works 120 --scope all]
// Harvests a calm world with each resolver turned off in turn; exit 1 unless exactly the works are lost that only it can obtain.

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    works: { type: 'string', default: '120' },
    hosts: { type: 'string', default: '30' },
    scope: { type: 'string', default: 'all' },
    'time-scale': { type: 'string', default: '0.02' },
  },
});

await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-ablation-'));
await using simulation = await openWorld({
  seed: Number(given.seed),
  works: Number(given.works),
  hosts: Number(given.hosts),
  profile: 'calm',
  documents: 'plain',
  workers: 32,
  timeScale: Number(given['time-scale']),
});
using inspector = openInspector();
let wrong = 0;
const scope = given.scope === 'concerned' ? 'concerned' : 'all';
for await (const { resolver, works, only, lost, differences } of ablate(simulation, folder.path, {
  scope,
  inspect: inspector.inspect,
})) {
  const isRight = differences.length === 0 && lost.toSorted().join() === only.toSorted().join();
  if (!isRight) wrong += 1;
  console.log(
    `${isRight ? 'ok  ' : 'DIFF'} without ${resolver.padEnd(17)} ${works} works harvested, lost ${lost.length}, only it can obtain ${only.length}`,
  );
  for (const difference of differences.slice(0, 10)) console.log(`     ${difference}`);
}
console.log(`${wrong === 0 ? 'every' : 'not every'} resolver loses exactly what only it can obtain`);
process.exitCode = wrong === 0 ? 0 : 1;
