import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paragraphs } from '../facts.ts';
import { sampleSpec } from '../../../test/fixtures/sample-spec.ts';
import { renderUnrelatedPdf } from '../unrelated.ts';
import { writePaper } from '../write-paper.ts';
import { openInPdfium } from '../../../test/fixtures/pdfium-reader.ts';
import { renderPdf } from './render-pdf.ts';
import { renderEmptyPdf, renderEncryptedPdf, renderLongPdf, renderPreviewPdf, truncatePdf } from './special.ts';

const paper = writePaper(sampleSpec(0));

async function pageCount(pdf: Uint8Array, password = ''): Promise<number> {
  const reader = await openInPdfium(pdf, password);
  if (typeof reader === 'number') return -reader;
  using opened = reader;
  return opened.pageCount;
}

test('the encrypted file opens only with its password, and its bytes are deterministic', async () => {
  const pdf = await renderEncryptedPdf(paper);
  assert.equal(await pageCount(pdf), -4, 'PDFium: password needed');
  assert.ok((await pageCount(pdf, 'simulated')) > 1);
  assert.ok(Buffer.from(pdf).equals(Buffer.from(await renderEncryptedPdf(paper))));
});

test('the empty file is a PDF without pages', async () => {
  const pdf = await renderEmptyPdf(paper);
  assert.match(Buffer.from(pdf).toString('latin1'), /^%PDF-[^]*\/Count 0[^]*%%EOF\s*$/);
  assert.ok((await pageCount(pdf)) <= 0);
});

test('the preview shows one page of a longer paper', async () => {
  const reader = await openInPdfium(await renderPreviewPdf(paper));
  assert.ok(typeof reader !== 'number');
  using opened = reader;
  assert.equal(opened.pageCount, 1);
  assert.ok(opened.text(1).includes('Simulated document'));
  const missing = paragraphs(paper).filter(({ fact }) => !opened.text(1).includes(fact.nonce));
  assert.ok(missing.length > 3, 'most of the paper is not there');
});

test('the long file has the requested number of pages', async () => {
  const pdf = await renderLongPdf(paper);
  assert.equal(await pageCount(pdf), 400);
});

test('truncated files keep their header and lose their end', async () => {
  const whole = await renderPdf(paper, 'L1');
  for (const cut of ['half', 'in-xref', 'no-eof'] as const) {
    const pdf = Buffer.from(truncatePdf(whole, cut));
    assert.ok(pdf.length < whole.length && pdf.length > 1000, cut);
    assert.ok(pdf.subarray(0, 5).equals(Buffer.from('%PDF-')));
    assert.ok(!pdf.includes('%%EOF'), cut);
  }
  assert.ok(Buffer.from(truncatePdf(whole, 'in-xref')).includes('xref\n0 '));
  assert.ok(!Buffer.from(truncatePdf(whole, 'half')).includes('xref\n0 '));
});

test('the unrelated file shares no title, identifier or planted name with the work it replaces', async () => {
  const reader = await openInPdfium(await renderUnrelatedPdf(paper.spec));
  assert.ok(typeof reader !== 'number');
  using opened = reader;
  const text = Array.from({ length: opened.pageCount }, (_unused, index) => opened.text(index + 1)).join('\n');
  assert.ok(!text.includes(paper.spec.title) && !text.includes(paper.spec.doi ?? ''));
  for (const { fact } of paragraphs(paper)) assert.ok(!text.includes(fact.nonce), fact.nonce);
});
