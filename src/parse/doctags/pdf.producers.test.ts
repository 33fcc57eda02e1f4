import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bitmapPage } from '../../../test/support/bitmap-font.ts';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import type { Block } from '../document.ts';
import { openPdf } from './engines/pdfium.ts';
import { parsePdf } from './pdf.ts';

const OBLIQUE = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Oblique.ttf'));
const DEJAVU = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

// PDFs as browsers, office programs and report generators write them.

type PdfDocument = Parameters<Parameters<typeof makePdf>[0]>[0];
type TableBlock = Block & { kind: 'table' };

/** Rows of a table as texts, cell by cell. */
function rowsOf({ table }: TableBlock): string[] {
  return Array.from({ length: table.rows }, (_, row) =>
    table.cells
      .filter((cell) => cell.row === row)
      .map(({ text }) => text)
      .join(' | '),
  );
}

function isTable(block: Block): block is TableBlock {
  return block.kind === 'table';
}

/** A PDF of one page of text in Helvetica, shown by operators; `unicodes` maps codes to characters. */
function textPdf(show: string, unicodes = '', descriptor = ''): Uint8Array {
  const content = `BT /F 12 Tf 72 700 Td ${show} ET`;
  const map = `begincmap 1 begincodespacerange <00> <FF> endcodespacerange ${unicodes} endcmap`;
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj',
      '2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj',
      '3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>>> endobj',
      `4 0 obj <</Length ${content.length}>> stream\n${content}\nendstream endobj`,
      `5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R ${descriptor}>> endobj`,
      `6 0 obj <</Length ${map.length}>> stream\n${map}\nendstream endobj`,
      'trailer <</Root 1 0 R>>',
    ].join('\n'),
  );
}

test('only the clipped part of a drawing counts: the border of a heading is not a picture', async () => {
  const bytes = await makePdf((pdf) => {
    const section = (name: string, y: number): void => {
      line(pdf, name, { x: 72, y, size: 14, font: 'Helvetica-Bold' });
      pdf
        .save()
        .rect(72, y + 20, 468, 0.8)
        .clip()
        .path(`M 72 ${y - 10} h 468 v 31 h -468 v -31.5 Z`)
        .fill('#ccc')
        .restore();
      paragraph(pdf, prose(8, y), { x: 72, y: y + 30, width: 468 });
    };
    section('Introduction', 80);
    section('Methods', 300);
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.filter(({ kind }) => kind !== 'text').map(({ kind, text }) => [kind, text]),
    [
      ['heading', 'Introduction'],
      ['heading', 'Methods'],
    ],
  );
});

/**
 * Draws rows of three cells from y on, every second one shaded: cell by cell, or the page through a clip of its cells.
 */
function drawStriped(pdf: PdfDocument, rows: readonly string[][], y: number, how: 'cells' | 'clip'): void {
  const edges = [72, 240, 390, 540];
  rows.forEach((row, index) => {
    const top = y + 18 * index;
    if (index % 2 === 0) {
      pdf.save().fillColor('#e0e0e0');
      for (const [at, left] of edges.slice(0, 3).entries()) {
        pdf.rect(left, top, (edges[at + 1] ?? 0) - left, 18);
        if (how === 'cells') pdf.fill();
      }
      if (how === 'clip') pdf.clip().rect(0, 0, 612, 792).fill();
      pdf.restore();
    }
    pdf.fillColor('black');
    row.forEach((text, at) => text !== '' && line(pdf, text, { x: (edges[at] ?? 0) + 4, y: top + 4, size: 8 }));
  });
}

for (const how of ['cells', 'clip'] as const)
  test(`shaded rows over three pages are one table with its plain last row and one header (${how})`, async () => {
    const rows = Array.from({ length: 65 }, (_, index) => [
      index % 4 === 3 ? '' : `River ${index + 1}`,
      `${(index * 37) % 91}.5`,
      `${(index * 53) % 97} (0.${index + 10})`,
    ]);
    const head = ['River', 'Grains', 'Depth (m)'];
    const bytes = await makePdf((pdf) => {
      paragraph(pdf, prose(6, 1), { x: 72, y: 80, width: 468 });
      line(pdf, 'Table 1. Grains and depth of the rivers', { x: 72, y: 180 });
      drawStriped(pdf, [head, ...rows.slice(0, 13)], 200, how);
      for (const part of [rows.slice(13, 39), rows.slice(39)]) {
        pdf.addPage();
        drawStriped(pdf, [head, ...part], 72, how);
      }
      paragraph(pdf, prose(5, 2), { x: 72, y: 600, width: 468 });
    });
    const { blocks } = await parsePdf(bytes);
    const tables = blocks.filter(isTable);
    assert.deepEqual(tables.map(rowsOf), [[head, ...rows].map((row) => row.join(' | '))]);
    assert.deepEqual(
      blocks.filter(({ kind }) => kind === 'page_header'),
      [],
    );
  });

test('a running head on a band is not the header of the table with a caption below it', async () => {
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 4; page += 1) {
      if (page > 1) pdf.addPage();
      pdf.rect(72, 40, 468, 16).fill('#e0e0e0').rect(72, 640, 468, 16).fill('#e0e0e0').fillColor('black');
      line(pdf, 'Open rivers', { x: 470, y: 44 });
      line(pdf, 'a note', { x: 80, y: 644 });
      if (page === 3) {
        line(pdf, 'Table 1.', { x: 72, y: 64 });
        line(pdf, 'Rivers of the region', { x: 130, y: 64 });
      }
      paragraph(pdf, prose(30, page), { x: 72, y: 100, width: 468 });
    }
  });
  const heads = (await parsePdf(bytes)).blocks.filter(({ kind }) => kind === 'page_header');
  assert.deepEqual(
    heads.map(({ text }) => text),
    Array.from({ length: 4 }, () => 'Open rivers'),
  );
});

