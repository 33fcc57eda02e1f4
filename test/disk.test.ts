import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import type { DownloadRunOptions, ManifestRow } from '../src/download/index.ts';
import { recordDisk } from './support/recorded-disk.ts';

// Before the modules under test are loaded, which is why they are imported dynamically.
const disk = recordDisk();
const { Batcher, JsonlWriter, sha256, systemClock, writeFileAtomic } = await import('../src/base/index.ts');
const { commitFiles } = await import('../src/download/kept-files.ts');
const { openPartFolder } = await import('../src/download/begun-files.ts');
const { KeptFiles } = await import('../src/download/kept-files.ts');
const { DownloadRun } = await import('../src/download/index.ts');
const { openStore, ORCHESTRATOR_DEFAULTS, WorkQueue } = await import('../src/queue/index.ts');
const { Lookups, Services } = await import('../src/resolve/index.ts');
const { mergeFolders } = await import('../src/run/merge-folders.ts');
const { loopbackClient, openLoopback } = await import('../src/testing/index.ts');
const { workFromPayload } = await import('../src/works/index.ts');
const { Records } = await import('../src/database/index.ts');
const { runStage } = await import('../src/stage/index.ts');
const { openRunMark } = await import('../src/stage/commit/run-mark.ts');

const posix = process.platform === 'win32' ? 'folders cannot be synced there' : false;

async function watched<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly calls: string[] }> {
  disk.calls.length = 0;
  const result = await work();
  return { result, calls: disk.calls.map((call) => call.replaceAll(/\.[0-9a-z]+-[0-9a-z]+\.part/g, '.part')) };
}

const refusing = (times: number, code: string, call: 'rename' | 'remove' | 'sync', what = /(?:)/): void => {
  let left = times;
  disk.refuse = (asked, path) => {
    if (asked === call && what.test(path) && left-- > 0) throw Object.assign(new Error(code), { code });
  };
};

test(
  'an atomically written file is synced, renamed, and its folder synced, in this order',
  { skip: posix },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
    const { calls } = await watched(() => writeFileAtomic(join(folder.path, 'a.json'), '{}'));
    assert.deepEqual(calls, ['sync a.json.part', 'rename a.json.part a.json', `sync ${basename(folder.path)}`]);
  },
);

test(
  'a downloaded file is synced, renamed, and its folder synced, before it counts as downloaded',
  { skip: posix },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
    const part = join(folder.path, 'body.part');
    writeFileSync(part, 'bytes');
    const { calls } = await watched(() => new Batcher(commitFiles).add({ part, path: join(folder.path, 'a.pdf') }));
    assert.deepEqual(calls, ['sync body.part', 'rename body.part a.pdf', `sync ${basename(folder.path)}`]);
  },
);

for (const [what, path] of [
  ['its bytes', /\.part$/],
  ['its name', /PDF$/],
] as const)
  test(
    `a failed sync of ${what} leaves no file under its final name; the work is retried with the reason`,
    { skip: posix },
    async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
      const pdf = join(folder.path, 'PDF');
      await using server = await openLoopback((_, response) => {
        response
          .writeHead(200, { 'content-type': 'application/pdf' })
          .end(`%PDF-1.4\n${'x'.repeat(5_000)}\nstartxref\n0\n%%EOF\n`);
      });
      await using client = loopbackClient(server);
      await using queue = new WorkQueue(await openStore(':memory:'));
      const rows: ManifestRow[] = [];
      const filesAt: string[][] = [];
      refusing(1, 'EIO', 'sync', path);
      using files = new KeptFiles(folder.path);
      const run = new DownloadRun({
        runId: 'run', queue, files, admission: client.admission, send: client.send,
        orchestrator: { ...ORCHESTRATOR_DEFAULTS, retryBackoffMs: 1, retryJitterMs: 0 },
        provider: async function* () { yield { ...workFromPayload('w', undefined), isComplete: true }; },
        sink: {
          last: () => rows.at(-1),
          write: async (row) => { rows.push(row); filesAt.push(existsSync(pdf) ? readdirSync(pdf) : []); },
        },
        resolvers: [{ name: 'test', async *plans() { yield { kind: 'plan', plan: {
          resolver: 'test', url: 'http://a.test/a.pdf', expect: 'pdf', isPromised: true, license: null, version: null, hostType: null,
          robots: 'obey', credentials: [], headers: {}, checksum: null, sameAs: null, terms: null } }; } }],
        resolve: { lookups: new Lookups(client.send, new Services()) } as DownloadRunOptions['resolve'], inspect: undefined, accept: new Set(['pdf']), maxBytes: 1_000_000, retries: 0,
        budgetMs: 10_000, clock: systemClock, report: () => undefined, log: () => undefined,
      }); // prettier-ignore
      const { saved, failed } = await run.run({ signal: new AbortController().signal });
      disk.refuse = () => undefined;
      assert.deepEqual(filesAt, [[], ['w.pdf']]);
      assert.deepEqual(
        rows.map(({ outcome }) => outcome),
        ['parked', 'saved'],
      );
      assert.match(
        rows[0]?.detail ?? '',
        /^DISK_IO_ERROR: .*w\.pdf cannot be .*the disk reports an error \(.* MB free\)/,
      );
      assert.deepEqual([saved, failed, server.requests.length], [1, 0, 2]);
    },
  );

