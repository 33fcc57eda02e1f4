import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';

import { secondsLeft, Series } from './series.ts';
import { Watchers } from './watchers.ts';

test('a watcher who does not read is let go before it fills the memory', async () => {
  const watchers = new Watchers();
  const added = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200);
    watchers.add(response, null, null);
    added.resolve(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  reader.on('error', () => undefined);
  reader.pause();
  reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const response = await added.promise;
  const closed = once(response, 'close');
  const json = JSON.stringify('x'.repeat(60_000));
  let most = 0;
  for (let sent = 0; !response.destroyed && sent < 2_000; sent += 1) {
    watchers.figures('queue', json, null);
    most = Math.max(most, response.writableLength);
  }
  assert.ok(response.destroyed);
  assert.ok(most <= 256 * 1024, `${most} bytes waited`);
  await closed;
  assert.equal(watchers.size, 0);
  reader.destroy();
  server.close();
});

test('figures over time stay few, and rates come from the last minutes', () => {
  const series = new Series<'done'>();
  assert.equal(series.perMinute('done'), null);
  for (let second = 0; second < 10_000; second += 1) series.add({ at: second * 1_000, done: second * 2 });
  assert.ok(series.points.length <= 720 && series.points.length > 300);
  assert.equal(series.points[0]?.at, 0);
  assert.equal(series.perMinute('done'), 120);
  assert.deepEqual(
    [secondsLeft(60, 120), secondsLeft(0, null), secondsLeft(5, 0), secondsLeft(null, 3)],
    [30, 0, null, null],
  );
});

test('a stream resumes after the last event received; ids of another process are ignored', () => {
  const nothing = { run: null, work: null, document: null, title: null, host: null, reason: null };
  const event = { at: '', kind: 'work', level: 'info', text: '', ...nothing } as const;
  /** The ids of the events in a stream, also of those that happen when it is open. */
  const idsOf = (watchers: Watchers, lastId: string | null, happening: readonly (typeof event)[] = []): string[] => {
    const stream = new PassThrough();
    watchers.add(stream as unknown as ServerResponse, null, lastId);
    watchers.events(happening);
    return [...String(stream.read()).matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
  };
  const [watchers, others] = [new Watchers(), new Watchers()];
  const [first = '', second] = idsOf(watchers, null, [event, event]);
  const [foreign = ''] = idsOf(others, null, [event]);
  assert.deepEqual(idsOf(watchers, first), [second]);
  for (const id of [null, '', '1', foreign, 'x-1']) assert.deepEqual(idsOf(watchers, id), []);
});
