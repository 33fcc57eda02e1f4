import assert from 'node:assert/strict';
import { test } from 'node:test';

import { textsOf } from '../../../test/support/document-blocks.ts';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import { parsePdf } from './pdf.ts';

test('formulas, running heads and exercises of a book are not headings', async () => {
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 6; page += 1) {
      if (page > 1) pdf.addPage();
      line(pdf, page % 2 === 0 ? `${page}   CHAPTER 3. SLOW WATER` : `3.2. SAND AND CLAY   ${page}`, { x: 72, y: 40 });
      if (page === 1) line(pdf, '3.2 Sand and clay', { x: 72, y: 76, size: 14, font: 'Times-Bold' });
      let y = paragraph(pdf, prose(8, page), { x: 72, y: 104, width: 468 });
      line(pdf, `x = ${page} y + 2 z`, { x: 250, y: y + 10, font: 'Times-BoldItalic' });
      line(pdf, `(3.${page})`, { x: 515, y: y + 10 });
      y = paragraph(pdf, prose(8, page + 10), { x: 72, y: y + 34, width: 468 });
      for (const number of [1, 2, 3]) {
        pdf
          .font('Times-Bold')
          .fontSize(10)
          .text(`Exercise 3.${3 * page + number}. `, 72, y + 8, { continued: true });
        pdf.font('Times-Roman').text(prose(2, 30 + 3 * page + number), { width: 468, lineGap: 2 });
        y = pdf.y;
      }
    }
  });
  const document = await parsePdf(bytes);
  assert.deepEqual([...textsOf(document, 'title'), ...textsOf(document, 'heading')], ['3.2 Sand and clay']);
  assert.deepEqual(
    textsOf(document, 'formula'),
    [1, 2, 3, 4, 5, 6].map((page) => `x = ${page} y + 2 z (3.${page})`),
  );
  assert.equal(textsOf(document, 'page_header').length, 6);
  const flow = [...textsOf(document, 'text'), ...textsOf(document, 'list_item')].join(' ');
  assert.ok(!flow.includes('CHAPTER 3'), 'a running head is not text');
  assert.ok(flow.includes(prose(2, 34).slice(0, 40)), 'an exercise is text');
});

test('references with superscript numbers below a short rule are not footnotes', async () => {
  const entries = Array.from(
    { length: 12 },
    (_, index) => `A. Miller and B. Stone, Phys. Rev. B ${index + 41}, 104${index + 10} (19${80 + index}).`,
  );
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(16).text('Slow Water in Broad Plains', 72, 50, { width: 468, align: 'center' });
    const y = paragraph(pdf, prose(30, 3), { x: 72, y: 100, width: 468 });
    pdf.addPage();
    let next = paragraph(pdf, prose(20, 4), { x: 72, y: 72, width: 468 }) + 20;
    assert.ok(y < 720);
    pdf
      .moveTo(250, next - 8)
      .lineTo(362, next - 8)
      .stroke();
    entries.forEach((entry, index) => {
      line(pdf, String(index + 1), { x: index < 9 ? 78.75 : 76, y: next - 2, size: 5.5 });
      line(pdf, entry, { x: 83, y: next, size: 9 });
      next += 11;
    });
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(textsOf(document, 'footnote'), []);
  assert.deepEqual(
    textsOf(document, 'reference').map((text) => text.replace(/^\D{0,2}\d+\D?\s*(?=A\.)/, '')),
    entries,
  );
});

test('a short second title line and a heading at the top of a column are not joined with the next column', async () => {
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(18);
    pdf.text('How Slow Water Carries Sand over Long and Broad', 72, 50, { lineBreak: false });
    pdf.text('Plains', 72, 72, { lineBreak: false });
    line(pdf, 'A note from the editors', { x: 330, y: 78, size: 9 });
    paragraph(pdf, prose(22, 1), { x: 72, y: 120, width: 220 });
    paragraph(pdf, prose(22, 2), { x: 320, y: 120, width: 220 });
    pdf.addPage();
    paragraph(pdf, prose(24, 3), { x: 72, y: 72, width: 220 });
    line(pdf, 'REFERENCES', { x: 320, y: 72, size: 10, font: 'Times-Bold' });
    let y = 92;
    for (let index = 1; index < 9; index += 1)
      y = paragraph(pdf, `[${index}] A. Miller, ${prose(1, index)} J. Riv. ${index}, 45 (1990).`, {
        x: 320,
        y,
        width: 220,
      });
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(textsOf(document, 'title'), ['How Slow Water Carries Sand over Long and Broad Plains']);
  assert.ok(textsOf(document, 'heading').includes('REFERENCES'));
  assert.equal(textsOf(document, 'reference').length, 8);
});

