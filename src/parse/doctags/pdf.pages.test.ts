import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ofKind } from '../../../test/support/document-blocks.ts';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import { parsePdf, renderPage } from './pdf.ts';

test('a page with only an image needs OCR and lowers the confidence', async () => {
  // One grey pixel, stretched over the page.
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
    'base64',
  );
  const bytes = await makePdf((pdf) => {
    pdf.image(pixel, 0, 0, { width: 612, height: 792 });
  });
  const { metadata } = await parsePdf(bytes);
  assert.deepEqual(metadata.needsOcr, [1]);
  assert.ok(metadata.quality.confidence < 0.5);
});

test('a page printed sideways is read, with boxes in the coordinates of the page', async () => {
  const bytes = await makePdf((pdf) => {
    pdf.rotate(90, { origin: [0, 0] }).translate(0, -612);
    paragraph(pdf, prose(20, 5), { x: 60, y: 100, width: 600 });
  });
  const document = await parsePdf(bytes);
  const [block] = ofKind(document, 'text');
  assert.ok(block);
  assert.ok(block.text.startsWith(prose(20, 5).slice(0, 100)));
  const box = block.regions[0]?.box;
  assert.ok(box && box.right <= 612 && box.bottom <= 792 && box.bottom - box.top > box.right - box.left);
});

test('a table printed sideways under an upright running head is a table', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Miller et al., an author manuscript that is available elsewhere', { x: 72, y: 36, size: 8 });
    line(pdf, 'Journal of Slow Rivers. Author manuscript; available since the first of May', {
      x: 72,
      y: 752,
      size: 8,
    });
    pdf.rotate(90, { origin: [0, 0] }).translate(0, -612);
    line(pdf, 'Table 1. Weight of grains at eight places of the river', { x: 120, y: 150 });
    const rule = (y: number): unknown => pdf.moveTo(120, y).lineTo(660, y).lineWidth(0.6).stroke();
    for (const y of [168, 186, 310]) rule(y);
    for (let row = 0; row < 8; row += 1)
      for (let column = 0; column < 6; column += 1) {
        const text = row === 0 ? `Place ${column}` : column === 0 ? `River ${row}` : `${row * 137 + column}.${column}`;
        line(pdf, text, { x: 122 + 90 * column, y: row === 0 ? 172 : 176 + 15 * row });
      }
  });
  const [table] = ofKind(await parsePdf(bytes), 'table');
  assert.deepEqual([table?.table.rows, table?.table.columns], [8, 6]);
});

test('a page is rendered as an image of the requested size', async () => {
  const bytes = await makePdf((pdf) => {
    pdf.rect(0, 0, 306, 792).fill('black');
  });
  const image = await renderPage(bytes, 1, 0.5);
  assert.deepEqual([image.width, image.height], [306, 396]);
  const pixel = (x: number, y: number): number => image.rgba[(y * image.width + x) * 4] ?? -1;
  assert.equal(pixel(10, 100), 0);
  assert.equal(pixel(290, 100), 255);
});

test('unreadable files are coded errors', async () => {
  const locked = await makePdf((pdf) => line(pdf, 'secret', { x: 72, y: 72 }), {
    userPassword: 'x',
    ownerPassword: 'y',
  });
  await assert.rejects(parsePdf(locked), { code: 'PDF_ENCRYPTED' });
  await assert.rejects(parsePdf(new TextEncoder().encode('<html>no</html>')), { code: 'PDF_BROKEN' });
  await assert.rejects(parsePdf(new Uint8Array(0)), { code: 'PDF_BROKEN' });
  const three = await makePdf((pdf) => {
    pdf.addPage();
    pdf.addPage();
  });
  await assert.rejects(parsePdf(three, { maxPages: 2 }), { code: 'PDF_TOO_MANY_PAGES' });
  await assert.rejects(parsePdf(three, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('an engine that runs out of memory is replaced, and the next file is read', async () => {
  const good = await makePdf((pdf) => {
    paragraph(pdf, prose(3, 1), { x: 72, y: 80, width: 468 });
  });
  await assert.rejects(parsePdf(new Uint8Array(64 * 1024 * 1024).fill(37), { maxMemoryBytes: 32 * 1024 * 1024 }), {
    code: /^PDF_/,
  });
  assert.equal((await parsePdf(good)).blocks.length, 1);
});

test('paragraphs of a manuscript with wide space between its lines are whole', async () => {
  const bytes = await makePdf((pdf) => {
    const result = '(HR=1.36, 95% CI: 1.19 to 1.56, P<0.001) and (HR=1.31, 95% CI: 1.18 to 1.46, P<0.001), ';
    pdf.font('Times-Roman').fontSize(8);
    pdf.text(`${prose(30)} Sand moves ${result.repeat(2)} here.`, 90, 72, { width: 300, lineGap: 12.5 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['text'],
  );
});
