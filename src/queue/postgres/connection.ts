import type { Clock } from '../../base/index.ts';
import { AppError, backoffDelay, duration, errorInfo, hasCode, systemClock, wait } from '../../base/index.ts';
import { Listener, Sessions } from '../../hosts/index.ts';
import { migrationsAfter } from '../migrations.ts';
import type { StoreOptions } from '../store-options.ts';

export interface PostgresOptions extends StoreOptions {
  readonly url: string;
  /** The clock of leases: the server's, except in tests. */
  readonly leaseClock?: 'server' | 'caller';
}

/** How long to wait for the server in an outage before giving up, and after somebody wanted to stop. */
const OUTAGE_MS = 600_000;
const OUTAGE_AT_STOP_MS = 5_000;

export type Values = Readonly<Record<string, unknown>>;

/** Runs one statement of a transaction; parameters are written `:name`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns that the statement selects
export type RunStatement = <R extends object>(sql: string, values?: Values) => Promise<R[]>;

/** The statement may be sent again: the server is unreachable, starting, full, or asks for a retry. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '40001',
  '40P01',
  // Read-only after a failover, until another server or the operator takes over.
  '25006',
  // How poolers report that the server is unreachable or has no free connection.
  '08P01',
]);

/** Advisory lock for migrations, so that two starting processes do not both create the tables. */
const MIGRATION_LOCK = 0x646f6373;

/** A pool of connections that waits out restarts and failovers. */
export class PostgresConnection implements AsyncDisposable {
  readonly clock: Clock;
  readonly schema: string;
  readonly #options: PostgresOptions;
  readonly #sessions: Sessions;
  readonly #statements = new Map<string, ReturnType<typeof numbered>>();
  readonly #closing = new AbortController();
  #outageSince: number | undefined;

  private constructor(sessions: Sessions, options: PostgresOptions) {
    this.clock = options.clock ?? systemClock;
    this.schema = options.schema ?? 'docstokg';
    this.#options = options;
    this.#sessions = sessions;
  }

