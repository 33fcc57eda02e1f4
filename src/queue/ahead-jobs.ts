import type { Clock } from '../base/index.ts';
import type { OrchestratorOptions } from './options.ts';
import type { Seats } from './seats.ts';
import type { Lease, LeasedJob, SettledLease } from './types.ts';

/** Jobs that take longer gain nothing by it. */
const SHORT_MS = 100;
/** What is leased ahead is work for so long, at the pace of the jobs that ended last, and for this part of a lease. */
const WORK_MS = 250;
const LEASE_SHARE = 10;
/** However short jobs are. */
const MOST = 256;
/** So many short jobs are written together, or as many as there are workers, while as many again run: a process that dies repeats these. */
const GROUP = 128;
/** After fewer came than were asked for, none is asked for this long: those that are left may have to be begun at once. */
const REST_MS = 1_000;
/** None of it waits longer: the jobs in hand take longer than those before them did. */
const PATIENCE_MS = 1_000;
/** Nothing is leased ahead before so many jobs have shown how long they take; each counts for so much. */
const EVIDENCE = 32;
const WEIGHT = 1 / 32;

interface Waiting {
  readonly job: LeasedJob;
  readonly since: number;
  /** When its lease runs out, by the wall clock: the other stands still while a machine sleeps. */
  expiresAt: number;
}

/**
 * Jobs that this process has leased and not begun. Where jobs are short, leasing each group of them only once workers are
 * free leaves the workers idle while the queue is asked, and the queue while they work; a few jobs at hand keep both busy:
 *
 *   leased ahead ──a worker is free──▶ begun
 *        └──no room at its host, late, paused, stopping, a suspect's turn──▶ given back, as if never leased
 */
export class AheadJobs {
  readonly #clock: Clock;
  readonly #seats: Seats;
  readonly #options: OrchestratorOptions;
  /** In the order in which they are begun. */
  readonly #waiting = new Map<number, Waiting>();
  #returned: LeasedJob[] = [];
  /** How many there were when jobs came last. */
  #had = 0;
  #restsUntil = -Infinity;
  #evidence = 0;
  #meanMs = 0;

  constructor(given: { readonly options: OrchestratorOptions; readonly clock: Clock; readonly seats: Seats }) {
    this.#options = given.options;
    this.#clock = given.clock;
    this.#seats = given.seats;
  }

  /** Jobs that wait to be begun or given back. */
  get size(): number {
    return this.#waiting.size + this.#returned.length;
  }

  /** Some are to be given back. */
  get isReturning(): boolean {
    return this.#returned.length > 0;
  }

  /** Those that wait to be begun. */
  get jobs(): LeasedJob[] {
    return Array.from(this.#waiting.values(), ({ job }) => job);
  }

  /** How many more are wanted once something is to be written anyway; none where jobs are not short. */
  get wanted(): number {
    return this.#clock.monotonic() < this.#restsUntil ? 0 : Math.max(0, this.#limit - this.size);
  }

  /** Less is left than half of what could be had last: more should be leased. */
  get isLow(): boolean {
    return 2 * this.size <= Math.min(this.#had, this.#limit);
  }

  /** So many that ended are enough for a write of their own. */
  get group(): number {
    return Math.max(this.#options.maxWorkers, GROUP);
  }

  /** A job took so long. */
  learn(durationMs: number): void {
    this.#evidence += 1;
    this.#meanMs += (durationMs - this.#meanMs) * Math.max(WEIGHT, 1 / this.#evidence);
  }

  /** Fewer came than were asked for: the lanes are empty, or their first jobs were spared before and wait for free workers. */
  rest(): void {
    this.#restsUntil = this.#clock.monotonic() + REST_MS;
  }

  /** A job waits from now on; it was asked for at `askedAt`, so its lease does not run out before. */
  add(job: LeasedJob, askedAt: number): void {
    this.#remove(job.id);
    this.#seats.keep(job, 1);
    const expiresAt = askedAt + this.#options.leaseMs;
    this.#waiting.set(job.id, { job, since: this.#clock.monotonic(), expiresAt });
    this.#had = this.#waiting.size;
  }

  /** Gives jobs to the workers that are free, beside `unwritten` that run or wait to be written; answers how many. */
  begin(unwritten: number, start: (job: LeasedJob, worker: Disposable) => void): number {
    const most = this.group - unwritten;
    for (let begun = 0; ; begun += 1) {
      const isPossible = begun < most && this.#waiting.size > 0 && this.#seats.freeWorkers > 0;
      const [worker] = isPossible ? this.#seats.takeWorkers(1) : [];
      if (!worker) return begun;
      const job = this.#next();
      if (!job) {
        worker[Symbol.dispose]();
        return begun;
      }
      start(job, worker);
    }
  }

  /** Gives all of them back. */
  giveBack(): void {
    for (const { job } of this.#waiting.values()) this.#return(job);
  }

  /** Gives back those that have waited too long: jobs are not as short any more as they were. */
  giveBackLate(): void {
    const now = this.#clock.monotonic();
    const late = Array.from(this.#waiting.values()).filter(({ since }) => now >= since + PATIENCE_MS);
    for (const { job } of late) this.#return(job);
    if (late.length > 0) this.#evidence = 0;
  }

  /** The jobs whose giving back is to be written. */
  takeReturned(): readonly SettledLease[] {
    const returned = this.#returned;
    if (returned.length > 0) this.#returned = [];
    return returned.map(givenBack);
  }

  /** Leases were prolonged at `at`, but for those that were lost: they are somebody else's now. */
  prolonged(at: number, leases: readonly Lease[], lost: readonly Lease[]): void {
    for (const lease of leases) {
      const waiting = this.#find(lease);
      if (waiting) waiting.expiresAt = at + this.#options.leaseMs;
    }
    for (const lease of lost) if (this.#find(lease)) this.#remove(lease.id);
  }

  get #limit(): number {
    if (this.#evidence < EVIDENCE || this.#meanMs > SHORT_MS) return 0;
    const { maxWorkers, leaseMs } = this.#options;
    const workMs = Math.min(WORK_MS, leaseMs / LEASE_SHARE);
    return Math.min(MOST, Math.floor((maxWorkers * workMs) / this.#meanMs));
  }

  /** The next job that may be begun now; those before it that may not are given back. */
  #next(): LeasedJob | undefined {
    for (const { job, expiresAt } of this.#waiting.values()) {
      this.#remove(job.id);
      if (this.#clock.now() < expiresAt && this.#seats.room({ host: job.host, resolver: job.resolverHint }) > 0)
        return job;
      this.#returned.push(job);
    }
    return undefined;
  }

  #find({ id, token }: Lease): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    return waiting?.job.token === token ? waiting : undefined;
  }

  #return(job: LeasedJob): void {
    this.#remove(job.id);
    this.#returned.push(job);
  }

  #remove(id: number): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    this.#seats.keep(waiting.job, -1);
  }
}

/** A job as if it had never been leased. */
export function givenBack(job: LeasedJob): SettledLease {
  return { ...job, settlement: { kind: 'requeue', delayMs: 0, refund: true } };
}
