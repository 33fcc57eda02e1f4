import type { ErrorInfo } from '../base/index.ts';
import { AppError, backoffDelay, errorInfo, hasCode, parseJson, plural } from '../base/index.ts';
import type { Admission } from '../hosts/index.ts';
import { withCaller } from '../http/index.ts';
import type {
  DrainMode,
  Handler,
  HandlerContext,
  HandlerJob,
  HandlerOutcome,
  LeasedJob,
  OrchestratorOptions,
  QueueAdmin,
  QueueEvent,
  RunSummary,
  WorkQueue,
} from '../queue/index.ts';
import { Orchestrator } from '../queue/index.ts';
import type { Work } from '../works/index.ts';
import { workFromPayload } from '../works/index.ts';
import type { ManifestRow, WorkOutcome, WorkResult } from './manifest-row.ts';
import { manifestRow, unattemptedResult } from './manifest-row.ts';
import type { ProcessOptions } from './try-plan.ts';
import { duplicateOf, processWork } from './try-plan.ts';
import type { Reason } from './reasons.ts';
import { REASONS } from './reasons.ts';
import type { KnownIdentity } from './same-works.ts';
import { SameWorks } from './same-works.ts';

/** Works found but not yet enqueued: bounds memory when a list is read faster than the queue commits. */
const MOST_ENQUEUEING = 2_000;

export interface ResultSink {
  /** Resolves when the row is durable. */
  write(row: ManifestRow, lease?: Pick<HandlerJob, 'id' | 'token'>): Promise<void>;
  last(work: string): Pick<ManifestRow, 'outcome' | 'reason' | 'path' | 'bytes' | 'at'> | undefined;
  /** How often other runs have deferred a work in succession. */
  deferrals?(work: string): number;
  readonly identity?: KnownIdentity | undefined;
  /** Whether rows of other machines arrive later: a missing one says nothing about its job. */
  readonly isShared?: boolean;
}

/** Reports its own failures. */
/**
 * Lists works. They are queued in the background: a provider that notes how far it is awaits `queued` before, or a crash
 * loses the works between.
 */
export type WorkProvider = (signal: AbortSignal, queued: () => Promise<void>) => AsyncIterable<Work>;

export interface DownloadRunOptions extends Omit<ProcessOptions, 'hint' | 'sameWorks' | 'signal'> {
  readonly runId: string;
  readonly queue: WorkQueue;
  readonly orchestrator: OrchestratorOptions;
  /** Shared with the HTTP client. */
  readonly admission: Admission;
  readonly provider: WorkProvider | undefined;
  /** Runs `find`, which enqueues what the provider finds; in a fleet on one machine only. */
  readonly list?: ((find: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>) | undefined;
  readonly sink: ResultSink;
  readonly report: (event: DownloadEvent | QueueEvent) => void;
  readonly log: HandlerContext['log'];
  readonly around?: (<T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>) | undefined;
}

export type DownloadSummary = RunSummary & DownloadRun['counts'];

/** Errors after which no row can be written, or no file stored, so the run ends. */
const DISK_ENDS = [
  'DISK_FULL',
  'DISK_READ_ONLY',
  'DISK_NOT_PERMITTED',
  'DISK_IO_ERROR',
  'OBJECT_STORE_AWAY',
  'OBJECT_STORE_DENIED',
  'OBJECT_STORE_REFUSED',
];
const SHORTEST_PARK_MS = 60_000;
const LONGEST_PARK_MS = 24 * 3_600_000;

/**
 * Enqueues what the provider finds and works through the queue at the same time. A run can be killed and continued at
 * any point, and every work ends with a row in the manifest.
 */
export class DownloadRun {
  readonly #options: DownloadRunOptions;
  readonly orchestrator: Orchestrator;
  readonly #sameWorks: SameWorks;
  readonly #halt = new AbortController();
  #diskError: { readonly error: unknown } | undefined;
  readonly #parks = new Map<string, number>();
  /** `skipped` works are unavailable, `#repeated` ones another work under another id. */
  readonly #counts = { found: 0, saved: 0, skipped: 0, failed: 0, parked: 0, keptBefore: 0, crashed: 0, bytes: 0 };
  #repeated = 0;

  constructor(options: DownloadRunOptions) {
    this.#options = options;
    this.#sameWorks = new SameWorks((work) => options.sink.last(work), options.sink.identity);
    this.orchestrator = new Orchestrator({
      ...options.orchestrator,
      heldLanes: 'try',
      admission: options.admission,
      queue: options.queue,
      handler: this.handler,
      clock: options.clock,
      report: options.report,
      log: options.log,
      around: options.around,
    });
  }

