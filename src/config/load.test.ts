import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { jsonSchema, listKeys, loadConfig } from './index.ts';

const nowhere = { folder: join(tmpdir(), 'docstokg-no-such-folder'), environment: {} };

test('the defaults and bounds are those of the source documents', () => {
  const { config } = loadConfig(nowhere);
  const {
    retry_max_delay_seconds: _a,
    max_job_deaths: _f,
    job_timeout_seconds: _b,
    shutdown_grace_seconds: _c,
    max_parked: _d,
    ready_per_host: _e,
    ...orchestrator
  } = config.orchestrator;
  assert.deepEqual(orchestrator, {
    max_workers: 8,
    max_per_resolver: {},
    max_per_host: 4,
    lease_ttl_seconds: 600,
    heartbeat_seconds: 30,
    max_job_attempts: 3,
    retry_backoff_seconds: 60,
    jitter_seconds: 15,
  });
  const { backend, path, wal_mode, timeout_sec } = config.queue;
  assert.deepEqual(
    { backend, path, wal_mode, timeout_sec },
    { backend: 'sqlite', path: 'state/workqueue.sqlite', wal_mode: true, timeout_sec: 10 },
  );
  const outside: [string, unknown][] = [
    ['max_workers', 0], ['max_workers', 257], ['max_workers', 1.5], ['max_per_host', 0], ['lease_ttl_seconds', 29], ['heartbeat_seconds', 4],
    ['max_job_attempts', 0], ['retry_backoff_seconds', 0], ['jitter_seconds', -1], ['max_per_resolver', { unpaywall: 0 }],
  ]; // prettier-ignore
  for (const [key, value] of outside) {
    const flags = [{ path: ['orchestrator', key], value, origin: 'test' }];
    assert.throws(
      () => loadConfig({ ...nowhere, flags }),
      { code: 'CONFIG_INVALID' },
      `${key} = ${JSON.stringify(value)}`,
    );
  }
});

test('flags beat the environment, which beats the profile, which beats the file, which beats defaults', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-config-'));
  const file = join(folder.path, 'docstokg.yaml');
  writeFileSync(
    file,
    'orchestrator: { max_workers: 2, max_per_host: 2, jitter_seconds: 2, heartbeat_seconds: 7 }\nprofiles:\n  night: { orchestrator: { max_workers: 3, max_per_host: 3, jitter_seconds: 3 } }\n',
  );
  const { config, origins } = loadConfig({
    folder: folder.path,
    profile: 'night',
    environment: { DOCSTOKG_ORCHESTRATOR__MAX_WORKERS: '4', DOCSTOKG_ORCHESTRATOR__MAX_PER_HOST: '4' },
    flags: [{ path: ['orchestrator', 'max_workers'], value: 5, origin: 'option --workers' }],
  });
  const { max_workers, max_per_host, jitter_seconds, heartbeat_seconds, lease_ttl_seconds } = config.orchestrator;
  assert.deepEqual(
    [max_workers, max_per_host, jitter_seconds, heartbeat_seconds, lease_ttl_seconds],
    [5, 4, 3, 7, 600],
  );
  assert.deepEqual(
    ['max_workers', 'max_per_host', 'jitter_seconds', 'heartbeat_seconds', 'lease_ttl_seconds'].map((key) =>
      origins.get(`orchestrator.${key}`),
    ),
    [
      'option --workers',
      'environment variable DOCSTOKG_ORCHESTRATOR__MAX_PER_HOST',
      `profile night in ${file}`,
      `file ${file}`,
      undefined,
    ],
  );
});

test('every fault is named with key, value, range and origin', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-config-'));
  const file = join(folder.path, 'bad.json');
  writeFileSync(
    file,
    JSON.stringify({ orchestrator: { max_workers: 'many', max_wrokers: 3 }, queue: { backend: 'redis' }, extra: 1 }),
  );
  assert.throws(
    () => loadConfig({ ...nowhere, file, environment: { DOCSTOKG_ORCHESTRATOR__LEASE_TTL_SECONDS: '3' } }),
    (error: Error) => {
      assert.match(
        error.message,
        /orchestrator\.max_workers = "many": must be a whole number, from 1 to 256 \(file .*bad\.json\)/,
      );
      assert.match(error.message, /orchestrator\.max_wrokers: unknown key \(file .*bad\.json\)/);
      assert.match(error.message, /queue\.backend = "redis": must be one of, sqlite \| postgres \| memory \(file .*\)/);
      assert.match(error.message, /extra: unknown key/);
      assert.match(
        error.message,
        /lease_ttl_seconds = 3: must be a whole number, at least 30 \(environment variable DOCSTOKG_ORCHESTRATOR__LEASE_TTL_SECONDS\)/,
      );
      return true;
    },
  );
});

test('maps are read from the environment as a:2,b:3 or as JSON', () => {
  for (const text of ['unpaywall:2, crossref=4', '{"unpaywall":2,"crossref":4}']) {
    const { config } = loadConfig({ ...nowhere, environment: { DOCSTOKG_ORCHESTRATOR__MAX_PER_RESOLVER: text } });
    assert.deepEqual({ ...config.orchestrator.max_per_resolver }, { unpaywall: 2, crossref: 4 });
  }
  for (const text of ['unpaywall', 'a:b', '{broken']) {
    assert.throws(() => loadConfig({ ...nowhere, environment: { DOCSTOKG_ORCHESTRATOR__MAX_PER_RESOLVER: text } }), {
      code: 'CONFIG_INVALID',
    });
  }
});

