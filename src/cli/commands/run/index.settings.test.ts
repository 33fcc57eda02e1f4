import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { loadConfig, settingsTable } from '../../../config/index.ts';
import type { Session } from '../../session.ts';
import { keyHints, loadRun } from './index.ts';

const folder = join(tmpdir(), 'docstokg-no-such-folder');

/** The queue of a run with these variables and flags. */
function queueOf(environment: Readonly<Record<string, string>>, flags: Parameters<typeof loadRun>[1] = []): string {
  const load: Session['load'] = (more) => loadConfig({ folder, environment, flags: more ?? [] });
  return loadRun({ load } as Session, flags).queue.path;
}

test('the queue of a run is in its output folder, unless a path is given', () => {
  const out = { path: ['download', 'out'], value: 'elsewhere', origin: 'option --out' };
  const queue = { path: ['queue', 'path'], value: 'q.sqlite', origin: 'option --queue' };
  const beside = join('elsewhere', 'state', 'workqueue.sqlite');
  assert.equal(queueOf({ DOCSTOKG_DOWNLOAD__OUT: 'elsewhere' }), beside);
  assert.equal(queueOf({}, [out]), beside);
  assert.equal(queueOf({ DOCSTOKG_QUEUE__PATH: 'q.sqlite' }), 'q.sqlite');
  assert.equal(queueOf({ DOCSTOKG_QUEUE__PATH: 'q.sqlite' }, [out]), beside, 'a given folder has its own queue');
  assert.equal(queueOf({}, [out, queue]), 'q.sqlite');
});

test('a first run lists what missing API keys would add', () => {
  const { defaults } = settingsTable();
  assert.match(keyHints(defaults)[0] ?? '', /DOCSTOKG_KEYS__OPENALEX.*raises the daily budget/);
  assert.equal(keyHints(defaults).length, 2);
  assert.deepEqual(keyHints({ ...defaults, keys: { ...defaults.keys, openalex: 'k', core: 'k' } }), []);
});