  get counts() {
    return { ...this.#counts, repeated: this.#repeated };
  }

  async run(options: { readonly drain?: DrainMode; readonly signal: AbortSignal }): Promise<DownloadSummary> {
    const { provider, files, list = (find, stop) => find(stop) } = this.#options;
    files.begun.remove(this.#isOver, this.#options.clock.now());
    await askAgain(this.#options, this.#options.sink.identity);
    const stop = this.#halt;
    const signal = AbortSignal.any([options.signal, stop.signal]);
    const drain = options.drain ?? 'empty';
    const running = this.orchestrator.run({ drain: provider ? 'never' : drain, signal });
    let providerError: { readonly error: unknown } | undefined;
    const finding = provider
      ? list((stop) => this.#find(provider, stop), signal).then(
          () => this.orchestrator.drain(drain),
          (error: unknown) => {
            // Finish what was found; the error is reported at the end.
            if (!signal.aborted) providerError = { error };
            this.orchestrator.drain(drain);
          },
        )
      : undefined;
    try {
      const summary = await running;
      stop.abort();
      await finding;
      await this.#accountForGivenUp();
      files.begun.remove(this.#isOver, this.#options.clock.now());
      if (this.#diskError) throw this.#diskError.error;
      if (providerError) throw providerError.error;
      return { ...summary, ...this.counts };
    } finally {
      stop.abort();
      await finding;
    }
  }

  readonly handler: Handler = async (job, context) => {
    try {
      return await this.#download(job, context);
    } catch (error) {
      // Without a writable disk continuing is pointless: the job is released and the run ends.
      if (!hasCode(error, ...DISK_ENDS)) throw error;
      this.#diskError ??= { error };
      this.#halt.abort();
      return { retryAt: this.#options.clock.now(), reason: errorInfo(error) };
    }
  };

  async #download(job: HandlerJob, context: HandlerContext): Promise<HandlerOutcome> {
    const work = workFromPayload(job.artifactId, job.payload);
    const { sink, files, report } = this.#options;
    const before = sink.last(work.id);
    // A kill between row and settlement must not cost a second download.
    const isKept =
      before?.outcome === 'saved' && before.path !== null && (await files.holds(before.path, before.bytes ?? -1));
    if (isKept && !isRenewal(job.payload)) return await this.#keepBefore(work);
    const { outcome, ...result } = await this.#mergeBytes(await this.#process(work, job, context));
    // If the newer version is unavailable, the old file stays.
    if (isKept && outcome.kind !== 'saved')
      return outcome.kind === 'parked'
        ? { retryAt: this.#parkedUntil(work.id, outcome.at), reason: toErrorInfo(outcome) }
        : await this.#keepBefore(work);
    // A host that was given up asked for a longer wait than any of our delays.
    const again =
      outcome.kind === 'failed' &&
      outcome.reason !== 'host-given-up' &&
      job.attempt < this.#options.orchestrator.maxAttempts;
    const row = manifestRow(
      { ...result, outcome: again ? this.#asDeferred(outcome, job.attempt) : outcome },
      this.#options.runId,
    );
    await this.#write(row, job);
    this.#count(row);
    report({ kind: 'work-ended', row });
    switch (outcome.kind) {
      case 'saved':
        return { state: 'done', result: resultOf(outcome, context.workerId) };
      case 'parked':
        return { retryAt: this.#parkedUntil(work.id, outcome.at), reason: toErrorInfo(outcome) };
      case 'skipped':
        return { state: 'skipped', reason: toErrorInfo(outcome) };
      case 'failed': {
        if (!again) return { state: 'error', reason: toErrorInfo(outcome) };
        // The queue counts the attempt and delays the next one.
        const { code, message } = toErrorInfo(outcome);
        throw new AppError(code, message);
      }
    }
  }

  /** Without its row a work has not ended: the queue tries it again, and the error is reported. */
  async #write(row: ManifestRow, job: HandlerJob): Promise<void> {
    try {
      await this.#options.sink.write(row, job);
    } catch (error) {
      if (!hasCode(error, 'LEASE_LOST', ...DISK_ENDS)) this.#crash(row.work, error);
      throw error;
    }
  }

  #crash(work: string, error: unknown): void {
    const { code, message } = errorInfo(error);
    this.#counts.crashed += 1;
    this.#options.report({ kind: 'worker-crashed', work, code, message });
  }

  /** A file identical to another work's is not saved twice. */
  async #mergeBytes(result: WorkResult): Promise<WorkResult> {
    const { outcome, work } = result;
    if (outcome.kind !== 'saved') return result;
    const same = this.#sameWorks.claimBytes(work, outcome.artifact.sha256);
    if (!same) return result;
    await this.#options.files.remove(work.id, outcome.artifact);
    return { ...result, outcome: duplicateOf(same) };
  }

  async #keepBefore({ id }: Work): Promise<undefined> {
    this.#counts.keptBefore += 1;
    this.#options.report({ kind: 'work-kept-before', work: id });
  }

  /** A failed work that will be retried counts as deferred. */
  #asDeferred({ reason, detail }: WorkOutcome & { kind: 'failed' }, attempt: number): WorkOutcome {
    const { clock, orchestrator } = this.#options;
    const { retryBackoffMs: baseMs, retryMaxDelayMs: capMs } = orchestrator;
    const delayMs = backoffDelay(attempt, { baseMs, capMs, jitterMs: 0 });
    return { kind: 'parked', reason, at: clock.now() + delayMs, detail };
  }

  async #find(provider: WorkProvider, signal: AbortSignal): Promise<void> {
    const { queue, report } = this.#options;
    const enqueue = async (work: Work): Promise<void> => {
      const isNew = await queue.enqueue(work.id, work, { url: likelyUrl(work) });
      this.#counts.found += 1;
      report({ kind: 'work-found', isNew });
      const lost = isNew ? undefined : await this.#lostSince(work.id);
      // Its job is done: another one fetches the file again.
      if (lost !== undefined) await queue.enqueue(`${work.id} lost ${lost}`, work, { url: likelyUrl(work) });
    };
    // Works that arrive in one turn of the event loop share a commit, so none is waited for.
    let enqueueing: Promise<void>[] = [];
    const queued = async (): Promise<void> => {
      await Promise.all(enqueueing);
      enqueueing = [];
    };
    try {
      for await (const work of provider(signal, queued)) {
        signal.throwIfAborted();
        const done = enqueue(work);
        // Awaited later, perhaps after it has failed.
        done.catch(() => undefined);
        enqueueing.push(done);
        if (enqueueing.length >= MOST_ENQUEUEING) await queued();
      }
    } finally {
      // Works found before an error are enqueued all the same.
      await queued();
    }
  }

  /** What the file or the row of an ended job was lost since; undefined if neither is lost. */
  async #lostSince(work: string): Promise<string | undefined> {
    const { queue, sink, files, runId } = this.#options;
    const before = sink.last(work);
    if (before?.outcome === 'saved' && before.path !== null)
      return (await files.hasLost(before.path, before.bytes ?? -1)) ? before.at : undefined;
    if (before || sink.isShared) return undefined;
    // A row is written before its job ends: without one, the manifest and the database were lost.
    const job = await queue.store.admin.find(work);
    return job && ['done', 'skipped', 'error'].includes(job.state) ? runId : undefined;
  }

  async #process(work: Work, job: HandlerJob, context: HandlerContext): Promise<WorkResult> {
    const options = this.#options;
    const startedAt = options.clock.now();
    const resolve = { ...options.resolve, lookups: options.resolve.lookups.withCaller(context) };
    try {
      return await processWork(work, {
        ...options,
        send: withCaller(options.send, context),
        resolve: isRenewal(job.payload) ? { ...resolve, prefer: 'published' } : resolve,
        sameWorks: this.#sameWorks,
        hint: job.resolverHint,
        signal: context.signal,
      });
    } catch (error) {
      const isTimeout = context.signal.aborted && hasCode(context.signal.reason, 'JOB_TIMEOUT');
      if ((context.signal.aborted && !isTimeout) || hasCode(error, 'QUEUE_HOST_BUSY')) throw error;
      if (hasCode(error, 'DISK_FULL', 'DISK_READ_ONLY')) throw error;
      const reported = isTimeout ? context.signal.reason : error;
      const { code, message } = errorInfo(reported);
      this.#crash(work.id, reported);
      const reason = isTimeout ? 'timeout' : 'internal-error';
      const outcome: WorkOutcome = { kind: 'failed', reason, detail: `${code}: ${message}` };
      return unattemptedResult(work, outcome, startedAt, options.clock.now());
    }
  }