test('the first reference of a slide is not a page number, and spaced last letters belong to their word', async () => {
  const bytes = await makePdf(
    (pdf) => {
      for (let page = 1; page <= 4; page += 1) {
        if (page > 1) pdf.addPage();
        line(pdf, page === 4 ? 'References' : `Part ${page}`, { x: 30, y: 20, size: 18, font: 'Helvetica-Bold' });
        if (page < 4) {
          paragraph(pdf, prose(3, page), { x: 30, y: 70, width: 300, size: 12 });
          // Old fonts advance too far after the last letter but one.
          line(pdf, 'Figur', { x: 30, y: 160, size: 10 });
          line(pdf, `e ${page}. Sand and water of the plain in spring`, {
            x: 30 + pdf.widthOfString('Figur') + (page === 1 ? 0.8 : 1.3),
            y: 160,
            size: 10,
          });
          continue;
        }
        for (let index = 1; index <= 4; index += 1)
          line(pdf, `[${index}] A. Miller, On rivers and plains, J. Riv. ${index}, 45 (1990).`, {
            x: 30,
            y: 60 + 24 * index,
            size: 10,
          });
      }
    },
    { size: [362, 272] },
  );
  const document = await parsePdf(bytes);
  assert.equal(textsOf(document, 'reference').length, 4);
  assert.match(textsOf(document, 'reference')[0] ?? '', /^\[?1/);
  const all = document.blocks.map(({ text }) => text).join(' ');
  for (const number of [1, 2, 3]) assert.ok(all.includes(`Figure ${number}.`), all.slice(0, 600));
});

test('a reference list with one entry per slide is recognised', async () => {
  const entries = [1, 2, 3].map((number) => `A. Miller, ${prose(5, number)} J. Riv. ${number}, 45 (1990).`);
  const bytes = await makePdf(
    (pdf) => {
      line(pdf, 'Slow Water', { x: 30, y: 20, size: 18, font: 'Helvetica-Bold' });
      paragraph(pdf, prose(5, 9), { x: 30, y: 70, width: 300, size: 12 });
      entries.forEach((entry, index) => {
        pdf.addPage();
        if (index === 0) line(pdf, 'References', { x: 30, y: 20, size: 18, font: 'Helvetica-Bold' });
        line(pdf, `[${index + 1}]`, { x: 30, y: 60, size: 10 });
        paragraph(pdf, entry, { x: 55, y: 60, width: 260 });
      });
    },
    { size: [362, 272] },
  );
  const document = await parsePdf(bytes);
  assert.deepEqual(
    textsOf(document, 'reference').map((text) => text.slice(0, 13)),
    ['[1] A. Miller', '[2] A. Miller', '[3] A. Miller'],
  );
});

test('sections of a thesis are below its chapters, and its table of contents has no headings', async () => {
  const names = ['The upper river', 'A broad plain', 'Where it meets the sea'];
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Rivers of the Plain', { x: 150, y: 200, size: 24, font: 'Times-Bold' });
    pdf.addPage();
    line(pdf, 'Contents', { x: 72, y: 80, size: 24, font: 'Times-Bold' });
    for (let chapter = 1; chapter <= 3; chapter += 1) {
      line(pdf, `${chapter}   ${names[chapter - 1]}`, { x: 72, y: 80 + 60 * chapter, size: 12, font: 'Times-Bold' });
      line(pdf, String(4 * chapter), { x: 530, y: 80 + 60 * chapter, size: 12, font: 'Times-Bold' });
      line(pdf, `${chapter}.1 Background ${'. '.repeat(60)} ${4 * chapter}`, {
        x: 90,
        y: 100 + 60 * chapter,
        size: 12,
      });
    }
    for (let chapter = 1; chapter <= 3; chapter += 1) {
      pdf.addPage();
      line(pdf, `Chapter ${chapter}`, { x: 72, y: 80, size: 20, font: 'Times-Bold' });
      line(pdf, `${names[chapter - 1]}`, { x: 72, y: 116, size: 24, font: 'Times-Bold' });
      line(pdf, `${chapter}.1   Background`, { x: 72, y: 170, size: 14, font: 'Times-Bold' });
      let y = paragraph(pdf, prose(12, chapter), { x: 72, y: 200, width: 468, size: 12 });
      line(pdf, `${chapter}.2   Methods`, { x: 72, y: y + 20, size: 14, font: 'Times-Bold' });
      y = paragraph(pdf, prose(12, chapter + 3), { x: 72, y: y + 50, width: 468, size: 12 });
      assert.ok(y < 720);
      for (const page of [1, 2, 3]) {
        pdf.addPage();
        paragraph(pdf, prose(20, 10 * page + chapter), { x: 72, y: 80, width: 468, size: 12 });
      }
    }
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.flatMap((block) => (block.kind === 'heading' ? [[block.level, block.text]] : [])),
    [
      [1, 'Contents'],
      ...[1, 2, 3].flatMap((chapter) => [
        [1, `Chapter ${chapter} ${names[chapter - 1]}`],
        [2, `${chapter}.1 Background`],
        [2, `${chapter}.2 Methods`],
      ]),
    ],
  );
});
