import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { canonicalJson, packageRoot } from '../../base/index.ts';
import type { PostgresConnection, RunStatement } from '../../queue/kept/index.ts';
import type { IndexDense } from '../segment/write-segment.ts';
import { INDEX_VERSION } from '../segment/segment-file.ts';

/** How the tables are made; an index of another version is built again. */
const VERSION = `${INDEX_VERSION}, tables/3`;

/** One index, with tables of its own. */
export interface Generation {
  readonly number: number;
  readonly dense: IndexDense | null;
  readonly isCurrent: boolean;
}

/** Where the extension `vector` is, for names of its types and operators: `"public".`. */
export type VectorSchema = string;

/** The oldest version that goes on searching until a filter has let enough through. */
const LEAST_VECTOR = [0, 8] as const;
/** Advisory lock while generations are made and switched. */
const LOCK = 0x646f6374;
/** With fewer vectors comparing all of them is fast enough, and nothing is missed. */
const NEAR_FROM = 20_000;

/**
 * A graph of vectors that is not built in memory takes many times as long: a vector in half precision and its neighbours,
 * as measured with a million. Parallel workers share this much at once, so it must not be more than is needed.
 */
const HALF_BYTES = 2;
const NEIGHBOUR_BYTES = 1_500;
/** For more, `maintenance_work_mem` of the server counts. */
const MOST_GRAPH_BYTES = 8 * 2 ** 30;

/** A text of `sql/search/postgres` with its places filled in. */
function readSql(name: string, places: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(packageRoot(), 'sql', 'search', 'postgres', name), 'utf8');
  return text.replaceAll(/\{(\w+)\}/g, (_, place: string) => places[place] ?? '');
}

