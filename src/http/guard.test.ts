import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { loopbackClient, openLoopback } from '../testing/index.ts';
import { isPublicAddress, Guard } from './guard.ts';
import { createClient } from './client.ts';

const HOSTILE = join(import.meta.dirname, '../../../shared/data/hostile/open/ids.jsonl');

test('non-public addresses are recognised', () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:1::',
    '2001:db8::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::7f00:1',
    '100::1',
    'not an address',
  ])
    assert.equal(isPublicAddress(address), false, address);
  for (const address of [
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1',
    '::ffff:93.184.216.34',
    '64:ff9b::5db8:d822',
  ]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test(
  'every hostile URL of the collection is rejected before connecting',
  { skip: existsSync(HOSTILE) ? false : `${HOSTILE} is absent` },
  async () => {
    const resolved: string[] = [];
    await using client = createClient({
      obeyRobots: false,
      retry: { retries: 0 },
      // Names resolve as a hostile name server would answer.
      resolveHost: (hostname) => {
        resolved.push(hostname);
        return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
      },
    });
    const urls = readFileSync(HOSTILE, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; value: string })
      .filter(({ kind }) => kind === 'ssrf-url');
    assert.ok(urls.length > 50);
    for (const { value } of urls) {
      const url = URL.parse(value);
      if (!url) continue;
      const result = await client.send({ url });
      assert.equal(result.kind, 'refused', value);
    }
    assert.deepEqual(resolved, ['127.0.0.1.nip.io']);
  },
);

test('a name that resolves to a private address is rejected in the lookup of the socket', async () => {
  await using canary = await openLoopback((_request, response) => void response.end('secret'));
  await using client = createClient({
    obeyRobots: false,
    resolveHost: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  const result = await client.send({ url: new URL(`http://looks-fine.example:${canary.port}/`) });
  assert.equal(result.kind, 'refused');
  assert.equal(result.kind === 'refused' && result.reason, 'private-address');
  assert.equal(canary.connections(), 0);
});

test('DNS rebinding between two lookups has no effect', async () => {
  await using server = await openLoopback((_request, response) => {
    response.writeHead(200, { connection: 'close' }).end('first');
  });
  const answers = ['127.0.0.1', '127.0.0.2', '169.254.169.254'];
  let lookups = 0;
  await using client = createClient({
    obeyRobots: false,
    retry: { retries: 0 },
    perHost: { perSecond: Infinity },
    // Only the first address is allowed, in place of a public one.
    guard: { allow: [`127.0.0.1:${server.port}`] },
    resolveHost: () => Promise.resolve([{ address: answers[lookups++] ?? '', family: 4 }]),
  });
  const url = new URL(`http://rebind.example:${server.port}/`);
  const first = await client.send({ url });
  assert.equal(first.kind === 'response' && first.response.body.toString(), 'first');
  for (const _again of [1, 2]) {
    const result = await client.send({ url });
    assert.equal(result.kind === 'refused' && result.reason, 'private-address');
  }
  assert.equal(lookups, 3);
  assert.equal(server.connections(), 1);
});

test('of several addresses only allowed ones are tried', async () => {
  await using server = await openLoopback((_request, response) => void response.end('allowed'));
  await using client = createClient({
    obeyRobots: false,
    guard: { allow: [`127.0.0.1:${server.port}`] },
    resolveHost: () =>
      Promise.resolve([
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]),
  });
  const result = await client.send({ url: new URL(`http://both.example:${server.port}/`) });
  assert.equal(result.kind === 'response' && result.response.body.toString(), 'allowed');
});

test('a redirect to this machine is rejected, however it is spelt', async () => {
  await using canary = await openLoopback((_request, response) => void response.end('secret'));
  const targets = [
    `http://127.0.0.1:${canary.port}/`,
    `http://2130706433:${canary.port}/`,
    `http://0x7f000001:${canary.port}/`,
    `http://0177.0.0.1:${canary.port}/`,
    `http://[::ffff:127.0.0.1]:${canary.port}/`,
    `http://localhost:${canary.port}/`,
    'http://169.254.169.254/latest/meta-data/',
  ];
  await using server = await openLoopback((request, response) => {
    response.writeHead(302, { location: targets[Number(request.url.slice(1))] ?? '' }).end();
  });
  await using client = loopbackClient(server);
  for (const [at, target] of targets.entries()) {
    const result = await client.send({ url: new URL(`http://a.test/${at}`) });
    assert.equal(result.kind === 'refused' && result.reason, 'private-address', target);
    assert.equal(result.kind === 'refused' && result.trail.chain.length, 1);
  }
  assert.equal(canary.connections(), 0);
});

test('a host and port on the allow-list can be reached, and only that port', async () => {
  await using server = await openLoopback((_request, response) => void response.end('intranet'));
  await using other = await openLoopback((_request, response) => void response.end('secret'));
  await using client = createClient({ obeyRobots: false, guard: { allow: [`127.0.0.1:${server.port}`] } });
  const allowed = await client.send({ url: new URL(`http://127.0.0.1:${server.port}/`) });
  assert.equal(allowed.kind === 'response' && allowed.response.body.toString(), 'intranet');
  const refused = await client.send({ url: new URL(`http://127.0.0.1:${other.port}/`) });
  assert.equal(refused.kind, 'refused');
  assert.equal(other.connections(), 0);
});

test('a mapped name reaches its server while the address itself stays blocked', async () => {
  await using server = await openLoopback((request, response) => void response.end(request.host));
  await using client = loopbackClient(server);
  const mapped = await client.send({ url: new URL('http://api.openalex.org.test/works') });
  assert.equal(mapped.kind === 'response' && mapped.response.body.toString(), 'api.openalex.org.test');
  assert.equal((await client.send({ url: new URL(`http://127.0.0.1:${server.port}/`) })).kind, 'refused');
});

test('an untrusted mapping leads to an address that is checked like any other', async () => {
  await using canary = await openLoopback((_request, response) => void response.end('secret'));
  await using client = createClient({
    obeyRobots: false,
    guard: {
      dnsMap: [
        { pattern: 'rebind.sim.test', address: '127.0.0.1', port: canary.port, trusted: false },
        { pattern: '*.sim.test', address: '127.0.0.1', port: canary.port },
      ],
    },
  });
  const result = await client.send({ url: new URL('http://rebind.sim.test/') });
  assert.equal(result.kind === 'refused' && result.reason, 'private-address');
  assert.equal(canary.connections(), 0);
  assert.equal((await client.send({ url: new URL('http://other.sim.test/') })).kind, 'response');
});

test('an IPv6 address is written on the allow-list as in URLs', () => {
  const guard = new Guard({ allow: ['[::1]:8080'] });
  assert.equal(guard.checkUrl(new URL('http://[::1]:8080/')).kind, 'allowed');
  assert.equal(guard.checkUrl(new URL('http://[::1]:8081/')).kind, 'refused');
});

test('ports of other protocols are rejected', () => {
  const guard = new Guard();
  for (const port of [22, 25, 5432, 6379, 11211]) {
    assert.equal(guard.checkUrl(new URL(`http://host.example:${port}/`)).kind, 'refused', String(port));
  }
  for (const port of [80, 443, 8080, 8443]) {
    assert.equal(guard.checkUrl(new URL(`http://host.example:${port}/`)).kind, 'allowed', String(port));
  }
});
