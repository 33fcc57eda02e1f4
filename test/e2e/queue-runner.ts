// A process that runs jobs of a queue until it is drained or killed. It writes one line per event to a log that survives its
// death, and one byte per event to stdout, so that its parent can kill it after a chosen number of events.
import { appendFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';

import { openStore, Orchestrator, WorkQueue } from '../../src/queue/index.ts';

interface Task {
  readonly mode: 'drain' | 'enqueue';
  readonly backend: 'sqlite' | 'postgres';
  readonly target: string;
  readonly log: string;
  readonly workers: number;
  readonly maxDeaths: number;
  /** Ids that this process adds before it drains. */
  readonly ids: readonly string[];
}

const task = JSON.parse(process.argv[2] ?? '{}') as Task;
// A killed process would not save its compile cache, and the next one would compile again.
flushCompileCache();
const record = (line: string): void => {
  appendFileSync(task.log, `${line}\n`);
  writeSync(1, '.');
};

await using store = await openStore(task.target, { schema: 'docstokg_e2e', timeoutMs: 240_000 });
const queue = new WorkQueue(store);

if (task.mode === 'enqueue') {
  for (const id of task.ids) {
    await queue.enqueue(id, { id });
    record(`accepted ${id}`);
  }
} else {
  const results = await Promise.all(task.ids.map((id) => queue.enqueue(id, { id })));
  for (const added of results) if (added) record('added');
  const orchestrator = new Orchestrator({
    maxWorkers: task.workers,
    maxPerResolver: {},
    maxPerHost: 4,
    maxParked: 16,
    leaseMs: 60_000,
    heartbeatMs: 5_000,
    maxAttempts: 3,
    maxDeaths: task.maxDeaths,
    retryBackoffMs: 1,
    retryJitterMs: 0,
    retryMaxDelayMs: 1,
    jobTimeoutMs: 0,
    shutdownGraceMs: 0,
    queue,
    handler: async (job) => {
      record(`start ${job.artifactId} ${process.pid}`);
      if (job.artifactId === 'poison') process.kill(process.pid, 'SIGKILL');
      await new Promise(setImmediate);
      record(`end ${job.artifactId} ${process.pid}`);
    },
    report: (event) => {
      if (event.kind === 'job-settled')
        record(`${event.accepted ? 'settled' : 'refused'} ${event.job.artifactId} ${process.pid}`);
    },
  });
  await orchestrator.run({ drain: 'empty' });
}
