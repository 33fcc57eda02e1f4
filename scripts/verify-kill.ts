import { parseArgs } from 'node:util';

import { killStorm } from '../test/support/kill-storm.ts';

// npm run verify:kill [-- --works 500 --kills 30 --seeds 1 --workers 16]
// Kills a harvest of a simulated world again and again, resumes it, and holds what is left against the truth; exit 1 on a fault.

const { values: given } = parseArgs({
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
});

const startedAt = performance.now();
const storm = await killStorm({
  seed: Number(given.seed),
  works: Number(given.works),
  hosts: Number(given.hosts),
  kills: Number(given.kills),
  workers: Number(given.workers),
  profile: given.profile as 'calm',
  documents: given.documents as 'plain',
  timeScale: Number(given['time-scale']),
  requestsBetween: Number(given['requests-between']),
});
const { kills, killsAtStart, rows, repeatedRows, faults } = storm;
console.log(
  `${faults.length === 0 ? 'ok  ' : 'DIFF'} ${given.works} works, killed ${kills} times (${killsAtStart} before the first request), ${rows} rows, ${repeatedRows} of them repeats, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
);
for (const fault of faults.slice(0, 30)) console.log(`     ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
