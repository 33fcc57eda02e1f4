import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from 'pg';

import { sha256, systemClock, wait } from '../../src/base/index.ts';
import type { Config } from '../../src/config/index.ts';
import { loadConfig, settingsLayer } from '../../src/config/index.ts';
import { openCorpus } from '../../src/corpus/index.ts';
import { Records } from '../../src/database/index.ts';
import { corpusLayer, FleetIndex, fleetLayer, openStored } from '../../src/run/index.ts';
import { openCorpusServer } from '../../src/run/queue/open-queue.ts';
import { emptyRecord } from '../../src/works/index.ts';
import { openPostgres } from '../../src/queue/kept/index.ts';
import { startPostgres } from '../postgres.ts';
import { seededRandom } from '../fixtures/random-document.ts';
import { copyCorpus } from '../../src/corpus/copy-corpus.ts';
import { findWordFaults } from './joined-words.ts';

/** Passages of every document. */
export const PASSAGES = 6;
/** So few documents make a segment of words that many are made and made again. */
export const JOINED = 3;
const CHILDREN = ['ingest', 'ingest', 'ask', 'ask'] as const;
const SCHEMA = 'storm';
/** The time between two kills. */
const BETWEEN_MS = { least: 1_000, most: 4_000 };

/** Where a process of the storm works. */
export interface StormPlace {
  readonly url: string;
  readonly folder: string;
  readonly store: string;
  readonly documents: number;
}

export function stormSettings({ store }: StormPlace) {
  return {
    queue: { schema: SCHEMA, timeout_sec: 30 },
    store: { url: store },
    parse: { format: 'jsonl', dense: 'none' },
  } as const;
}

export function stormConfig(place: StormPlace): Config {
  const flags = [...settingsLayer(stormSettings(place), 'storm'), ...fleetLayer(place.url)];
  return loadConfig({ folder: place.folder, environment: {}, flags: [...flags, ...corpusLayer(place.folder, 'storm')] })
    .config;
}

export interface DatabaseStorm {
  readonly seed: number;
  readonly kills: number;
  readonly documents: number;
}