test('a content-addressed file has the folder of its link synced as well', { skip: posix }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
  using files = new KeptFiles(folder.path, { contentAddressed: true });
  const { part } = await files.newPart();
  writeFileSync(part, 'bytes');
  const { calls } = await watched(() => files.keep(part, { workId: 'w', kind: 'pdf', sha256: 'ab'.repeat(32) }));
  assert.equal(calls.at(-1), 'sync PDF');
  assert.ok(calls.includes('sync ab'));
});

test(
  'a file linked by merge is synced, renamed, and its folder synced, before its row is written',
  { skip: posix },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
    const from = join(folder.path, 'from');
    mkdirSync(join(from, 'PDF'), { recursive: true });
    writeFileSync(join(from, 'PDF', 'w.pdf'), 'bytes');
    const row = { work: 'w', run_id: 'r', at: new Date(0).toISOString(), outcome: 'saved', reason: 'success', path: 'PDF/w.pdf',
    sha256: sha256('bytes'), bytes: 5, resolver: null, kind: 'pdf', attempts: [], problems: [] }; // prettier-ignore
    writeFileSync(join(from, 'manifest.jsonl'), `${JSON.stringify(row)}\n`);
    const options = { clock: systemClock, runId: 'merge', warn: () => undefined };
    const { calls } = await watched(() => mergeFolders([from], join(folder.path, 'out'), options));
    const first = calls.indexOf('sync body.part');
    assert.deepEqual(calls.slice(first, first + 4), [
      'sync body.part',
      'rename body.part w.pdf',
      'sync PDF',
      'sync manifest.jsonl',
    ]);
  },
);

test('a JSON line is synced before it counts as written, if requested', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
  const path = join(folder.path, 'rows.jsonl');
  await using writer = await JsonlWriter.open(path, { clock: systemClock, durable: true });
  assert.deepEqual((await watched(() => writer.append({ a: 1 }))).calls, ['sync rows.jsonl']);
  await using quick = await JsonlWriter.open(path, { clock: systemClock });
  assert.deepEqual((await watched(() => quick.append({ a: 2 }))).calls, []);
});

test('a decision of a person is synced before it counts as made', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
  using records = Records.open(folder.path);
  const save = (): Promise<void> =>
    Promise.resolve(records.saveSet({ name: 'a', works: ['W1'], filter: null }, '2026'));
  assert.deepEqual((await watched(save)).calls, ['sync decisions.jsonl']);
});

test('outputs of a stage are synced before their rename, then fingerprint and folder', { skip: posix }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
  const item = { itemId: 'a', inputs: {}, outputs: { text: join(folder.path, 'a') }, cfgHash: '', costHint: 1 };
  const options = { policy: 'io', handleSignals: false, manifestDir: join(folder.path, 'Manifests') } as const;
  const { calls } = await watched(() =>
    runStage(
      { stageName: 'test', items: [item] },
      ({ outputs }) => {
        writeFileSync(outputs['text'] ?? '', 'x');
        return { status: 'success' };
      },
      options,
    ),
  );
  const first = calls.findIndex((call) => call.startsWith('sync a'));
  assert.deepEqual(
    calls.slice(first, first + 5).map((call) => call.replaceAll(/\.[\w-]+\.part/g, '.part')),
    [
      'sync a.part',
      'rename a.part a',
      'sync a.fp.json',
      `sync ${basename(folder.path)}`,
      'sync docparse.test.manifest.jsonl',
    ],
  );
});

test(
  'the list of folders a run writes to is synced first, so that a power failure leaves no unknown files',
  {
    skip: posix,
  },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
    using mark = await openRunMark(folder.path, 'test', systemClock, true);
    const { calls } = await watched(async () => mark.note(join(folder.path, 'out')));
    assert.deepEqual(calls, [`sync test.${mark.id}.folders`, 'sync .runs']);
    using quick = await openRunMark(folder.path, 'test', systemClock, false);
    assert.deepEqual((await watched(async () => quick.note(join(folder.path, 'out')))).calls, []);
  },
);

for (const code of ['EBUSY', 'EPERM', 'EACCES'])
  test(`a rename that fails with ${code} for a moment, as with virus scanners, is retried`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
    refusing(3, code, 'rename');
    await writeFileAtomic(join(folder.path, 'a.json'), '{}');
    assert.deepEqual(readdirSync(folder.path), ['a.json']);
    refusing(Infinity, 'ENOSPC', 'rename');
    await assert.rejects(writeFileAtomic(join(folder.path, 'b.json'), '{}'), { code: 'ENOSPC' });
    disk.refuse = () => undefined;
  });

test('a torn manifest is repaired where an append descriptor cannot truncate', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
  const path = join(folder.path, 'rows.jsonl');
  appendFileSync(path, '{"a":1}\n{"a":');
  {
    await using writer = await JsonlWriter.open(path, { clock: systemClock });
    await writer.append({ a: 2 });
  }
  assert.equal(readFileSync(path, 'utf8'), '{"a":1}\n{"a":2}\n');
});

test(
  'a folder of part files is abandoned if an open file cannot be removed',
  { skip: process.platform !== 'linux' },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-disk-'));
    const root = join(folder.path, '.parts');
    mkdirSync(root);
    const isOpen = (path: string): boolean =>
      readdirSync('/proc/self/fd').some((descriptor) => {
        const link = `/proc/self/fd/${descriptor}`;
        return existsSync(link) && readlinkSync(link) === path;
      });
    disk.refuse = (call, path) => {
      if (call === 'remove' && isOpen(path)) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
    };
    {
      using parts = openPartFolder(root);
      writeFileSync(join(parts.path, 'body.part'), 'x');
    }
    disk.refuse = () => undefined;
    assert.deepEqual(readdirSync(root), []);
  },
);
