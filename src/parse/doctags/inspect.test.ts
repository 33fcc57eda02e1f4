import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import type { Look, PdfSummary } from './inspect.ts';
import { inspectPdf } from './inspect.ts';

type Draw = Parameters<typeof makePdf>[0];

async function glanceAt(draw: Draw, look: Look = 'quick'): Promise<PdfSummary> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, await makePdf(draw));
  return await inspectPdf(file, look);
}

const TITLE = 'Sediment of rivers';
const body: Draw = (pdf) => void paragraph(pdf, prose(8), { x: 70, y: 200, width: 400 });
const title = (pdf: Parameters<Draw>[0], x = 70): void => line(pdf, TITLE, { x, y: 100, size: 16 });
const holdsTitle = ({ text }: PdfSummary): boolean => /sediment\s*of\s*rivers/i.test(text);

test('a quick inspection returns the text of the first page, a close one of three pages', async () => {
  const draw: Draw = (pdf) => {
    title(pdf);
    body(pdf);
    pdf.addPage();
    line(pdf, 'Second page', { x: 70, y: 100 });
  };
  const quick = await glanceAt(draw);
  assert.deepEqual([quick.pages, quick.isReadable, quick.isQuick], [2, true, true]);
  assert.match(quick.text, /Sediment of rivers/);
  assert.doesNotMatch(quick.text, /Second/);
  const close = await glanceAt(draw, 'close');
  assert.equal(close.isQuick, false);
  assert.match(close.text, /Sediment of rivers[^]*Second page/);
});

test('an invisible title is ignored, also by a quick inspection', async () => {
  const hidden: Readonly<Record<string, Draw>> = {
    white: (pdf) => {
      pdf.fillColor('white');
      title(pdf);
      pdf.fillColor('black');
    },
    'without ink': (pdf) => {
      pdf.addContent('3 Tr');
      title(pdf);
      pdf.addContent('0 Tr');
    },
    'cut off': (pdf) => {
      pdf.save().rect(300, 300, 50, 50).clip();
      title(pdf);
      pdf.restore();
    },
    'beside the page': (pdf) => title(pdf, 700),
  };
  for (const [how, draw] of Object.entries(hidden)) {
    const glance = await glanceAt((pdf) => {
      draw(pdf);
      body(pdf);
    });
    assert.ok(glance.isReadable && glance.text.length > 200, how);
    assert.equal(holdsTitle(glance), false, how);
  }
});

test('text that runs off the page is returned as far as it is visible', async () => {
  const { text, isQuick } = await glanceAt((pdf) => {
    body(pdf);
    line(pdf, `Begin ${'and so on '.repeat(40)} end`, { x: 70, y: 100 });
  });
  assert.ok(isQuick);
  assert.match(text, /Begin and so on/);
  assert.doesNotMatch(text, /on end/);
});

test('a page without text is readable and empty', async () => {
  const glance = await glanceAt((pdf) => void pdf.rect(100, 100, 50, 50).fill('red'));
  assert.deepEqual([glance.isReadable, glance.text.trim(), glance.isQuick], [true, '', true]);
});

test('truncated and non-PDF files are unreadable, and do not affect the next file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-'));
  const file = join(folder.path, 'paper.pdf');
  const whole = await makePdf(title);
  for (const bytes of [new Uint8Array(), whole.subarray(0, 300), Buffer.from('%PDF-1.7\n'.repeat(2_000))]) {
    await writeFile(file, bytes);
    assert.equal((await inspectPdf(file, 'quick')).isReadable, false, `${bytes.length} bytes`);
  }
  await writeFile(file, whole);
  const glance = await inspectPdf(file, 'quick');
  assert.ok(glance.isReadable && holdsTitle(glance));
  await assert.rejects(inspectPdf(join(folder.path, 'nothing.pdf'), 'quick'), { code: 'ENOENT' });
});
