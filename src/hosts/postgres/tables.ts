import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type pg from 'pg';

import { AppError, packageRoot } from '../../base/index.ts';
import type { Sessions } from './sessions.ts';

/** The number under which processes that start at once take turns in making the tables. */
const LOCK = 0x686f7374;

/** Makes the tables that a fleet shares, where they are not there yet, and the functions as this program has them. */
export async function createTables(sessions: Sessions, schema: string): Promise<void> {
  await sessions.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    // IF NOT EXISTS would ask for the right to create schemas even where this one exists.
    const existing = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    if (existing.rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`);
    const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [
      `"${schema}".host_slots`,
    ]);
    if (rows[0]?.found === null) await client.query(statements('0001_hosts.sql'));
    await makeFunctions(client);
  });
}

/** An error that says why the tables cannot be used, in the server's words. */
export function unreachable(error: unknown, schema: string): AppError {
  const reasons = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const message = reasons.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
  return new AppError('QUEUE_UNREACHABLE', `cannot use the tables about hosts in schema ${schema}: ${message}`, {
    hint: isForbidden(error)
      ? `as an administrator of the database: CREATE SCHEMA ${schema} AUTHORIZATION <the role in queue.url>`
      : 'check queue.url and that the server is running',
    cause: error,
  });
}

/** A role that may use the functions but does not own them uses those that exist. */
async function makeFunctions(client: pg.PoolClient): Promise<void> {
  await client.query('SAVEPOINT functions');
  try {
    await client.query(statements('turns.sql'));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT functions');
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501';
}

function statements(file: string): string {
  return readFileSync(join(packageRoot(), 'sql', 'hosts', 'postgres', file), 'utf8');
}
