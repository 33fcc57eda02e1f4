import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import { openPdf } from './engines/pdfium.ts';
import { analyse } from './layout/layout.ts';
import { unionBox } from './layout/page/box.ts';
import type { PageContent } from './layout/page/page-content.ts';
import { parsePdf } from './pdf.ts';
import parseItem, { wordsLost } from './worker.ts';

const FONT = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

/** The same file without the maps from glyphs to characters. */
function withoutMaps(pdf: Uint8Array): Uint8Array {
  const text = Buffer.from(pdf).toString('latin1');
  assert.match(text, /\/ToUnicode \d+ 0 R/);
  return Buffer.from(
    text.replaceAll(/\/ToUnicode \d+ 0 R/g, (found) => ' '.repeat(found.length)),
    'latin1',
  );
}

async function stageOutcome(pdf: Uint8Array): Promise<Awaited<ReturnType<typeof parseItem>>> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'words-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, pdf);
  const item = { itemId: 'paper', inputs: { file }, outputs: {}, cfgHash: '', costHint: 0 };
  const data = { mode: 'auto', engine: { kind: 'embedded' } };
  const signal = new AbortController().signal;
  return await parseItem(item, { data, signal, finalOutputs: {}, grantCpu: () => undefined } as never);
}

test('pages with unmapped fonts need OCR, and a document of only such pages is not a success', async () => {
  const draw = (pages: number): Promise<Uint8Array> =>
    makePdf((pdf) => {
      for (let page = 1; page <= pages; page += 1) {
        if (page > 1) pdf.addPage();
        paragraph(pdf, prose(12, page), { x: 72, y: 80, width: 468, font: page === 3 ? 'Times-Roman' : FONT });
      }
    });
  const { metadata } = await parsePdf(withoutMaps(await draw(3)));
  assert.deepEqual(metadata.needsOcr, [1, 2]);
  assert.deepEqual(
    metadata.words?.short.map(({ page, kept, reason }) => [page, kept, reason]),
    [
      [1, 0, 'unmapped'],
      [2, 0, 'unmapped'],
    ],
  );
  const mixed = await stageOutcome(withoutMaps(await draw(3)));
  assert.equal(mixed.status, 'success');
  assert.equal(mixed.manifest?.['completeness'], 'partial');
  assert.equal(mixed.manifest?.['needs_ocr'], 2);
  const none = await stageOutcome(withoutMaps(await draw(2)));
  assert.deepEqual([none.status, 'reason' in none && none.reason], ['skip', 'needs-ocr']);
  const whole = await stageOutcome(await draw(2));
  assert.equal(whole.manifest?.['completeness'], 'whole');
  assert.equal(whole.manifest?.['words_kept'], whole.manifest?.['words_found']);
});

const CODE = [
  'def carry(sand, water):',
  '  while water.flows():',
  '    sand.move(water.speed)',
  '  return sand.grains',
];

test('code in a frame with rounded corners is text, not a picture', async () => {
  const pdf = await makePdf((document) => {
    paragraph(document, prose(6), { x: 72, y: 72, width: 468 });
    document.roundedRect(100, 240, 300, 74, 8).fillAndStroke('#eeeeee', '#333333');
    document.fillColor('black');
    CODE.forEach((text, row) => line(document, text, { x: 112, y: 250 + 14 * row, size: 10, font: 'Courier' }));
    paragraph(document, prose(6, 2), { x: 72, y: 360, width: 468 });
  });
  const { blocks, metadata } = await parsePdf(pdf);
  const text = blocks.filter(({ kind }) => kind === 'code' || kind === 'text').map((block) => block.text);
  for (const each of CODE)
    assert.ok(
      text.some((block) => block.includes(each.trim())),
      each,
    );
  assert.equal(metadata.words?.kept, metadata.words?.found);
});

