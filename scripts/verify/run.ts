import { asked, oneOf, readOptions, wholeNumber } from '../../test/support/options.ts';
import { runStorm } from '../../test/support/run-storm.ts';

// npm run verify:run [-- --works 6 --kills 20 --seed 1 --documents plain]
// Kills docstokg run again and again, lets it finish, and compares the corpus with an undisturbed one; exit 1 on a fault.

const { values: given } = asked(() =>
  readOptions({
    options: {
      seed: { type: 'string', default: '1' },
      works: { type: 'string', default: '6' },
      kills: { type: 'string', default: '20' },
      documents: { type: 'string', default: 'full' },
    },
  }),
);
const storm = asked(() => ({
  seed: wholeNumber('seed', given.seed, 0),
  works: wholeNumber('works', given.works),
  kills: wholeNumber('kills', given.kills),
  documents: oneOf('documents', given.documents, ['full', 'plain'] as const),
}));

const startedAt = performance.now();
const { kills, works, chunks, faults, instants } = await runStorm(storm);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(
  `${faults.length === 0 ? 'ok  ' : 'DIFF'} ${works} works, ${chunks} chunks, killed ${kills} times, ${seconds} s`,
);
for (const instant of instants) console.log(`     killed after ${instant}`);
for (const fault of faults) console.log(`     ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
