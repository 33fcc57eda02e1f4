import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { AppError, systemClock } from '../base/index.ts';
import type { Admission } from '../hosts/index.ts';
import { ORCHESTRATOR_DEFAULTS, openStore, WorkQueue } from '../queue/index.ts';
import { Lookups, Services } from '../resolve/index.ts';
import { workFromPayload } from '../works/index.ts';
import { KeptFiles } from './kept-files.ts';
import type { DownloadRunOptions, ResultSink } from './run.ts';
import { DownloadRun, renewalOf } from './run.ts';

/** Admission that is never used: this test sends no request. */
const unusedAdmission = {
  room: () => Infinity,
  snapshot: () => [],
  watch: () => ({ [Symbol.dispose]: () => undefined }),
} as unknown as Admission;

const lookups = new Lookups(async () => assert.fail('nothing is to be looked up'), new Services());

function runInto(sink: ResultSink, queue: WorkQueue, more: Partial<DownloadRunOptions> = {}): DownloadRun {
  return new DownloadRun({
    runId: 'run',
    queue,
    orchestrator: { ...ORCHESTRATOR_DEFAULTS, maxWorkers: 2 },
    admission: unusedAdmission,
    provider: async function* () {
      for (const id of ['a', 'b', 'c']) yield { ...workFromPayload(id, undefined), isComplete: true };
    },
    sink,
    files: new KeptFiles('/nowhere'),
    send: async () => assert.fail('nothing is to be fetched'),
    resolvers: [],
    resolve: { lookups } as DownloadRunOptions['resolve'],
    inspect: undefined,
    accept: new Set(['pdf']),
    maxBytes: 1,
    retries: 0,
    budgetMs: 1_000,
    clock: systemClock,
    report: () => undefined,
    log: () => undefined,
    ...more,
  });
}

for (const code of [
  'DISK_IO_ERROR',
  'DISK_FULL',
  'DISK_READ_ONLY',
  'DISK_NOT_PERMITTED',
  'OBJECT_STORE_AWAY',
  'OBJECT_STORE_DENIED',
])
  test(`a manifest that cannot be written because of ${code} ends the run with that reason, and no work is missing from the counts`, async () => {
    await using queue = new WorkQueue(await openStore(':memory:'), systemClock);
    const refusing: ResultSink = {
      last: () => undefined,
      write: async () => {
        throw new AppError(code, 'it cannot be written');
      },
    };
    await assert.rejects(runInto(refusing, queue).run({ signal: new AbortController().signal }), { code });
    const { states } = await queue.store.admin.stats(Date.now());
    assert.equal(states.queued, 3, 'every work waits for the next run');
    const jobs = await queue.store.admin.list({}, { limit: 10 });
    assert.deepEqual([...new Set(jobs.map(({ attempts }) => attempts))], [0], 'no attempt is counted');
  });

test('a row that cannot be written for another reason is reported, and its work waits for another attempt', async () => {
  await using queue = new WorkQueue(await openStore(':memory:'), systemClock);
  const events: Parameters<DownloadRunOptions['report']>[0][] = [];
  const refusing: ResultSink = {
    last: () => undefined,
    write: async () => {
      throw new Error('no such luck');
    },
  };
  const run = runInto(refusing, queue, { report: (event) => events.push(event) });
  const { crashed } = await run.run({ drain: 'due', signal: new AbortController().signal });
  assert.equal(crashed, 3);
  const reported = events.filter(({ kind }) => kind === 'worker-crashed');
  assert.deepEqual([...new Set(reported.map((event) => ('message' in event ? event.message : '')))], ['no such luck']);
  const { states } = await queue.store.admin.stats(Date.now());
  assert.equal(states.queued, 3);
});

test('a listed work is downloaded again, once, only if its file was deleted', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-lost-'));
  await mkdir(join(folder.path, 'PDF'));
  for (const id of ['b', 'c']) await writeFile(join(folder.path, 'PDF', `${id}.pdf`), 'kept');
  await using queue = new WorkQueue(await openStore(':memory:'), systemClock);
  const written: string[] = [];
  const sink: ResultSink = {
    last: (work) => ({ outcome: 'saved', reason: 'success', path: `PDF/${work}.pdf`, bytes: 4, at: 'then' }),
    write: async ({ work }) => void written.push(work),
  };
  for (const id of ['a', 'b', 'c']) await queue.enqueue(id, workFromPayload(id, undefined));
  for (const lease of await queue.lease('earlier', 3)) await queue.ack(lease);
  for (const _run of [1, 2])
    await runInto(sink, queue, { files: new KeptFiles(folder.path) }).run({ signal: new AbortController().signal });
  assert.deepEqual(written, ['a']);
});

test('a listed work whose job ended is tried again if its row was lost, but not in a fleet', async () => {
  for (const isShared of [false, true]) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-lost-'));
    await using queue = new WorkQueue(await openStore(':memory:'), systemClock);
    const written = new Set<string>();
    const sink: ResultSink = {
      isShared,
      last: (work) =>
        written.has(work) ? { outcome: 'failed', reason: 'no-plan', path: null, bytes: null, at: 'then' } : undefined,
      write: async ({ work }) => void written.add(work),
    };
    for (const id of ['a', 'b', 'c']) await queue.enqueue(id, workFromPayload(id, undefined));
    for (const lease of await queue.lease('earlier', 2)) await queue.ack(lease);
    for (const _run of [1, 2])
      await runInto(sink, queue, { files: new KeptFiles(folder.path) }).run({ signal: new AbortController().signal });
    assert.deepEqual([...written].sort(), isShared ? ['c'] : ['a', 'b', 'c']);
    const { states } = await queue.store.admin.stats(Date.now());
    assert.equal(states.done + states.skipped + states.error, isShared ? 3 : 5, 'each is tried again once');
  }
});

test('a newer version of a downloaded work is looked up; if it is unavailable, the file and its row are kept', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-renewal-'));
  await mkdir(join(folder.path, 'PDF'));
  await writeFile(join(folder.path, 'PDF', 'a.pdf'), 'kept');
  await using queue = new WorkQueue(await openStore(':memory:'), systemClock);
  const kept = { ...workFromPayload('a', undefined), isComplete: true };
  await queue.enqueue('a', kept);
  await queue.enqueue('a acceptedVersion', renewalOf(kept));
  const [written, events]: [string[], string[]] = [[], []];
  const preferred: unknown[] = [];
  const run = runInto(
    {
      last: () => ({ outcome: 'saved', reason: 'success', path: 'PDF/a.pdf', bytes: 4, at: '' }),
      write: async ({ work }) => void written.push(work),
    },
    queue,
    {
      provider: undefined,
      files: new KeptFiles(folder.path),
      resolve: { prefer: 'file', lookups } as unknown as DownloadRunOptions['resolve'],
      resolvers: [
        {
          name: 'arxiv',
          async *plans(_work, { prefer }) {
            preferred.push(prefer);
            yield {
              kind: 'problem',
              resolver: 'arxiv',
              message: 'knows none',
              at: null,
              hasAnswered: true,
            };
          },
        },
      ],
      report: ({ kind }) => void events.push(kind),
    },
  );
  await run.run({ signal: new AbortController().signal });
  assert.deepEqual(preferred, ['published'], 'only the renewal sends a lookup, with the published version first');
  assert.deepEqual(written, []);
  assert.equal(events.filter((kind) => kind === 'work-kept-before').length, 2);
  assert.equal((await queue.store.admin.stats(Date.now())).states.done, 2);
});
