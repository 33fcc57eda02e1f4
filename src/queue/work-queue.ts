import type { Clock, ErrorInfo } from '../base/index.ts';
import { AppError, Batcher, hostKey, systemClock } from '../base/index.ts';
import { retrySettlement } from './handler.ts';
import { firstPicks } from './lanes.ts';
import { deathLimits, ORCHESTRATOR_DEFAULTS } from './options.ts';
import type { HostJobs, Lease, LeasedJob, NewJob, QueueStats, QueueStore, Settlement } from './types.ts';

/** Payloads describe a work; they do not contain files. */
const MAX_PAYLOAD_BYTES = 10_000_000;
const MAX_ID_LENGTH = 2_048;
const MAX_PRIORITY = 1_000_000;
const RESOLVER_NAME = /^[\w.-]{1,100}$/;
const IMPORT_BATCH = 1_000;

/** How a job is queued. */
export interface EnqueueOptions {
  /** A resolver whose limits the job needs; by default none. */
  readonly resolverHint?: string | undefined;
  /** The expected download URL, so that jobs of a busy host wait in the queue; defaults to the payload's `url`. */
  readonly url?: string | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | undefined;
}

export interface ImportRow extends EnqueueOptions {
  readonly artifactId: string;
  readonly payload: unknown;
}

/**
 * For programs that add jobs or process them one by one; to run jobs, use the Orchestrator.
 *
 * ```ts
 * import { openStore, WorkQueue } from 'docstokg/queue';
 *
 * await using queue = new WorkQueue(await openStore('state/queue.sqlite'));
 * await queue.enqueue('doi:10.1234/example', { doi: '10.1234/example' });
 * const [job] = await queue.lease('me', 1);
 * if (job) await queue.ack(job);
 * ```
 */
