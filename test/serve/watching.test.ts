import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { AppError } from '../../src/base/index.ts';
import { openStore, WorkQueue } from '../../src/queue/index.ts';
import type { CorpusServer } from '../../src/serve/index.ts';
import { HeldClock } from '../../src/testing/index.ts';
import { ask, HOSTILE, openSmallServer, TOKEN, writeSmallRun, writeWorks } from './small-run.ts';

interface Message {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** The messages of an event stream. */
async function* messages(response: Response): AsyncGenerator<Message, void> {
  let waiting = '';
  assert.ok(response.body);
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    waiting += piece;
    for (let end = waiting.indexOf('\n\n'); end !== -1; end = waiting.indexOf('\n\n')) {
      const lines = waiting.slice(0, end).split('\n');
      waiting = waiting.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { id: field('id'), event: field('event'), data: field('data') ?? '' };
    }
  }
}

async function until(stream: AsyncGenerator<Message, void>, is: (message: Message) => boolean): Promise<Message> {
  for (let next = await stream.next(); !next.done; next = await stream.next()) if (is(next.value)) return next.value;
  throw new Error('the stream ended');
}

async function json<T>(server: CorpusServer, path: string): Promise<T> {
  return (await (await ask(server, `/api/v1${path}`)).json()) as T;
}

test('subscribers receive new events, resume after the last one they got, and figures update', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path);
  const before = await json<{ total: number; items: { title: string }[] }>(server, '/runs/small/works?q=script');
  // Text that looks like markup is returned unchanged.
  assert.deepEqual(
    before.items.map(({ title }) => title),
    [HOSTILE],
  );
  const asked = await ask(server, '/api/v1/events?run=small');
  assert.equal(asked.headers.get('content-type'), 'text/event-stream');
  const stream = messages(asked);
  await stream.next();
  await writeWorks(folder.path, 9, 12);
  const first = await until(stream, ({ event }) => event === 'event');
  assert.match(first.data, /On réefs, part 9/);
  const now = await until(stream, ({ event, data }) => event === 'now' && data.includes('"done":12'));
  assert.equal((JSON.parse(now.data) as { run: string }).run, 'small');
  const again = await ask(server, '/api/v1/events', { headers: { 'last-event-id': first.id ?? '' } });
  const missed = await until(messages(again), ({ event }) => event === 'event');
  assert.match(missed.data, /part 10/);
  assert.equal((await json<{ total: number }>(server, '/runs/small/works')).total, 12);
  await stream.return();
});

test('an unchanged response is not sent again, a changed one is', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const clock = new HeldClock();
  await using server = await openSmallServer(folder.path, { clock });
  const path = '/api/v1/runs/small/works?limit=2&sort=year';
  const etag = (await ask(server, path)).headers.get('etag') ?? '';
  assert.equal((await ask(server, path, { headers: { 'if-none-match': etag } })).status, 304);
  await writeWorks(folder.path, 20, 22);
  await clock.advance(250);
  const changed = await ask(server, path, { headers: { 'if-none-match': etag } });
  assert.equal(changed.status, 200);
  assert.equal(((await changed.json()) as { total: number }).total, 11);
  const csv = await (await ask(server, '/api/v1/runs/small/works.csv')).text();
  assert.equal(csv.trim().split('\r\n').length, 12);
  assert.match(await (await ask(server, '/api/v1/runs/small/works.bib')).text(), /^@/m);
  const saved = await (await ask(server, '/api/v1/runs/small/works.csv?outcome=saved')).text();
  const { total } = (await (await ask(server, '/api/v1/runs/small/works?outcome=saved')).json()) as { total: number };
  assert.ok(total < 11);
  assert.equal(saved.trim().split('\r\n').length, total + 1, 'only those that are listed');
  const diagram = await ask(server, '/api/v1/runs/small/prisma.svg');
  assert.match(diagram.headers.get('content-disposition') ?? '', /attachment; filename="small-prisma\.svg"/);
  assert.match(await diagram.text(), /^<svg[^]*Records identified \(n = 11\)/);
  const numbers = (await (await ask(server, '/api/v1/runs/small/prisma.json')).json()) as { records: number };
  assert.equal(numbers.records, 11);
});

