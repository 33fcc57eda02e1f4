import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { ofKind, textsOf } from '../../../test/support/document-blocks.ts';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import { parsePdf } from './pdf.ts';

test('two columns below a title are read in order, and a paragraph continues in the second', async () => {
  const left = prose(22, 1);
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(18).text('A Study of Rivers and Plains', 72, 60, { width: 468, align: 'center' });
    let y = paragraph(pdf, left, { x: 72, y: 120, width: 220 });
    assert.ok(y < 740);
    y = 120;
    paragraph(pdf, `and ${prose(12, 2)}`, { x: 320, y, width: 220 });
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(textsOf(document, 'title'), ['A Study of Rivers and Plains']);
  const body = textsOf(document, 'text').join(' ');
  assert.ok(body.startsWith(left.slice(0, 80)));
  assert.ok(body.includes(left.slice(-60)), 'the left column is not interrupted by the right one');
  assert.ok(body.indexOf(left.slice(-60)) < body.indexOf('and '.concat(prose(12, 2).slice(0, 40))));
  assert.equal(document.metadata.quality.columns, 2);
});

test('words hyphenated at a line end are joined if the document has the whole word', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'We measure the sedimentation of the river and its well-known delta in the plain of the', {
      x: 72,
      y: 100,
    });
    line(pdf, 'south. Later the sedimen-', { x: 72, y: 112 });
    line(pdf, 'tation was faster, as in other well-', { x: 72, y: 124 });
    line(pdf, 'known places of the coast where the water is slow and the grains are small and light.', {
      x: 72,
      y: 136,
    });
  });
  const text = textsOf(await parsePdf(bytes), 'text').join(' ');
  assert.match(text, /the sedimentation was faster/);
  assert.match(text, /other well-known places/);
});

test('a hyphen followed by a soft hyphen at a line end is one hyphen', async () => {
  const font = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));
  const draw = (pdf: Parameters<typeof line>[0]): void => {
    line(pdf, 'The trial has a non-inferior arm and the sand of the river is carried over the', {
      x: 72,
      y: 100,
      font,
    });
    line(pdf, 'plain in a non¬', { x: 72, y: 112, font });
    line(pdf, 'inferior way to distant towns along the coast where the farmers grow wheat.', { x: 72, y: 124, font });
  };
  // The glyph is mapped to a hyphen and a soft hyphen.
  const drawn = Buffer.from(await makePdf(draw, { compress: false })).toString('latin1');
  assert.match(drawn, /<00ac>/);
  const text = textsOf(await parsePdf(Buffer.from(drawn.replaceAll('<00ac>', '<002d00ad>'), 'latin1')), 'text').join(
    ' ',
  );
  assert.match(text, /in a non-inferior way/);
});

test('a hyphen without width marks where a word may be broken, and is not shown', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Sand of the well-known river', { x: 72, y: 100 });
    const font = Object.keys((pdf.page as unknown as { fonts: object }).fonts).at(-1);
    pdf.addContent(`BT /${font} 10 Tf 1 0 0 -1 72 120 Tm (is sedi) Tj 0 Tz (-) Tj 100 Tz (mented on the plain) Tj ET`);
  });
  const { blocks } = await parsePdf(bytes);
  assert.match(blocks.map(({ text }) => text).join(' '), /well-known river is sedimented on the plain/);
});

test('running heads and page numbers are not in the text flow, and are first and last on their page', async () => {
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 4; page += 1) {
      if (page > 1) pdf.addPage();
      line(pdf, 'Journal of Slow Rivers', { x: 72, y: 30, size: 8 });
      paragraph(pdf, prose(20, page), { x: 72, y: 80, width: 468 });
      line(pdf, String(page + 10), { x: 300, y: 760, size: 8 });
    }
  });
  const document = await parsePdf(bytes);
  assert.equal(textsOf(document, 'page_header').length, 4);
  assert.deepEqual(textsOf(document, 'page_footer'), ['11', '12', '13', '14']);
  assert.ok(!textsOf(document, 'text').some((text) => text.includes('Journal of Slow Rivers')));
  assert.equal(document.blocks[0]?.kind, 'page_header');
  assert.equal(document.blocks.at(-1)?.kind, 'page_footer');
});