/** Makes the table of generations, and tries to add `vector`; undefined if the server has none that can be used. */
export async function prepareIndex(connection: PostgresConnection): Promise<VectorSchema | undefined> {
  await connection.transaction(async (run) => {
    await run('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    const [found] = await run<{ there: string | null }>(`SELECT to_regclass('search_generations') AS there`);
    if (found?.there === null) await run(readSql('index.sql'));
  });
  const known = await vectorSchema(connection);
  if (known !== undefined) return known;
  // In `public`, if one may: in the schema of this fleet it would be dropped with it, and with it the vectors of others.
  for (const where of [' SCHEMA public', ''])
    try {
      await connection.transaction((run) => run(`CREATE EXTENSION IF NOT EXISTS vector${where}`));
      return await vectorSchema(connection);
    } catch {
      // Only an administrator may add it here, or the server does not have it: words are searched alone.
    }
  return undefined;
}

/** Where the extension is, if the database has one that can be used. */
export async function vectorSchema(connection: PostgresConnection): Promise<VectorSchema | undefined> {
  const [found] = await connection.run<{ schema: string; version: string }>(
    'find-vector',
    `SELECT quote_ident(nspname) AS schema, extversion AS version
     FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'`,
    {},
  );
  return found && isNewEnough(found.version) ? `${found.schema}.` : undefined;
}

/** Whether the server has an extension of that use which is not added to this database yet. */
export async function isVectorOffered(connection: PostgresConnection): Promise<boolean> {
  const versions = await connection.run<{ version: string }>(
    'offered-vector',
    "SELECT version FROM pg_available_extension_versions WHERE name = 'vector'",
    {},
  );
  return versions.some(({ version }) => isNewEnough(version));
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > LEAST_VECTOR[0] || (major === LEAST_VECTOR[0] && minor >= LEAST_VECTOR[1]);
}

interface GenerationRow {
  readonly generation: number;
  readonly dense: string;
  readonly is_current: boolean;
}

function generationOf({ generation, dense, is_current: isCurrent }: GenerationRow): Generation {
  return { number: generation, dense: JSON.parse(dense) as IndexDense | null, isCurrent };
}

/** The generation that is searched; undefined if there is none that this version can search. */
export async function currentGeneration(connection: PostgresConnection): Promise<Generation | undefined> {
  const [row] = await connection.run<GenerationRow>(
    'current-generation',
    'SELECT generation, dense, is_current FROM search_generations WHERE is_current AND version = :version',
    { version: VERSION },
  );
  return row && generationOf(row);
}

/**
 * The generation for a model, which is made if there is none: the first one is searched while it grows. `anew` makes one
 * beside the current one, or goes on with it.
 */
export function openGeneration(
  connection: PostgresConnection,
  dense: IndexDense | null,
  { vector, anew }: { readonly vector: VectorSchema | undefined; readonly anew: boolean },
): Promise<Generation> {
  return connection.transaction(async (run) => {
    await run('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    const model = canonicalJson(dense);
    const all = await run<GenerationRow & { rebuild: number }>(
      `SELECT generation, dense, is_current, rebuild FROM search_generations
       WHERE version = :version AND dense = :dense ORDER BY rebuild`,
      { version: VERSION, dense: model },
    );
    // Documents go into the one that is searched, or into the oldest of a model that is not searched yet.
    const used = all.find(({ is_current: isCurrent }) => isCurrent) ?? all[0];
    const known = anew ? all.findLast(({ is_current: isCurrent }) => !isCurrent) : used;
    if (known) return generationOf(known);
    const [made] = await run<GenerationRow>(
      `INSERT INTO search_generations (version, dense, rebuild, is_current)
       SELECT :version, :dense, :rebuild::int, NOT EXISTS (SELECT 1 FROM search_generations WHERE is_current)
       RETURNING generation, dense, is_current`,
      { version: VERSION, dense: model, rebuild: (all.at(-1)?.rebuild ?? 0) + 1 },
    );
    if (!made) throw new Error('an inserted row was not returned');
    const type = vector === undefined || !dense ? 'TEXT' : `${vector}vector(${dense.dimensions})`;
    await run(readSql('generation.sql', { g: String(made.generation), vector: type }));
    return generationOf(made);
  });
}

/** Searches a generation from now on, and drops all others. */
export async function switchTo(connection: PostgresConnection, generation: Generation): Promise<void> {
  await connection.transaction(async (run) => {
    await run('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    const others = await run<GenerationRow>('DELETE FROM search_generations WHERE generation <> :it RETURNING *', {
      it: generation.number,
    });
    await run('UPDATE search_generations SET is_current = true WHERE generation = :it', { it: generation.number });
    for (const { generation: other } of others) await dropTables(run, other);
  });
}

async function dropTables(run: RunStatement, generation: number): Promise<void> {
  for (const table of ['documents', 'passages', 'segments', 'words', 'removed', 'totals'])
    await run(`DROP TABLE search_${table}_${generation}`);
}

/** Makes the index of near vectors once there are many, and lets the server count what its tables have. */
export async function tendGeneration(
  connection: PostgresConnection,
  { number, dense }: Generation,
  vector: VectorSchema | undefined,
): Promise<void> {
  const [totals] = await connection.run<{ embedded: number | null }>(
    `embedded ${number}`,
    `SELECT sum(embedded)::bigint AS embedded FROM search_totals_${number}`,
    {},
  );
  const embedded = totals?.embedded ?? 0;
  if (vector !== undefined && dense && embedded >= NEAR_FROM)
    await connection.transaction(async (run) => {
      await run('SET LOCAL statement_timeout = 0');
      await run(
        `SELECT set_config('maintenance_work_mem', greatest(
           pg_size_bytes(current_setting('maintenance_work_mem')), least(:bytes::bigint, :most::bigint)) / 1024 || 'kB', true)`,
        { bytes: embedded * (dense.dimensions * HALF_BYTES + NEIGHBOUR_BYTES), most: MOST_GRAPH_BYTES },
      );
      const places = { g: String(number), d: String(dense.dimensions), schema: vector, halfvec: `${vector}halfvec` };
      await run(readSql('near.sql', places));
    });
  for (const table of ['documents', 'passages', 'words'])
    await connection.transaction((run) => run(`ANALYZE search_${table}_${number}`));
}
