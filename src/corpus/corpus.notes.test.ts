import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Records } from '../database/index.ts';
import { emptyRecord } from '../works/index.ts';
import { openCorpus } from './corpus.ts';

test('notes are lines of decisions.jsonl: sent twice they are one, and they are changed, removed and restored', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'notes-'));
  {
    using records = Records.open(folder.path);
    records.add([{ ...emptyRecord('W1'), title: 'Heat' }, emptyRecord('W2')]);
  }
  const lines = (): number => readFileSync(join(folder.path, 'decisions.jsonl'), 'utf8').trim().split('\n').length;
  {
    await using corpus = await openCorpus(folder.path);
    const first = { id: 'one', work: 'W1', by: 'ada', page: 3, quote: 'It was hot.' };
    await corpus.saveNote(first);
    await corpus.saveNote(first);
    assert.equal(lines(), 1);
    await corpus.saveNote({ id: 'one', by: 'ada', text: ' Compare table 2. ' });
    const { id } = await corpus.saveNote({ work: 'W2', by: 'bo', text: 'Not about corals.' });
    await corpus.saveNote({ id, by: 'bo', removed: true });
    assert.deepEqual(
      corpus.notes().map(({ title, quote, text }) => [title, quote, text]),
      [['Heat', 'It was hot.', 'Compare table 2.']],
    );
    assert.equal(corpus.notes({ by: 'bo' }).length, 0);
    assert.deepEqual(
      corpus.notes({ removed: true, work: 'W2' }).map(({ text, removed }) => [text, removed]),
      [['Not about corals.', true]],
    );
    await corpus.saveNote({ id, by: 'ada' });
    await assert.rejects(corpus.saveNote({ work: 'W9', by: 'ada', text: 'x' }), { code: 'USAGE_NOTE' });
    await assert.rejects(corpus.saveNote({ work: 'W1', by: 'ada', text: ' ' }), { code: 'USAGE_NOTE' });
    await assert.rejects(corpus.saveNote({ id: 'no such note', by: 'ada' }), { code: 'USAGE_NOTE' });
  }
  for (const ending of ['', '-wal', '-shm']) rmSync(join(folder.path, `corpus.sqlite${ending}`), { force: true });
  await using again = await openCorpus(folder.path);
  assert.deepEqual(
    again.notes().map(({ work, page, text, by, removed }) => [work, page, text, by, removed]),
    [
      ['W1', 3, 'Compare table 2.', 'ada', false],
      ['W2', null, 'Not about corals.', 'ada', false],
    ],
  );
});
