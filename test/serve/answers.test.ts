import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { openCorpus } from '../../src/corpus/index.ts';
import type { CorpusServer, ServerOptions } from '../../src/serve/index.ts';
import { openLoopback } from '../../src/testing/index.ts';
import { ask, openSmallServer, writeSmallRun } from './small-run.ts';

type Line = Record<string, unknown>;
interface Cell {
  readonly kind: string;
  readonly value?: string;
  readonly from?: string;
  readonly sentence?: string;
}
interface Row {
  readonly document: string;
  readonly cells: readonly Cell[];
}

const lines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

async function post(server: CorpusServer, path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return await ask(server, `/api/v1/runs/small/${path}`, { method: 'POST', body: JSON.stringify(body), headers });
}

/** A server of the small run that uses a model. */
async function withModel(folder: string, url: string, more: Partial<ServerOptions> = {}): Promise<CorpusServer> {
  const settings = {
    parse: { format: 'jsonl', data_root: join(folder, 'Data') },
    model: { url, name: 'm', retries: 0, per_second: 1_000 },
  } as const;
  return await openSmallServer(folder, {
    runs: [{ id: 'small', corpus: await openCorpus(folder, { settings }) }],
    ...more,
  });
}

test('an answer is streamed: passages, then each sentence, then the whole; a failure is a status or the last line', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path);
  const path = '/api/v1/runs/small/ask.ndjson?question=when+do+corals+bleach';
  const response = await ask(server, path);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
  const got = lines(await response.text());
  assert.deepEqual(
    got.map(({ kind }) => kind),
    ['passages', 'sentence', 'answer'],
  );
  const whole = (await (await ask(server, path.replace('.ndjson', ''))).json()) as {
    sentences: { text: string }[];
    passages: { text: string }[];
  };
  assert.ok(whole.passages.some(({ text }) => text.includes(whole.sentences[0]?.text ?? '-')));
  assert.deepEqual(got[2]?.['answer'], whole);
  assert.deepEqual(got[1]?.['sentence'], whole.sentences[0]);
  assert.equal((await ask(server, `${path}&works=nothing`)).status, 400);
  await using broken = await openLoopback((_seen, answer) => {
    answer.writeHead(500);
    answer.end();
  });
  await using model = await withModel(folder.path, `http://127.0.0.1:${broken.port}/v1`);
  const failed = lines(await (await ask(model, path)).text());
  assert.deepEqual(
    failed.map(({ kind }) => kind),
    ['passages', 'error'],
  );
  assert.match(JSON.stringify(failed[1]), /MODEL_SERVER/);
});

test('a file of the server cannot be read as a list of works', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path, { allowControl: true });
  const file = join(folder.path, 'secret.txt');
  writeFileSync(file, 'a secret line\n');
  const works = encodeURIComponent(`@${file}`);
  for (const response of [
    await ask(server, `/api/v1/runs/small/ask?question=corals&works=${works}`),
    await ask(server, `/api/v1/runs/small/ask.ndjson?question=corals&works=${works}`),
    await post(server, 'tables', { columns: ['year'], works: `@${file}` }),
  ]) {
    assert.equal(response.status, 400);
    assert.doesNotMatch(await response.text(), /secret line/);
  }
});

for (const path of ['ask.ndjson', 'ask'])
  test(`a client that disconnects aborts the request to the model (${path})`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
    await writeSmallRun(folder.path);
    const asked = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    await using silent = await openLoopback((_seen, response) => {
      asked.resolve();
      response.on('close', () => stopped.resolve());
    });
    await using server = await withModel(folder.path, `http://127.0.0.1:${silent.port}/v1`);
    const leave = new AbortController();
    const asking = ask(server, `/api/v1/runs/small/${path}?question=when+do+corals+bleach`, {
      signal: leave.signal,
    }).then((response) => response.text());
    await asked.promise;
    leave.abort();
    await assert.rejects(asking, { name: 'AbortError' });
    await stopped.promise;
  });

