import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import type { Block, ParsedDocument } from '../document.ts';
import { parsePdf, renderPage } from './pdf.ts';

function ofKind<K extends Block['kind']>(document: ParsedDocument, kind: K): (Block & { kind: K })[] {
  return document.blocks.filter((block): block is Block & { kind: K } => block.kind === kind);
}

function texts(document: ParsedDocument, kind: Block['kind']): string[] {
  return ofKind(document, kind).map((block) => block.text);
}

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
  assert.deepEqual(texts(document, 'title'), ['A Study of Rivers and Plains']);
  const body = texts(document, 'text').join(' ');
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
  const text = texts(await parsePdf(bytes), 'text').join(' ');
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
  const text = texts(await parsePdf(Buffer.from(drawn.replaceAll('<00ac>', '<002d00ad>'), 'latin1')), 'text').join(' ');
  assert.match(text, /in a non-inferior way/);
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
  assert.equal(texts(document, 'page_header').length, 4);
  assert.deepEqual(texts(document, 'page_footer'), ['11', '12', '13', '14']);
  assert.ok(!texts(document, 'text').some((text) => text.includes('Journal of Slow Rivers')));
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
  assert.deepEqual(texts(document, 'page_footer'), ['045009-1', '045009-2', '045009-3']);
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
  assert.deepEqual(texts(document, 'footnote'), ['1 The plain was flooded twice in the years before.']);
});

test('references are split at their labels and have DOI and arXiv id', async () => {
  const entries = [
    '[1] A. Miller and B. Stone. Sand in slow water. Journal of Rivers, 12:1-20, 1999. doi:10.1234/river.1999.12',
    '[2] C. Brook. Clay and its movement over long distances in broad plains. arXiv preprint arXiv:2101.01234, 2021.',
    '[3] D. Field. Wheat. Farm Press, 1985.',
  ];
  const bytes = await makePdf((pdf) => {
    let y = paragraph(pdf, prose(10, 1), { x: 72, y: 80, width: 300 });
    line(pdf, 'References', { x: 72, y: y + 10, size: 12, font: 'Times-Bold' });
    y += 30;
    for (const entry of entries) y = paragraph(pdf, entry, { x: 72, y, width: 300 });
  });
  const references = ofKind(await parsePdf(bytes), 'reference');
  assert.deepEqual(
    references.map(({ label, doi, arxivId }) => [label, doi, arxivId]),
    [
      ['1', '10.1234/river.1999.12', undefined],
      ['2', undefined, '2101.01234'],
      ['3', undefined, undefined],
    ],
  );
  assert.deepEqual(references[2]?.text, entries[2]);
});

test('references without numbers are split at name-year labels, or at the white space between them', async () => {
  const entries = [
    [
      'Dietz A, Moor B, Tarn C: Slow water in the plains of the south and its',
      'Grains. Journal of Sand. 1989;',
      'Publisher Full Text',
    ],
    ['Elm D: On the colour of river beds. Journal of', 'Sand. 1991; 3: 12–14.', 'Reference Source'],
    ['Fern E, Gorse F: The weight of small', 'Stones. Rivers. 1993; 4: 1–9.', 'PubMed Abstract'],
    ['Hazel G: Where a delta ends. Coasts. 1995; 2: 7–8.', 'Publisher Full Text'],
  ];
  const list = async (label: (index: number) => string, gap: number): Promise<string[]> => {
    const bytes = await makePdf((pdf) => {
      let y = paragraph(pdf, prose(12, 1), { x: 72, y: 60, width: 468 });
      line(pdf, 'References', { x: 72, y: y + 10, size: 12, font: 'Times-Bold' });
      y += 32;
      entries.forEach((entry, index) => {
        entry.forEach((text, at) => {
          line(pdf, at === 0 ? label(index) + text : text, { x: 72, y, size: 8 });
          y += 9.6;
        });
        y += gap;
      });
    });
    return texts(await parsePdf(bytes), 'reference');
  };
  const spaced = await list(() => '', 3);
  assert.deepEqual(
    spaced.map((text) => text.split(/[\s,:]/)[0]),
    ['Dietz', 'Elm', 'Fern', 'Hazel'],
  );
  const labels = ['[Die89] ', '[Elm91] ', '[FG93] ', '[Haz95a] '];
  const labelled = await list((index) => labels[index] ?? '', 0);
  assert.deepEqual(
    labelled.map((text) => text.split(' ')[0]),
    labels.map((label) => label.trim()),
  );
});

test('the references of a letter need no heading, and its text stays text', async () => {
  const body = prose(24, 3);
  const entries = Array.from(
    { length: 9 },
    (_, index) => `[${index + 1}] A. Miller and B. Stone, J. Riv. ${index + 11}, 045${index} (19${80 + index}).`,
  );
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(16).text('Slow Water in Broad Plains', 72, 50, { width: 468, align: 'center' });
    let y = paragraph(pdf, body, { x: 72, y: 100, width: 468 }) + 14;
    for (const entry of entries) {
      line(pdf, entry, { x: 72, y, size: 8 });
      y += 10;
    }
  });
  const document = await parsePdf(bytes);
  assert.deepEqual(texts(document, 'reference'), entries);
  assert.equal(texts(document, 'text').join(' ').replaceAll(/\s+/g, ' '), body);
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

