import type { StatementSync } from 'node:sqlite';

import { errorCodeOf } from '../last-error.ts';
import type { JobState } from '../types.ts';
import type { SqliteConnection } from './connection.ts';

/** States as they are counted: a delayed job is queued, but counted apart. */
export type TallyState = JobState | 'delayed';

/** Jobs that came in and are not in the tally yet: they are counted as queued, whatever became of them since. */
export const UNCOUNTED = 'jobs WHERE id > (SELECT counted FROM control)';

/**
 * Counts of jobs, gathered while a transaction moves them and written once before it commits. Jobs that come in are counted
 * by their ids, some time later.
 */
export class Tally {
  readonly #upsert: StatementSync;
  readonly #countNew: StatementSync;
  readonly #markCounted: StatementSync;
  /** By state, resolver and code: this runs several times for each job, and building one key of three costs more. */
  readonly #changes = new Map<TallyState, Map<string, Map<string, number>>>();

  constructor(connection: SqliteConnection) {
    this.#upsert = connection.prepare(
      `INSERT INTO tally (state, resolver_hint, error_code, jobs) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs`,
    );
    this.#countNew = connection.prepare(
      `INSERT INTO tally (state, resolver_hint, error_code, jobs)
       SELECT 'queued', resolver_hint, '', count(*) FROM ${UNCOUNTED} GROUP BY resolver_hint
       ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs`,
    );
    this.#markCounted = connection.prepare(
      'UPDATE control SET counted = max(counted, coalesce((SELECT max(id) FROM jobs), 0))',
    );
  }

  /** Counts the jobs that came in since this was last done; call it inside a transaction, and before jobs are removed. */
  countNew(): void {
    this.#countNew.run();
    this.#markCounted.run();
  }

  /** `jobs` more (or, negative, fewer) in a state. */
  add(state: TallyState, resolver: string | null, lastError: string | null, jobs: number): void {
    // A running or finished job's earlier errors are history, not a state of the queue.
    const code = lastError === null || state === 'in_progress' || state === 'done' ? '' : errorCodeOf(lastError);
    const byResolver = entry(this.#changes, state);
    const byCode = entry(byResolver, resolver ?? '');
    byCode.set(code, (byCode.get(code) ?? 0) + jobs);
  }

  /** Writes what was gathered; call it inside the transaction. */
  flush(): void {
    for (const [state, byResolver] of this.#changes)
      for (const [resolver, byCode] of byResolver)
        for (const [code, jobs] of byCode) if (jobs !== 0) this.#upsert.run(state, resolver, code, jobs);
    this.#changes.clear();
  }

  /** Forgets what was gathered by a transaction that did not happen. */
  clear(): void {
    this.#changes.clear();
  }
}

function entry<K, V>(map: Map<K, Map<string, V>>, key: K): Map<string, V> {
  let found = map.get(key);
  if (!found) map.set(key, (found = new Map()));
  return found;
}
