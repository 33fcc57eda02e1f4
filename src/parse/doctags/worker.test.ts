import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { makePdf } from '../../../test/support/make-pdf.ts';
import { doctagsItems } from './stage.ts';
import parseItem from './worker.ts';

test('a scan without OCR is skipped with a reason, and leaves no file', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-scan-'));
  const folder = scratch.path;
  // One grey pixel, stretched over the page.
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
    'base64',
  );
  const file = join(folder, 'scan.pdf');
  writeFileSync(file, await makePdf((pdf) => pdf.image(pixel, 0, 0, { width: 612, height: 792 })));
  const settings = { mode: 'auto', engine: { kind: 'embedded' } } as const;
  const item = doctagsItems(folder, settings).item(file);
  const outcome = await parseItem(item, {
    data: settings,
    signal: new AbortController().signal,
    grantCpu: () => undefined,
  } as never);
  assert.deepEqual([outcome.status, outcome.reason, outcome.manifest?.['needs_ocr']], ['skip', 'needs-ocr', 1]);
  assert.deepEqual(Object.values(item.outputs).filter(existsSync), []);
});

test('each page adds to the CPU time limit of its document', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-book-'));
  const file = join(scratch.path, 'book.pdf');
  const pages = 7;
  const draw = (pdf: Parameters<Parameters<typeof makePdf>[0]>[0]): void => {
    for (let page = 1; page <= pages; page += 1) {
      if (page > 1) pdf.addPage();
      pdf.text(`Page ${page} of a book about water and sand`, 72, 72);
    }
  };
  writeFileSync(file, await makePdf(draw));
  const item = { itemId: 'book', inputs: { file }, outputs: {}, cfgHash: '', costHint: 0 };
  const granted: number[] = [];
  const context = {
    data: { mode: 'auto', engine: { kind: 'embedded' } },
    signal: new AbortController().signal,
    finalOutputs: {},
    grantCpu: (seconds: number) => void granted.push(seconds),
  };
  assert.equal((await parseItem(item, context as never)).status, 'success');
  assert.equal(granted.length, pages);
  // A page of a book takes up to a tenth of a second; a busy processor may take twice as long.
  assert.ok(granted.every((seconds) => seconds >= 0.2));
});
