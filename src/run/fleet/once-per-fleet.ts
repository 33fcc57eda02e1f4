import type { Clock } from '../../base/index.ts';
import { canonicalJson, sha256 } from '../../base/index.ts';
import type { WorkQueue } from '../../queue/index.ts';
import { Orchestrator, recoverDead } from '../../queue/index.ts';

interface OncePerFleetOptions {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** The queue of works, whose workers show whether the fleet is active. */
  readonly works: WorkQueue;
  /** The request: each one has its own jobs. */
  readonly asked: object;
}

/** How often to check a job that another machine requested. */
const OTHERS_MS = 1_000;

/** What one machine does for all. */
export interface OncePerFleet {
  /** Whether no other machine of the fleet was working when this one began. */
  readonly isFirst: boolean;
  /** Runs something once per name; on the other machines it returns undefined when that is done. */
  readonly once: Once;
}

export type Once = <T>(
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
) => Promise<T | undefined>;

/** Jobs that one machine does for all while the others wait; each is leased in case its machine dies. */
export async function oncePerFleet(options: OncePerFleetOptions): Promise<OncePerFleet> {
  const { works, queue, clock, leaseMs, heartbeatMs, asked } = options;
  const question = sha256(canonicalJson(asked));
  await recoverDead(works.store, clock);
  const { at, workers } = await works.stats();
  // A fleet that has ended lists again when restarted: there may be new works.
  const isActive = workers.some(({ updatedAt }) => updatedAt >= at - leaseMs);
  if (!isActive) await queue.store.admin.prune({}, { dryRun: false });

  const once = async <T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> => {
    const job = `${name} ${question}`;
    const stop = new AbortController();
    let done: T | undefined;
    let failure: { readonly error: unknown } | undefined;
    await queue.enqueue(job, {});
    const orchestrator = new Orchestrator({
      queue,
      clock,
      leaseMs,
      heartbeatMs,
      maxWorkers: 1,
      jobTimeoutMs: 0,
      shutdownGraceMs: 0,
      handler: async ({ artifactId }, { signal: lost }) => {
        if (artifactId !== job) {
          // Its machine may have died, and this one may be the next to run it. Nothing else keeps this one waiting.
          const own = await queue.store.admin.find(job);
          if (own?.state !== 'queued' && own?.state !== 'in_progress') stop.abort();
          return { retryAt: clock.now() + OTHERS_MS };
        }
        try {
          done = await work(AbortSignal.any([lost, signal]));
          return undefined;
        } catch (error) {
          // Another machine may succeed.
          if (!lost.aborted) failure = { error };
          stop.abort();
          return { retryAt: clock.now() };
        }
      },
    });
    await orchestrator.run({ drain: 'empty', signal: AbortSignal.any([stop.signal, signal]) });
    if (failure && !signal.aborted) throw failure.error;
    return done;
  };
  return { isFirst: !isActive, once };
}
