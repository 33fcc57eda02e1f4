// A process that leases a job and holds it until its signal is aborted. It prints its events on stdout.
import { openStore, Orchestrator, WorkQueue } from '../../src/queue/index.ts';

await using store = await openStore(process.argv[2] ?? '', { timeoutMs: 240_000 });
const orchestrator = new Orchestrator({
  maxWorkers: 1,
  maxPerResolver: {},
  maxPerHost: 1,
  maxParked: 0,
  leaseMs: 60_000,
  // It writes nothing while it holds the job, so that it holds no lock when it is suspended.
  heartbeatMs: 600_000,
  maxAttempts: 3,
  retryBackoffMs: 1,
  retryJitterMs: 0,
  retryMaxDelayMs: 1,
  jobTimeoutMs: 0,
  shutdownGraceMs: 0,
  queue: new WorkQueue(store),
  handler: async (job, { signal }) => {
    console.log(`started ${job.artifactId}`);
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  },
  report: (event) => {
    if (event.kind === 'lease-lost') console.log(`lost ${event.job.artifactId}`);
    if (event.kind === 'job-settled') console.log(event.accepted ? 'settled' : 'refused');
  },
});
const { lost } = await orchestrator.run({ drain: 'empty' });
console.log(`ended, ${lost} lost`);