export class WorkQueue implements AsyncDisposable {
  /** Where the jobs are. */
  readonly store: QueueStore;
  readonly #clock: Clock;
  readonly #enqueued = new Batcher<{ readonly job: NewJob; isNew: boolean }>(async (batch) => {
    const added = await this.store.enqueue(
      batch.map(({ job }) => job),
      this.#clock.now(),
    );
    for (const [at, each] of batch.entries()) each.isNew = added[at] ?? false;
  });

  constructor(store: QueueStore, clock: Clock = systemClock) {
    this.store = store;
    this.#clock = clock;
  }

  /** False if the id is already known. Concurrent calls share one commit. */
  async enqueue(artifactId: string, payload: unknown, options: EnqueueOptions = {}): Promise<boolean> {
    const entry = { job: createJob(artifactId, payload, options), isNew: false };
    await this.#enqueued.add(entry);
    return entry.isNew;
  }

  /** Adds many jobs, a thousand per commit, in bounded memory. */
  async bulkImport(
    rows: Iterable<ImportRow> | AsyncIterable<ImportRow>,
    progress?: (counts: { readonly added: number; readonly known: number }) => void,
  ): Promise<{ readonly added: number; readonly known: number }> {
    let [added, known] = [0, 0];
    let batch: NewJob[] = [];
    const flush = async (): Promise<void> => {
      const results = await this.store.enqueue(batch, this.#clock.now());
      const fresh = results.filter(Boolean).length;
      added += fresh;
      known += results.length - fresh;
      batch = [];
      progress?.({ added, known });
    };
    for await (const row of rows) {
      batch.push(createJob(row.artifactId, row.payload, row));
      if (batch.length >= IMPORT_BATCH) await flush();
    }
    if (batch.length > 0) await flush();
    return { added, known };
  }

  /** If only quarantined jobs are left, leases one of them, which should run alone. */
  async lease(
    workerId: string,
    limit: number,
    options: { readonly leaseMs?: number; readonly maxDeaths?: number } = {},
  ): Promise<LeasedJob[]> {
    const now = this.#clock.now();
    const { leaseMs, maxDeaths } = { ...ORCHESTRATOR_DEFAULTS, ...options };
    const { lanes, quarantined } = await this.store.backlog(now, deathLimits(maxDeaths));
    const standing = lanes.length > 0 ? 'trusted' : 'quarantined';
    const picks = lanes.length > 0 ? firstPicks(lanes, limit) : firstPicks(quarantined.slice(0, 1), Math.min(limit, 1));
    if (picks.length === 0) return [];
    const { leased } = await this.store.exchange({ workerId, settlements: [], picks, standing, now, leaseMs });
    return [...leased];
  }

  /** Extends leases; returns those that were lost, whose work must be dropped. */
  heartbeat(leases: readonly Lease[], leaseMs: number = ORCHESTRATOR_DEFAULTS.leaseMs): Promise<Lease[]> {
    return this.store.extend(leases, this.#clock.now(), leaseMs);
  }

  /** Ends a leased job. False when the lease was lost: nothing changed. */
  ack(lease: Lease, outcome: 'done' | 'skipped' | 'error' = 'done', lastError?: ErrorInfo): Promise<boolean> {
    return this.#settle(lease, { kind: 'finish', state: outcome, error: lastError });
  }

  /** Settles a failed job: it runs again after a growing delay, or ends as an error after its last attempt. */
  failAndRetry(
    leased: LeasedJob,
    options: {
      readonly backoffMs: number;
      readonly jitterMs?: number;
      readonly capMs?: number;
      readonly maxAttempts: number;
      readonly lastError: ErrorInfo;
    },
  ): Promise<boolean> {
    const { backoffMs, jitterMs = 0, capMs = ORCHESTRATOR_DEFAULTS.retryMaxDelayMs, maxAttempts, lastError } = options;
    const backoff = { baseMs: backoffMs, jitterMs, capMs };
    return this.#settle(leased, retrySettlement(leased.attempt, maxAttempts, lastError, backoff));
  }

  /** Reads every job. */
  hosts(): Promise<HostJobs[]> {
    return this.store.admin.hosts(this.#clock.now());
  }

  /** How many jobs are in each state, and how old they are. */
  stats(): Promise<QueueStats> {
    return this.store.admin.stats(this.#clock.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#enqueued.flush();
    await this.store[Symbol.asyncDispose]();
  }

  async #settle(lease: Lease, settlement: Settlement): Promise<boolean> {
    const settlements = [{ ...lease, settlement }];
    const { accepted } = await this.store.exchange({
      workerId: '',
      settlements,
      picks: [],
      now: this.#clock.now(),
      leaseMs: 0,
    });
    return accepted[0] ?? false;
  }
}

function createJob(artifactId: string, payload: unknown, options: EnqueueOptions): NewJob {
  const { resolverHint, priority = 0 } = options;
  const artifactJson = JSON.stringify(payload) as string | undefined;
  const refuse = (problem: string): never => {
    throw new AppError('JOB_INVALID', `${artifactId.slice(0, 100) || 'job'}: ${problem}`, {
      hint: 'see docs/guides/queue.md for what a job is',
    });
  };
  if (artifactId === '') refuse('the id is empty');
  if (artifactId.length > MAX_ID_LENGTH) refuse(`the id is longer than ${MAX_ID_LENGTH} characters`);
  if (artifactId.includes('\0') || !artifactId.isWellFormed()) refuse('the id contains characters that are not text');
  if (artifactJson === undefined) return refuse('the payload has no JSON form');
  if (artifactJson.length > MAX_PAYLOAD_BYTES) refuse(`the payload is larger than ${MAX_PAYLOAD_BYTES} bytes`);
  if (resolverHint !== undefined && !RESOLVER_NAME.test(resolverHint))
    refuse(`the resolver hint "${resolverHint.slice(0, 40)}" is not a plain name`);
  if (!Number.isInteger(priority) || Math.abs(priority) > MAX_PRIORITY)
    refuse(`the priority is not an integer between -${MAX_PRIORITY} and ${MAX_PRIORITY}`);
  return {
    artifactId,
    artifactJson,
    resolverHint,
    host: hostOf(options.url ?? (payload as { readonly url?: unknown } | null)?.url),
    priority,
  };
}

function hostOf(url: unknown): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? hostKey(parsed) : undefined;
}
