import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { removeStore } from '../database/index.ts';
import { emptyRecord } from '../works/index.ts';
import { chooseWorks, parseWorkFilter } from './choose-works.ts';
import { CorpusWorks } from './corpus-works.ts';

test('filters are parsed in their usual spellings, and invalid ones are refused', () => {
  assert.deepEqual(parseWorkFilter('year:2018-2022 author:"van Oppen" retracted:no heat waves'), {
    year: '2018-2022',
    author: 'van Oppen',
    retracted: false,
    q: 'heat waves',
  });
  for (const text of ['', 'colour:red', 'year:soon', 'retracted:maybe', 'year:2020 year:2021', 'title:'])
    assert.throws(() => parseWorkFilter(text), /AppError|Error/, text);
});

test('works are selected by set, label, filter, ids or a file, and sets survive the loss of the database', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chosen-'));
  const at = '2026-01-01T00:00:00.000Z';
  const openWorks = (): CorpusWorks => {
    const works = new CorpusWorks({ folder: folder.path });
    works.store.ingest();
    return works;
  };
  writeFileSync(
    join(folder.path, 'records.jsonl'),
    [2019, 2020, 2021]
      .map((year, number) => ({
        ...emptyRecord(`W${number}`, { openalex: `W${number}`, doi: `10.1/${number}` }),
        title: `Reef ${number}`,
        date: String(year),
      }))
      .map((record) => `${JSON.stringify({ kind: 'record', record })}\n`)
      .join(''),
  );
  writeFileSync(
    join(folder.path, 'decisions.jsonl'),
    `${JSON.stringify({ kind: 'label', work: 'W1', label: 'included', at })}\n`,
  );
  {
    using works = openWorks();
    works.records.saveSet({ name: 'late', works: null, filter: 'year:2020-' }, at);
    works.records.saveSet({ name: 'pair', works: ['W0', 'W2'], filter: null }, at);
    works.records.saveSet({ name: 'gone', works: ['W0'], filter: null }, at);
    works.records.saveSet({ name: 'gone', works: null, filter: null }, at);
  }
  removeStore(folder.path);
  using works = openWorks();
  const chosen = (text: string): string => [...chooseWorks(works, text)].sort().join(' ');
  assert.deepEqual(
    works.records.sets().map(({ name }) => name),
    ['late', 'pair'],
  );
  assert.equal(chosen('late'), 'W1 W2');
  assert.equal(chosen('pair'), 'W0 W2');
  assert.equal(chosen('included'), 'W1');
  assert.equal(chosen('title:reef year:2019'), 'W0');
  assert.equal(chosen('10.1/1, W2'), 'W1 W2');
  writeFileSync(join(folder.path, 'ids.txt'), 'https://doi.org/10.1/0\n\nW1\n');
  assert.equal(chosen(`@${join(folder.path, 'ids.txt')}`), 'W0 W1');
  assert.throws(() => chosen('gone'), { code: 'USAGE_WORKS' });
  assert.throws(() => chosen('@/no/such/file'), { code: 'USAGE_WORKS' });
});
