import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { packageRoot } from '../../src/base/index.ts';
import { READY } from '../../src/queue/sqlite/statements.ts';
import type { Contender, Opened, Payload } from './contender.ts';
import { Counter, RESOLVER } from './contender.ts';
import { sqliteBytes } from './sqlite-bytes.ts';

const BATCH = 64;
/** As many as ours puts in one commit. */
const BULK = 1_000;

const INSERT = `INSERT INTO jobs (artifact_id, artifact_json, state, resolver_hint, host, priority, created_at, updated_at)
  VALUES (?, ?, 'queued', ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const LEASE = `UPDATE jobs SET state = 'in_progress', attempts = attempts + 1, token = token + 1, worker_id = ?,
    lease_expires_at = ?, updated_at = ?
  WHERE id IN (SELECT id FROM jobs WHERE ${READY} AND host = ? AND resolver_hint = ? ORDER BY priority DESC, id LIMIT ${BATCH})
  RETURNING id, token, attempts, artifact_id, artifact_json`;
const FINISH = `UPDATE jobs SET state = 'done', last_error = NULL, lease_expires_at = NULL, worker_id = NULL, updated_at = ?
  WHERE id = ? AND token = ? AND state = 'in_progress'`;

/**
 * The limit: the statements a queue cannot do without, on our tables and indexes, and nothing around them. It puts jobs in
 * by the same commits as ours (a thousand, or one), settles a batch and leases the next in one commit, as ours does, and keeps
 * neither counts nor order by host.
 */
class Raw implements Opened {
  readonly #database: DatabaseSync;
  readonly #path: string;

  constructor(path: string, synchronous: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { timeout: 10_000 });
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4000`,
    );
    this.#transaction(() => {
      const found = this.#database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'tally'").get();
      const folder = join(packageRoot(), 'sql', 'queue', 'sqlite');
      if (!found)
        for (const file of globSync('*.sql', { cwd: folder }).sort())
          this.#database.exec(readFileSync(join(folder, file), 'utf8'));
    });
  }

  async bulk(payloads: readonly Payload[]): Promise<void> {
    const insert = this.#database.prepare(INSERT);
    for (let from = 0; from < payloads.length; from += BULK) {
      const now = Date.now();
      this.#transaction(() => {
        for (const payload of payloads.slice(from, from + BULK))
          insert.run(payload.id, JSON.stringify(payload), RESOLVER, '', 0, now, now);
      });
    }
  }

  #single: ReturnType<DatabaseSync['prepare']> | undefined;

  async single(payload: Payload): Promise<void> {
    this.#single ??= this.#database.prepare(INSERT);
    const now = Date.now();
    this.#single.run(payload.id, JSON.stringify(payload), RESOLVER, '', 0, now, now);
  }

  async drain(): Promise<{ jobs: number; lastAt: number }> {
    const lease = this.#database.prepare(LEASE);
    lease.setReturnArrays(true);
    const finish = this.#database.prepare(FINISH);
    const counter = new Counter();
    let jobs: [number, number, number, string, string][] = [];
    for (;;) {
      const now = Date.now();
      const done = jobs.length;
      jobs = this.#transaction(() => {
        for (const [id, token] of jobs) finish.run(now, id, token);
        return lease.all(`raw-${process.pid}`, now + 600_000, now, '', RESOLVER) as unknown as typeof jobs;
      });
      counter.settled(done);
      if (jobs.length === 0) return counter.drained;
      for (const [, , , , json] of jobs) JSON.parse(json);
    }
  }

  async bytes(): Promise<number> {
    return sqliteBytes(this.#path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    const result = work();
    this.#database.exec('COMMIT');
    return result;
  }
}

function createRaw(name: string, synchronous: string): Contender {
  return {
    name,
    settings: `node:sqlite, our tables and indexes, WAL, synchronous ${synchronous}, batches of ${BATCH}; no counts for stats, one commit to settle a batch and lease the next`,
    share: 1,
    warmUp: 10_000,
    open: async (place) => new Raw(join(place.folder, `${place.name}.sqlite`), synchronous),
  };
}

export const rawFull = createRaw('raw, FULL', 'FULL');
export const rawNormal = createRaw('raw, NORMAL', 'NORMAL');