/** One grey pixel, stretched where it is drawn. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

test('the text layer of a scan stored in strips is text', async () => {
  const sentences = Array.from({ length: 21 }, (_, index) => prose(1, index + 1).slice(0, 78));
  const pdf = await makePdf((document) => {
    sentences.forEach((_, row) => document.image(PIXEL, 60, 60 + 32 * row, { width: 480, height: 22 }));
    document.addContent('3 Tr');
    sentences.forEach((text, row) => line(document, text, { x: 72, y: 64 + 32 * row, size: 11 }));
  });
  const { blocks, metadata } = await parsePdf(pdf);
  const all = blocks.filter(({ kind }) => kind !== 'picture').map(({ text }) => text);
  for (const each of sentences) assert.ok(all.join(' ').includes(each.slice(0, 50)), each);
  assert.equal(metadata.words?.kept, metadata.words?.found);
});

test('a text layer in Courier over a scan is text, not code', async () => {
  const lines = Array.from({ length: 24 }, (_, index) => prose(1, index + 1).slice(0, 70));
  const draw = (isScan: boolean): Promise<Uint8Array> =>
    makePdf((document) => {
      if (isScan) document.image(PIXEL, 0, 0, { width: 612, height: 792 }).addContent('3 Tr');
      lines.forEach((text, row) => line(document, text, { x: 72, y: 80 + 14 * row, size: 10, font: 'Courier' }));
    });
  const kinds = async (isScan: boolean): Promise<Set<string>> =>
    new Set((await parsePdf(await draw(isScan))).blocks.map(({ kind }) => kind).filter((kind) => kind !== 'picture'));
  assert.ok(!(await kinds(true)).has('code'));
  assert.ok((await kinds(false)).has('code'), 'on an ordinary page Courier is code');
});

test('text printed on a picture belongs to the picture', async () => {
  const pdf = await makePdf((document) => {
    paragraph(document, prose(8), { x: 72, y: 72, width: 468 });
    for (let bar = 0; bar < 6; bar += 1)
      document.polygon([120 + 40 * bar, 400], [130 + 40 * bar, 300 + 10 * bar], [150 + 40 * bar, 400]).fill('grey');
    document.polygon([100, 250], [420, 260], [420, 410], [100, 410]).stroke();
    document.fillColor('black');
    line(document, 'grains of sand', { x: 150, y: 280, size: 8, font: 'Helvetica' });
    document.save().rotate(-90, { origin: [92, 380] });
    line(document, 'metres per hour', { x: 92, y: 380, size: 8, font: 'Helvetica' });
    document.restore();
    paragraph(document, `Figure 1. Sand and water. ${prose(2, 3)}`, { x: 72, y: 424, width: 468, size: 9 });
    paragraph(document, prose(8, 2), { x: 72, y: 480, width: 468 });
  });
  const { blocks, metadata } = await parsePdf(pdf);
  const [picture] = blocks.filter(({ kind }) => kind === 'picture');
  assert.match(picture?.text ?? '', /grains of sand/);
  assert.match(picture?.text ?? '', /metres per hour/);
  const { found = 0, kept = 0, pictured = 0 } = metadata.words ?? {};
  assert.ok(pictured > 3, 'what is on a picture is not in the running text');
  assert.equal(kept + pictured, found);
});

test('a page with more than a twentieth of its words on pictures is named', async () => {
  const labels = Array.from({ length: 12 }, (_, at) => `grain ${at}`);
  const pdf = await makePdf((document) => {
    paragraph(document, prose(8), { x: 72, y: 72, width: 468 });
    document.image(PIXEL, 100, 250, { width: 320, height: 160 });
    labels.forEach((text, at) =>
      line(document, text, { x: 110 + 100 * (at % 3), y: 270 + 30 * Math.floor(at / 3), size: 7 }),
    );
    line(document, 'Figure 1. Sand and water.', { x: 72, y: 424, size: 9 });
  });
  const { metadata } = await parsePdf(pdf);
  assert.deepEqual(
    metadata.words?.short.map(({ page, reason }) => [page, reason]),
    [[1, 'pictured']],
  );
});

test('rows on rounded tints without a caption are a table or text, not a picture', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => [
    `Field ${at + 1}`,
    `${50 + at}.4`,
    `${at}.9`,
    `${700 + 3 * at}`,
    `${at + 2}`,
  ]);
  const pdf = await makePdf((document) => {
    paragraph(document, prose(4), { x: 72, y: 60, width: 468 });
    rows.forEach((cells, row) => {
      document.roundedRect(72, 150 + 14 * row, 400, 14, 3).fillAndStroke(row % 2 ? '#eeeeee' : '#dddddd', '#999999');
      document.fillColor('black');
      cells.forEach((text, column) => line(document, text, { x: 80 + 80 * column, y: 152 + 14 * row, size: 10 }));
    });
    paragraph(document, prose(4, 2), { x: 72, y: 350, width: 468 });
  });
  const { blocks, metadata } = await parsePdf(pdf);
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'picture').map(({ text }) => text),
    [],
  );
  assert.equal(metadata.words?.kept, metadata.words?.found);
});

test('text that the layout cannot place is kept in the order of the file', async () => {
  const pdf = await makePdf((document) => {
    paragraph(document, prose(8), { x: 72, y: 72, width: 468 });
    line(document, 'letters too small for any line of text', { x: 72, y: 300, size: 0.4 });
  });
  const { blocks, metadata } = await parsePdf(pdf);
  assert.equal(blocks.at(-1)?.text, 'letters too small for any line of text');
  assert.equal(metadata.words?.kept, metadata.words?.found);
});

test('letters too small to be read are words of the picture they are on', async () => {
  const pdf = await makePdf((document) => {
    document.image(PIXEL, 72, 72, { width: 400, height: 210 });
    for (let at = 0; at < 20; at += 1) line(document, 'A', { x: 90 + 15 * at, y: 270, size: 0.3 });
    for (let at = 0; at < 20; at += 1) line(document, 'C', { x: 90 + 15 * at, y: 250, size: 8 });
    line(document, 'Figure 1. Letters of a logo.', { x: 80, y: 290 });
    paragraph(document, prose(8), { x: 72, y: 330, width: 468 });
  });
  const { blocks, metadata } = await parsePdf(pdf);
  const [picture] = blocks.filter(({ kind }) => kind === 'picture');
  assert.equal(picture?.text.match(/A/g)?.length, 20);
  assert.deepEqual(
    metadata.words?.short.map(({ reason }) => reason),
    ['pictured'],
  );
});

test('a page with words in no block is a failure', () => {
  const short = [2, 5].map((page) => ({ page, found: 400, kept: 300, reason: 'lost' as const }));
  const error = wordsLost({ words: { found: 2_000, kept: 1_800, pictured: 0, short } });
  assert.equal(error?.code, 'PARSE_WORDS_LOST');
  assert.match(error.message, /^page 2 has 400 words, 300 of them in its text, and words of 1 more pages$/);
  const pictured = [{ page: 1, found: 400, kept: 300, reason: 'pictured' as const }];
  assert.equal(wordsLost({ words: { found: 400, kept: 300, pictured: 100, short: pictured } }), undefined);
});

test('the last line of a paragraph that the white margin of an image covers is not a label', async () => {
  const pdf = await makePdf((document) => {
    paragraph(document, `${prose(9)} So the sand settles.`, { x: 72, y: 72, width: 220 });
    const top = document.y - 14;
    document.image(PIXEL, 72, top, { width: 220, height: 150 });
    line(document, 'metres', { x: 160, y: top + 60, size: 7, font: 'Helvetica' });
    paragraph(document, 'Figure 1. Sand and water.', { x: 72, y: top + 160, width: 220, size: 9 });
    paragraph(document, prose(8, 2), { x: 72, y: top + 190, width: 220 });
  });
  const { blocks } = await parsePdf(pdf);
  assert.ok(blocks.some(({ kind, text }) => kind === 'text' && text.endsWith('the sand settles.')));
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'picture').map(({ text }) => text),
    ['metres'],
  );
});

test('a heading right below a picture heads the text and is no label', async () => {
  const pdf = await makePdf((document) => {
    document.image(PIXEL, 72, 72, { width: 220, height: 150 });
    line(document, 'metres', { x: 160, y: 140, size: 7, font: 'Helvetica' });
    line(document, 'Results', { x: 72, y: 226, font: 'Helvetica-Bold' });
    line(document, 'Sand of two rivers', { x: 72, y: 244, font: 'Helvetica-Bold' });
    paragraph(document, prose(14), { x: 72, y: 258, width: 220, indent: 12 });
  });
  const { blocks } = await parsePdf(pdf);
  assert.deepEqual(
    blocks.flatMap(({ kind, text }) => (kind === 'heading' || kind === 'picture' ? [text] : [])),
    ['metres', 'Results', 'Sand of two rivers'],
  );
});

test('a form that holds the running text of a page is no picture, however small it is', async () => {
  const bytes = await makePdf((document) => {
    paragraph(document, prose(14), { x: 150, y: 200, width: 300 });
    document.circle(300, document.y + 54, 50).stroke();
  });
  using file = await openPdf(bytes);
  const page = file.readPage(1);
  assert.ok(page);
  const box = unionBox([...page.glyphs, ...page.drawings.map((drawing) => drawing.box)]);
  const inForm: PageContent = {
    ...page,
    glyphs: page.glyphs.map((glyph) => ({ ...glyph, form: 0 })),
    drawings: [{ kind: 'form', box, form: 0 }, ...page.drawings.map((drawing) => ({ ...drawing, form: 0 }))],
  };
  const { drafts } = analyse([inForm], [], '');
  assert.deepEqual(
    drafts.map(({ kind, text }) => [kind, text ?? '']),
    [
      ['text', ''],
      ['picture', ''],
    ],
  );
});

test('an accent as wide as its letter is part of the letter, as printed by TeX', async () => {
  const pdf = await makePdf((document) => {
    paragraph(document, prose(6), { x: 72, y: 72, width: 468, font: 'Times-Roman' });
    line(document, 'Written by', { x: 72, y: 300, font: 'Courier' });
    const font = Object.keys((document.page as unknown as { fonts: object }).fonts).at(-1);
    document.addContent(`BT /${font} 10 Tf 1 0 0 -1 140 307 Tm [(G\\250) 600 (odel and Erd\\250) 600 (os)] TJ ET`);
  });
  const { blocks } = await parsePdf(pdf);
  assert.match(blocks.map(({ text }) => text).join(' '), /Gödel and Erdös/);
});

test('white text on a bar that is drawn as one thick line is kept', async () => {
  const pdf = await makePdf((document) => {
    document.moveTo(72, 90).lineTo(500, 90).lineWidth(24).strokeColor('black').stroke();
    document.fillColor('white');
    line(document, 'Sizes of grains in two rivers', { x: 80, y: 84 });
    document.moveTo(72, 130).lineTo(500, 130).lineWidth(24).strokeColor('white').stroke();
    line(document, 'Nobody sees this', { x: 80, y: 124 });
    document.fillColor('black');
    paragraph(document, prose(8), { x: 72, y: 160, width: 468 });
  });
  const { blocks } = await parsePdf(pdf);
  const text = blocks.map((block) => block.text).join('\n');
  assert.match(text, /Sizes of grains in two rivers/);
  assert.doesNotMatch(text, /Nobody/);
});
