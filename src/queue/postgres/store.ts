import { formatLastError } from '../last-error.ts';
import type {
  Exchange,
  ExchangeRequest,
  LaneBacklog,
  Lease,
  LeasedJob,
  NewJob,
  Outlook,
  QueueStore,
  StoreChange,
  WorkerInfo,
} from '../types.ts';
import { LANE_COUNT_LIMIT } from '../types.ts';
import { PostgresAdmin } from './admin.ts';
import type { PostgresOptions } from './connection.ts';
import { PostgresConnection } from './connection.ts';
import { SQL } from './statements.ts';
import { PostgresWatch } from './watch.ts';

/** A settled lease, whose other columns are empty, or a job that was leased. */
type ExchangeRow = LeasedJob | { readonly id: number; readonly token: number; readonly attempt: null };

/** A queue in PostgreSQL, shared by the processes of many machines. */
export class PostgresStore implements QueueStore {
  readonly admin: PostgresAdmin;
  readonly #connection: PostgresConnection;
  readonly #watch: PostgresWatch;
  /** Tokens of the jobs whose leases this process knows it holds; others under its name are orphans of a lost answer. */
  readonly #held = new Map<number, number>();
  /** A lease or settlement that is lost with its server means a repeat, so neither waits for the disk unless told to. */
  readonly #commitLevel: 'off' | null;
  #orphansPossible = false;

  private constructor(connection: PostgresConnection, durability: PostgresOptions['durability']) {
    this.#commitLevel = durability === 'all' ? null : 'off';
    this.#connection = connection;
    this.#watch = new PostgresWatch(connection);
    this.admin = new PostgresAdmin(connection, this.#watch);
  }

  static async open(options: PostgresOptions): Promise<PostgresStore> {
    return new PostgresStore(await PostgresConnection.open(options), options.durability);
  }

  async enqueue(jobs: readonly NewJob[], now: number): Promise<boolean[]> {
    const rows = await this.#connection.run<{ artifactId: string }>('enqueue', SQL.enqueue, [
      this.#connection.moment(now),
      jobs.map(({ artifactId }) => artifactId),
      jobs.map(({ artifactJson }) => artifactJson),
      jobs.map(({ resolverHint }) => resolverHint ?? null),
      jobs.map(({ host }) => host ?? null),
      jobs.map(({ priority }) => priority ?? 0),
      this.#watch.channel,
    ]);
    const added = new Set(rows.map(({ artifactId }) => artifactId));
    // The first of several equal ids in one call is the one that was added.
    return jobs.map(({ artifactId }) => added.delete(artifactId));
  }

  async backlog(
    now: number,
    maxAttempts: number,
  ): Promise<{ readonly lanes: LaneBacklog[]; readonly exhausted: number }> {
    const [woken] = await this.#connection.run<{ exhausted: number }>('wake', SQL.wake, [
      this.#connection.moment(now),
      maxAttempts,
    ]);
    const rows = await this.#connection.run<{ lane: string; jobs: number; priority: number }>('lanes', SQL.lanes, [
      LANE_COUNT_LIMIT,
    ]);
    return {
      exhausted: woken?.exhausted ?? 0,
      lanes: rows.map(({ lane, jobs, priority }) => {
        const [host = '', resolver = ''] = lane.split(' ');
        return { host: host || null, resolver: resolver || null, jobs, priority };
      }),
    };
  }

  async exchange(request: ExchangeRequest): Promise<Exchange> {
    const { settlements, picks } = request;
    const moment = this.#connection.moment(request.now);
    if (this.#orphansPossible && picks.length > 0) await this.#releaseOrphans(moment, request.workerId);
    let uncertain = false;
    const ids = settlements.map(({ id }) => id);
    const tokens = settlements.map(({ token }) => token);
    const rows = await this.#connection.run<ExchangeRow>(
      'exchange',
      SQL.exchange,
      [
        moment,
        ids,
        tokens,
        settlements.map(({ settlement }) => (settlement.kind === 'finish' ? settlement.state : 'queued')),
        settlements.map(({ settlement }) => (settlement.kind === 'finish' ? 0 : settlement.delayMs)),
        settlements.map(({ settlement }) => (settlement.error ? formatLastError(settlement.error) : null)),
        settlements.map(({ settlement }) => (settlement.kind === 'requeue' && settlement.refund ? 1 : 0)),
        settlements.map(({ settlement }) => (settlement.kind === 'requeue' ? (settlement.host ?? null) : null)),
        picks.map(({ host, resolver }) => `${host ?? ''} ${resolver ?? ''}`),
        picks.map(({ limit }) => limit),
        request.workerId,
        request.leaseMs,
        this.#commitLevel,
      ],
      () => {
        uncertain = true;
        this.#orphansPossible ||= picks.length > 0;
      },
    );
    const leased = rows.filter((row): row is LeasedJob => row.attempt !== null);
    const settled = new Map(rows.filter(({ attempt }) => attempt === null).map(({ id, token }) => [id, token]));
    if (uncertain && ids.length > 0) {
      const earlier = await this.#connection.run<Lease>('alreadySettled', SQL.alreadySettled, [ids, tokens]);
      for (const { id, token } of earlier) settled.set(id, token);
    }
    // One that was put back may have been leased again meanwhile.
    for (const { id, token } of settlements) if (this.#held.get(id) === token) this.#held.delete(id);
    for (const { id, token } of leased) this.#held.set(id, token);
    return { accepted: settlements.map(({ id, token }) => settled.get(id) === token), leased };
  }

  async extend(leases: readonly Lease[], now: number, leaseMs: number): Promise<Lease[]> {
    const rows = await this.#connection.run<Lease>('extend', SQL.extend, [
      this.#connection.moment(now),
      leaseMs,
      leases.map(({ id }) => id),
      leases.map(({ token }) => token),
    ]);
    const kept = new Set(rows.map(leaseKey));
    return leases.filter((lease) => !kept.has(leaseKey(lease)));
  }

  async expire(workerIds: readonly string[], now: number): Promise<number> {
    const rows = await this.#connection.run('expire', SQL.expire, [this.#connection.moment(now), workerIds]);
    return rows.length;
  }

  async announce(workerId: string, info: WorkerInfo | null, now: number): Promise<void> {
    if (info === null) await this.#connection.run('leave', SQL.leave, [workerId]);
    else
      await this.#connection.run('announce', SQL.announce, [
        this.#connection.moment(now),
        workerId,
        JSON.stringify(info),
      ]);
  }

  async outlook(now: number): Promise<Outlook> {
    const [row] = await this.#connection.run<Outlook & { serverNow: number }>('outlook', SQL.outlook, [
      this.#connection.moment(now),
    ]);
    const { serverNow = now, ...outlook } = row ?? { ready: 0, delayed: 0, inProgress: 0, nextAt: null };
    // Told in the caller's time, whose clock may differ from the server's.
    const shift = this.#connection.moment(now) === null ? now - serverNow : 0;
    return { ...outlook, nextAt: outlook.nextAt === null ? null : outlook.nextAt + shift };
  }

  watch(changed: (change: StoreChange) => void): Disposable {
    return this.#watch.add(changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
    await this.#connection[Symbol.asyncDispose]();
  }

  async #releaseOrphans(moment: number | null, workerId: string): Promise<void> {
    this.#orphansPossible = false;
    await this.#connection.run('releaseOrphans', SQL.releaseOrphans, [moment, workerId, [...this.#held.keys()]]);
  }
}

function leaseKey({ id, token }: Pick<Lease, 'id' | 'token'>): string {
  return `${id} ${token}`;
}