test('page numbers may follow an article number, and equation numbers at the foot are not page numbers', async () => {
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 3; page += 1) {
      if (page > 1) pdf.addPage();
      paragraph(pdf, prose(30, page), { x: 72, y: 80, width: 468 });
      line(pdf, ['a = b + c', 'the sum of grains x', 'p > q'][page - 1] ?? '', { x: 200, y: 700 });
      line(pdf, `(${10 * page + page})`, { x: 500, y: 700 });
      line(pdf, `045009-${page}`, { x: 280, y: 760, size: 8 });
    }
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(textsOf(document, 'page_footer'), ['045009-1', '045009-2', '045009-3']);
  const body = document.blocks.map((block) => block.text).join('\n');
  for (const number of ['(11)', '(22)', '(33)']) assert.ok(body.includes(number), number);
});

test('headings are recognised by weight and number, and their numbers give the levels', async () => {
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(18).text('On the Motion of Sand', 72, 50, { width: 468, align: 'center' });
    let y = 100;
    const section = (name: string, size: number, seed: number): void => {
      line(pdf, name, { x: 72, y: y + 8, size, font: 'Times-Bold' });
      y = paragraph(pdf, prose(6, seed), { x: 72, y: y + 28, width: 468 });
    };
    section('1 Introduction', 12, 1);
    section('2 Methods', 12, 2);
    section('2.1 Field work', 10, 3);
    section('Theorem 1.', 10, 4);
    section('References', 12, 5);
  });
  const headings = ofKind(await parsePdf(bytes), 'heading').map((block) => [block.level, block.text]);
  assert.deepEqual(headings, [
    [1, '1 Introduction'],
    [1, '2 Methods'],
    [2, '2.1 Field work'],
    [1, 'References'],
  ]);
});

test('numbered and bulleted lists become items with their markers', async () => {
  const bytes = await makePdf((pdf) => {
    let y = paragraph(pdf, prose(4, 1), { x: 72, y: 80, width: 468 }) + 6;
    for (const item of ['1. Take a sample from the river bed', '2. Dry it in the sun', '3. Weigh the grains']) {
      line(pdf, item, { x: 90, y });
      y += 14;
    }
    for (const item of ['first look at the colour', 'then look at the shape']) {
      line(pdf, `• ${item}`, { x: 108, y });
      y += 14;
    }
    paragraph(pdf, prose(4, 2), { x: 72, y: y + 6, width: 468 });
  });
  const items = ofKind(await parsePdf(bytes), 'list_item');
  assert.deepEqual(
    items.map((item) => [item.marker, item.ordered, item.depth, item.text]),
    [
      ['1.', true, 0, 'Take a sample from the river bed'],
      ['2.', true, 0, 'Dry it in the sun'],
      ['3.', true, 0, 'Weigh the grains'],
      ['•', false, 1, 'first look at the colour'],
      ['•', false, 1, 'then look at the shape'],
    ],
  );
});

test('drawn bullets make a list', async () => {
  const items = ['sand and clay are carried over long distances', 'grains settle where currents are slow', 'wheat'];
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, prose(6), { x: 72, y: 72, width: 468 });
    items.forEach((text, index) => {
      pdf.circle(88, 206 + 14 * index, 1.6).fill('black');
      line(pdf, text, { x: 98, y: 202 + 14 * index });
    });
    paragraph(pdf, prose(6, 2), { x: 72, y: 270, width: 468 });
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(
    ofKind(document, 'list_item').map(({ text, marker }) => [marker, text]),
    items.map((text) => ['•', text]),
  );
});

test('a footnote is separated from the body text', async () => {
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, prose(20, 3), { x: 72, y: 80, width: 468 });
    pdf.moveTo(72, 700).lineTo(200, 700).lineWidth(0.4).stroke();
    line(pdf, '1', { x: 72, y: 703, size: 5 });
    line(pdf, 'The plain was flooded twice in the years before.', { x: 76, y: 705, size: 8 });
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(textsOf(document, 'footnote'), ['1 The plain was flooded twice in the years before.']);
});

test('headings in one style have one level, whatever their text', async () => {
  const names = ['Introduction', 'Where the sand goes', 'Results', 'What the river leaves', 'Conclusions'];
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(18).text('On the Motion of Sand', 72, 50, { width: 468, align: 'center' });
    let y = 90;
    names.forEach((name, index) => {
      line(pdf, name, { x: 72, y: y + 8, size: 12, font: 'Times-Bold' });
      y = paragraph(pdf, prose(5, index + 1), { x: 72, y: y + 28, width: 468 });
    });
  });
  assert.deepEqual(
    ofKind(await parsePdf(bytes), 'heading').map(({ level, text }) => [level, text]),
    names.map((name) => [1, name]),
  );
});

