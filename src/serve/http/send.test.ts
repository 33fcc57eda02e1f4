import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';

import { sendPieces, sendStream } from './send.ts';

test('a subscriber that does not read does not fill the memory', async () => {
  const left = Promise.withResolvers<void>();
  const sent: number[] = [];
  const events = async function* () {
    try {
      for (; sent.length < 2_000; sent.push(1)) yield `data: ${'x'.repeat(60_000)}\n\n`;
    } finally {
      left.resolve();
    }
  };
  const server = createServer((_request, response) => {
    const leave = new AbortController();
    response.once('close', () => leave.abort());
    sendStream(response, 'text/event-stream', events(), leave.signal).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  reader.pause();
  reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  // Until no more is sent.
  for (let before = 0; before === 0 || before !== sent.length; await setTimeout(50)) before = sent.length;
  reader.destroy();
  await left.promise;
  server.close();
  assert.ok(sent.length < 2_000, `${sent.length} events sent`);
});

test('text is sent in full, also if empty; an error before the first byte is a 500', async () => {
  const texts: Readonly<Record<string, () => AsyncGenerator<string>>> = {
    '/long': async function* () {
      for (let line = 0; line < 30_000; line += 1) yield `line ${line}\n`;
    },
    // oxlint-disable-next-line require-yield
    '/none': async function* () {},
    // oxlint-disable-next-line require-yield
    '/failing': async function* () {
      throw new Error('no such run');
    },
  };
  await using server = createServer((request, response) => {
    const pieces = texts[request.url ?? '']?.() ?? texts['/none']?.();
    const answer = {
      kind: 'pieces' as const,
      type: 'text/plain',
      name: 'a.txt',
      pieces: pieces as AsyncIterable<string>,
    };
    sendPieces(response, answer, new AbortController().signal).catch(() =>
      response.writeHead(response.headersSent ? 200 : 500).end(),
    );
  }).listen(0);
  await once(server, 'listening');
  const get = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const long = await (await get('/long')).text();
  assert.deepEqual([long.split('\n').length, long.endsWith('line 29999\n')], [30_001, true]);
  const none = await get('/none');
  assert.deepEqual([none.status, await none.text()], [200, '']);
  assert.equal((await get('/failing')).status, 500);
});