test('authors, date, abstract and references of a French paper are read', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Les rivières et leurs sédiments', { x: 150, y: 60, size: 18, font: 'Times-Bold' });
    line(pdf, 'Éloïse Lefèvre', { x: 260, y: 95, size: 12 });
    line(pdf, '3 May 2022', { x: 265, y: 115, size: 12 });
    line(pdf, 'Résumé', { x: 72, y: 150, size: 12, font: 'Times-Bold' });
    let y = paragraph(pdf, prose(4, 1), { x: 72, y: 170, width: 468 });
    line(pdf, '1. Introduction', { x: 72, y: y + 12, size: 12, font: 'Times-Bold' });
    y = paragraph(pdf, prose(20, 2), { x: 72, y: y + 32, width: 468 });
    line(pdf, 'Références bibliographiques', { x: 72, y: y + 12, size: 12, font: 'Times-Bold' });
    line(pdf, '[1] Lefèvre É. (2015). Les rivières. Revue de l’eau, 3, 1–10.', { x: 72, y: y + 32 });
    line(pdf, '[2] Côté F. (2010). Hydrologie. Paris.', { x: 72, y: y + 46 });
  });
  const { metadata, ...document } = await parsePdf(bytes);
  assert.deepEqual(metadata.authors, ['Éloïse Lefèvre']);
  assert.equal(metadata.imprint?.date, '2022-05-03');
  assert.equal(metadata.abstract, prose(4, 1));
  assert.deepEqual(
    ofKind({ ...document, metadata }, 'reference').map(({ label }) => label),
    ['1', '2'],
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
  assert.deepEqual(texts(document, 'heading'), ['Abstract', 'Introduction']);
  assert.doesNotMatch(texts(document, 'text').join(' ').replace('November 17, 2026', ''), /\d/);
});

test('authors side by side below a title are read before the columns below them', async () => {
  const [left, right] = [prose(24, 5), prose(24, 6)];
  const bytes = await makePdf((pdf) => {
    pdf.font('Times-Roman').fontSize(22).text('A Study of Rivers and Plains', 72, 60, { width: 468, align: 'center' });
    for (const [x, name, place] of [
      [72, 'Ada Stone', 'University of the Plain'],
      [320, 'Carl Brook', 'Institute of Rivers'],
    ] as const) {
      pdf.font('Times-Roman').fontSize(11).text(name, x, 110, { width: 220, align: 'center' });
      pdf.font('Times-Italic').fontSize(10).text(place, x, 124, { width: 220, align: 'center' });
    }
    paragraph(pdf, left, { x: 72, y: 170, width: 220 });
    paragraph(pdf, right, { x: 320, y: 170, width: 220 });
  });
  const document = await parsePdf(bytes);
  const words = document.blocks.map(({ text }) => text).join(' ');
  const places = ['Ada Stone', 'Carl Brook', left.slice(0, 40), left.slice(-40), right.slice(0, 40)].map((each) =>
    words.indexOf(each),
  );
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.deepEqual(document.metadata.authors, ['Ada Stone', 'Carl Brook']);
});

test('a title that is repeated above the text of the next pages is the title', async () => {
  const title = 'Cubes of Rivers and Their Sand';
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 4; page += 1) {
      if (page > 1) pdf.addPage();
      line(pdf, title, page === 1 ? { x: 160, y: 60, size: 18, font: 'Times-Bold' } : { x: 240, y: 40, size: 9 });
      if (page === 1) line(pdf, 'Ada Lovelace and Emmy Noether', { x: 220, y: 90, size: 11 });
      paragraph(pdf, prose(20, page), { x: 72, y: 130, width: 468 });
    }
  });
  const { blocks, metadata } = await parsePdf(bytes);
  assert.equal(metadata.title, title);
  assert.equal(blocks.filter(({ kind, text }) => kind === 'page_header' && text === title).length, 3);
});

test('a label in other type beside the first line of a title is not part of it', async () => {
  for (const gap of [12, 30]) {
    const bytes = await makePdf((pdf) => {
      line(pdf, 'OPEN', { x: 60, y: 106, size: 11, font: 'Helvetica-Bold' });
      const x = 60 + pdf.widthOfString('OPEN') + gap;
      line(pdf, 'A Posteriori Grains of Sand in', { x, y: 100, size: 18, font: 'Times-Bold' });
      line(pdf, 'Rivers and Their Plains', { x, y: 124, size: 18, font: 'Times-Bold' });
      line(pdf, 'Ada Lovelace & Emmy Noether', { x, y: 154, size: 11 });
      paragraph(pdf, prose(20), { x: 72, y: 190, width: 468 });
    });
    const { metadata } = await parsePdf(bytes);
    assert.equal(metadata.title, 'A Posteriori Grains of Sand in Rivers and Their Plains', String(gap));
  }
});

