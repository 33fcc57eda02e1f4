import { hostJobsOf } from '../host-jobs.ts';
import { errorCodeOf } from '../last-error.ts';
import type { HostJobs, Job, JobFilter, JobPage, JobState, Pause, QueueAdmin, QueueStats } from '../types.ts';
import { JOB_STATES } from '../types.ts';
import type { MemoryJob, MemoryState } from './store.ts';

const FINISHED: readonly JobState[] = ['done', 'skipped', 'error'];

/** What operators ask of a queue in memory. */
export class MemoryAdmin implements QueueAdmin {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async stats(now: number): Promise<QueueStats> {
    const jobs = [...this.#state.jobs.values()];
    const queued = jobs.filter(({ state }) => state === 'queued');
    const due = queued.filter(({ availableAt }) => availableAt === null || availableAt <= now);
    const ready = queued.filter(({ availableAt }) => availableAt === null);
    const leased = jobs.filter(({ state }) => state === 'in_progress');
    const coded = jobs.filter(
      ({ state, lastError }) => state !== 'in_progress' && state !== 'done' && errorCodeOf(lastError) !== '',
    );
    const upcoming = queued.flatMap(({ availableAt }) =>
      availableAt !== null && availableAt > now ? [availableAt] : [],
    );
    const oldest = ready.toSorted((a, b) => a.id - b.id)[0];
    return {
      at: now,
      states: Object.fromEntries(
        JOB_STATES.map((state) => [state, jobs.filter((job) => job.state === state).length]),
      ) as Record<JobState, number>,
      total: jobs.length,
      due: due.length,
      delayed: queued.length - due.length,
      oldestQueuedAt: oldest?.createdAt ?? null,
      oldestQueuedId: oldest?.artifactId ?? null,
      newestId: jobs.reduce((most, { id }) => Math.max(most, id), 0),
      nextAvailableAt: least(upcoming),
      suspects: jobs.filter(({ suspectSince }) => suspectSince !== null).length,
      byResolver: group(jobs, ({ resolverHint, state }) => ({ resolver: resolverHint, state })),
      byErrorCode: group(coded, ({ lastError, state }) => ({ code: errorCodeOf(lastError), state })),
      leases: [...Map.groupBy(leased, ({ workerId }) => workerId ?? '')].map(([workerId, held]) => ({
        workerId,
        jobs: held.length,
        expiresAt: least(held.map(({ leaseExpiresAt }) => leaseExpiresAt ?? 0)) ?? 0,
      })),
      workers: [...this.#state.workers.values()],
      pauses: await this.pauses(),
    };
  }

  async hosts(now: number): Promise<HostJobs[]> {
    return hostJobsOf(
      [...this.#state.jobs.values()].flatMap(({ host, state, lastError, availableAt }) => {
        const isDelayed = state === 'queued' && availableAt !== null && availableAt > now;
        return host === null
          ? []
          : {
              host,
              state: isDelayed ? ('delayed' as const) : state,
              code: errorCodeOf(lastError),
              jobs: 1,
              nextAvailableAt: isDelayed ? availableAt : null,
            };
      }),
    );
  }

  async list(filter: JobFilter, page: JobPage): Promise<Job[]> {
    return this.#matching(filter, filter.states ?? JOB_STATES)
      .filter(({ id }) => id > (page.after ?? 0) && id <= (page.upTo ?? Infinity))
      .slice(0, page.limit)
      .map(withoutToken);
  }

  async find(id: number | string): Promise<Job | undefined> {
    const job = this.#state.jobs.get(typeof id === 'number' ? id : (this.#state.ids.get(id) ?? -1));
    return job && withoutToken(job);
  }

  async requeue(filter: JobFilter, now: number, options: { readonly dryRun: boolean }): Promise<number> {
    const jobs = this.#finished(filter);
    if (options.dryRun) return jobs.length;
    for (const job of jobs)
      Object.assign(job, {
        state: 'queued',
        attempts: 0,
        ahead: 'no',
        deaths: 0,
        deathsAlone: 0,
        availableAt: null,
        updatedAt: now,
      });
    if (jobs.length > 0) this.#state.tell('jobs');
    return jobs.length;
  }

  async cancel(id: number, now: number): Promise<boolean> {
    const job = this.#state.jobs.get(id);
    if (!job || FINISHED.includes(job.state)) return false;
    job.token += 1;
    Object.assign(job, {
      state: 'skipped',
      lastError: 'CANCELLED: cancelled by an operator',
      availableAt: null,
      suspectSince: null,
      leaseExpiresAt: null,
      workerId: null,
      updatedAt: now,
    });
    this.#state.tell('control');
    return true;
  }

  async prune(filter: JobFilter, options: { readonly dryRun: boolean }): Promise<number> {
    const jobs = this.#finished(filter);
    if (options.dryRun) return jobs.length;
    for (const { id, artifactId } of jobs) {
      this.#state.jobs.delete(id);
      this.#state.ids.delete(artifactId);
    }
    return jobs.length;
  }

  async pauses(): Promise<Pause[]> {
    return [...this.#state.pauses.values()].sort((a, b) =>
      `${a.scope} ${a.name}`.localeCompare(`${b.scope} ${b.name}`),
    );
  }

  async pause(scope: Pause['scope'], name: string, now: number): Promise<boolean> {
    const key = `${scope} ${name}`;
    if (this.#state.pauses.has(key)) return false;
    this.#state.pauses.set(key, { scope, name, since: now });
    this.#state.tell('control');
    return true;
  }

  async resume(scope: Pause['scope'], name: string): Promise<boolean> {
    const removed = this.#state.pauses.delete(`${scope} ${name}`);
    if (removed) this.#state.tell('control');
    return removed;
  }

  #finished(filter: JobFilter): MemoryJob[] {
    return this.#matching(
      filter,
      (filter.states ?? FINISHED).filter((state) => FINISHED.includes(state)),
    );
  }

  #matching(filter: JobFilter, states: readonly JobState[]): MemoryJob[] {
    return [...this.#state.jobs.values()].filter(
      (job) =>
        states.includes(job.state) &&
        (filter.resolver === undefined || (job.resolverHint ?? '') === filter.resolver) &&
        (filter.host === undefined || (job.host ?? '') === filter.host) &&
        (filter.errorCode === undefined || errorCodeOf(job.lastError) === filter.errorCode) &&
        (filter.belowAttempts === undefined || job.attempts < filter.belowAttempts) &&
        (filter.updatedBefore === undefined || job.updatedAt < filter.updatedBefore),
    );
  }
}

function withoutToken({ token: _token, ahead: _ahead, ...job }: MemoryJob): Job {
  return job;
}

function least(values: readonly number[]): number | null {
  return values.length > 0 ? Math.min(...values) : null;
}

function group<K extends object>(
  jobs: readonly MemoryJob[],
  key: (job: MemoryJob) => K,
): (K & { readonly jobs: number })[] {
  return [...Map.groupBy(jobs, (job) => JSON.stringify(key(job)))].map(([text, members]) => ({
    ...(JSON.parse(text) as K),
    jobs: members.length,
  }));
}
