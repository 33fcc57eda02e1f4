import type { Clock } from '../../base/index.ts';
import { canonicalJson, sha256 } from '../../base/index.ts';
import type { WorkQueue } from '../../queue/index.ts';
import { Orchestrator } from '../../queue/index.ts';

export interface FleetListingOptions {
  /** The queue of works, whose workers show whether the fleet is at work. */
  readonly works: WorkQueue;
  /** A queue for the one job of listing. */
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** What is asked for: the same question is listed by one machine at a time. */
  readonly asked: object;
}

/**
 * Lets one machine of a fleet list the works. Listing is a leased job: when its machine dies, another one lists again, and
 * works that are in the queue are not put in twice. The others wait for its end, for until then works may still come.
 */
export class FleetListing implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #granted = Promise.withResolvers<void>();
  readonly #listed = Promise.withResolvers<void>();
  readonly #orchestrator: Orchestrator;
  #isFirst = false;

  private constructor({ queue, clock, leaseMs, heartbeatMs }: FleetListingOptions) {
    this.#listed.promise.catch(() => undefined); // The handler throws it.
    this.#orchestrator = new Orchestrator({
      queue,
      clock,
      leaseMs,
      heartbeatMs,
      maxWorkers: 1,
      jobTimeoutMs: 0,
      shutdownGraceMs: 0,
      givesWay: false,
      handler: async (_job, { signal }) => {
        this.#isFirst = true;
        this.#granted.resolve();
        signal.addEventListener('abort', () => this.#listed.reject(signal.reason as Error), { once: true });
        await this.#listed.promise;
      },
    });
  }

  static async open(options: FleetListingOptions): Promise<FleetListing> {
    const { works, queue, clock, leaseMs, asked } = options;
    const { workers } = await works.stats();
    // A fleet that has ended lists again when it is started again: there may be new works.
    const isActive = workers.some(({ updatedAt }) => updatedAt >= clock.now() - leaseMs);
    if (!isActive) await queue.store.admin.prune({}, { dryRun: false });
    await queue.enqueue(`list ${sha256(canonicalJson(asked))}`, {});
    const listing = new FleetListing(options);
    await listing.#orchestrator.start({ drain: 'empty', signal: listing.#stop.signal });
    return listing;
  }

  /** Whether this machine has listed. */
  get isFirst(): boolean {
    return this.#isFirst;
  }

  /** The works, on the machine whose turn it is; on the others none, after the listing has ended. */
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#orchestrator.ended;
    await this.#orchestrator.leave();
  }
}
