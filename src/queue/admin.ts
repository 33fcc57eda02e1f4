import type { Count, HostCount, StatsParts } from './stats.ts';
import { hostJobs, queueStats, RETIRED } from './stats.ts';
import type { Job, JobFilter, JobState, Pause, QueueAdmin, StoreChange } from './types.ts';
import { JOB_STATES, RETIRED_AT_ONCE } from './types.ts';

export type AdminValues = Readonly<Record<string, string | number | null>>;

export interface AdminDatabase {
  read<R extends object>(query: keyof ReturnType<typeof adminQueries> | 'moments', values?: AdminValues): Promise<R[]>;
  /** Returns how many rows changed; `notify` wakes running orchestrators. */
  write(
    change: 'requeue' | 'cancel' | 'prune' | 'retire' | 'pause' | 'resume',
    values: AdminValues,
    notify?: StoreChange,
  ): Promise<number>;
  counts(): Promise<Count[]>;
}

/** SQL in which the databases differ. */
interface Dialect {
  readonly now: string;
  readonly table: string;
  readonly hosted: string;
  /** Whether the state is in the JSON list `:states`. */
  readonly inStates: string;
  readonly host: string;
  readonly resolver: string;
  readonly code: string;
}

/** The conditions of a filter; absent ones are NULL and match all. */
export const matches = ({ inStates, host, resolver, code }: Dialect): string => `${inStates}
  AND (CAST(:resolver AS text) IS NULL OR ${resolver} = :resolver)
  AND (CAST(:host AS text) IS NULL OR ${host} = :host)
  AND (CAST(:errorCode AS text) IS NULL OR ${code} = :errorCode)
  AND (CAST(:maxAttempts AS int) IS NULL OR attempts <= :maxAttempts)
  AND (CAST(:updatedBefore AS bigint) IS NULL OR updated_at < :updatedBefore)`;

const JOB = `SELECT id, artifact_id AS "artifactId", artifact_json AS "artifactJson", state, attempts, priority,
  nullif(resolver_hint, '') AS "resolverHint", nullif(host, '') AS host, last_error AS "lastError", result, deaths,
  deaths_alone AS "deathsAlone", quarantined_since AS "quarantinedSince", created_at AS "createdAt", updated_at AS "updatedAt",
  available_at AS "availableAt", lease_expires_at AS "leaseExpiresAt", worker_id AS "workerId" FROM jobs`;

export function adminQueries(dialect: Dialect) {
  const { now, table, hosted, code } = dialect;
  return {
    leases: `SELECT worker_id AS "workerId", count(*) AS jobs, min(lease_expires_at) AS "expiresAt"
      FROM ${table} WHERE state = 'in_progress' GROUP BY worker_id ORDER BY worker_id`,
    workers: `SELECT worker_id AS "workerId", info_json AS info, updated_at AS "updatedAt" FROM workers ORDER BY worker_id`,
    pauses: 'SELECT scope, name, since FROM pauses ORDER BY scope, name',
    hosts: `SELECT host, CASE WHEN state = 'queued' AND available_at > ${now} THEN 'delayed' ELSE state END AS state,
        ${code} AS code, count(*) AS jobs, min(CASE WHEN available_at > ${now} THEN available_at END) AS "nextAvailableAt"
      FROM ${hosted} WHERE host <> '' GROUP BY 1, 2, 3`,
    list: `${JOB} WHERE ${matches(dialect)} AND id > :after AND id <= :upTo ORDER BY id LIMIT :limit`,
    byId: `${JOB} WHERE id = :id`,
    byArtifact: `${JOB} WHERE artifact_id = :id`,
    count: `SELECT count(*) AS jobs FROM ${table} WHERE ${matches(dialect)}`,
  };
}

export function adminChanges({ now }: Dialect) {
  return {
    requeued: `state = 'queued', attempts = 0, deaths = 0, deaths_alone = 0, available_at = NULL, updated_at = ${now}`,
    cancelled: `state = 'skipped', last_error = 'CANCELLED: cancelled by an operator', token = token + 1,
      available_at = NULL, quarantined_since = NULL, lease_expires_at = NULL, worker_id = NULL, updated_at = ${now}`,
    pause: `INSERT INTO pauses (scope, name, since) VALUES (:scope, :name, ${now}) ON CONFLICT DO NOTHING`,
    resume: 'DELETE FROM pauses WHERE scope = :scope AND name = :name',
  };
}

const FINISHED: readonly JobState[] = ['done', 'skipped', 'error'];

export function createAdmin(database: AdminDatabase): QueueAdmin {
  const countFinished = async (filter: JobFilter): Promise<number> => {
    const [found] = await database.read<{ jobs: number }>('count', valuesOf(filter, FINISHED));
    return found?.jobs ?? 0;
  };
  const pauses = (): Promise<Pause[]> => database.read('pauses');
  return {
    pauses,

    async stats(now) {
      const [moments] = await database.read<Omit<StatsParts, 'leases' | 'workers' | 'pauses'>>('moments', { now });
      if (!moments) throw new Error('the query of moments has one row');
      return queueStats(await database.counts(), {
        ...moments,
        leases: await database.read('leases'),
        workers: await database.read('workers'),
        pauses: await pauses(),
      });
    },

    async hosts(now) {
      return hostJobs(await database.read<HostCount>('hosts', { now }));
    },

    list(filter, { after = 0, upTo = Number.MAX_SAFE_INTEGER, limit }) {
      return database.read('list', { ...valuesOf(filter, JOB_STATES), after, upTo, limit });
    },

    async find(id) {
      const [job] = await database.read<Job>(typeof id === 'number' ? 'byId' : 'byArtifact', { id });
      return job;
    },

    async requeue(filter, now, { dryRun }) {
      if (dryRun) return await countFinished(filter);
      return await database.write('requeue', { ...valuesOf(filter, FINISHED), now }, 'jobs');
    },

    async cancel(id, now) {
      return (await database.write('cancel', { id, now }, 'control')) > 0;
    },

    async prune(filter, { dryRun }) {
      return await (dryRun ? countFinished(filter) : database.write('prune', valuesOf(filter, FINISHED)));
    },

    async retire(keep) {
      const counts = await database.counts();
      const count = (isCounted: (state: string) => boolean): number =>
        counts.reduce((sum, { state, jobs }) => sum + (isCounted(state) ? jobs : 0), 0);
      const finished = count((state) => FINISHED.some((each) => each === state)) - count((state) => state === RETIRED);
      const limit = Math.min(RETIRED_AT_ONCE, finished - keep);
      return limit > 0 ? await database.write('retire', { limit }) : 0;
    },

    async pause(scope, name, now) {
      return (await database.write('pause', { scope, name, now }, 'control')) > 0;
    },

    async resume(scope, name) {
      return (await database.write('resume', { scope, name }, 'control')) > 0;
    },
  };
}

function valuesOf(filter: JobFilter, possible: readonly JobState[]): AdminValues {
  const { states = possible, resolver, host, errorCode, maxAttempts, updatedBefore } = filter;
  return {
    states: JSON.stringify(states.filter((state) => possible.includes(state))),
    resolver: resolver ?? null,
    host: host ?? null,
    errorCode: errorCode ?? null,
    maxAttempts: maxAttempts ?? null,
    updatedBefore: updatedBefore ?? null,
  };
}