test('a missing file, a broken file and an unknown profile are told apart', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-config-'));
  const write = (name: string, text: string): string => (
    writeFileSync(join(folder.path, name), text),
    join(folder.path, name)
  );
  assert.throws(() => loadConfig({ ...nowhere, file: join(folder.path, 'none.yaml') }), {
    code: 'CONFIG_FILE_MISSING',
  });
  assert.throws(() => loadConfig({ ...nowhere, file: write('broken.yaml', 'a: [') }), {
    code: 'CONFIG_FILE_UNREADABLE',
  });
  assert.throws(() => loadConfig({ ...nowhere, file: write('list.yaml', '- 1') }), { code: 'CONFIG_FILE_UNREADABLE' });
  assert.throws(() => loadConfig({ ...nowhere, file: write('good.yaml', 'profiles: { day: {} }'), profile: 'night' }), {
    code: 'CONFIG_PROFILE_UNKNOWN',
    hint: 'profiles there are: day',
  });
  assert.equal(loadConfig({ ...nowhere, file: write('empty.yaml', '') }).config.queue.backend, 'sqlite');
});

test('a key called __proto__ is an unknown key and pollutes nothing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-config-'));
  const file = join(folder.path, 'evil.json');
  writeFileSync(file, '{"__proto__": {"polluted": true}, "queue": {"__proto__": {"polluted": true}}}');
  assert.throws(() => loadConfig({ ...nowhere, file }), { code: 'CONFIG_INVALID' });
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test('every key has a sentence, a default and a place in the JSON Schema', () => {
  const keys = listKeys();
  assert.ok(keys.length > 20);
  for (const { name, sentence, default: value } of keys) {
    assert.match(sentence, /^[A-Zs].*\.$/s, `${name} needs a sentence`);
    assert.notEqual(value, undefined, `${name} needs a default`);
  }
  assert.ok(jsonSchema().properties?.['queue']?.properties?.['path']);
});

test('a key that may be null takes its value from the environment like any other', () => {
  const environment = {
    DOCSTOKG_STAGE__WARM_SPARE: 'false',
    DOCSTOKG_STAGE__WORKERS: '3',
    DOCSTOKG_STAGE__RETRIES: 'null',
  };
  const { stage } = loadConfig({ ...nowhere, environment }).config;
  assert.deepEqual([stage.warm_spare, stage.workers, stage.retries], [false, 3, null]);
});

test('a heartbeat that could not save its lease is refused, with what is allowed', () => {
  const load = (orchestrator: Readonly<Record<string, number>>): unknown =>
    loadConfig({
      ...nowhere,
      flags: Object.entries(orchestrator).map(([key, value]) => ({
        path: ['orchestrator', key],
        value,
        origin: 'test',
      })),
    });
  const wanted = 'must be at most a third of orchestrator.lease_ttl_seconds';
  assert.throws(() => load({ lease_ttl_seconds: 30, heartbeat_seconds: 30 }), {
    code: 'CONFIG_INVALID',
    message: new RegExp(`^orchestrator.heartbeat_seconds = 30: ${wanted}`),
  });
  assert.throws(() => load({ lease_ttl_seconds: 600, heartbeat_seconds: 201 }), { code: 'CONFIG_INVALID' });
  assert.throws(() => load({ lease_ttl_seconds: 30 }), {
    message: new RegExp(`^orchestrator.heartbeat_seconds = 30: ${wanted}.*\\(default\\)$`),
  });
  load({ lease_ttl_seconds: 30, heartbeat_seconds: 10 });
});

test('a key that has another name now is understood, in its old unit, and told of', () => {
  const { config, warnings } = loadConfig({
    folder: tmpdir(),
    environment: { DOCSTOKG_HTTP__ROBOTS_HOURS: '2', DOCSTOKG_HTTP__CONNECT_SECONDS: '7' },
  });
  assert.deepEqual([config.http.robots_s, config.http.connect_s], [7_200, 7]);
  assert.deepEqual(warnings, [
    'http.robots_hours is called http.robots_s now (environment variable DOCSTOKG_HTTP__ROBOTS_HOURS)',
    'http.connect_seconds is called http.connect_s now (environment variable DOCSTOKG_HTTP__CONNECT_SECONDS)',
  ]);
});

test('the proxy of the environment is taken, and what is said to this program comes before it', () => {
  const http = (environment: Record<string, string>) => loadConfig({ folder: '/nowhere', environment }).config.http;
  const named = { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2', NO_PROXY: '.example.org' };
  assert.deepEqual(
    [http(named).https_proxy, http(named).http_proxy, http(named).no_proxy],
    ['http://b:2', '', '.example.org'],
  );
  assert.equal(http({ ...named, DOCSTOKG_HTTP__HTTPS_PROXY: 'http://c:3' }).https_proxy, 'http://c:3');
});
