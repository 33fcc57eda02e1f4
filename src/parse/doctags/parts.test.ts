import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { renderPdf, writePaper } from '../../../sim/content/index.ts';
import { sampleSpec } from '../../../test/fixtures/sample-spec.ts';
import { writeTableCsv, writeParts } from './parts.ts';

test('figures are saved with their captions, tables as CSV, and both are listed in an index', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'parts-'));
  const paper = Array.from({ length: 20 }, (_unused, index) => writePaper(sampleSpec(index))).find((each) => {
    const kinds = new Set(each.sections.flatMap(({ blocks }) => blocks.map(({ kind }) => kind)));
    return kinds.has('figure') && kinds.has('table') && kinds.has('formula');
  });
  assert.ok(paper);
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, await renderPdf(paper, 'L1'));
  const parts = await writeParts(file, join(folder.path, 'out'));
  const figure = parts.find(({ kind }) => kind === 'figure');
  assert.match(figure?.caption ?? '', /^Figure 1/);
  const png = await readFile(join(folder.path, 'out', 'figure-1.png'));
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.readUInt32BE(16) > 300, 'at three dots per point');
  const table = parts.find(({ kind }) => kind === 'table');
  assert.match(table?.caption ?? '', /^Table 1/);
  const csv = await readFile(join(folder.path, 'out', table?.file ?? ''), 'utf8');
  const real = paper.sections.flatMap(({ blocks }) => blocks).find((block) => block.kind === 'table');
  assert.ok(real && csv.split('\r\n').length === real.table.rows + 1);
  assert.ok(parts.some(({ kind, number }) => kind === 'equation' && number === '1'));
  assert.deepEqual(JSON.parse(await readFile(join(folder.path, 'out', 'parts.json'), 'utf8')), parts);
});

test('a cell with commas, quotes and line ends is one field; a span fills its first cell', () => {
  const cell = { rowSpan: 1, columnSpan: 1, kind: 'data' } as const;
  const cells = [
    { ...cell, row: 0, column: 0, columnSpan: 2, text: 'a "b", c' },
    { ...cell, row: 1, column: 0, text: '1' },
    { ...cell, row: 1, column: 1, text: 'x\ny' },
  ];
  assert.equal(writeTableCsv({ rows: 2, columns: 2, cells }), '"a ""b"", c",\r\n1,"x\ny"\r\n');
});
