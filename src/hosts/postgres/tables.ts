import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type pg from 'pg';

import { packageRoot } from '../../base/index.ts';

/** The number under which processes that start at once take turns in making the tables. */
const LOCK = 0x686f7374;
const NOT_THE_OWNER = '42501';

/** Makes the tables that a fleet shares, where they are not there yet, and the functions as this program has them. */
export async function createTables(pool: pg.Pool, schema: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [
      `"${schema}".host_slots`,
    ]);
    if (rows[0]?.found === null) await client.query(statements('0001_hosts.sql'));
    await makeFunctions(client);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Whoever may use the functions but did not make them goes by those that are there. */
async function makeFunctions(client: pg.PoolClient): Promise<void> {
  await client.query('SAVEPOINT functions');
  try {
    await client.query(statements('turns.sql'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === NOT_THE_OWNER)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT functions');
  }
}

function statements(file: string): string {
  return readFileSync(join(packageRoot(), 'sql', 'hosts', 'postgres', file), 'utf8');
}
