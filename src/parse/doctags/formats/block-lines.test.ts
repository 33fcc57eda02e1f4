import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { ParsedDocument } from '../../document.ts';
import { readBlockLines, writeBlockLines } from './block-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'block-lines-'));
after(() => rmSync(folder, { recursive: true }));

const box = { left: 1.25, top: 2, right: 3, bottom: 4 };
const document: ParsedDocument = {
  pages: [{ number: 1, width: 612, height: 792 }],
  blocks: [
    { order: 0, kind: 'title', text: 'T\u2028"quoted"', regions: [{ page: 1, box }] },
    { order: 1, kind: 'heading', level: 1, text: 'H', regions: [] },
    {
      order: 2,
      kind: 'text',
      text: 'see here',
      regions: [
        { page: 1, box },
        { page: 2, box },
      ],
      links: [{ start: 4, end: 8, url: 'https://example.org/' }],
      jumps: [{ start: 0, end: 3, page: 7 }],
      raised: [{ start: 7, end: 8 }],
    },
    { order: 3, kind: 'list_item', ordered: true, depth: 1, marker: '1.', text: 'i', regions: [] },
    { order: 4, kind: 'code', language: 'C++', text: 'a\nb', regions: [] },
    { order: 5, kind: 'picture', category: 'photograph', text: 'a duck', regions: [] },
    { order: 6, parent: 5, kind: 'caption', text: 'c', regions: [] },
    {
      order: 7,
      kind: 'table',
      text: 'x',
      regions: [],
      table: {
        rows: 1,
        columns: 2,
        cells: [{ row: 0, column: 0, rowSpan: 1, columnSpan: 2, text: 'x', kind: 'column-header' }],
      },
    },
    { order: 8, kind: 'reference', text: 'r', label: '1', doi: '10.1/x', arxivId: '2101.00001', regions: [] },
    { order: 9, kind: 'footnote', text: 'f', regions: [] },
  ],
  metadata: { authors: [], pageCount: 1, needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } },
};

test('a document is unchanged after a round trip through its block file', async () => {
  const path = join(folder, 'a.jsonl');
  writeFileSync(path, writeBlockLines(document));
  assert.deepEqual(await readBlockLines(path), document);
});

test('the file has one JSON object per line, the first one the header', () => {
  const lines = writeBlockLines(document).trimEnd().split('\n');
  assert.equal(lines.length, document.blocks.length + 1);
  assert.deepEqual(JSON.parse(lines[0] ?? ''), { tag: 'document', version: 1, pages: [[1, 612, 792]] });
  assert.deepEqual(JSON.parse(lines[2] ?? ''), { tag: 'section_header', order: 1, level: 1, text: 'H' });
});

test('a file of a newer version is refused', async () => {
  const path = join(folder, 'b.jsonl');
  writeFileSync(path, '{"tag":"document","version":2}\n');
  await assert.rejects(readBlockLines(path), { code: 'BLOCKS_NEWER' });
});

test('a damaged line is reported by number', async () => {
  const path = join(folder, 'c.jsonl');
  writeFileSync(
    path,
    '{"tag":"document","version":1,"pages":[]}\n{"tag":"text","order":0,"text":"a"}\n{"tag":"table","order":1,"text":""}\n',
  );
  await assert.rejects(
    readBlockLines(path),
    (error: Error & { code?: string }) => error.code === 'BLOCKS_BROKEN' && /line 3/.test(error.message),
  );
  writeFileSync(path, '');
  await assert.rejects(readBlockLines(path), { code: 'BLOCKS_BROKEN' });
});
