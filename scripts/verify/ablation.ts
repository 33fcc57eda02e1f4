import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openInspector } from '../../src/harvest/inspector.ts';
import { PROFILES } from '../../sim/index.ts';
import { ablate } from '../../test/support/ablation.ts';
import { openWorld } from '../../test/support/harvest.ts';
import { checkOptions } from '../../test/support/options.ts';

// npm run verify:ablation [-- --seed 1 --works 120 --scope all --profile calm]: downloads a simulated world with each
// resolver disabled in turn; exits with 1 unless exactly the works only it can obtain are lost.

const {
  scope,
  'time-scale': timeScale,
  ...world
} = checkOptions({
  seed: 1,
  works: 120,
  hosts: 30,
  scope: ['all', 'concerned'],
  profile: ['calm', ...PROFILES],
  'time-scale': 0.02,
});

await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-ablation-'));
await using simulation = await openWorld({ ...world, timeScale, documents: 'plain', workers: 32 });
using inspector = openInspector();
let wrong = 0;
for await (const { resolver, works, only, lost, differences } of ablate(simulation, folder.path, {
  scope,
  inspect: inspector.inspect,
})) {
  // In the `reality` world every resolver has a work that only it can obtain.
  const hasOwn = world.profile !== 'reality' || only.length > 0;
  const isRight = differences.length === 0 && hasOwn && lost.toSorted().join() === only.toSorted().join();
  if (!isRight) wrong += 1;
  console.log(
    `${isRight ? 'ok  ' : 'DIFF'} without ${resolver.padEnd(17)} ${works} works downloaded, lost ${lost.length}, only it can obtain ${only.length}`,
  );
  for (const difference of differences.slice(0, 10)) console.log(`     ${difference}`);
}
console.log(`${wrong === 0 ? 'every' : 'not every'} resolver loses exactly what only it can obtain`);
process.exitCode = wrong === 0 ? 0 : 1;
