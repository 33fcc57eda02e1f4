import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AppError, systemClock } from '../base/index.ts';
import type { Admission } from '../hosts/index.ts';
import { MemoryStore, ORCHESTRATOR_DEFAULTS, WorkQueue } from '../queue/index.ts';
import { workFromPayload } from '../works/index.ts';
import { KeptFiles } from './kept-files.ts';
import type { DownloadRunOptions, ResultSink } from './run.ts';
import { DownloadRun } from './run.ts';

/** An authority that has nothing to say: no host is ever asked here. */
const nobody = {
  room: () => Infinity,
  snapshot: () => [],
  watch: () => ({ [Symbol.dispose]: () => undefined }),
} as unknown as Admission;

function runInto(sink: ResultSink, queue: WorkQueue): DownloadRun {
  return new DownloadRun({
    runId: 'run',
    queue,
    orchestrator: { ...ORCHESTRATOR_DEFAULTS, maxWorkers: 2 },
    admission: nobody,
    provider: async function* () {
      for (const id of ['a', 'b', 'c']) yield { ...workFromPayload(id, undefined), isComplete: true };
    },
    sink,
    files: new KeptFiles('/nowhere'),
    send: async () => assert.fail('nothing is to be fetched'),
    resolvers: [],
    resolve: {} as DownloadRunOptions['resolve'],
    inspect: undefined,
    accept: new Set(['pdf']),
    maxBytes: 1,
    retries: 0,
    budgetMs: 1_000,
    retracted: 'keep',
    clock: systemClock,
    report: () => undefined,
    log: () => undefined,
  });
}

for (const code of ['DISK_IO_ERROR', 'DISK_FULL', 'DISK_READ_ONLY'])
  test(`a manifest whose rows the disk refuses with ${code} ends the run with that reason, and no work is lost from the count`, async () => {
    await using queue = new WorkQueue(new MemoryStore(), systemClock);
    const refusing: ResultSink = {
      last: () => undefined,
      write: async () => {
        throw new AppError(code, 'the manifest cannot be written');
      },
    };
    await assert.rejects(runInto(refusing, queue).run({ signal: new AbortController().signal }), { code });
    const { states } = await queue.store.admin.stats(Date.now());
    assert.equal(states.queued, 3, 'every work waits for the next run');
    const jobs = await queue.store.admin.list({}, { limit: 10 });
    assert.deepEqual([...new Set(jobs.map(({ attempts }) => attempts))], [0], 'and none has lost an attempt');
  });