test('a table is filled row by row, read, corrected and reset, only where control is allowed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const columns = ['year', 'corals', { name: 'heat', type: 'choice', choices: ['hot', 'cold'] }];
  {
    await using locked = await openSmallServer(folder.path);
    assert.equal((await post(locked, 'tables', { columns })).status, 403);
    assert.equal((await post(locked, 'tables/estimate', { columns })).status, 403);
    assert.equal((await post(locked, 'tables/x/cells', { work: 'W0', column: 'year', value: '1' })).status, 403);
  }
  await using server = await openSmallServer(folder.path, { allowControl: true });
  const tables = async (): Promise<{ id: string; columns: { name: string }[] }[]> =>
    ((await (await ask(server, '/api/v1/runs/small/tables')).json()) as { items: never[] }).items;
  assert.deepEqual(await tables(), []);
  for (const bad of [[], ['a:date'], ['a', 'a'], [{ name: 'a', nom: 1 }], [{ name: 'a', type: 'choice' }]])
    assert.equal((await post(server, 'tables', { columns: bad })).status, 400, JSON.stringify(bad));
  assert.deepEqual(await (await post(server, 'tables/estimate', { columns })).json(), {
    papers: 1,
    known: 1,
    requests: 0,
    input_tokens: 0,
    most_output_tokens: 0,
    most_usd: null,
  });
  const got = lines(await (await post(server, 'tables', { columns })).text());
  assert.deepEqual(
    got.map(({ kind }) => kind),
    ['row', 'table'],
  );
  const id = String(got[1]?.['table']);
  assert.deepEqual([got[1]?.['rows'], got[1]?.['filled'], got[1]?.['failed']], [1, 1, 0]);
  const again = lines(await (await post(server, 'tables', { columns })).text());
  assert.deepEqual(
    again.map(({ kind, filled }) => [kind, filled]),
    [['table', 0]],
    'a finished paper is not processed again',
  );
  const [saved] = await tables();
  assert.deepEqual([saved?.id, saved?.columns.map(({ name }) => name)], [id, ['year', 'corals', 'heat']]);
  const row = async (): Promise<Row | undefined> =>
    ((await (await ask(server, `/api/v1/runs/small/tables/${id}`)).json()) as { rows: Row[] }).rows[0];
  assert.deepEqual((await row())?.cells[0], { kind: 'value', value: '2000', from: 'record', quotes: [] });
  const correct = (column: string, value: string | null, work = 'W0'): Promise<Response> =>
    post(server, `tables/${id}/cells`, { work, column, value });
  assert.equal((await correct('year', '1999')).status, 200);
  assert.deepEqual([(await row())?.cells[0]?.value, (await row())?.cells[0]?.from], ['1999', 'corrected']);
  const logged = readFileSync(join(folder.path, 'decisions.jsonl'), 'utf8').trim().split('\n').at(-1) ?? '';
  assert.match(logged, /"kind":"cell","work":"W0","column":"year","value":"1999"/);
  assert.equal((await correct('year', null)).status, 200);
  assert.equal((await row())?.cells[0]?.value, '2000');
  assert.equal((await correct('corals', '')).status, 200);
  assert.equal((await row())?.cells[1]?.sentence, 'a person left it empty');
  assert.equal((await correct('heat', 'lukewarm')).status, 400, 'not one of the choices');
  assert.equal((await correct('nothing', '1')).status, 400);
  assert.equal((await correct('year', '1', 'W77')).status, 400);
  assert.equal((await ask(server, '/api/v1/runs/small/tables/..%2F..')).status, 404);
  assert.equal((await post(server, 'tables/nope/cells', { work: 'W0', column: 'year', value: '1' })).status, 404);
});

test('a table says how many works it leaves out because screening excluded them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const fill = async (server: CorpusServer, works?: string): Promise<Line> =>
    lines(await (await post(server, 'tables', { columns: ['year'], works })).text()).at(-1) ?? {};
  const read = async (server: CorpusServer, id: unknown, works = ''): Promise<unknown[]> => {
    const path = `/api/v1/runs/small/tables/${String(id)}${works}`;
    const { rows, works_screened_out: out } = (await (await ask(server, path)).json()) as Record<string, unknown[]>;
    return [rows?.length, out];
  };
  let id: unknown;
  {
    await using server = await openSmallServer(folder.path, { allowControl: true });
    const made = await fill(server);
    assert.deepEqual([made['rows'], made['works_screened_out']], [1, 0]);
    id = made['table'];
    assert.deepEqual(await read(server, id), [1, 0]);
    const excluded = { by: 'ana', work: 'W0', decision: 'exclude', reason: 'no corals' };
    assert.equal((await post(server, 'screening/decide', excluded)).status, 200);
  }
  await using server = await openSmallServer(folder.path, { allowControl: true });
  assert.deepEqual(await read(server, id), [0, 1]);
  assert.deepEqual(await read(server, id, '?works=excluded'), [1, 0]);
  const again = await fill(server, 'excluded');
  assert.deepEqual([again['rows'], again['works_screened_out']], [1, 0]);
});

test('invalid table files are ignored', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path, { allowControl: true });
  const [done] = lines(await (await post(server, 'tables', { columns: ['year'] })).text()).slice(-1);
  const id = String(done?.['table']);
  const tables = join(folder.path, 'Data', 'Tables');
  for (const [name, text] of [
    ['notjson', '{'],
    ['nocolumns', '{"columns":{"length":1}}'],
    ['odd', '{"columns":[{"name":7}]}'],
  ] as const) {
    mkdirSync(join(tables, name));
    writeFileSync(join(tables, name, 'table.json'), text);
  }
  const listed = (await (await ask(server, '/api/v1/runs/small/tables')).json()) as { items: { id: string }[] };
  assert.deepEqual(
    listed.items.map((each) => each.id),
    [id],
  );
  const path = join(tables, id, 'W0.json');
  const { cfgHash } = JSON.parse(readFileSync(path, 'utf8')) as { cfgHash: string };
  for (const cells of [7, [7], [{ kind: 'value', value: { a: 1 }, from: 'x', quotes: [] }], []]) {
    writeFileSync(path, JSON.stringify({ cfgHash, cells }));
    const { rows } = (await (await ask(server, `/api/v1/runs/small/tables/${id}`)).json()) as { rows: Row[] };
    assert.deepEqual(rows, [], JSON.stringify(cells));
  }
});

test('a client that disconnects stops its table; the answer in progress is stored, and the same request resumes', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let requests = 0;
  await using model = await openLoopback(async (_seen, response) => {
    requests += 1;
    asked.resolve();
    await left.promise;
    response.end(JSON.stringify({ choices: [{ message: { content: '{"cells":[]}' } }] }));
  });
  await using server = await withModel(folder.path, `http://127.0.0.1:${model.port}/v1`, { allowControl: true });
  const leave = new AbortController();
  const filling = ask(server, '/api/v1/runs/small/tables', {
    method: 'POST',
    body: JSON.stringify({ columns: ['corals'] }),
    headers: { 'content-type': 'application/json' },
    signal: leave.signal,
  });
  await asked.promise;
  leave.abort();
  await assert.rejects(filling, { name: 'AbortError' });
  left.resolve();
  const got = lines(await (await post(server, 'tables', { columns: ['corals'] })).text());
  assert.equal(got.at(-1)?.['rows'], 1);
  assert.equal(requests, 1, 'a stored answer is not requested again');
});
