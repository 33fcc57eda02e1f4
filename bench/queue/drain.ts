import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { ChildResult } from './child.ts';
import type { Contender, Place } from './contender.ts';

/** What it took to empty a queue. */
export interface DrainResult {
  readonly jobs: number;
  readonly seconds: number;
  readonly cpuMs: number;
}

/** Empties a queue with real processes that start together; starting them and noticing the end are not counted. */
export async function drainWithProcesses(
  contender: Contender,
  place: Place,
  options: { readonly concurrency: number; readonly processes: number; readonly longestMs: number },
): Promise<DrainResult> {
  const children = Array.from({ length: options.processes }, () =>
    fork(join(import.meta.dirname, 'child.ts'), [contender.name, JSON.stringify(place), String(options.concurrency)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  const overdue = setTimeout(() => {
    for (const child of children) child.kill('SIGKILL');
  }, options.longestMs);
  try {
    // Nobody is listened to too late: the answer comes only after the word, which is sent when all are ready.
    await Promise.all(children.map((child) => nextMessage(child)));
    const results = children.map((child) => nextMessage(child) as Promise<ChildResult>);
    const exits = children.map((child) => once(child, 'exit'));
    for (const child of children) child.send('go');
    const ended = await Promise.all(results);
    await Promise.all(exits);
    const startedAt = Math.min(...ended.map((each) => each.startedAt));
    // A process that got nothing tells only when it started.
    const lastAt = Math.max(...ended.filter(({ jobs }) => jobs > 0).map((each) => each.lastAt));
    return {
      jobs: ended.reduce((sum, { jobs }) => sum + jobs, 0),
      seconds: (lastAt - startedAt) / 1000,
      cpuMs: ended.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    };
  } finally {
    clearTimeout(overdue);
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  }
}

function nextMessage(child: ReturnType<typeof fork>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process ended early with ${String(code)}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.removeListener('exit', onExit);
      resolve(message);
    });
  });
}