test('the name of the journal, large on its first page, is not the title', async () => {
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 4; page += 1) {
      if (page > 1) pdf.addPage();
      line(pdf, 'Journal of River Studies', page === 1 ? { x: 200, y: 40, size: 14 } : { x: 240, y: 40, size: 9 });
      if (page === 1) line(pdf, 'Cubes of Rivers and Their Sand', { x: 160, y: 90, size: 18, font: 'Times-Bold' });
      paragraph(pdf, prose(20, page), { x: 72, y: 130, width: 468 });
    }
  });
  assert.equal((await parsePdf(bytes)).metadata.title, 'Cubes of Rivers and Their Sand');
});

test('references in two columns below a text in three are read column by column', async () => {
  const references = Array.from(
    { length: 16 },
    (_, at) =>
      `[${at + 1}] ${'ABCDEFGHIJKLMNOP'[at]}. Writer. ${prose(1, at + 1).slice(0, 90)} River Journal, ${1990 + at}.`,
  );
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Rivers of Sand and Clay', { x: 180, y: 60, size: 18, font: 'Times-Bold' });
    for (const column of [0, 1, 2])
      paragraph(pdf, prose(14, column + 1), { x: 60 + 168 * column, y: 100, width: 156, size: 9 });
    line(pdf, 'REFERENCES', { x: 270, y: 452, size: 10, font: 'Times-Bold' });
    for (const column of [0, 1]) {
      let y = 472;
      for (const text of references.slice(8 * column, 8 * column + 8))
        y = paragraph(pdf, text, { x: 60 + 252 * column, y, width: 240, size: 8 }) + 3;
    }
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'reference').map(({ text }) => /^\[(\d+)\]/.exec(text)?.[1]),
    references.map((_, at) => String(at + 1)),
  );
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

test('the last line of a title belongs to it, also if short above a column or plain in a manuscript', async () => {
  const journal = await makePdf((pdf) => {
    pdf.font('Times-Roman').fontSize(22);
    pdf.text('The Recovery of Rivers and Plains after Floods of', 70, 70, { lineBreak: false });
    pdf.text('Three Winters', 70, 96, { lineBreak: false });
    pdf.fontSize(8).text('This article was published in the following journal:', 220, 118, { lineBreak: false });
    for (const row of [0, 1, 2, 3]) pdf.text(`Department of Water ${row}`, 70, 124 + 12 * row, { lineBreak: false });
    paragraph(pdf, prose(8, 1), { x: 220, y: 130, width: 330 });
    paragraph(pdf, prose(16, 2), { x: 220, y: 330, width: 330 });
  });
  assert.equal(
    (await parsePdf(journal)).metadata.title,
    'The Recovery of Rivers and Plains after Floods of Three Winters',
  );
  const manuscript = await makePdf((pdf) => {
    pdf.font('Times-Bold').fontSize(12);
    pdf.text('Associations of the height of rivers with the recovery of plains', 72, 80, { lineBreak: false });
    pdf.text('after floods: a cohort of forty rivers', 72, 104, { lineBreak: false });
    pdf.font('Times-Roman').fontSize(12).text('Ada Stone1; Bo Hill2', 72, 140, { lineBreak: false });
    paragraph(pdf, prose(14, 3), { x: 72, y: 200, width: 440, size: 12 });
  });
  assert.equal(
    (await parsePdf(manuscript)).metadata.title,
    'Associations of the height of rivers with the recovery of plains after floods: a cohort of forty rivers',
  );
});

test('the year is read from the conference, the journal in the margin, or the draft, not from a cited paper', async () => {
  const cited = 'Sand settles in plains (J. Sand 2009, 20, 34). ';
  const year = async (above: string, foot: string): Promise<string | undefined> => {
    const bytes = await makePdf((pdf) => {
      for (let page = 0; page < 2; page += 1) {
        if (page > 0) pdf.addPage();
        line(pdf, page === 0 ? above : 'Rivers', { x: 72, y: 30, size: 8 });
        if (page === 0) line(pdf, 'A Study of Rivers and Plains', { x: 150, y: 70, size: 18, font: 'Times-Bold' });
        paragraph(pdf, cited + prose(16, page + 1), { x: 72, y: 120, width: 468 });
        line(pdf, foot, { x: 72, y: 750, size: 8 });
      }
    });
    return (await parsePdf(bytes)).metadata.imprint?.date;
  };
  assert.equal(await year('Rivers', '31st Conference on Slow Rivers (RIVERS 2017), Long Beach, CA.'), '2017');
  assert.equal(await year('Rivers', 'Angew. Riv. Int. Ed. 2020, 59, 3718 – 3723'), '2020');
  assert.equal(await year('Draft version November 15, 2021', 'Rivers'), '2021-11-15');
  assert.equal(await year('Rivers', 'Plains'), undefined);
});