  /** Unfinished files stay only for works that may be retried. */
  readonly #isOver = (work: string): boolean => (this.#options.sink.last(work)?.outcome ?? 'parked') !== 'parked';

  /** Jobs that the queue ended without a handler have no row yet. */
  async #accountForGivenUp(): Promise<void> {
    const { sink, queue, clock, runId } = this.#options;
    for await (const { work, outcome } of givenUpWorks(queue.store.admin))
      if ((sink.last(work.id)?.outcome ?? 'parked') === 'parked')
        await sink.write(manifestRow(unattemptedResult(work, outcome, clock.now(), clock.now()), runId));
  }

  /** Not before the stated time, and later each time; otherwise a refusal would repeat forever. */
  #parkedUntil(id: string, at: number): number {
    const parks = (this.#parks.get(id) ?? this.#options.sink.deferrals?.(id) ?? 0) + 1;
    this.#parks.set(id, parks);
    return Math.max(at, this.#options.clock.now() + Math.min(LONGEST_PARK_MS, SHORTEST_PARK_MS * 2 ** (parks - 1)));
  }

  #count(row: ManifestRow): void {
    if (row.reason === 'duplicate') this.#repeated += 1;
    else this.#counts[row.outcome] += 1;
    this.#counts.bytes += row.attempts.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** A saved work of which a newer version is wanted, as a queue payload. */
export function renewalOf(work: Work): Work & { readonly renewal: true } {
  return { ...work, renewal: true };
}

function isRenewal(payload: unknown): boolean {
  return (payload as { readonly renewal?: unknown } | null | undefined)?.renewal === true;
}

const PAGE = 500;

/** How the queue ends jobs without their handler: by losing too many workers, or by command. */
const ENDS = [
  { errorCode: 'PROCESS_DIED', state: 'error', kind: 'failed', reason: 'internal-error' },
  { errorCode: 'CANCELLED', state: 'skipped', kind: 'skipped', reason: 'cancelled' },
] as const;

async function* givenUpWorks(
  admin: QueueAdmin,
): AsyncGenerator<{ readonly work: Work; readonly outcome: WorkOutcome }> {
  for (const { errorCode, state, kind, reason } of ENDS) {
    for (let after = 0; ;) {
      const jobs = await admin.list({ states: [state], errorCode }, { limit: PAGE, after });
      for (const { artifactId, artifactJson, lastError } of jobs)
        yield {
          work: workFromPayload(artifactId, parseJson(artifactJson)),
          outcome: { kind, reason, detail: lastError ?? errorCode },
        };
      if (jobs.length < PAGE) break;
      after = jobs.at(-1)?.id ?? Infinity;
    }
  }
}

export type DownloadEvent =
  | { readonly kind: 'work-found'; readonly isNew: boolean }
  | { readonly kind: 'work-ended'; readonly row: ManifestRow }
  | { readonly kind: 'work-kept-before'; readonly work: string }
  | { readonly kind: 'worker-crashed'; readonly work: string; readonly code: string; readonly message: string };

/** The kinds of a download's own events; a kind that is missing here does not compile. */
const OWN_KINDS: Readonly<Record<DownloadEvent['kind'], true>> = {
  'work-found': true,
  'work-ended': true,
  'work-kept-before': true,
  'worker-crashed': true,
};

/** Whether an event is one of the queue, not of the download. */
export function isQueueEvent(event: DownloadEvent | QueueEvent): event is QueueEvent {
  return !Object.hasOwn(OWN_KINDS, event.kind);
}

/** Retries works whose lookup failed, and downloads works that a person split off. */
export async function askAgain(
  { queue, clock, log }: Pick<DownloadRunOptions, 'queue' | 'clock' | 'log'>,
  identity?: KnownIdentity,
): Promise<void> {
  const requeue = (state: 'error' | 'skipped', reason: Reason): Promise<number> =>
    queue.store.admin.requeue({ states: [state], errorCode: codeOf(reason) }, clock.now(), { dryRun: false });
  const again = await requeue('error', 'lookup-failed');
  if (again > 0) log('info', `retrying ${again} ${plural(again, 'work')} whose lookup failed`);
  const apart = identity?.untriedApart() ?? 0;
  if (apart === 0) return;
  await requeue('skipped', 'duplicate');
  log('info', `downloading ${apart} ${plural(apart, 'work')} split off from others`);
}

/** `no-plan` → `NO_PLAN`. */
function codeOf(reason: Reason): string {
  return reason.toUpperCase().replaceAll('-', '_');
}

function toErrorInfo({ reason, detail }: { readonly reason: Reason; readonly detail: string | null }): ErrorInfo {
  return { code: codeOf(reason), message: detail ?? REASONS[reason].sentence };
}

/** Shown by `queue list`. */
function resultOf({ artifact, attempt }: WorkOutcome & { kind: 'saved' }, worker: string): object {
  const { path, bytes, sha256 } = artifact;
  return { path, resolver: attempt.resolver, host: new URL(attempt.final_url).host, worker, bytes, sha256 };
}

/** The first known file: its host is requested first, so the queue can start with the busiest host. */
function likelyUrl({ locations, urls }: Work): string | undefined {
  return locations.find(({ isOpen, pdfUrl }) => isOpen && pdfUrl !== null)?.pdfUrl ?? urls[0];
}