test('an operator pauses a host for the whole fleet and retries one reason, and both are logged', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const log = join(folder.path, 'state', 'control.jsonl');
  await using server = await openSmallServer(folder.path, { allowControl: true, controlLog: log });
  const post = (path: string, body: object): Promise<Response> =>
    ask(server, `/api/v1/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await post('pause', { scope: 'host', name: 'a.example', by: 'Ana' })).status, 200);
  const hosts = await json<{ items: { host: string; paused: boolean }[] }>(server, '/hosts');
  assert.ok(hosts.items.some(({ host, paused }) => host === 'a.example' && paused));
  await using queue = new WorkQueue(await openStore(join(folder.path, 'queue.sqlite')));
  assert.deepEqual(
    (await queue.store.admin.pauses()).map(({ scope, name }) => [scope, name]),
    [['host', 'a.example']],
  );
  assert.equal((await post('resume', { scope: 'host', name: 'a.example' })).status, 200);
  const trial = (await (await post('retry', { error_code: 'HTTP_404', dry_run: true })).json()) as { changed: number };
  assert.equal(trial.changed, 1);
  const retried = (await (await post('retry', { error_code: 'HTTP_404' })).json()) as { changed: number };
  assert.equal(retried.changed, 1);
  assert.equal((await queue.stats()).states.error, 0);
  for (const wrong of [{}, { scope: 'host' }, { scope: 'all', name: 'x' }, { scope: 'planet', name: 'x' }])
    assert.equal((await post('pause', wrong)).status, 400, JSON.stringify(wrong));
  const acts = readFileSync(log, 'utf8').trim().split('\n');
  assert.deepEqual(
    acts.map((line) => (JSON.parse(line) as { act: string }).act),
    ['pause', 'resume', 'retry'],
  );
  assert.match(acts[0] ?? '', /"who":"Ana \(127\.0\.0\.1\)"/);
});

test('many idle connections do not lock other clients out', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path, { maxConnections: 20 });
  const silent: Socket[] = [];
  for (let number = 0; number < 60; number += 1) {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    silent.push(socket);
    await once(socket, 'connect');
  }
  assert.equal((await ask(server, '/api/v1/')).status, 200);
  const metrics = await (await ask(server, '/metrics')).text();
  assert.ok(Number(/^docstokg_serve_connections (\d+)$/m.exec(metrics)?.[1]) <= 20);
  for (const socket of silent) socket.destroy();
});

test('a request that is never completed is answered with an error that has a body', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path, { headersMs: 50 });
  for (const [sent, status] of [
    ['GET /api/v1/ HTTP/1.1\r\nHost: 127', '408'],
    ['NONSENSE\r\n\r\n', '400'],
    [`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`, '431'],
  ] as const) {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(sent);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} .*content-type: application/problem\\+json`, 'is'));
    assert.equal((JSON.parse(body) as { status: number }).status, Number(status));
  }
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('a slow answer is waited for; a client that does not read its answer is disconnected', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const left = Promise.withResolvers<void>();
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method === 'GET') {
      request.signal.addEventListener('abort', () => left.resolve());
      // The signal is aborted although the handler keeps no reference to the request.
      void setTimeout(10).then(collectGarbage);
      return new Response(new Uint8Array(50_000_000));
    }
    await setTimeout(500);
    return Response.json({ done: true });
  };
  await using server = await openSmallServer(folder.path, {
    silentMs: 100,
    mcp: () => Promise.resolve({ fetch, [Symbol.asyncDispose]: () => Promise.resolve() }),
  });
  const answer = await ask(server, '/mcp', { method: 'POST', body: '{}' });
  assert.deepEqual(await answer.json(), { done: true });
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  await left.promise;
  socket.destroy();
});

test('a damaged queue is logged with its code and what to do, without a stack', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const queue = new WorkQueue(await openStore(join(folder.path, 'queue.sqlite')));
  queue.store.admin.stats = () =>
    Promise.reject(new AppError('QUEUE_DAMAGED', 'it is damaged', { hint: 'move it away' }));
  const logged: string[] = [];
  await using server = await openSmallServer(folder.path, { queue, log: (_, message) => void logged.push(message) });
  const answer = await ask(server, '/api/v1/runs/small/now');
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [500, 'QUEUE_DAMAGED']);
  assert.deepEqual(logged, [
    'monitoring failed: QUEUE_DAMAGED it is damaged; move it away',
    'GET /api/v1/runs/small/now: QUEUE_DAMAGED it is damaged; move it away',
  ]);
});
