import { formatLastError } from '../last-error.ts';
import type {
  Backlog,
  DeathLimits,
  Exchange,
  ExchangeRequest,
  Job,
  LaneBacklog,
  Lease,
  NewJob,
  Outlook,
  Pause,
  QueueStore,
  SettledLease,
  Standing,
  StoreChange,
  WorkerInfo,
} from '../types.ts';
import { DEATHS_REMEMBERED_MS, LANE_COUNT_LIMIT } from '../types.ts';
import { MemoryAdmin } from './admin.ts';

/** Leased ahead; and spared, because it was so when its holder died. */
type Ahead = 'no' | 'leased' | 'spared';

/** A job that can be changed in place, with its token. */
export type MemoryJob = { -readonly [Key in keyof Job]: Job[Key] } & { token: number; ahead: Ahead };

/** What a queue in memory consists of. */
export interface MemoryState {
  readonly jobs: Map<number, MemoryJob>;
  readonly ids: Map<string, number>;
  readonly pauses: Map<string, Pause>;
  readonly workers: Map<string, WorkerInfo & { readonly workerId: string; readonly updatedAt: number }>;
  tell(change: StoreChange): void;
}

/** A queue that is gone with its process: for trials and tests, and the shortest telling of what a store does. */
export class MemoryStore implements QueueStore {
  readonly admin: MemoryAdmin;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly #state: MemoryState = {
    jobs: new Map(),
    ids: new Map(),
    pauses: new Map(),
    workers: new Map(),
    tell: (change) => {
      for (const listener of this.#listeners) listener(change);
    },
  };
  /** Processes that died with jobs in hand, and when that was noticed. */
  readonly #deaths = new Map<string, number>();
  #nextId = 1;

  constructor() {
    this.admin = new MemoryAdmin(this.#state);
  }

  async enqueue(jobs: readonly NewJob[], now: number): Promise<boolean[]> {
    const added = jobs.map((job) => {
      if (this.#state.ids.has(job.artifactId)) return false;
      const id = this.#nextId++;
      this.#state.ids.set(job.artifactId, id);
      this.#state.jobs.set(id, {
        id,
        artifactId: job.artifactId,
        artifactJson: job.artifactJson,
        state: 'queued',
        attempts: 0,
        deaths: 0,
        deathsAlone: 0,
        suspectSince: null,
        priority: job.priority ?? 0,
        resolverHint: job.resolverHint ?? null,
        host: job.host ?? null,
        lastError: null,
        result: null,
        createdAt: now,
        updatedAt: now,
        availableAt: null,
        leaseExpiresAt: null,
        workerId: null,
        token: 0,
        ahead: 'no',
      });
      return true;
    });
    if (added.includes(true)) this.#state.tell('jobs');
    return added;
  }

