import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { openCorpus } from '../src/corpus/index.ts';
import { chunkItem, chunkOutput, openTokenizer } from '../src/parse/index.ts';
import { Records } from '../src/database/index.ts';
import { emptyRecord } from '../src/works/index.ts';
import { askedRun } from '../src/questions/index.ts';
import { relatedQuestion } from '../src/questions/work.ts';

const PAPERS = [
  { id: 'W1', document: 'berg-2019', title: 'Corals in heat', text: 'Corals in heat bleach within some weeks.' },
  {
    id: 'W2',
    document: 'lake-2020',
    title: 'Heat and reefs',
    text: 'In the heat corals of all reefs bleach early. '.repeat(20),
  },
];

test('a work is not related to itself, and others are listed once, whatever their documents are called', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-related-'));
  const tokenizer = await openTokenizer('cl100k');
  {
    using records = Records.open(folder.path);
    records.add(PAPERS.map(({ id, title }) => ({ ...emptyRecord(id, { openalex: id }), title })));
    for (const { id, document } of PAPERS)
      records.fileOwn({ document, sha256: document, checked: true }, [emptyRecord(id, { openalex: id })]);
  }
  for (const { document: id, text } of PAPERS) {
    const output = chunkOutput(join(folder.path, 'Data'), id, 'jsonl');
    mkdirSync(join(output, '..'), { recursive: true });
    const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
    const blocks = [{ order: 0, kind: 'text' as const, text, regions: [] }];
    const options = { maxTokens: 64, minTokens: 8, overlapTokens: 0 };
    await chunkItem({ id, document: { blocks, metadata }, output, tokenizer, options });
  }
  const settings = { parse: { format: 'jsonl', data_root: join(folder.path, 'Data') } } as const;
  await using corpus = await openCorpus(folder.path, { settings });
  await Array.fromAsync(corpus.index());
  await using run = askedRun('reefs', corpus, () => undefined);
  const { items } = await relatedQuestion.ask({ work: 'W1', limit: 10 }, [run], new AbortController().signal);
  assert.deepEqual(
    items.map((item) => (item as { readonly work: string }).work),
    ['W2'],
  );
});
