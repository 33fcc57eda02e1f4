import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { loadConfig, loadSchema, settingsTable } from './index.ts';

const nowhere = { folder: join(tmpdir(), 'docstokg-no-such-folder'), environment: {} };

test('the defaults and bounds match the source documents', () => {
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
    ['max_workers', 0],
    ['max_workers', 257],
    ['max_workers', 1.5],
    ['max_per_host', 0],
    ['lease_ttl_seconds', 29],
    ['heartbeat_seconds', 4],
    ['max_job_attempts', 0],
    ['retry_backoff_seconds', 0],
    ['jitter_seconds', -1],
    ['max_per_resolver', { unpaywall: 0 }],
  ];
  for (const [key, value] of outside) {
    const flags = [{ path: ['orchestrator', key], value, origin: 'test' }];
    assert.throws(
      () => loadConfig({ ...nowhere, flags }),
      { code: 'CONFIG_INVALID' },
      `${key} = ${JSON.stringify(value)}`,
    );
  }
});

test('precedence: flags, environment, profile, file, defaults', async () => {
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

test('every error names key, value, range and origin', async () => {
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

test('maps in the environment are read as a:2,b:3 or as JSON', () => {
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

test('lists in the environment are read with commas or as JSON, as docstokg config prints them', () => {
  const hosts = (text: string): unknown =>
    loadConfig({ ...nowhere, environment: { DOCSTOKG_SERVE__ALLOWED_HOSTS: text } }).config.serve.allowed_hosts;
  assert.deepEqual(hosts('a.example, b.example'), ['a.example', 'b.example']);
  assert.deepEqual(hosts('["a.example","b.example"]'), ['a.example', 'b.example']);
  assert.throws(() => hosts('["a.example"'), { code: 'CONFIG_INVALID' });
});

test('a missing file, an invalid file and an unknown profile have different errors', async () => {
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
    hint: 'the profiles are day',
  });
  assert.equal(loadConfig({ ...nowhere, file: write('empty.yaml', '') }).config.queue.backend, 'sqlite');
});

test('a key named __proto__ is an unknown key and pollutes nothing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-config-'));
  const file = join(folder.path, 'evil.json');
  writeFileSync(file, '{"__proto__": {"polluted": true}, "queue": {"__proto__": {"polluted": true}}}');
  assert.throws(() => loadConfig({ ...nowhere, file }), { code: 'CONFIG_INVALID' });
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test('every key has a description, a default and an entry in the JSON Schema', () => {
  const { keys } = settingsTable();
  assert.ok(keys.length > 20);
  for (const { name, sentence, default: value } of keys) {
    assert.match(sentence, /^[A-Zs].*\.$/s, `${name} needs a description`);
    assert.notEqual(value, undefined, `${name} needs a default`);
  }
  assert.ok(loadSchema().jsonSchema().properties?.['queue']?.properties?.['path']);
});

test('a nullable key takes its value from the environment like any other', () => {
  const environment = {
    DOCSTOKG_STAGE__DURABLE: 'false',
    DOCSTOKG_STAGE__WORKERS: '3',
    DOCSTOKG_STAGE__RETRIES: 'null',
  };
  const { stage } = loadConfig({ ...nowhere, environment }).config;
  assert.deepEqual([stage.durable, stage.workers, stage.retries], [false, 3, null]);
});

test('a heartbeat too slow for its lease is rejected, with the allowed range', () => {
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

test('the proxy of the environment is used unless the settings override it', () => {
  const http = (environment: Record<string, string>) => loadConfig({ folder: '/nowhere', environment }).config.http;
  const named = { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2', NO_PROXY: '.example.org' };
  assert.deepEqual(
    [http(named).https_proxy, http(named).http_proxy, http(named).no_proxy],
    ['http://b:2', '', '.example.org'],
  );
  assert.equal(http({ ...named, DOCSTOKG_HTTP__HTTPS_PROXY: 'http://c:3' }).https_proxy, 'http://c:3');
});

test('an out-of-range map entry is reported with the origin of the map', () => {
  const environment = { DOCSTOKG_ORCHESTRATOR__MAX_PER_RESOLVER: 'unpaywall:0' };
  assert.throws(() => loadConfig({ ...nowhere, environment }), {
    code: 'CONFIG_INVALID',
    message:
      'orchestrator.max_per_resolver.unpaywall = 0: must be at least 1 (environment variable DOCSTOKG_ORCHESTRATOR__MAX_PER_RESOLVER)',
  });
});

test('an unrelated variable is ignored with a warning, a misspelt one is rejected', () => {
  const { warnings } = loadConfig({ ...nowhere, environment: { DOCSTOKG_ENABLE_GPU: '1' } });
  assert.deepEqual(warnings, ['environment variable DOCSTOKG_ENABLE_GPU names no setting and is ignored']);
  assert.throws(() => loadConfig({ ...nowhere, environment: { DOCSTOKG_HTTP__CONTCAT: 'a@b.example' } }), {
    message:
      'http.contcat: unknown key (environment variable DOCSTOKG_HTTP__CONTCAT); did you mean DOCSTOKG_HTTP__CONTACT?',
  });
});

test('a misspelt setting is rejected with a suggestion, if there is one', () => {
  const suggested = (name: string): string | undefined => {
    try {
      loadConfig({ ...nowhere, flags: [{ path: name.split('.'), value: 3, origin: 'test' }] });
    } catch (error) {
      return /did you mean (\S+)\?$/.exec((error as Error).message)?.[1];
    }
    return assert.fail(`${name} was accepted`);
  };
  const found = ['orchestrator.max_wrokers', 'orchestrator.workers', 'queue.maxWorkers', 'htpp.contact', 'queue.xyzzy'];
  assert.deepEqual(found.map(suggested), [
    'orchestrator.max_workers',
    'orchestrator.max_workers',
    'orchestrator.max_workers',
    'http.contact',
    undefined,
  ]);
});

test('no error shows a secret, whether a token, a key or a password in a URL', () => {
  const secret = 'S3cr3t-that-must-not-be-seen';
  const settings: [string[], unknown][] = [
    [['serve', 'token'], [secret]],
    [['keys', 'openalex'], { a: secret }],
    [['queue', 'url'], [`postgres://me:${secret}@db.example/q`]],
    [['queue', 'url'], [`postgres://me@db.example/q?ssl=1&password=${secret}`]],
    [['services', 'base_urls'], { openalex: `nonsense://me:${secret}@x y` }],
    [['model', 'url'], [`http://models.example/v1?a=1&api_key=${secret}`]],
    [['model', 'url'], [`http://models.example/v1?access_token=${secret}&b=2`]],
    [['model', 'url'], [`http://models.example/v1?X-Amz-Signature=${secret}`]],
  ];
  for (const [path, value] of settings) {
    assert.throws(
      () => loadConfig({ ...nowhere, flags: [{ path, value, origin: 'test' }] }),
      (error: Error) => !error.message.includes(secret) && error.message.includes(path.join('.')),
      path.join('.'),
    );
  }
});

/** Loads the configuration in a new process; its output says whether zod was loaded from its package. */
function loadsZod(environment: Readonly<Record<string, string>>): string {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { loadConfig } = await import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))});
    const { config } = loadConfig({ environment: ${JSON.stringify(environment)}, folder: '/' });
    console.log(config.http.contact, loaded.some((url) => url.includes('node_modules/zod')));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.trim();
}

test('a second command without settings does not load the schema: the first one generated its defaults', () => {
  loadsZod({});
  assert.equal(loadsZod({}), 'false');
  assert.equal(loadsZod({ DOCSTOKG_HTTP__CONTACT: 'a@b.example' }), 'a@b.example true');
});

test('a configuration file with recursive aliases is rejected with its name', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-config-'));
  for (const text of ['queue: &a\n  path: *a\n', 'profiles: &a\n  x:\n    y: [*a]\n']) {
    writeFileSync(join(folder.path, 'docstokg.yaml'), text);
    assert.throws(() => loadConfig({ folder: folder.path, environment: {} }), {
      code: 'CONFIG_FILE_UNREADABLE',
      message: /docstokg\.yaml cannot be read: an alias contains itself/,
    });
  }
});

test('a store on S3 takes its credentials from the usual variables and files, and shows none of them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-config-'));
  mkdirSync(join(folder.path, '.aws'));
  writeFileSync(
    join(folder.path, '.aws', 'config'),
    '[default]\nregion = eu-west-3\n[profile lab]\nregion=eu-north-1\nendpoint_url = http://lab.example\n',
  );
  writeFileSync(
    join(folder.path, '.aws', 'credentials'),
    '[default]\naws_access_key_id = A\naws_secret_access_key = B\n\n[lab]\naws_access_key_id=C\naws_secret_access_key=D=\n',
  );
  const flags = [{ path: ['store', 'url'], value: 's3://bucket', origin: 'option --store' }];
  const load = (more: Record<string, string>, given = flags) =>
    loadConfig({ folder: folder.path, flags: given, environment: { HOME: folder.path, ...more } }).config.store;
  const shown = ({
    region,
    endpoint,
    access_key_id: id,
    secret_access_key: key,
  }: ReturnType<typeof load>): string[] => [region, endpoint, id, key];
  assert.deepEqual(shown(load({})), ['eu-west-3', '', 'A', 'B']);
  assert.deepEqual(shown(load({ AWS_PROFILE: 'lab' })), ['eu-north-1', 'http://lab.example', 'C', 'D=']);
  const variables = {
    AWS_ACCESS_KEY_ID: 'E',
    AWS_SECRET_ACCESS_KEY: 'F',
    AWS_REGION: 'g',
    AWS_ENDPOINT_URL: 'http://h.example',
  };
  assert.deepEqual(shown(load(variables)), ['g', 'http://h.example', 'E', 'F']);
  assert.deepEqual(shown(load({ ...variables, DOCSTOKG_STORE__REGION: 'ours' }))[0], 'ours');
  assert.deepEqual(shown(load(variables, [])), ['us-east-1', '', '', '']);
  assert.ok(settingsTable().keys.filter(({ name, secret }) => name.startsWith('store.') && secret).length === 3);
});