  static async open(options: PostgresOptions): Promise<PostgresConnection> {
    const schema = options.schema ?? 'docstokg';
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
      throw new AppError('CONFIG_INVALID', `queue.schema = "${schema}" is not a plain lower-case name`, {
        hint: 'use lower-case letters, digits and _',
      });
    }
    const { url, pooler = false, timeoutMs, silentMs, stop, maxConnections = 4 } = options;
    const sessions = await Sessions.open({
      url,
      pooler,
      timeoutMs,
      silentMs,
      stop,
      max: maxConnections,
      name: 'docstokg',
      // Every statement uses an index whatever the number of jobs, so a generic plan is always good enough.
      settings: { search_path: schema, ...(!pooler && { plan_cache_mode: 'force_generic_plan' }) },
    });
    const connection = new PostgresConnection(sessions, options);
    try {
      await connection.#prepare();
    } catch (error) {
      await sessions.end();
      throw error instanceof AppError ? error : unreachable(error, options.url);
    }
    return connection;
  }

  /** The time to use: null means the server's. */
  moment(now: number): number | null {
    return this.#options.leaseClock === 'caller' ? now : null;
  }

  /** Parameters are written `:name`. `again`: the statement may have been executed and is sent again. */
  async run<R extends object>(name: string, sql: string, values: Values, again?: () => void): Promise<R[]> {
    let statement = this.#statements.get(name);
    if (!statement) this.#statements.set(name, (statement = numbered(sql)));
    const { text, names } = statement;
    const given = names.map((each) => values[each]);
    return await this.#outlasting(() => this.#sessions.query<R>(text, given, name), again);
  }

  /** Runs statements in one transaction, which may be repeated: a server may commit it without being able to say so. */
  transaction<T>(work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.#outlasting(() =>
      this.#sessions.transaction((client) =>
        work(async <R extends object>(sql: string, values: Values = {}) => {
          const { text, names } = numbered(sql);
          // Without values, one text may have several statements.
          return (await client.query<R>(text, names.length === 0 ? undefined : names.map((each) => values[each]))).rows;
        }),
      ),
    );
  }

  /** Repeats what fails while the server is unreachable or asks for it. */
  async #outlasting<T>(work: () => Promise<T>, again?: () => void): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await work();
        this.#reachable();
        return result;
      } catch (error) {
        if (!isPassing(error)) {
          if (isAnswer(error)) this.#reachable();
          throw error;
        }
        this.#unreachable(error);
        again?.();
      }
      await wait(this.clock, backoffDelay(attempt, { baseMs: 100, capMs: 5000 }), this.#closing.signal);
    }
  }

  /** `received` gets undefined when notifications may have been missed. */
  listen(channel: string, received: (message: string | undefined, look: number) => void): Disposable {
    return new Listener(this.#sessions, channel, this.clock, received);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new AppError('QUEUE_CLOSED', 'the queue was closed'));
    await this.#sessions.end();
  }

  /** Waits for a server that is starting; a migration is one transaction, so retrying is safe. */
  async #prepare(): Promise<void> {
    const startedAt = this.clock.monotonic();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#migrate();
        this.#reachable();
        return;
      } catch (error) {
        const waited = this.clock.monotonic() - startedAt;
        // An unknown host name is usually a typing mistake, not an outage.
        const mistaken = hasCode(error, 'ENOTFOUND');
        if (!isPassing(error) || mistaken || waited >= (this.#options.timeoutMs ?? 10_000)) throw error;
        this.#unreachable(error);
      }
      await wait(this.clock, backoffDelay(attempt, { baseMs: 100, capMs: 1000 }), this.#closing.signal);
    }
  }

  async #migrate(): Promise<void> {
    await this.#sessions.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const exists = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [this.schema]);
      if (exists.rowCount === 0) await client.query(`CREATE SCHEMA "${this.schema}"`);
      await client.query('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)');
      const { rows } = await client.query<{ version: number | null }>('SELECT max(version) AS version FROM migrations');
      const migrations = migrationsAfter(rows[0]?.version ?? 0, 'postgres', `schema ${this.schema}`);
      for (const { version, name, sql } of migrations) {
        await client.query(sql);
        await client.query('INSERT INTO migrations (version, name) VALUES ($1, $2)', [version, name]);
      }
    });
  }

  #unreachable(error: unknown): void {
    const now = this.clock.monotonic();
    if (this.#outageSince === undefined) {
      this.#outageSince = now;
      this.#options.report?.({ kind: 'queue-unreachable', message: errorInfo(error).message });
    }
    const outageMs = now - this.#outageSince;
    const { stop, outageMs: most = OUTAGE_MS } = this.#options;
    if (outageMs > (stop?.aborted ? Math.min(most, OUTAGE_AT_STOP_MS) : most))
      throw unreachable(error, this.#options.url, outageMs);
  }

  #reachable(): void {
    if (this.#outageSince === undefined) return;
    this.#options.report?.({ kind: 'queue-reachable', outageMs: this.clock.monotonic() - this.#outageSince });
    this.#outageSince = undefined;
  }
}

/** A statement with `$1`, `$2` … in place of `:name`, and the names in that order; `::` is a cast. */
export function numbered(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  const text = sql.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, names };
}

/** Whether a server refused a statement with a code of SQL, so that it is there. */
function isAnswer(error: unknown): boolean {
  return /^\d[\dA-Z]{4}$/.test(errorInfo(error).code);
}

function isPassing(error: unknown): boolean {
  const { code, message } = errorInfo(error);
  return (
    PASSING.has(code) ||
    /Connection terminated|connection timeout|Client has encountered a connection error/i.test(message)
  );
}

function unreachable(error: unknown, url: string, outageMs?: number): AppError {
  const message = error instanceof AggregateError ? error.errors.map(String).join('; ') : errorInfo(error).message;
  if (outageMs !== undefined)
    return new AppError('QUEUE_UNREACHABLE', `${safeUrl(url)} has been away for ${duration(outageMs)}: ${message}`, {
      hint: 'when it is back, run the same command again: what was written there is kept, the rest is done again',
      cause: error,
    });
  return new AppError('QUEUE_UNREACHABLE', `the PostgreSQL server at ${safeUrl(url)} cannot be used: ${message}`, {
    hint: 'check queue.url, that the server is running, and that the role can create tables in the schema',
    cause: error,
  });
}

function safeUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return 'the configured address';
  return `${parsed.protocol}//${parsed.username ? `${parsed.username}@` : ''}${parsed.host}${parsed.pathname}`;
}
