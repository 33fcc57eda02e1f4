import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { line, makePdf } from '../../../test/support/make-pdf.ts';
import { glyphsFromTsv, locateTesseract } from './engines/tesseract.ts';
import { encodePng } from './layout/output/png.ts';
import { parsePdf, renderPage } from './pdf.ts';

const SENTENCES = [
  'The water of the river carries sand',
  'and clay over long distances while',
  'slow currents let small grains settle',
];

/** A page that is only a picture of text. */
async function scan(): Promise<Uint8Array> {
  const printed = await makePdf((pdf) => {
    SENTENCES.forEach((text, index) => line(pdf, text, { x: 100, y: 200 + index * 24, size: 18 }));
  });
  const picture = Buffer.from(encodePng(await renderPage(printed, 1, 3)));
  return makePdf((pdf) => {
    pdf.image(picture, 0, 0, { width: 612, height: 792 });
  });
}

const installed = spawnSync('tesseract', ['--version']).status === 0;

test(
  'a scanned page is read by tesseract when it is wanted',
  { skip: installed ? false : 'tesseract is not installed' },
  async () => {
    const bytes = await scan();
    assert.deepEqual((await parsePdf(bytes)).metadata.needsOcr, [1]);
    const document = await parsePdf(bytes, { ocr: { command: 'tesseract', languages: 'eng', timeoutMs: 60_000 } });
    assert.deepEqual(document.metadata.needsOcr, []);
    assert.equal(
      document.blocks
        .map((block) => block.text)
        .join(' ')
        .replace(/\s+/g, ' '),
      SENTENCES.join(' '),
    );
  },
);

test('an OCR program that is absent, fails or hangs is a coded error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ocr-'));
  const bytes = await scan();
  const program = (name: string, body: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `#!${process.execPath}\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  try {
    const read = (command: string, timeoutMs: number): Promise<unknown> =>
      parsePdf(bytes, { ocr: { command, languages: 'eng', timeoutMs } });
    await assert.rejects(read(join(folder, 'absent'), 10_000), { code: 'OCR_NOT_INSTALLED' });
    await assert.rejects(read(program('fails', 'process.exit(3)'), 30_000), { code: 'OCR_FAILED' });
    await assert.rejects(read(program('hangs', 'setInterval(() => {}, 1000)'), 500), { code: 'OCR_TIMEOUT' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('words in the table of tesseract become letters on the lines they stand on', () => {
  const head = 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext';
  const rows = [
    '4\t1\t1\t1\t1\t0\t100\t200\t300\t36\t-1\t',
    '5\t1\t1\t1\t1\t1\t100\t200\t90\t30\t96\tsand',
    '5\t1\t1\t1\t1\t2\t210\t200\t60\t30\t12\tnoise',
    '5\t1\t1\t1\t1\t3\t300\t200\t90\t36\t91\tbay',
  ];
  const glyphs = glyphsFromTsv([head, ...rows].join('\n'), 2);
  assert.equal(glyphs.map((glyph) => glyph.text).join(''), 'sandbay');
  assert.deepEqual([glyphs[0]?.left, glyphs[4]?.left, glyphs[4]?.spaced], [50, 150, true]);
  assert.equal(new Set(glyphs.map((glyph) => glyph.baseline)).size, 1);
});

test('tesseract is found where only the path of this process leads', { skip: process.platform === 'win32' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ocr-path-'));
  try {
    const program = join(folder, 'tesseract');
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o755);
    assert.equal(locateTesseract(folder), program);
    assert.notEqual(locateTesseract(join(folder, 'empty')), program);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
