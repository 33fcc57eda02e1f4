import type { StatementSync } from 'node:sqlite';

import { formatLastError } from '../last-error.ts';
import type {
  Backlog,
  DeathLimits,
  Exchange,
  ExchangeRequest,
  LaneBacklog,
  Lease,
  LeasedJob,
  NewJob,
  Outlook,
  QueueStore,
  SettledLease,
  Settlement,
  Standing,
  StoreChange,
  WorkerInfo,
} from '../types.ts';
import { DEATHS_REMEMBERED_MS, LANE_COUNT_LIMIT } from '../types.ts';
import { SqliteAdmin } from './admin.ts';
import type { SqliteOptions } from './connection.ts';
import { SqliteConnection } from './connection.ts';
import { SizedStatements } from './sized-statements.ts';
import type { ChosenRow } from './statements.ts';
import { chooseSql, chooseSuspectSql, finishSql, insertSql, leaseAheadSql, leaseSql, SQL } from './statements.ts';
import { Tally } from './tally.ts';
import { SqliteWatch } from './watch.ts';

/** Jobs that may be moved by one transaction on the side, so that none takes long. */
const WAKE_BATCH = 1000;
/** Rows that one statement writes: more make it no cheaper. */
const INSERT_ROWS = 25;
const UPDATE_ROWS = 256;
/** Jobs that one process may put in alone before it counts them; whoever wants to know meanwhile must. */
const COUNT_EVERY = 250;

interface Row {
  readonly id: number;
  readonly resolver_hint: string | null;
  readonly last_error: string | null;
}

/** Thrown inside a transaction to undo it: some of the leases that were settled together are lost. */
class LeaseLost extends Error {}

/** A queue in one SQLite file, shared by the processes of one machine. */
export class SqliteStore implements QueueStore {
  readonly admin: SqliteAdmin;
  readonly #connection: SqliteConnection;
  readonly #watch: SqliteWatch;
  readonly #tally: Tally;
  readonly #inserts: SizedStatements;
  readonly #choices: { readonly [Of in Standing]: SizedStatements };
  readonly #leases: SizedStatements;
  readonly #leasesAhead: SizedStatements;
  readonly #finishes: SizedStatements;
  /** At first as many as there may be: a process that puts in just one job counts it. */
  #uncounted = COUNT_EVERY;
  readonly #sql: { readonly [Name in keyof typeof SQL]: StatementSync };

