import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Records } from '../../database/index.ts';
import { emptyRecord, withProvenance } from '../../works/index.ts';
import { enrichWorks } from './identify-papers.ts';

const TITLE = 'Recovery of coral reefs where fishing is banned';
const never = new AbortController().signal;

test('fields that no better source has are filled from the document of the work, with their source', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-words-'));
  const parsed = join(scratch.path, 'DocTagsFiles');
  mkdirSync(parsed);
  const write = (document: string, title: string, abstract: string): void => {
    const imprint = { keywords: ['reefs', 'fishing'], license: 'CC BY 4.0', arxiv_id: '2401.01234v2' };
    const meta = {
      source_sha256: document,
      source_kind: 'html',
      title,
      abstract,
      doi: '10.5555/own',
      authors: ['A. Stone'],
      head: title,
      imprint,
    };
    writeFileSync(join(parsed, `${document}.meta.json`), JSON.stringify(meta));
    const lines = [
      { tag: 'document', version: 1, pages: [] },
      { tag: 'reference', order: 0, text: 'Hill. Sand.', doi: '10.5555/SAND' },
      { tag: 'reference', order: 1, text: 'Field. Kelp.', arxiv_id: '2001.00001v3' },
      { tag: 'reference', order: 2, text: 'Nobody. No id.' },
    ];
    writeFileSync(join(parsed, `${document}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  write('W1', TITLE, 'We counted corals.');
  write('W2', 'How sand settles in slow rivers', 'We counted grains.');
  using records = Records.open(scratch.path);
  const catalogued = { ...emptyRecord('W1', { openalex: 'W1' }), title: TITLE, keywords: ['coral'] };
  records.add([
    withProvenance(catalogued, 'openalex', '2026-01-01T00:00:00Z'),
    withProvenance({ ...catalogued, id: 'W2', ids: { ...catalogued.ids, openalex: 'W2' } }, 'openalex', '2026-01-01'),
  ]);
  const parts = { dataRoot: scratch.path, records, asking: () => undefined, now: () => Date.UTC(2026, 1, 3) };
  await enrichWorks(['W1', 'W2', 'unparsed'], parts, never);

  const first = records.get('W1');
  assert.equal(first?.abstract, 'We counted corals.');
  assert.equal(first.license, 'cc-by');
  assert.deepEqual(first.keywords, ['coral'], 'OpenAlex already had it');
  assert.equal(first.ids.doi, '10.5555/own');
  assert.deepEqual(first.ids.arxiv, { id: '2401.01234', version: null });
  assert.deepEqual(first.references, ['doi:10.5555/sand', 'doi:10.48550/arxiv.2001.00001']);
  const own = first.sources.find(({ from }) => from === 'document');
  for (const field of ['abstract', 'license', 'references', 'authors']) assert.ok(own?.fields.includes(field), field);
  assert.ok(!own?.fields.includes('keywords') && !own?.fields.includes('title'));
  assert.equal(records.get('W2')?.abstract, null, 'the file contains another paper');

  const log = join(scratch.path, 'records.jsonl');
  const before = readFileSync(log, 'utf8');
  await enrichWorks(['W1', 'W2'], parts, never);
  assert.equal(readFileSync(log, 'utf8'), before, 'read once');
  write('W1', TITLE, 'We counted all corals anew.');
  await enrichWorks(['W1', 'W2'], parts, never);
  assert.equal(records.get('W1')?.abstract, 'We counted all corals anew.');
});
