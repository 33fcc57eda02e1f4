import { PROFILES } from '../../sim/index.ts';
import { killStorm } from '../../test/support/kill-storm.ts';
import { asked, oneOf, positive, readOptions, wholeNumber } from '../../test/support/options.ts';

// npm run verify:kill [-- --works 500 --kills 30 --seeds 1 --workers 16]
// Kills a harvest of a simulated world again and again, resumes it, and holds what is left against the truth; exit 1 on a fault.

const { values: given } = asked(() =>
  readOptions({
    options: {
      seed: { type: 'string', default: '1' },
      works: { type: 'string', default: '500' },
      hosts: { type: 'string', default: '60' },
      kills: { type: 'string', default: '30' },
      workers: { type: 'string', default: '16' },
      documents: { type: 'string', default: 'plain' },
      profile: { type: 'string', default: 'calm' },
      'requests-between': { type: 'string', default: '220' },
      'time-scale': { type: 'string', default: '0.02' },
    },
  }),
);

const startedAt = performance.now();
const options = asked(() => ({
  seed: wholeNumber('seed', given.seed, 0),
  works: wholeNumber('works', given.works),
  hosts: wholeNumber('hosts', given.hosts),
  kills: wholeNumber('kills', given.kills),
  workers: wholeNumber('workers', given.workers),
  profile: oneOf('profile', given.profile, PROFILES),
  documents: oneOf('documents', given.documents, ['full', 'plain'] as const),
  timeScale: positive('time-scale', given['time-scale']),
  requestsBetween: wholeNumber('requests-between', given['requests-between']),
}));
const storm = await killStorm(options);
const { kills, killsAtStart, rows, repeatedRows, faults } = storm;
console.log(
  `${faults.length === 0 ? 'ok  ' : 'DIFF'} ${given.works} works, killed ${kills} times (${killsAtStart} before the first request), ${rows} rows, ${repeatedRows} of them repeats, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
);
for (const fault of faults.slice(0, 30)) console.log(`     ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
