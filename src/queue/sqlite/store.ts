import type { StatementSync } from 'node:sqlite';

import { formatLastError } from '../last-error.ts';
import type {
  Exchange,
  ExchangeRequest,
  LaneBacklog,
  Lease,
  NewJob,
  Outlook,
  QueueStore,
  Settlement,
  StoreChange,
  WorkerInfo,
} from '../types.ts';
import { LANE_COUNT_LIMIT } from '../types.ts';
import { SqliteAdmin } from './admin.ts';
import type { SqliteOptions } from './connection.ts';
import { SqliteConnection } from './connection.ts';
import { leaseSql, SQL } from './statements.ts';
import { Tally } from './tally.ts';
import { SqliteWatch } from './watch.ts';

/** Jobs that may be moved by one transaction on the side, so that none takes long. */
const WAKE_BATCH = 1000;
/** Jobs that one process may put in alone before it counts them; whoever wants to know meanwhile must. */
const COUNT_EVERY = 250;

interface Row {
  readonly id: number;
  readonly resolver_hint: string | null;
  readonly last_error: string | null;
}

/** A leased job as its statement answers it: arrays cost half of what objects do. */
type LeasedRow = readonly [
  id: number,
  token: number,
  attempt: number,
  artifactId: string,
  artifactJson: string,
  priority: number,
  lastError: string | null,
];

/** A queue in one SQLite file, shared by the processes of one machine. */
export class SqliteStore implements QueueStore {
  readonly admin: SqliteAdmin;
  readonly #connection: SqliteConnection;
  readonly #watch: SqliteWatch;
  readonly #tally: Tally;
  readonly #leases = new Map<number, StatementSync>();
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
      ? [await this.#connection.accept(() => this.#insert(first, now))]
      : await this.#connection.write(
          () => {
            const results = jobs.map((job) => this.#insert(job, now));
            this.#tally.countNew();
            return results;
          },
          { accepting: true },
        );
    if (added.includes(true)) this.#watch.tell('jobs');
    return added;
  }

  async backlog(
    now: number,
    maxAttempts: number,
  ): Promise<{ readonly lanes: LaneBacklog[]; readonly exhausted: number }> {
    const { anythingToWake, lanes } = this.#sql;
    const exhausted =
      anythingToWake.get(now, now) === undefined ? 0 : await this.#write(() => this.#wake(now, maxAttempts));
    return { exhausted, lanes: this.#connection.read(() => lanes.all(LANE_COUNT_LIMIT)) as unknown as LaneBacklog[] };
  }

  exchange({ settlements, picks, workerId, now, leaseMs }: ExchangeRequest): Promise<Exchange> {
    return this.#write(() => {
      const accepted = settlements.map((lease) =>
        lease.settlement.kind === 'finish'
          ? this.#finish(lease, lease.settlement, now)
          : this.#requeue(lease, lease.settlement, now),
      );
      const leased = picks.flatMap(({ host, resolver, limit }) => {
        const statement = this.#leaseStatement(limit);
        const rows = statement.all(workerId, now + leaseMs, now, host ?? '', resolver ?? '') as unknown as LeasedRow[];
        for (const row of rows) this.#tally.add('queued', resolver, row[6], -1);
        if (rows.length > 0) this.#tally.add('in_progress', resolver, null, rows.length);
        // RETURNING promises no order.
        rows.sort((a, b) => b[5] - a[5] || a[0] - b[0]);
        // Host and resolver are the lane's: one string for all of its jobs.
        return rows.map(([id, token, attempt, artifactId, artifactJson]) => ({
          id,
          token,
          attempt,
          artifactId,
          artifactJson,
          resolverHint: resolver,
          host,
        }));
      });
      return { accepted, leased };
    });
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

  #insert(job: NewJob, now: number): boolean {
    const { artifactId, artifactJson, resolverHint = '', host = '', priority = 0 } = job;
    return this.#sql.insert.run(artifactId, artifactJson, resolverHint, host, priority, now, now).changes !== 0;
  }

  #finish({ id, token, resolverHint }: Lease, settlement: Settlement & { kind: 'finish' }, now: number): boolean {
    const lastError = settlement.error ? formatLastError(settlement.error) : null;
    if (this.#sql.finish.run(settlement.state, lastError, now, id, token).changes === 0) return false;
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

  #leaseStatement(limit: number): StatementSync {
    let statement = this.#leases.get(limit);
    if (!statement) {
      statement = this.#connection.prepare(leaseSql(limit));
      statement.setReturnArrays(true);
      this.#leases.set(limit, statement);
    }
    return statement;
  }

  /** Delayed jobs that are due may run; leases that ran out are taken back, or given up on when that was the last attempt. */
  #wake(now: number, maxAttempts: number): number {
    for (const row of this.#sql.wakeDelayed.all(now, WAKE_BATCH) as unknown as Row[]) {
      this.#tally.add('delayed', row.resolver_hint, row.last_error, -1);
      this.#tally.add('queued', row.resolver_hint, row.last_error, 1);
    }
    const exhausted = this.#sql.giveUp.all(now, now, maxAttempts) as unknown as Row[];
    for (const row of exhausted) {
      this.#tally.add('in_progress', row.resolver_hint, null, -1);
      this.#tally.add('error', row.resolver_hint, row.last_error, 1);
    }
    for (const row of this.#sql.takeBack.all(now, now) as unknown as Row[]) {
      this.#tally.add('in_progress', row.resolver_hint, null, -1);
      this.#tally.add('queued', row.resolver_hint, row.last_error, 1);
    }
    return exhausted.length;
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
