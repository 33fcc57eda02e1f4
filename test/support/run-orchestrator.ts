import { HeldClock } from '../../src/testing/index.ts';
import type { QueueEvent } from '../../src/queue/events.ts';
import type { Handler, HandlerContext, HandlerJob } from '../../src/queue/handler.ts';
import { openStore } from '../../src/queue/store.ts';
import type { QueueStore } from '../../src/queue/types.ts';
import type { OrchestratorOptions } from '../../src/queue/options.ts';
import { ORCHESTRATOR_DEFAULTS } from '../../src/queue/options.ts';
import { Orchestrator } from '../../src/queue/orchestrator.ts';
import { WorkQueue } from '../../src/queue/work-queue.ts';

/** Four workers; retries without jitter. */
export const OPTIONS: OrchestratorOptions = {
  ...ORCHESTRATOR_DEFAULTS,
  maxWorkers: 4,
  maxParked: 8,
  readyPerHost: 0,
  leaseMs: 60_000,
  heartbeatMs: 20_000,
  maxAttempts: 3,
  maxDeaths: 3,
  retryBackoffMs: 1_000,
  retryJitterMs: 0,
  retryMaxDelayMs: 60_000,
  jobTimeoutMs: 0,
  shutdownGraceMs: 30_000,
};

/** Lets everything that is ready run. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

/** An orchestrator that has not run yet, and what it works on. */
export interface Staged {
  readonly clock: HeldClock;
  readonly store: QueueStore;
  readonly queue: WorkQueue;
  readonly events: readonly QueueEvent[];
  readonly orchestrator: Orchestrator;
}

/** A queue in memory on a held clock, with the given handler. */
export async function stage(handler: Handler, options: Partial<OrchestratorOptions> = {}): Promise<Staged> {
  const clock = new HeldClock();
  const store = await openStore(':memory:', { clock });
  const queue = new WorkQueue(store, clock);
  const events: QueueEvent[] = [];
  const orchestrator = new Orchestrator({
    ...OPTIONS,
    ...options,
    queue,
    handler,
    clock,
    report: (event) => void events.push(event),
    random: () => 0,
  });
  return { clock, store, queue, events, orchestrator };
}

/** A job in the hands of a controlled handler. */
export interface OpenJob {
  readonly job: HandlerJob;
  readonly context: HandlerContext;
  readonly end: (error?: Error) => void;
}

/** A handler whose jobs the test ends. */
export function controlled(): { readonly open: Map<string, OpenJob>; readonly handler: Handler } {
  const open = new Map<string, OpenJob>();
  const handler: Handler = (job, context) =>
    new Promise((resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error), { once: true });
      open.set(job.artifactId, {
        job,
        context,
        end: (error) => (open.delete(job.artifactId), error === undefined ? resolve() : reject(error)),
      });
    });
  return { open, handler };
}
