import type { Clock } from '../../base/index.ts';
import { canonicalJson, sha256 } from '../../base/index.ts';
import type { HandlerOutcome, WorkQueue } from '../../queue/index.ts';
import { Orchestrator, recoverDead } from '../../queue/index.ts';

export interface FleetListingOptions {
  /** The queue of works, whose workers show whether the fleet is active. */
  readonly works: WorkQueue;
  /** A queue for the listing job. */
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** The request: each one is listed by one machine at a time. */
  readonly asked: object;
}

/** How often to check a listing job of another machine's request. */
const OTHERS_MS = 1_000;

/**
 * Lets one machine of a fleet list the works, and one build the index. Each is a leased job: if its machine dies,
 * another one takes over, and works already enqueued are not added twice. The others wait for its end, because works
 * may still arrive until then.
 */
export class FleetListing implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #granted = Promise.withResolvers<void>();
  readonly #listed = Promise.withResolvers<void>();
  readonly #options: FleetListingOptions;
  readonly #question: string;
  readonly #orchestrator: Orchestrator;
  #isFirst = false;

  private constructor(options: FleetListingOptions) {
    this.#options = options;
    this.#question = sha256(canonicalJson(options.asked));
    this.#listed.promise.catch(() => undefined); // The handler throws it.
    this.#orchestrator = this.#orchestrate(this.#listJob, async (signal) => {
      this.#isFirst = true;
      this.#granted.resolve();
      signal.addEventListener('abort', () => this.#listed.reject(signal.reason as Error), { once: true });
      await this.#listed.promise;
    });
  }

  static async open(options: FleetListingOptions): Promise<FleetListing> {
    const { works, queue, clock, leaseMs } = options;
    const listing = new FleetListing(options);
    await recoverDead(works.store, clock);
    const { workers } = await works.stats();
    // A fleet that has ended lists again when restarted: there may be new works.
    const isActive = workers.some(({ updatedAt }) => updatedAt >= clock.now() - leaseMs);
    if (!isActive) await queue.store.admin.prune({}, { dryRun: false });
    await queue.enqueue(listing.#listJob, {});
    await listing.#orchestrator.start({ drain: 'empty', signal: listing.#stop.signal });
    return listing;
  }

  /** The works, on the machine that lists; none on the others, after the listing has ended. */
  async *works<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    await Promise.race([this.#granted.promise, this.#orchestrator.ended]);
    if (!this.#isFirst) return;
    try {
      yield* source;
    } catch (error) {
      this.#listed.reject(error);
      throw error;
    }
  }

  /** All works are in the queue. */
  async listed(): Promise<void> {
    this.#listed.resolve();
    await this.#orchestrator.ended;
  }

  /**
   * Runs `work` on one machine of the fleet, once for each `state` of the corpus; on the others it returns undefined
   * when that is done.
   */
  async once<T>(state: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { queue, clock } = this.#options;
    const job = `index ${this.#question} ${state}`;
    const stop = new AbortController();
    let done: T | undefined;
    let failure: { readonly error: unknown } | undefined;
    await queue.enqueue(job, {});
    const orchestrator = this.#orchestrate(job, async (lost) => {
      try {
        done = await work(AbortSignal.any([lost, signal]));
        return undefined;
      } catch (error) {
        // Another machine may succeed.
        if (!lost.aborted) failure = { error };
        stop.abort();
        return { retryAt: clock.now() };
      }
    });
    await orchestrator.start({ drain: 'empty', signal: AbortSignal.any([stop.signal, signal]) });
    await orchestrator.ended;
    await orchestrator.leave();
    if (failure && !signal.aborted) throw failure.error;
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#orchestrator.ended;
    await this.#orchestrator.leave();
  }

  get #listJob(): string {
    return `list ${this.#question}`;
  }

  #orchestrate(name: string, work: (signal: AbortSignal) => Promise<HandlerOutcome>): Orchestrator {
    const { queue, clock, leaseMs, heartbeatMs } = this.#options;
    return new Orchestrator({
      queue,
      clock,
      leaseMs,
      heartbeatMs,
      maxWorkers: 1,
      jobTimeoutMs: 0,
      shutdownGraceMs: 0,
      handler: async ({ artifactId }, { signal }) =>
        artifactId === name ? await work(signal) : { retryAt: clock.now() + OTHERS_MS },
    });
  }
}
