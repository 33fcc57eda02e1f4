// npm run verify:hostile: a server with hostile cases next to good hosts, used by `contentdownload` as a user would
// start it. No case may stop the run, save wrong bytes, or lose the work of another host. Words select cases: `npm run
// verify:hostile -- robots`.
import { HOSTILE_CASES, visitHostiles } from '../../test/support/hostile/visit.ts';

const words = process.argv.slice(2);
const chosen = HOSTILE_CASES.filter(({ name }) => words.every((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(`no case name contains ${words.join(' ')}; there are ${HOSTILE_CASES.length}`);
  process.exit(2);
}
const { works, saved, seconds, byReason, faults } = await visitHostiles(chosen);
for (const [reason, count] of Object.entries(byReason)) console.log(`${String(count).padStart(5)}  ${reason}`);
for (const fault of faults) console.log(`FAULT  ${fault}`);
console.log(
  `${chosen.length} hostile cases next to good hosts: ${works} works, ${saved} saved, ${faults.length} faults  (${seconds.toFixed(0)} s)`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
