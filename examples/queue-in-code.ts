// The queue from a program:  node --conditions=docstokg-source examples/queue-in-code.ts
// (as an installed package, `docstokg/queue` needs no condition).
import { systemClock } from 'docstokg/base';
import { openStore, Orchestrator, WorkQueue } from 'docstokg/queue';

const second = 1_000;
const store = await openStore({
  backend: 'sqlite',
  path: process.argv[2] ?? 'state/example.sqlite',
  walMode: true,
  timeoutMs: 10 * second,
  durability: 'enqueue',
  url: '',
  schema: 'docstokg',
  clock: systemClock,
});
await using queue = new WorkQueue(store, systemClock);

// The same id again is a no-op, so this program may be started as often as you like.
for (const year of [1665, 1859, 1905, 1953]) await queue.enqueue(`year:${year}`, { year }, { priority: year });

const orchestrator = new Orchestrator(
  {
    maxWorkers: 2,
    maxPerHost: 2,
    maxPerResolver: {},
    maxParked: 16,
    leaseMs: 60 * second,
    heartbeatMs: 10 * second,
    maxAttempts: 3,
    retryBackoffMs: second,
    retryJitterMs: 0,
    retryMaxDelayMs: 60 * second,
    jobTimeoutMs: 60 * second,
    shutdownGraceMs: 5 * second,
  },
  {
    store,
    clock: systemClock,
    handler: (job) => console.log(`${job.artifactId}, attempt ${job.attempt}`),
  },
);
const { done, error } = await orchestrator.run({ drain: 'empty' });
const { states } = await queue.stats();
console.log(`${done} done, ${error} failed; the queue holds ${states.done} done in all`);