  async backlog(now: number, limits: DeathLimits): Promise<Backlog> {
    let exhausted = 0;
    for (const [worker, at] of this.#deaths) if (at <= now - DEATHS_REMEMBERED_MS) this.#deaths.delete(worker);
    for (const job of this.#state.jobs.values()) {
      if (job.state === 'queued' && job.availableAt !== null && job.availableAt <= now) job.availableAt = null;
      if (job.state !== 'in_progress' || (job.leaseExpiresAt ?? 0) > now) continue;
      const worker = job.workerId ?? '';
      const others = Math.max(0, [...this.#deaths.keys()].filter((died) => died !== worker).length - job.deaths);
      this.#deaths.set(worker, now);
      const deaths = job.ahead === 'leased' ? job.deaths : job.deaths + 1;
      const deathsAlone = job.suspectSince === null ? 0 : job.deathsAlone + 1;
      const last = deathsAlone >= Math.min(limits.most, limits.alone + others);
      if (last) exhausted += 1;
      const lastError = last
        ? `PROCESS_DIED: its worker ${worker} died or hung, the last of ${deathsAlone} that did so while it ran alone`
        : job.lastError;
      Object.assign(job, {
        deaths,
        deathsAlone,
        suspectSince: last ? null : (job.suspectSince ?? (deaths >= limits.shared ? now : null)),
        ahead: job.ahead === 'leased' ? 'spared' : job.ahead,
        attempts: job.attempts - 1,
        state: last ? 'error' : 'queued',
        lastError,
        leaseExpiresAt: null,
        workerId: null,
        updatedAt: now,
      });
    }
    return {
      lanes: lanesOf(this.#ready('trusted')),
      suspects: lanesOf(this.#ready('suspect').sort(bySuspicion)),
      exhausted,
    };
  }

  async exchange(request: ExchangeRequest): Promise<Exchange> {
    const { settlements, picks, workerId, now, leaseMs, standing = 'trusted' } = request;
    const accepted = settlements.map((lease) => this.#settle(lease, now));
    const leased = picks.flatMap(({ host, resolver, limit, ahead = 0 }) =>
      this.#ready(standing)
        .filter((job) => job.host === host && job.resolverHint === resolver)
        .sort(bySuspicion)
        .slice(0, limit + ahead)
        .filter((job, place) => place < limit || job.ahead !== 'spared')
        .map((job, place) => {
          const isAhead = place >= limit;
          job.state = 'in_progress';
          job.attempts += 1;
          job.token += 1;
          job.workerId = workerId;
          job.leaseExpiresAt = now + leaseMs;
          job.updatedAt = now;
          if (isAhead) job.ahead = 'leased';
          const { id, token, artifactId, artifactJson, attempts: attempt, resolverHint } = job;
          return { id, token, artifactId, artifactJson, attempt, resolverHint, host, standing, ahead: isAhead };
        }),
    );
    return { accepted, leased };
  }

  async extend(leases: readonly Lease[], now: number, leaseMs: number): Promise<Lease[]> {
    return leases.filter((lease) => {
      const job = this.#held(lease);
      if (job) job.leaseExpiresAt = now + leaseMs;
      return !job;
    });
  }

  async expire(workerIds: readonly string[], now: number): Promise<number> {
    const held = [...this.#state.jobs.values()].filter(
      (job) => job.state === 'in_progress' && job.workerId !== null && workerIds.includes(job.workerId),
    );
    for (const job of held) job.leaseExpiresAt = now;
    return held.length;
  }

  async release(workerId: string, held: readonly number[], now: number): Promise<number> {
    const left = [...this.#state.jobs.values()].filter(
      (job) => job.state === 'in_progress' && job.workerId === workerId && !held.includes(job.id),
    );
    for (const job of left)
      Object.assign(job, {
        state: 'queued',
        attempts: job.attempts - 1,
        leaseExpiresAt: null,
        workerId: null,
        updatedAt: now,
        ahead: job.ahead === 'spared' ? 'spared' : 'no',
      });
    return left.length;
  }

  async announce(workerId: string, info: WorkerInfo | null, now: number): Promise<void> {
    if (info) this.#state.workers.set(workerId, { ...info, workerId, updatedAt: now });
    else this.#state.workers.delete(workerId);
  }

  async outlook(now: number): Promise<Outlook> {
    const jobs = [...this.#state.jobs.values()];
    const due = (job: MemoryJob): boolean => job.availableAt === null || job.availableAt <= now;
    const queued = jobs.filter(({ state }) => state === 'queued');
    const moments = jobs.flatMap((job) =>
      job.state === 'queued' && job.availableAt !== null
        ? [job.availableAt]
        : job.state === 'in_progress' && job.leaseExpiresAt !== null
          ? [job.leaseExpiresAt]
          : [],
    );
    return {
      ready: queued.filter(due).length,
      delayed: queued.filter((job) => !due(job)).length,
      inProgress: jobs.filter(({ state }) => state === 'in_progress').length,
      nextAt: moments.length > 0 ? Math.min(...moments) : null,
    };
  }

  watch(changed: (change: StoreChange) => void): Disposable {
    this.#listeners.add(changed);
    return { [Symbol.dispose]: () => void this.#listeners.delete(changed) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }

  #ready(standing: Standing): MemoryJob[] {
    return [...this.#state.jobs.values()].filter(
      (job) =>
        job.state === 'queued' && job.availableAt === null && (job.suspectSince === null) === (standing === 'trusted'),
    );
  }

  #settle(lease: SettledLease, now: number): boolean {
    const job = this.#held(lease);
    if (!job) return false;
    const { settlement } = lease;
    const lastError = settlement.error ? formatLastError(settlement.error) : null;
    Object.assign(job, { leaseExpiresAt: null, workerId: null, updatedAt: now });
    if (settlement.kind === 'finish') {
      Object.assign(job, {
        state: settlement.state,
        lastError,
        result: settlement.result ?? null,
        suspectSince: null,
        ahead: 'no',
      });
      return true;
    }
    job.state = 'queued';
    job.availableAt = settlement.delayMs > 0 ? Math.ceil(now + settlement.delayMs) : null;
    job.lastError = lastError ?? job.lastError;
    job.host = settlement.host ?? job.host;
    job.ahead = settlement.refund && job.ahead === 'spared' ? 'spared' : 'no';
    if (settlement.refund) job.attempts -= 1;
    else if (job.suspectSince !== null) Object.assign(job, { suspectSince: null, deaths: 0, deathsAlone: 0 });
    return true;
  }

  #held({ id, token }: Lease): MemoryJob | undefined {
    const job = this.#state.jobs.get(id);
    return job?.state === 'in_progress' && job.token === token ? job : undefined;
  }
}

/** Jobs that are trusted have no deaths alone: they stand by priority and age. */
function bySuspicion(a: MemoryJob, b: MemoryJob): number {
  return a.deathsAlone - b.deathsAlone || b.priority - a.priority || a.id - b.id;
}

function lanesOf(ready: readonly MemoryJob[]): LaneBacklog[] {
  const groups = Map.groupBy(ready, (job) => `${job.host ?? ''} ${job.resolverHint ?? ''}`);
  return [...groups.values()].map((jobs) => ({
    host: jobs[0]?.host ?? null,
    resolver: jobs[0]?.resolverHint ?? null,
    jobs: Math.min(jobs.length, LANE_COUNT_LIMIT),
    priority: Math.max(...jobs.slice(0, LANE_COUNT_LIMIT).map(({ priority }) => priority)),
  }));
}