test('a number that happens to begin a line does not start a paragraph', async () => {
  const lines = [
    'The criteria of this study were as follows: 1. rivers of the plain with slow water;',
    '2. fields of wheat along the coast where farmers later grow barley; 3. small grains',
    'that settle in the plains of the south.',
  ];
  const bytes = await makePdf((pdf) => {
    const width =
      pdf
        .font('Times-Roman')
        .fontSize(10)
        .widthOfString(lines[0] ?? '') + 4;
    const y = paragraph(pdf, prose(6, 1), { x: 72, y: 80, width });
    for (const [index, text] of lines.entries()) line(pdf, text, { x: 72, y: y + 14 + 13 * index });
  });
  const { blocks } = await parsePdf(bytes);
  assert.equal(blocks.at(-1)?.text, lines.join(' '));
});

test('reference numbers that touch their text are labels', async () => {
  const entries = Array.from(
    { length: 11 },
    (_, index) => `Miller ${'ABCDEFGHIJK'[index]}, Stone B. ${prose(2, index + 1)} 1999.`,
  );
  const bytes = await makePdf((pdf) => {
    let y = paragraph(pdf, prose(10, 1), { x: 72, y: 80, width: 300 });
    line(pdf, 'References', { x: 72, y: y + 10, size: 12, font: 'Times-Bold' });
    y += 30;
    for (const [index, entry] of entries.entries()) {
      const label = `${index + 1}.`;
      line(pdf, label, { x: 90 - pdf.font('Times-Roman').fontSize(10).widthOfString(label), y });
      y = paragraph(pdf, entry, { x: index < 9 ? 94 : 90, y, width: 282 });
    }
  });
  const references = (await parsePdf(bytes)).blocks.filter((block) => block.kind === 'reference');
  assert.deepEqual(
    references.map(({ label }) => label),
    entries.map((_, index) => String(index + 1)),
  );
});

test('a space mapped to a tab is a space', async () => {
  const { metadata, blocks } = await parsePdf(textPdf('(The slow river) Tj', '1 beginbfchar <20> <0009> endbfchar'));
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ['The slow river'],
  );
  assert.deepEqual(metadata.characters, { unmapped: 0, renamed: 0, hidden: 0 });
  assert.equal(metadata.words?.found, 3);
});

test('the letters mapped to a ligature are one glyph', async () => {
  const ligature = (text: string): string => `/Span <</ActualText (${text})>> BDC (M) Tj EMC`;
  const { blocks } = await parsePdf(
    textPdf(`(a ) Tj ${ligature('fi')} (rst e) Tj ${ligature('ffi')} (cient river) Tj`),
  );
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ['a first efficient river'],
  );
});

test('lam and alef in one glyph are read in this order, however the file names the glyph', async () => {
  // As printed, from left to right: meem, lam-alef, seen.
  const show = `(${Array.from({ length: 12 }, () => 'DCB').join(' ')}) Tj`;
  for (const name of ['06440627', '06270644', 'FEFB', 'FEFC']) {
    const map = `4 beginbfchar <42> <0633> <43> <${name}> <44> <0645> <20> <0020> endbfchar`;
    const { blocks } = await parsePdf(textPdf(show, map));
    assert.deepEqual(
      blocks.map(({ text }) => text),
      [Array.from({ length: 12 }, () => 'سلام').join(' ')],
      name,
    );
  }
});

test('ligature letters with bytes swapped by Ghostscript are read', async () => {
  const { blocks } = await parsePdf(
    textPdf('(a Mrst eNcient river) Tj', '2 beginbfchar <4D> <66006900> <4E> <6600CF00> endbfchar'),
  );
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ['a first efficient river'],
  );
});

