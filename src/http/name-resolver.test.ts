import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../base/index.ts';
import { HeldClock } from '../testing/index.ts';
import { NameResolver } from './name-resolver.ts';

type Answer = { readonly address: string } | 'unknown' | 'silence';

/** A name server on loopback with the given IPv4 answers, none for IPv6; it records the queries. */
async function openNameServer(
  answer: (name: string) => Answer,
): Promise<AsyncDisposable & { readonly server: string; readonly queries: string[] }> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const isIpv4 = query.readUInt16BE(at + 1) === 1;
    const name = labels.join('.');
    if (isIpv4) queries.push(name);
    const reply = answer(name);
    if (reply === 'silence') return;
    const question = query.subarray(12, at + 5);
    const record =
      reply !== 'unknown' && isIpv4
        ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...reply.address.split('.').map(Number)])
        : Buffer.alloc(0);
    const head = Buffer.from([
      query[0] ?? 0,
      query[1] ?? 0,
      0x81,
      reply === 'unknown' ? 0x83 : 0x80,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      0,
    ]);
    head.writeUInt16BE(record.length > 0 ? 1 : 0, 6);
    socket.send(Buffer.concat([head, question, record]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    queries,
    server: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

const noSystem = (): never => assert.fail('the system resolver was used');

test('sixty names with unresponsive servers delay no others', async () => {
  await using names = await openNameServer((name) => (name.startsWith('dead') ? 'silence' : { address: '192.0.2.7' }));
  const clock = new HeldClock();
  using resolver = new NameResolver({ clock, servers: [names.server], hostsFile: '/nowhere', askSystem: noSystem });
  const dead = Array.from({ length: 60 }, (_, at) => resolver.resolve(`dead${at}.example.org`));
  const outcomes = Promise.allSettled(dead);
  const lookups = Array.from({ length: 150 }, (_, at) => resolver.resolve(`good${at}.example.org`));
  // After two quarter seconds the silent names have made room for the others.
  await clock.advance(250);
  await clock.advance(250);
  const good = await Promise.all(lookups);
  assert.deepEqual(good[149], [{ address: '192.0.2.7', family: 4 }]);
  await clock.advance(5_000);
  const codes = (await outcomes).map((each) =>
    each.status === 'rejected' ? (each.reason as { code: string }).code : '',
  );
  assert.deepEqual(new Set(codes), new Set(['EAI_AGAIN']));
});

test('a name with slow servers is resolved by a name server that usually responds at once', async () => {
  // c-ares waits only 250 ms at first for a server that was fast so far, and twice as long for each further try.
  await using names = await openNameServer((name) =>
    name === 'slow.example.org' && names.queries.filter((each) => each === name).length < 3
      ? 'silence'
      : { address: '192.0.2.9' },
  );
  using resolver = new NameResolver({
    clock: new HeldClock(),
    servers: [names.server],
    hostsFile: '/nowhere',
    askSystem: noSystem,
  });
  for (let at = 0; at < 10; at += 1) await resolver.resolve(`fast${at}.example.org`);
  assert.deepEqual(await resolver.resolve('slow.example.org'), [{ address: '192.0.2.9', family: 4 }]);
});

test('one query per name, cached for at least a second; failures for a while', async () => {
  await using names = await openNameServer((name) =>
    name === 'none.example.org' ? 'unknown' : { address: '192.0.2.8' },
  );
  const clock = new HeldClock();
  let system = 0;
  using resolver = new NameResolver({
    clock,
    servers: [names.server],
    hostsFile: '/nowhere',
    askSystem: () => {
      system += 1;
      return Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    },
  });
  await Promise.all([resolver.resolve('a.example.org'), resolver.resolve('A.example.org.')]);
  await clock.advance(900);
  await resolver.resolve('a.example.org');
  assert.equal(names.queries.length, 1);
  await clock.advance(200);
  await resolver.resolve('a.example.org');
  assert.equal(names.queries.length, 2);
  for (let times = 0; times < 3; times += 1) {
    await assert.rejects(resolver.resolve('none.example.org'), { code: 'ENOTFOUND' });
  }
  assert.deepEqual([names.queries.length, system], [3, 1]);
});

test('the hosts file comes first, and the system resolves names that no server knows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
  writeFileSync(join(folder, 'hosts'), '# ours\n192.0.2.1 one.example.org ONE\n::1 one.example.org # also\nnonsense\n');
  await using names = await openNameServer(() => 'unknown');
  using resolver = new NameResolver({
    clock: systemClock,
    servers: [names.server],
    hostsFile: join(folder, 'hosts'),
    askSystem: (name) => Promise.resolve([{ address: name === 'printer.example.org' ? '192.0.2.3' : '', family: 4 }]),
  });
  assert.deepEqual(await resolver.resolve('One.Example.org'), [
    { address: '192.0.2.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
  assert.equal(names.queries.length, 0);
  assert.deepEqual(await resolver.resolve('printer.example.org'), [{ address: '192.0.2.3', family: 4 }]);
  rmSync(folder, { recursive: true });
});

test('closing aborts pending queries', async () => {
  await using names = await openNameServer(() => 'silence');
  const resolver = new NameResolver({ clock: systemClock, servers: [names.server], hostsFile: '/nowhere' });
  const lookup = resolver.resolve('dead.example.org');
  resolver[Symbol.dispose]();
  await assert.rejects(lookup, { code: 'EAI_AGAIN' });
});
