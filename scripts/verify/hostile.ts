// A server of hostile cases beside good hosts, visited by `contentdownload` as a user would start it: `npm run verify:hostile`.
// None may stop the run, save wrong bytes, or lose another host's work. Words choose cases: `npm run verify:hostile -- robots`.
import { HOSTILE_CASES, visitHostiles } from '../../test/support/hostile/visit.ts';

const words = process.argv.slice(2);
const chosen = HOSTILE_CASES.filter(({ name }) => words.every((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(`no case has ${words.join(' ')} in its name; there are ${HOSTILE_CASES.length}`);
  process.exit(2);
}
const { works, saved, seconds, byReason, faults } = await visitHostiles(chosen);
for (const [reason, count] of Object.entries(byReason)) console.log(`${String(count).padStart(5)}  ${reason}`);
for (const fault of faults) console.log(`FAULT  ${fault}`);
console.log(
  `${chosen.length} hostile cases beside good hosts: ${works} works, ${saved} saved, ${faults.length} faults  (${seconds.toFixed(0)} s)`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