test('a font is not bold just because its stem width is large', async () => {
  const descriptor = '/FontDescriptor <</Type /FontDescriptor /FontName /Helvetica /Flags 32 /StemV 141>>';
  using file = await openPdf(textPdf('(The slow river) Tj', '', descriptor));
  assert.deepEqual(new Set(file.readPage(1)?.glyphs.map(({ font }) => font.bold)), new Set([false]));
});

test('pages with letters drawn as shapes or numbered from ✁ need OCR', async () => {
  const shapes = await makePdf((pdf) => {
    for (let at = 0; at < 1000; at += 1) pdf.circle(72 + 8 * (at % 50), 72 + 14 * Math.floor(at / 50), 3).fill('black');
  });
  assert.deepEqual((await parsePdf(shapes)).metadata.needsOcr, [1]);
  const numbered = textPdf(`(${'abcdefghij'.repeat(5)}) Tj`, '1 beginbfrange <61> <6A> <2701> endbfrange');
  assert.deepEqual((await parsePdf(numbered)).metadata.needsOcr, [1]);
});

for (const [cover, banner] of [
  ['that names its repository', 'Northern University Research Online'],
  ['that names only the paper', undefined],
])
  test(`title and authors are read from the paper after a cover sheet ${cover}`, async () => {
    const title = 'Sand and Clay in the Slow Rivers of the Southern Plains';
    const bytes = await makePdf((pdf) => {
      line(pdf, banner ?? title, { x: 72, y: 80, size: 18, font: 'Helvetica-Bold' });
      line(pdf, 'Article in Journal of Slow Rivers, May 2021', { x: 72, y: 120 });
      if (banner)
        line(pdf, `Miller, A. and Stone, B. (2021) ${title}. Journal of Slow Rivers, 12, 1-20.`, { x: 72, y: 140 });
      paragraph(pdf, prose(4, 3), { x: 72, y: 200, width: 468 });
      pdf.addPage();
      line(pdf, title, { x: 72, y: 60, size: 16, font: 'Times-Bold' });
      line(pdf, 'Anna Miller, Bernard Stone', { x: 72, y: 90 });
      line(pdf, 'Abstract', { x: 72, y: 120, size: 12, font: 'Times-Bold' });
      const y = paragraph(pdf, prose(6, 1), { x: 72, y: 140, width: 468 });
      line(pdf, '1 Introduction', { x: 72, y: y + 10, size: 12, font: 'Times-Bold' });
      paragraph(pdf, prose(20, 2), { x: 72, y: y + 30, width: 468 });
    });
    const { metadata } = await parsePdf(bytes);
    assert.equal(metadata.title, title);
    assert.deepEqual(metadata.authors, ['Anna Miller', 'Bernard Stone']);
  });

test('TeX bitmap fonts have ligatures at the codes of line ends, and dashes and quotes at braces', async () => {
  const unicodes = '2 beginbfchar <0C> <000C> <0D> <000D> endbfchar';
  const { blocks, metadata } = await parsePdf(
    textPdf(String.raw`(Figures 1{3 re\015ect the in\015uence of the \014rst \\slow" river's \014eld) Tj`, unicodes),
  );
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ['Figures 1–3 reflect the influence of the first “slow” river’s field'],
  );
  assert.equal(metadata.characters?.unmapped, 0);
});

test('letters of a Type 3 font are as large as they are drawn, whatever size the file says', async () => {
  const [body, head] = [10, 16].map((size) => ({ size, unitsPerPoint: 1 / 0.12 }));
  assert.ok(body && head);
  const words = prose(60).split(' ');
  const rows = Array.from({ length: 50 }, (_, row) => words.slice(14 * row, 14 * row + 14).join(' '));
  const { blocks, metadata } = await parsePdf(
    bitmapPage([
      { text: 'Rivers of Sand and Clay', x: 200, y: 710, font: head },
      ...rows.map((text, row) => ({ text, x: 72, y: 660 - 12 * row, font: body })),
    ]),
  );
  assert.equal(blocks.find(({ kind }) => kind === 'title')?.text, 'Rivers of Sand and Clay');
  const text = blocks.map((block) => block.text).join(' ');
  for (const row of rows) assert.ok(text.includes(row), row);
  assert.equal(metadata.words?.kept, metadata.words?.found);
});

