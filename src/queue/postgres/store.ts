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
  Standing,
  StoreChange,
  WorkerInfo,
} from '../types.ts';
import { DEATHS_REMEMBERED_MS, LANE_COUNT_LIMIT } from '../types.ts';
import { PostgresAdmin } from './admin.ts';
import type { PostgresOptions } from './connection.ts';
import { PostgresConnection } from './connection.ts';
import { SQL } from './statements.ts';
import { PostgresWatch } from './watch.ts';

type LeasedRow = readonly [
  id: number,
  token: number,
  attempt: number,
  lane: string,
  priority: number,
  artifactId: string,
  artifactJson: string,
  ahead: number,
];
interface LaneRow {
  readonly lane: string;
  readonly standing: Standing;
  readonly jobs: number;
  readonly priority: number;
}
/** Says that leases were lost, and names the jobs that were settled. */
type LostRow = readonly [id: null, token: null, attempt: null, settled: string | null];

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
      jobs.map(({ host, resolverHint }) => laneOf(host, resolverHint)),
      jobs.map(({ priority }) => priority ?? 0),
      this.#watch.channel,
    ]);
    const added = new Set(rows.map(({ artifactId }) => artifactId));
    // The first of several equal ids in one call is the one that was added.
    return jobs.map(({ artifactId }) => added.delete(artifactId));
  }

  async backlog(now: number, limits: DeathLimits): Promise<Backlog> {
    const [woken] = await this.#connection.run<{ exhausted: number }>('wake', SQL.wake, [
      this.#connection.moment(now),
      limits.shared,
      limits.alone,
      limits.most,
      DEATHS_REMEMBERED_MS,
    ]);
    const rows = await this.#connection.run<LaneRow>('lanes', SQL.lanes, [LANE_COUNT_LIMIT]);
    const lanesOf = (wanted: Standing): LaneBacklog[] =>
      rows.flatMap(({ lane, standing, jobs, priority }) => {
        const [host = '', resolver = ''] = lane.split(' ');
        return standing === wanted ? { host: host || null, resolver: resolver || null, jobs, priority } : [];
      });
    return { exhausted: woken?.exhausted ?? 0, lanes: lanesOf('trusted'), suspects: lanesOf('suspect') };
  }

  async exchange(request: ExchangeRequest): Promise<Exchange> {
    const { settlements, picks } = request;
    const moment = this.#connection.moment(request.now);
    if (this.#orphansPossible && picks.length > 0) await this.#releaseOrphans(moment, request.workerId);
    let uncertain = false;
    const ids = settlements.map(({ id }) => id);
    const tokens = settlements.map(({ token }) => token);
    const values = [
      moment,
      picks.map(({ host, resolver }) => laneOf(host, resolver)),
      numberList(picks.map(({ limit }) => limit)),
      request.workerId,
      request.leaseMs,
      this.#commitLevel,
      numberList(ids),
      numberList(tokens),
      numberList(picks.map(({ ahead = 0 }) => ahead)),
    ];
    const allDone = settlements.every(
      ({ settlement }) =>
        settlement.kind === 'finish' && settlement.state === 'done' && settlement.result === undefined,
    );
    const { standing = 'trusted' } = request;
    const statement = standing === 'suspect' ? 'exchangeSuspect' : allDone ? 'exchangeDone' : 'exchange';
    const rows = await this.#connection.runForArrays<LeasedRow | LostRow>(
      statement,
      SQL[statement],
      statement === 'exchangeDone' ? values : [...values, ...columnsOf(settlements)],
      () => {
        uncertain = true;
        this.#orphansPossible ||= picks.length > 0;
      },
    );
    const leased = this.#leasedJobs(
      rows.filter((row) => row[0] !== null),
      request,
    );
    const lost = rows.find((row) => row[0] === null);
    const settled = lost && new Set(lost[3]?.split(' '));
    if (uncertain && settled) {
      const earlier = await this.#connection.run<Lease>('alreadySettled', SQL.alreadySettled, [ids, tokens]);
      for (const lease of earlier) settled.add(leaseKey(lease));
    }
    // One that was put back may have been leased again meanwhile.
    for (const { id, token } of settlements) if (this.#held.get(id) === token) this.#held.delete(id);
    for (const { id, token } of leased) this.#held.set(id, token);
    return { accepted: settlements.map((lease) => settled?.has(leaseKey(lease)) ?? true), leased };
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

  async release(workerId: string, held: readonly number[], now: number): Promise<number> {
    const [row] = await this.#connection.run<{ jobs: number }>('releaseOrphans', SQL.releaseOrphans, [
      this.#connection.moment(now),
      workerId,
      held,
    ]);
    return row?.jobs ?? 0;
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

  /** In the order of the picks, then by priority and age. */
  #leasedJobs(rows: LeasedRow[], { picks, standing = 'trusted' }: ExchangeRequest): LeasedJob[] {
    const places = new Map(picks.map(({ host, resolver }, place) => [laneOf(host, resolver), place]));
    const placeOf = (row: LeasedRow): number => places.get(row[3]) ?? 0;
    rows.sort((a, b) => placeOf(a) - placeOf(b) || b[4] - a[4] || a[0] - b[0]);
    return rows.map((row) => {
      const [id, token, attempt, , , artifactId, artifactJson, ahead] = row;
      // Host and resolver are the lane's: one string for all of its jobs.
      const { host = null, resolver = null } = picks[placeOf(row)] ?? {};
      const isAhead = ahead === 1;
      return { id, token, attempt, artifactId, artifactJson, resolverHint: resolver, host, standing, ahead: isAhead };
    });
  }

  async #releaseOrphans(moment: number | null, workerId: string): Promise<void> {
    this.#orphansPossible = false;
    await this.#connection.run('releaseOrphans', SQL.releaseOrphans, [moment, workerId, [...this.#held.keys()]]);
  }
}

/** The name of a lane: neither part holds a space. */
function laneOf(host: string | null | undefined, resolver: string | null | undefined): string {
  return `${host ?? ''} ${resolver ?? ''}`;
}

/** Numbers as the server reads a list: the driver would escape each as if it were text. */
function numberList(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

/** What became of jobs, a list for each column. */
function columnsOf(settlements: readonly SettledLease[]): unknown[] {
  return [
    settlements.map(({ settlement }) => (settlement.kind === 'finish' ? settlement.state : 'queued')),
    settlements.map(({ settlement }) => (settlement.kind === 'finish' ? 0 : settlement.delayMs)),
    settlements.map(({ settlement }) => (settlement.error ? formatLastError(settlement.error) : null)),
    settlements.map(({ settlement }) => (settlement.kind === 'requeue' && settlement.refund ? 1 : 0)),
    settlements.map(({ settlement }) => (settlement.kind === 'requeue' ? (settlement.host ?? null) : null)),
    settlements.map(({ settlement }) => (settlement.kind === 'finish' ? (settlement.result ?? null) : null)),
  ];
}

function leaseKey({ id, token }: Pick<Lease, 'id' | 'token'>): string {
  return `${id}:${token}`;
}