export interface DatabaseStormResult {
  readonly kills: number;
  readonly serverKills: number;
  readonly puts: number;
  readonly asked: number;
  readonly notes: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/**
 * Machines that change documents, machines that ask and decide, and the server are killed with SIGKILL at random moments. No
 * answer may mix two versions of a document or miss a part of one, no acknowledged decision may be lost, and at the end the
 * index must have the rows of one that is built anew.
 */
export async function databaseStorm(storm: DatabaseStorm): Promise<DatabaseStormResult> {
  const random = seededRandom(storm.seed);
  await using server = await startPostgres();
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-database-storm-'));
  const place = (name: string): StormPlace => ({
    url: server.url,
    folder: join(temporary.path, name),
    store: join(temporary.path, 'store'),
    documents: storm.documents,
  });
  await makeCorpus(place('source'));
  const lines: string[] = [];
  const children = new Map<number, { readonly kill: () => Promise<void> }>();
  const start = (number: number): void => {
    const kind = CHILDREN[number] ?? 'ask';
    const file = join(import.meta.dirname, 'database-child.ts');
    const words = [...process.execArgv, file, kind, JSON.stringify(place(`${kind}-${number}`))];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    children.set(number, {
      async kill() {
        child.kill('SIGKILL');
        await ended;
      },
    });
  };
  CHILDREN.forEach((_, number) => start(number));
  let [kills, serverKills] = [0, 0];
  while (kills + serverKills < storm.kills) {
    await wait(systemClock, BETWEEN_MS.least + random() * (BETWEEN_MS.most - BETWEEN_MS.least));
    const victim = Math.floor(random() * (CHILDREN.length + 1));
    if (victim === CHILDREN.length) {
      await server.restart?.('SIGKILL');
      serverKills += 1;
      continue;
    }
    await children.get(victim)?.kill();
    kills += 1;
    start(victim);
  }
  for (const { kill } of children.values()) await kill();
  const said = (word: string): string[] => lines.filter((line) => line.startsWith(`${word} `));
  const faults = said('wrong');
  const notes = said('note').map((line) => line.slice('note '.length));
  {
    await using corpus = await openCorpus(server.url, {
      settings: stormSettings(place('last')),
      copy: place('last').folder,
    });
    const known = new Set(corpus.notes().map(({ id }) => id));
    const lost = notes.filter((id) => !known.has(id));
    if (lost.length > 0) faults.push(`${lost.length} of ${notes.length} acknowledged notes are lost`);
  }
  const grown = await refreshed(place('last'), false);
  faults.push(...(await wordFaults(server.url)));
  const built = await refreshed(place('last'), true);
  faults.push(...(await wordFaults(server.url)));
  if (grown !== built) faults.push('the index that grew has other rows than the one that was built anew');
  const refused = Object.fromEntries(
    [...Map.groupBy(said('refused'), (line) => line)].map(([line, all]) => [line.slice('refused '.length), all.length]),
  );
  return {
    kills,
    serverKills,
    puts: said('put').length,
    asked: said('asked').length,
    notes: notes.length,
    refused,
    faults,
  };
}

/** A database with one work. */
async function makeCorpus(place: StormPlace): Promise<void> {
  {
    using records = Records.open(place.folder);
    records.add([{ ...emptyRecord('W1'), title: 'A work' }]);
  }
  await copyCorpus(place.folder, place.url, {
    load: (layer) =>
      loadConfig({
        folder: place.folder,
        environment: {},
        flags: [...settingsLayer(stormSettings(place), 'storm'), ...layer],
      }).config,
    runtime: { clock: systemClock, log: () => undefined },
    report: () => undefined,
    signal: new AbortController().signal,
  });
}

/** The rows of the index after it was brought up to date, or built anew. */
async function refreshed(place: StormPlace, anew: boolean): Promise<string> {
  const config = stormConfig(place);
  const runtime = { clock: systemClock, log: () => undefined };
  await using storage = await openStored(config, runtime);
  await using connection = await openCorpusServer(config, runtime);
  const index = await FleetIndex.open({
    connection,
    files: storage.files,
    config,
    warn: () => undefined,
    anew,
    joined: JOINED,
  });
  await index.refresh(() => undefined, new AbortController().signal);
  return await indexRows(place.url);
}

/** What the joined words say otherwise than the documents that they are of. */
async function wordFaults(url: string): Promise<string[]> {
  await using connection = await openPostgres(url, { schema: SCHEMA, maxConnections: 1 });
  return await connection.transaction((run) => findWordFaults(run));
}

/** All rows of the index that is searched, by the names of documents instead of their numbers. */
async function indexRows(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET search_path = ${SCHEMA}`);
    const { rows } = await client.query<{ generation: number }>(
      'SELECT generation FROM search_generations WHERE is_current',
    );
    const number = rows[0]?.generation ?? 0;
    const parts = [
      `SELECT id, stamp, text_hash, is_copy, words, lengths, encode(facets, 'hex') AS facets, terms FROM search_documents_${number} ORDER BY id`,
      `SELECT id, place, facet, content, embedding::text FROM search_passages_${number} LEFT JOIN search_documents_${number} ON number = document ORDER BY id, place, content`,
      `SELECT sum(documents) AS documents, sum(passages) AS passages, sum(words) AS words, sum(embedded) AS embedded FROM search_totals_${number}`,
      `SELECT at, sum(value) AS sum FROM search_totals_${number}, unnest(vectors) WITH ORDINALITY AS each(value, at) GROUP BY at ORDER BY at`,
    ];
    const found: unknown[] = [];
    for (const sql of parts) found.push((await client.query(sql)).rows);
    return sha256(JSON.stringify(found));
  } finally {
    await client.end();
  }
}