/** One black pixel, stretched where it is drawn. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

test('a table whose rules are images is a table, and the sentence above it stays text', async () => {
  const cells = [
    ['River', 'Sand', 'Clay'],
    ['Oder', '12.5', '3.1'],
    ['Elbe', '14.0', '2.7'],
    ['', '', '9.9'],
  ];
  const bytes = await makePdf((pdf) => {
    const rule = (x: number, y: number, width: number, height: number): void =>
      void pdf.image(PIXEL, x, y, { width, height });
    paragraph(pdf, `${prose(8)} The grains are counted.`, { x: 72, y: 80, width: 240 });
    const top = pdf.y + 4;
    for (let row = 0; row <= cells.length; row += 1) rule(90, top + 12 * row, 180, 0.5);
    cells.forEach((texts, row) => {
      for (let column = 0; column <= texts.length; column += 1) rule(90 + 60 * column, top + 12 * row + 0.6, 0.5, 11.2);
      texts.forEach((text, column) => line(pdf, text, { x: 94 + 60 * column, y: top + 12 * row + 2, size: 9 }));
    });
    line(pdf, 'Table 1. Sand and clay in rivers.', { x: 90, y: top + 60, size: 9 });
    paragraph(pdf, prose(8, 2), { x: 72, y: top + 90, width: 240 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'picture').map(({ text }) => text),
    [],
  );
  const table = blocks.find((block) => block.kind === 'table');
  assert.deepEqual(table?.kind === 'table' && table.table.cells.map(({ text }) => text), cells.flat());
  assert.ok(blocks.some(({ kind, text }) => kind === 'text' && text.endsWith('The grains are counted.')));
});

/** The same file with other Unicode values for some signs, in the fonts that have no letters. */
function misnamed(pdf: Uint8Array, names: Readonly<Record<string, string>>): Uint8Array {
  const hex = (text: string): string => text.charCodeAt(0).toString(16).padStart(4, '0');
  let text = Buffer.from(pdf).toString('latin1');
  for (const [sign, name] of Object.entries(names)) {
    assert.ok(text.includes(`<${hex(sign)}>`), sign);
    text = text.replaceAll(`<${hex(sign)}>`, `<${hex(name)}>`);
  }
  return Buffer.from(text, 'latin1');
}

test('a sign that the file names by a letter or digit is what its outline shows, or unknown', async () => {
  const bytes = await makePdf(
    (pdf) => {
      pdf.registerFont('signs', DEJAVU);
      paragraph(pdf, prose(6), { x: 72, y: 72, width: 468 });
      const pieces = ['The titre of the masks was ', '≤', '0.97', '±', '0.01 and ', '♞', ' at 37', '°', 'C.'];
      let x = 72;
      for (const piece of pieces) {
        const font = /[≤±♞°]/.test(piece) ? 'signs' : 'Times-Roman';
        pdf.font(font).fontSize(10).text(piece, x, 300, { lineBreak: false, baseline: 'alphabetic' });
        x += pdf.widthOfString(piece);
      }
    },
    { compress: false },
  );
  const { blocks, metadata } = await parsePdf(misnamed(bytes, { '≤': '#', '±': '6', '♞': 'm', '°': 'u' }));
  assert.match(blocks.at(-1)?.text ?? '', /masks was ≤0\.97±0\.01 and \ufffd at 37°C\.$/);
  assert.deepEqual([metadata.characters?.renamed, metadata.characters?.unmapped], [3, 1]);
});

test('a word is one word although letters are moved inside it, where the file has spaces between words', async () => {
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, prose(6), { x: 72, y: 72, width: 468 });
    line(pdf, 'As', { x: 72, y: 300 });
    const font = Object.keys((pdf.page as unknown as { fonts: object }).fonts).at(-1);
    pdf.addContent(
      `BT /${font} 10 Tf 1 0 0 -1 90 307 Tm [(the Refer) -180 (enc) -180 (es of our Figur) -180 (e show it)] TJ ET`,
    );
  });
  const text = (await parsePdf(bytes)).blocks.map((block) => block.text).join(' ');
  assert.match(text, /the References of our Figure show it/);
});

test('letters of an italic font stay as they are named, however they look', async () => {
  const bytes = await makePdf(
    (pdf) => {
      pdf.registerFont('TestSans-Oblique', OBLIQUE);
      paragraph(pdf, prose(6), { x: 72, y: 72, width: 468 });
      let x = 72;
      for (const piece of ['We change x to ', '♞', ' in place.']) {
        pdf.font(piece === '♞' ? 'TestSans-Oblique' : 'Times-Roman').fontSize(10);
        pdf.text(piece, x, 300, { lineBreak: false, baseline: 'alphabetic' });
        x += pdf.widthOfString(piece);
      }
    },
    { compress: false },
  );
  const { blocks } = await parsePdf(misnamed(bytes, { '♞': 'm' }));
  assert.match(blocks.at(-1)?.text ?? '', /We change x to m in place\.$/);
});
