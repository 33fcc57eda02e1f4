import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { testProgram } from '../support/bin.ts';

/** Runs queue-runner.ts; kills it after this many events. True if it ended before. */
export async function runRunner(task: object, killAfterEvents = Infinity): Promise<boolean> {
  const child = spawn(process.execPath, [testProgram('e2e/queue-runner.ts'), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [events, errors] = [0, ''];
  child.stdout.on('data', (bytes: Buffer) => {
    events += bytes.length;
    if (events >= killAfterEvents) child.kill('SIGKILL');
  });
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`the runner ended with ${code ?? signal}: ${errors}`);
  return code === 0;
}

/** Whole numbers below a bound from a seed, so that a failing run can be repeated. */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
