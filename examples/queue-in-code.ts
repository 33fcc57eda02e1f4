// A queue in a few lines:  node --conditions=docstokg-source examples/queue-in-code.ts
// (as an installed package, `docstokg/queue` needs no condition).
import { openStore, Orchestrator, WorkQueue } from 'docstokg/queue';

await using queue = new WorkQueue(await openStore(process.argv[2] ?? 'state/example.sqlite'));
// The same id again is a no-op, so this program may be started as often as you like.
for (const year of [1665, 1859, 1905, 1953]) await queue.enqueue(`year:${year}`, { year }, { priority: year });
const orchestrator = new Orchestrator({
  queue,
  handler: (job) => console.log(job.artifactId, 'attempt', job.attempt),
  // A job that throws is tried again, by default after a minute; until then `run` waits.
  retryBackoffMs: 1_000,
  report: (event) =>
    event.kind === 'job-ended' &&
    event.settlement.kind === 'requeue' &&
    console.log('will retry', event.job.artifactId),
});
const { done, error } = await orchestrator.run({ drain: 'empty' });
console.log(`${done} done, ${error} failed; the queue holds ${(await queue.stats()).states.done} done in all`);
