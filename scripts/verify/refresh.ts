import { asked, readOptions, wholeNumber } from '../../test/support/options.ts';
import { liveThroughMonth } from '../../test/support/month.ts';

// npm run verify:refresh [-- --works 120 --kills 20 --seed 1]
// Refreshes a corpus after a simulated month, compares the reported changes with those of the world, kills and resumes it; exit 1 on a fault.

const { values: given } = asked(() =>
  readOptions({
    options: {
      seed: { type: 'string', default: '1' },
      works: { type: 'string', default: '120' },
      kills: { type: 'string', default: '20' },
    },
  }),
);
const options = asked(() => ({
  seed: wholeNumber('seed', given.seed, 0),
  works: wholeNumber('works', given.works),
  kills: wholeNumber('kills', given.kills, 0),
}));
const startedAt = performance.now();
const { truth, kills, instants, faults } = await liveThroughMonth(options);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
const told = Object.entries(truth).map(([part, works]) => `${(works as readonly string[]).length} ${part}`);
console.log(
  `${faults.length === 0 ? 'ok  ' : 'DIFF'} ${given.works} works; in the month ${told.join(', ')}; killed ${kills} times, ${seconds} s`,
);
for (const instant of instants) console.log(`     killed after ${instant}`);
for (const fault of faults) console.log(`     ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
