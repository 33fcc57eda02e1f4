// `npm run verify:damage`: damages each file of a run folder in each way, alone and in pairs, runs each command on it, and
// prints what happened. Nothing that a person decided, nothing that cannot be fetched again and no file of another program
// may be lost, and no stack may be printed. `--file decisions --command search --damage missing` selects, `--alone` leaves
// out pairs, `--jobs` is the number of processes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

import type { DamagedCommand, Wound } from '../../test/support/damage.ts';
import { COMMANDS, DAMAGES, openDamageScene, verdictText, woundPairs } from '../../test/support/damage.ts';
import { checkOptions } from '../../test/support/options.ts';

const PAIR_COMMANDS: readonly DamagedCommand[] = ['search', 'set', 'run', 'reindex'];

interface Result {
  readonly judged: number;
  readonly impossible: number;
  readonly faults: number;
}

const options = checkOptions({
  file: '',
  command: '',
  damage: '',
  alone: false,
  /** One more than the number of cores: a `run` waits for its child processes. */
  jobs: availableParallelism() + 1,
  /** Which of the processes this is, from 1; 0 is the one that starts them. */
  job: 0,
});
if (options.job === 0) await startAll();
else process.send?.(await judgeSome(options.job - 1));

async function startAll(): Promise<void> {
  const startedAt = performance.now();
  const results = await Promise.all(
    Array.from({ length: Math.max(1, options.jobs) }, async (_, at): Promise<Result> => {
      const child = fork(process.argv[1] ?? '', ['damage', ...process.argv.slice(2), '--job', String(at + 1)]);
      const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Result | number];
      if (typeof message !== 'object') throw new Error(`process ${at + 1} ended with ${message}`);
      return message;
    }),
  );
  const sum = (of: keyof Result): number => results.reduce((total, result) => total + result[of], 0);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const mark = sum('faults') === 0 ? 'ok  ' : 'DIFF';
  console.log(
    `${mark} ${sum('judged')} combinations (${sum('impossible')} impossible here), ${sum('faults')} faults, ${seconds} s`,
  );
  process.exitCode = sum('faults') === 0 ? 0 : 1;
}

async function judgeSome(job: number): Promise<Result> {
  await using scene = await openDamageScene();
  const cases: (readonly [readonly Wound[], DamagedCommand])[] = [];
  for (const file of scene.files)
    for (const damage of DAMAGES) for (const command of COMMANDS) cases.push([[{ file, damage }], command]);
  if (!options.alone) for (const pair of woundPairs()) for (const command of PAIR_COMMANDS) cases.push([pair, command]);
  const chosen = cases.filter(
    ([wounds, command]) =>
      command.startsWith(options.command) &&
      wounds.some(({ file }) => file.includes(options.file)) &&
      wounds.some(({ damage }) => damage.startsWith(options.damage)),
  );
  let [judged, impossible, faults] = [0, 0, 0];
  for (const [wounds, command] of chosen.filter((_, at) => at % options.jobs === job)) {
    const verdict = await scene.judge(wounds, command);
    if (!verdict) {
      impossible += 1;
      continue;
    }
    judged += 1;
    faults += verdict.faults.length;
    console.log([verdictText(verdict), ...verdict.faults.map((fault) => `     FAULT ${fault}`)].join('\n'));
  }
  return { judged, impossible, faults };
}
