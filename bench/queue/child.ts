import type { Place } from './contender.ts';
import { createPayload, wallClock } from './contender.ts';
import { CONTENDERS } from './contenders.ts';

/** What a child tells its parent when nothing is left. */
export interface ChildResult {
  readonly jobs: number;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly cpuMs: number;
}

// One of several processes that empty a queue together: opens it, waits for the word, runs, and tells.
const [name = '', place = '', concurrency = ''] = process.argv.slice(2);
const contender = CONTENDERS[name];
if (!contender) throw new Error(`nobody is called ${name}`);
const shared = JSON.parse(place) as Place;
if (contender.warmUp > 0) {
  await using own = await contender.open({ ...shared, name: `${shared.name}_warm_${process.pid}` });
  await own.bulk(Array.from({ length: contender.warmUp }, (_, number) => createPayload(number)));
  await own.drain(Number(concurrency));
}
const queue = await contender.open(shared);
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));

const startedAt = wallClock();
const before = process.cpuUsage();
const { jobs, lastAt } = await queue.drain(Number(concurrency));
const { user, system } = process.cpuUsage(before);
const result: ChildResult = { jobs, startedAt, lastAt, cpuMs: (user + system) / 1000 };
await queue[Symbol.asyncDispose]();
process.send?.(result, () => process.exit(0));