  private constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#tally = new Tally(connection);
    this.#sql = Object.fromEntries(
      Object.entries(SQL).map(([name, sql]) => [name, connection.prepare(sql)]),
    ) as unknown as {
      readonly [Name in keyof typeof SQL]: StatementSync;
    };
    this.#inserts = new SizedStatements(connection, insertSql);
    this.#choices = {
      trusted: new SizedStatements(connection, chooseSql, { asArrays: true }),
      suspect: new SizedStatements(connection, chooseSuspectSql, { asArrays: true }),
    };
    this.#leases = new SizedStatements(connection, leaseSql);
    this.#leasesAhead = new SizedStatements(connection, leaseAheadSql);
    this.#finishes = new SizedStatements(connection, finishSql);
    this.#watch = new SqliteWatch(connection);
    this.admin = new SqliteAdmin(connection, this.#tally, this.#watch);
  }

  static async open(options: SqliteOptions): Promise<SqliteStore> {
    return new SqliteStore(await SqliteConnection.open(options));
  }

  async enqueue(jobs: readonly NewJob[], now: number): Promise<boolean[]> {
    const [first] = jobs;
    const alone = jobs.length === 1 && first !== undefined && this.#uncounted < COUNT_EVERY;
    this.#uncounted = alone ? this.#uncounted + 1 : 0;
    const added = alone
      ? [await this.#connection.accept(() => this.#insert(jobs, now) > 0)]
      : await this.#connection.write(
          () => {
            const results = this.#insertAll(jobs, now);
            this.#tally.countNew();
            return results;
          },
          { accepting: true },
        );
    if (added.includes(true)) this.#watch.tell('jobs');
    return added;
  }

  async backlog(now: number, limits: DeathLimits): Promise<Backlog> {
    const { anythingToWake, lanes, suspects } = this.#sql;
    const exhausted = anythingToWake.get(now, now) === undefined ? 0 : await this.#write(() => this.#wake(now, limits));
    return this.#connection.read(() => ({
      exhausted,
      lanes: lanes.all(LANE_COUNT_LIMIT) as unknown as LaneBacklog[],
      suspects: suspects.all() as unknown as LaneBacklog[],
    }));
  }

  async exchange(request: ExchangeRequest): Promise<Exchange> {
    try {
      return await this.#write(() => ({
        accepted: this.#settleTogether(request.settlements, request.now),
        leased: this.#lease(request),
      }));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return this.#write(() => ({
        accepted: request.settlements.map((lease) => this.#settle(lease, request.now)),
        leased: this.#lease(request),
      }));
    }
  }

  extend(leases: readonly Lease[], now: number, leaseMs: number): Promise<Lease[]> {
    const { extend } = this.#sql;
    return this.#write(() => leases.filter(({ id, token }) => extend.run(now + leaseMs, id, token).changes === 0));
  }

  async expire(workerIds: readonly string[], now: number): Promise<number> {
    return this.#write(() =>
      workerIds.reduce((sum, workerId) => sum + Number(this.#sql.expire.run(now, workerId).changes), 0),
    );
  }

  async release(workerId: string, held: readonly number[], now: number): Promise<number> {
    return this.#write(() => {
      const rows = this.#sql.release.all(now, workerId, JSON.stringify(held)) as unknown as Row[];
      for (const row of rows) {
        this.#tally.add('in_progress', row.resolver_hint, null, -1);
        this.#tally.add('queued', row.resolver_hint, row.last_error, 1);
      }
      return rows.length;
    });
  }

  async announce(workerId: string, info: WorkerInfo | null, now: number): Promise<void> {
    await this.#connection.write(() =>
      info === null ? this.#sql.leave.run(workerId) : this.#sql.announce.run(workerId, JSON.stringify(info), now),
    );
  }

  outlook(now: number): Promise<Outlook> {
    const row = this.#connection.read(() => this.#sql.outlook.get(now, now)) as unknown as Outlook;
    return Promise.resolve({ ...row });
  }

  watch(changed: (change: StoreChange) => void): Disposable {
    return this.#watch.add(changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    this.#connection.close();
  }

  /** Puts jobs in; true for each that is new. */
  #insertAll(jobs: readonly NewJob[], now: number): boolean[] {
    const { id: newest } = this.#sql.newest.get() as { id: number };
    let added = 0;
    for (let from = 0; from < jobs.length; from += INSERT_ROWS)
      added += this.#insert(jobs.slice(from, from + INSERT_ROWS), now);
    if (added === 0 || added === jobs.length) return jobs.map(() => added > 0);
    const rows = this.#sql.insertedSince.all(newest) as unknown as { artifact_id: string }[];
    const inserted = new Set(rows.map(({ artifact_id }) => artifact_id));
    // The first of several equal ids is the one that was added.
    return jobs.map(({ artifactId }) => inserted.delete(artifactId));
  }

  #insert(jobs: readonly NewJob[], now: number): number {
    const values = [];
    for (const { artifactId, artifactJson, resolverHint = '', host = '', priority = 0 } of jobs)
      values.push(artifactId, artifactJson, resolverHint, host, priority, now, now);
    return Number(this.#inserts.of(jobs.length).run(...values).changes);
  }

  #lease({ picks, workerId, now, leaseMs, standing = 'trusted' }: ExchangeRequest): LeasedJob[] {
    return picks.flatMap(({ host, resolver, limit, ahead = 0 }) => {
      const choice = ahead === 0 ? this.#choices[standing].of(limit) : this.#choices[standing].atLeast(limit + ahead);
      const found = choice.all(host ?? '', resolver ?? '') as unknown as ChosenRow[];
      const rows = found.filter((row, place) => place < limit || (place < limit + ahead && row[6] === 0));
      if (rows.length === 0) return [];
      for (const [statements, some] of [
        [this.#leases, rows.slice(0, limit)],
        [this.#leasesAhead, rows.slice(limit)],
      ] as const)
        for (let from = 0; from < some.length; from += UPDATE_ROWS) {
          const ids = some.slice(from, from + UPDATE_ROWS).map(([id]) => id);
          statements.of(ids.length).run(workerId, now + leaseMs, now, ...ids);
        }
      for (const [, , , , , lastError] of rows) this.#tally.add('queued', resolver, lastError, -1);
      this.#tally.add('in_progress', resolver, null, rows.length);
      // Host and resolver are the lane's: one string for all of its jobs.
      return rows.map(([id, token, attempt, artifactId, artifactJson], place) => ({
        id,
        token,
        attempt,
        artifactId,
        artifactJson,
        resolverHint: resolver,
        host,
        standing,
        ahead: place >= limit,
      }));
    });
  }

  /** Settles leases, none of which was lost: those of jobs that went well in one statement for each token. */
  #settleTogether(settlements: readonly SettledLease[], now: number): boolean[] {
    const done = new Map<number, number[]>();
    for (const lease of settlements) {
      const { settlement, token, id } = lease;
      if (settlement.kind === 'requeue' || settlement.state !== 'done' || settlement.result !== undefined) {
        if (!this.#settle(lease, now)) throw new LeaseLost();
        continue;
      }
      const ids = done.get(token);
      if (ids) ids.push(id);
      else done.set(token, [id]);
      this.#tally.add('in_progress', lease.resolverHint, null, -1);
      this.#tally.add('done', lease.resolverHint, null, 1);
    }
    for (const [token, ids] of done)
      for (let from = 0; from < ids.length; from += UPDATE_ROWS) {
        const some = ids.slice(from, from + UPDATE_ROWS);
        if (this.#finishes.of(some.length).run(now, token, ...some).changes !== some.length) throw new LeaseLost();
      }
    return settlements.map(() => true);
  }

  #settle(lease: SettledLease, now: number): boolean {
    return lease.settlement.kind === 'finish'
      ? this.#finish(lease, lease.settlement, now)
      : this.#requeue(lease, lease.settlement, now);
  }

  #finish({ id, token, resolverHint }: Lease, settlement: Settlement & { kind: 'finish' }, now: number): boolean {
    const lastError = settlement.error ? formatLastError(settlement.error) : null;
    if (this.#sql.finish.run(settlement.state, lastError, settlement.result ?? null, now, id, token).changes === 0)
      return false;
    this.#tally.add('in_progress', resolverHint, null, -1);
    this.#tally.add(settlement.state, resolverHint, lastError, 1);
    return true;
  }

  #requeue({ id, token }: Lease, settlement: Settlement & { kind: 'requeue' }, now: number): boolean {
    const { delayMs, error, refund, host } = settlement;
    const availableAt = delayMs > 0 ? Math.ceil(now + delayMs) : null;
    const lastError = error ? formatLastError(error) : null;
    const row = this.#sql.requeue.get(availableAt, lastError, refund ? 1 : 0, host ?? null, now, id, token) as
      | Row
      | undefined;
    if (!row) return false;
    this.#tally.add('in_progress', row.resolver_hint, null, -1);
    this.#tally.add(availableAt === null ? 'queued' : 'delayed', row.resolver_hint, row.last_error, 1);
    return true;
  }

  /** Delayed jobs that are due may run; leases that ran out are taken back, or given up on when a job has cost too many holders alone. */
  #wake(now: number, { shared, alone, most }: DeathLimits): number {
    this.#moved('delayed', 'queued', this.#sql.wakeDelayed.all(now, WAKE_BATCH));
    this.#sql.forgetDeaths.run(now - DEATHS_REMEMBERED_MS);
    this.#sql.noteDeaths.run({ now });
    const exhausted = this.#sql.giveUp.all({ now, alone, most });
    this.#moved('in_progress', 'error', exhausted);
    this.#moved('in_progress', 'queued', this.#sql.takeBack.all({ now, shared }));
    return exhausted.length;
  }

  #moved(from: 'delayed' | 'in_progress', to: 'queued' | 'error', rows: readonly unknown[]): void {
    for (const { resolver_hint: resolver, last_error: error } of rows as readonly Row[]) {
      this.#tally.add(from, resolver, from === 'in_progress' ? null : error, -1);
      this.#tally.add(to, resolver, error, 1);
    }
  }

  #write<T>(work: () => T): Promise<T> {
    return this.#connection.write(() => {
      this.#tally.clear();
      const result = work();
      this.#tally.flush();
      return result;
    });
  }
}
