import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { writeSmallRun } from '../../test/fixtures/small-run.ts';
import { chunkItem, chunkOutput, openTokenizer } from '../parse/index.ts';
import { HeldClock } from '../testing/index.ts';
import { openCorpus } from './corpus.ts';
import type { WorksRequest } from '../library/index.ts';
import { textOf } from '../library/index.ts';
import { Records } from '../database/index.ts';

test('works are listed by every filter and in every order, page by page, without duplicates', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'library-'));
  await writeSmallRun(folder.path, { graph: false });
  {
    using records = Records.open(folder.path);
    const [okoro] = [{ name: 'Ada Okoro', family: 'Okoro', given: 'Ada', orcid: null, institutions: [] }];
    const changed = {
      W2: { authors: [okoro] },
      W4: { venue: 'Physics of Reefs' },
      W5: { version: 'publishedVersion' },
    } as const;
    records.replace(
      Object.entries(changed).flatMap(([id, more]) => {
        const known = records.get(id);
        return known ? [{ ...known, ...more }] : [];
      }),
    );
  }
  await using corpus = await openCorpus(folder.path);
  const ids = async (query: WorksRequest): Promise<string[]> =>
    (await corpus.library.works(query)).items.map(({ id }) => id);
  assert.deepEqual(await ids({}), ['W1', 'W2', 'W3', 'W4', 'W5', 'W6']);
  const filters: readonly (readonly [WorksRequest, readonly string[]])[] = [
    [{ title: 'REEFS' }, ['W1', 'W2']],
    [{ year: '2019-2021' }, ['W2', 'W5']],
    [{ author: 'berg' }, ['W1', 'W3', 'W4', 'W5', 'W6']],
    [{ author: 'OKORO' }, ['W2']],
    [{ venue: 'physics' }, ['W4']],
    [{ type: 'preprint,review' }, ['W3']],
    [{ licence: 'CC BY 4.0' }, ['W1']],
    [{ outcome: 'missing' }, ['W3', 'W4', 'W5']],
    [{ outcome: 'waiting' }, ['W5']],
    [{ reason: 'no-plan' }, ['W3']],
    [{ retracted: true }, ['W6']],
    [{ version: 'publishedVersion' }, ['W5']],
  ];
  for (const [query, expected] of filters) assert.deepEqual(await ids(query), expected, JSON.stringify(query));
  for (const sort of ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'licence'] as const)
    for (const order of ['asc', 'desc'] as const) {
      const all = await ids({ sort, order });
      const paged: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await corpus.library.works({ sort, order, limit: 2, cursor: cursor ?? undefined });
        assert.equal(page.total, 6);
        paged.push(...page.items.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== null);
      assert.deepEqual(paged, all);
    }
  await assert.rejects(corpus.library.works({ cursor: 'zzz' }), { code: 'USAGE_CURSOR' });
  await assert.rejects(corpus.library.works({ year: 'last' }), { code: 'USAGE_FILTER' });
  assert.equal((await corpus.library.work('https://doi.org/10.1000/W1'))?.id, 'W1');
  assert.equal(await corpus.library.work('W99'), undefined);
  await assert.rejects(corpus.library.document('../../manifest'), { code: 'CORPUS_NO_DOCUMENT' });
});

test('local papers without a record are listed and can be read', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'library-'));
  const blocks = join(folder.path, 'Data', 'DocTagsFiles');
  mkdirSync(blocks, { recursive: true });
  for (const name of ['a b', 'c'])
    writeFileSync(
      join(blocks, `${name}.jsonl`),
      '{"tag":"document","version":1,"pages":[]}\n{"tag":"text","order":0,"text":"Hello."}\n',
    );
  writeFileSync(join(blocks, 'c.meta.json'), '{"title":"See","authors":["Ana Berg"]}');
  await using corpus = await openCorpus(folder.path);
  const { items: works, total } = await corpus.library.works();
  assert.deepEqual(
    [total, works.map(({ id, title, outcome }) => [id, title, outcome])],
    [
      2,
      [
        ['a b', null, 'local'],
        ['c', 'See', 'local'],
      ],
    ],
  );
  const first = await corpus.library.works({ limit: 1 });
  assert.deepEqual((await corpus.library.works({ limit: 1, cursor: first.next ?? '' })).items[0]?.id, 'c');
  assert.deepEqual(
    textOf(await corpus.library.document('a b')).map(({ text }) => text),
    ['Hello.'],
  );
  assert.match((await corpus.library.cite(['c'], 'apa'))[0]?.citation ?? '', /Berg, A/);
  assert.equal((await corpus.library.account()).saved, 2);
});

test('an open search finds new documents after its refresh interval, and answers until then', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'library-'));
  await writeSmallRun(folder.path, { graph: false });
  const clock = new HeldClock();
  await using corpus = await openCorpus(folder.path, { clock });
  await using search = corpus.liveSearch();
  const found = (question: string) => search.use((session) => session.search(question));
  const [before] = await Promise.all([search.use(({ passages }) => passages), found('corals')]);
  const output = chunkOutput(join(folder.path, 'Data'), 'W7', 'jsonl');
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  const text = 'Hip fractures are rarer among those who took vitamin D for three winters in a row.';
  const document = { blocks: [{ order: 0, kind: 'text' as const, text, regions: [] }], metadata };
  const options = { maxTokens: 128, minTokens: 8, overlapTokens: 0 };
  await chunkItem({ id: 'W7', document, output, tokenizer: await openTokenizer('cl100k'), options });
  assert.deepEqual(await found('hip fractures'), [], 'the index is not checked on every query');
  await clock.advance(11_000);
  assert.equal((await found('hip fractures'))[0]?.passage.document, 'W7');
  assert.equal(await search.use(({ passages }) => passages), before + 1);
});
