import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';

import { sendEvents } from './send.ts';

test('a subscriber who does not read does not fill the memory', async () => {
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
    sendEvents(response, events(), leave.signal).catch(() => undefined);
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
