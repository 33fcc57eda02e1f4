import { randomUUID } from 'node:crypto';

import type { PostgresConnection } from '../queue/kept/index.ts';
import type { JobLease } from './journal.ts';

/** Of the works: the schemas of other queues have their name appended. */
const WORKS = 'works';

/** A job's row has a worker while it is leased, and its token changes with each lease. */
const HELD = (runs: string): string =>
  `SELECT 1 AS held FROM ${runs} WHERE id = :id AND token = :token AND worker_id IS NOT NULL FOR SHARE`;

const APPEND = (runs: string | undefined): string => `
  WITH held AS (
    ${runs === undefined ? 'SELECT 1 AS held' : HELD(runs)}
  ), once AS (
    INSERT INTO log_batches (batch) SELECT :batch::uuid FROM held ON CONFLICT DO NOTHING RETURNING batch
  ), input AS (
    SELECT log, text, place FROM unnest(:logs::text[], :texts::text[]) WITH ORDINALITY AS each(log, text, place)
  ), counted AS (
    SELECT log, count(*) AS more FROM input GROUP BY log
  ), head AS (
    INSERT INTO log_heads (log, lines) SELECT log, more FROM counted, once ORDER BY log
    ON CONFLICT (log) DO UPDATE SET lines = log_heads.lines + excluded.lines RETURNING log, lines
  ), added AS (
    INSERT INTO log_lines (log, line, text)
    SELECT log, head.lines - counted.more + row_number() OVER (PARTITION BY log ORDER BY place), text
    FROM input JOIN head USING (log) JOIN counted USING (log)
  )
  SELECT (SELECT count(*) FROM held) AS held`;

const READ = `
  SELECT wanted.log, found.line, found.text FROM unnest(:logs::text[], :after::bigint[]) AS wanted(log, line)
  CROSS JOIN LATERAL (
    SELECT line, text FROM log_lines WHERE log_lines.log = wanted.log AND log_lines.line > wanted.line
    ORDER BY line LIMIT :limit
  ) AS found ORDER BY wanted.log, found.line`;

const FORGET = `DELETE FROM log_batches WHERE at < now() - interval '1 day'`;

/** The logs of a corpus as rows in PostgreSQL, for all machines that work on it. */
export class PostgresLines implements AsyncDisposable {
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  static async open(connection: PostgresConnection): Promise<PostgresLines> {
    await connection.run('forget-batches', FORGET, {});
    return new PostgresLines(connection);
  }

  /** Appends all lines or none: false when the lease was lost, and the result must be dropped. */
  async append(
    given: readonly { readonly log: string; readonly lines: readonly string[] }[],
    lease?: JobLease,
  ): Promise<boolean> {
    const rows = given.flatMap(({ log, lines }) => lines.map((text) => ({ log, text })));
    if (rows.length === 0) return true;
    const runs = lease && this.#runsOf(lease);
    const [answer] = await this.#connection.run<{ held: number }>(`append ${runs ?? ''}`, APPEND(runs), {
      batch: randomUUID(),
      logs: rows.map(({ log }) => log),
      texts: rows.map(({ text }) => text),
      ...(lease && { id: lease.id, token: lease.token }),
    });
    return answer?.held === 1;
  }

  /** Lines after the given numbers, in order, at most `limit` per log. */
  read(
    after: ReadonlyMap<string, number>,
    limit: number,
  ): Promise<{ readonly log: string; readonly line: number; readonly text: string }[]> {
    return this.#connection.run('read-logs', READ, { logs: [...after.keys()], after: [...after.values()], limit });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection[Symbol.asyncDispose]();
  }

  /** The table with the jobs of the queue that a lease is from. */
  #runsOf({ queue }: JobLease): string {
    const { schema } = this.#connection;
    return `"${queue === WORKS ? schema : `${schema}_${queue}`}".runs`;
  }
}
