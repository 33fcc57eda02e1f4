import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { startPglite } from '../../test/support/pglite-server.ts';
import type { PostgresScene } from '../../test/support/postgres-scene.ts';
import { openPostgresScene } from '../../test/support/postgres-scene.ts';
import type { CorpusServer } from './server.ts';
import { openServer } from './server.ts';

const TOKEN = 'a-token-for-tests-only';
const server = await startPglite();
after(() => server[Symbol.asyncDispose]());

/** A server of pages, on a machine of that name. */
async function openNode(scene: PostgresScene, name: string): Promise<CorpusServer> {
  return await openServer({
    runs: [{ id: 'made', corpus: await scene.open(name) }],
    queue: undefined,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    allowControl: true,
    version: '0.0.0',
    log: () => undefined,
  });
}

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

async function get<T>(node: CorpusServer, path: string): Promise<T> {
  const response = await fetch(new URL(`api/v1/runs/made/${path}`, node.url), { headers });
  assert.equal(response.status, 200, path);
  return (await response.json()) as T;
}

async function post(node: CorpusServer, path: string, body: object): Promise<string> {
  const address = new URL(`api/v1/runs/made/${path}`, node.url);
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

interface Row {
  readonly document: string;
  readonly cells: readonly { readonly kind: string; readonly value?: string }[];
}
interface Line {
  readonly kind: string;
  readonly table: string;
  readonly filled: number;
}

/** The last line of a table that was filled in. */
async function fill(node: CorpusServer, columns: readonly string[]): Promise<Line> {
  const lines = (await post(node, 'tables', { columns })).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '') as Line;
}

const rowsOf = async (node: CorpusServer, table: string): Promise<readonly Row[]> =>
  (await get<{ readonly rows: readonly Row[] }>(node, `tables/${table}`)).rows;

async function tablesOf(node: CorpusServer): Promise<readonly string[]> {
  const { items } = await get<{ readonly items: readonly { readonly id: string }[] }>(node, 'tables');
  return items.map(({ id }) => id);
}

/** What an open page is told of a run, one message after the other. */
async function* changesOf(node: CorpusServer): AsyncGenerator<Record<string, string>, void> {
  const response = await fetch(new URL('api/v1/events', node.url), { headers });
  let rest = '';
  for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const messages = (rest + text).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const [, data] = /^event: changed\ndata: (.*)$/m.exec(message) ?? [];
      if (data !== undefined) yield JSON.parse(data) as Record<string, string>;
    }
  }
}

test('a table that one server fills, and its corrected cells, are on the others, and outlive them', async () => {
  await using scene = await openPostgresScene(server.url);
  await scene.copy(scene.folder, server.url);
  let table = '';
  let rows: readonly Row[] = [];
  const shownAt = async (node: CorpusServer): Promise<readonly Row[]> =>
    (await tablesOf(node)).includes(table) ? await rowsOf(node, table) : [];
  {
    await using one = await openNode(scene, 'one');
    await using two = await openNode(scene, 'two');
    const changes = changesOf(two);
    await changes.next();
    const made = await fill(one, ['year', 'country']);
    ({ table } = made);
    assert.ok(made.filled > 1);
    rows = await rowsOf(one, table);
    // What is not there yet is told when it is.
    while (!isDeepStrictEqual(await shownAt(two), rows)) await changes.next();
    await changes.return();
    assert.equal((await fill(two, ['year', 'country'])).filled, 0, 'nothing is filled in again');
    await post(two, `tables/${table}/cells`, { work: 'W1', column: 'country', value: 'Fiji' });
    rows = await rowsOf(two, table);
    assert.ok(rows.some(({ cells }) => cells.some(({ value }) => value === 'Fiji')));
  }
  await using later = await openNode(scene, 'three');
  assert.deepEqual(await rowsOf(later, table), rows);
  assert.deepEqual(await tablesOf(later), [table]);
});

test('a page open at one server is told of what is decided at another', async () => {
  await using scene = await openPostgresScene(server.url);
  await scene.copy(scene.folder, server.url);
  await using one = await openNode(scene, 'one');
  await using two = await openNode(scene, 'two');
  const changes = changesOf(two);
  const before = (await changes.next()).value;
  await post(one, 'note', { work: 'W1', by: 'ada', text: 'Which reef?' });
  let told = before;
  while (told?.['decisions'] === before?.['decisions']) told = (await changes.next()).value;
  await changes.return();
  const { items } = await get<{ readonly items: readonly { readonly text: string }[] }>(two, 'notes');
  assert.deepEqual(
    items.map(({ text }) => text),
    ['Which reef?'],
  );
});