test('links are found at the words they cover', async () => {
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, prose(5, 1), { x: 72, y: 80, width: 468 });
    pdf
      .font('Times-Roman')
      .fontSize(10)
      .text('See our page for the data of this study.', 72, 200, { lineBreak: false });
    const from = pdf.widthOfString('See our ');
    pdf.link(72 + from, 200, pdf.widthOfString('page'), 11, 'https://rivers.example/data');
  });
  const block = ofKind(await parsePdf(bytes), 'text').find((each) => each.links !== undefined);
  assert.ok(block);
  const [link] = block.links ?? [];
  assert.ok(link);
  assert.equal(block.text.slice(link.start, link.end), 'page');
  assert.equal(link.url, 'https://rivers.example/data');
});

test('links to another page are found at the exact digits they cover', async () => {
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, prose(5, 1), { x: 72, y: 80, width: 468 });
    const text = 'In 1991 and 1919 others found 19 of them in the same river [19] and said so again [1].';
    pdf.font('Times-Roman').fontSize(10).text(text, 72, 200, { lineBreak: false });
    for (const [before, shown] of [
      ['In 1991 and 1919 others found 19 of them in the same river [', '19'],
      [text.slice(0, -3), '1'],
    ] as const)
      pdf.goTo(72 + pdf.widthOfString(before), 200, pdf.widthOfString(shown), 11, 'list');
    pdf.addPage();
    pdf.addNamedDestination('list');
    paragraph(pdf, prose(5, 2), { x: 72, y: 80, width: 468 });
  });
  const block = ofKind(await parsePdf(bytes), 'text').find((each) => each.jumps !== undefined);
  assert.deepEqual(
    block?.jumps?.map(({ start, end, page }) => [block.text.slice(start - 1, end + 1), page]),
    [
      ['[19]', 2],
      ['[1]', 2],
    ],
  );
});

test('line numbers of a manuscript are not text, also on the title page', async () => {
  const bytes = await makePdf((pdf) => {
    let number = 0;
    const numbered = (text: string, y: number, more: { size?: number; font?: string; x?: number } = {}): void => {
      number += 1;
      line(pdf, String(number), { x: 60 - 4 * String(number).length, y: y + 3, size: 8 });
      line(pdf, text, { x: 72, y, ...more });
    };
    numbered('Rivers and their sediments', 60, { size: 18, font: 'Times-Bold', x: 180 });
    numbered('Ada Stone and Carl Brook', 90, { size: 12, x: 230 });
    numbered('November 17, 2026', 120, { size: 12, x: 250 });
    numbered('Abstract', 160, { size: 12, font: 'Times-Bold' });
    const words = prose(60, 3).split(' ');
    const text = (y: number): void => numbered(words.splice(0, 12).join(' '), y);
    for (const y of [180, 200, 220]) text(y);
    numbered('Introduction', 260, { size: 12, font: 'Times-Bold' });
    for (let y = 284; y < 420; y += 20) text(y);
    for (let page = 2; page <= 3; page += 1) {
      pdf.addPage();
      for (let y = 80; y < 500; y += 20) text(y);
    }
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(document.metadata.title, 'Rivers and their sediments');
  assert.deepEqual(document.metadata.authors, ['Ada Stone', 'Carl Brook']);
  assert.deepEqual(textsOf(document, 'heading'), ['Abstract', 'Introduction']);
  assert.doesNotMatch(textsOf(document, 'text').join(' ').replace('November 17, 2026', ''), /\d/);
});

test('code in a smaller face inside a sentence stays in the sentence', async () => {
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, prose(6), { x: 72, y: 72, width: 468 });
    let x = 72;
    for (const [text, font, size] of [
      ['It is faster to replace the line', 'Times-Roman', 10],
      ['acc = acc + el', 'Courier', 7.5],
      ['by another line in this loop.', 'Times-Roman', 10],
    ] as const) {
      pdf.font(font).fontSize(size).text(text, x, 300, { lineBreak: false, baseline: 'alphabetic' });
      x += pdf.widthOfString(text) + 6;
    }
  });
  const { blocks } = await parsePdf(bytes);
  assert.match(blocks.at(-1)?.text ?? '', /replace the line acc = acc \+ el by another line/);
});

test('three narrow columns are read one after the other', async () => {
  const columns = [prose(7, 7), prose(7, 8), prose(7, 9)];
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(18).text('News from Rivers and Plains', 72, 60, { width: 468, align: 'center' });
    const y = paragraph(pdf, prose(8, 4), { x: 140, y: 100, width: 336 });
    columns.forEach((text, index) => pdf.text(text, 140 + 118 * index, y + 20, { width: 100, lineGap: 2 }));
  });
  const document = await parsePdf(bytes);
  const words = document.blocks.map(({ text }) => text).join(' ');
  for (const text of columns) assert.ok(words.includes(text.slice(20, 300)), text.slice(0, 40));
});
