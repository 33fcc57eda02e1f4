import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ofKind, textsOf } from '../../../test/support/document-blocks.ts';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import { parsePdf } from './pdf.ts';

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

test('the name of the journal on a paper that is not yet in print is not the title', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'International Journal of Rivers xxx (xxxx) xxx', { x: 200, y: 40, size: 7 });
    line(pdf, 'International Journal of Rivers', { x: 160, y: 100, size: 17 });
    line(pdf, 'Cubes of Rivers and Their Sand', { x: 72, y: 150, size: 16 });
    paragraph(pdf, prose(20), { x: 72, y: 200, width: 468 });
  });
  assert.equal((await parsePdf(bytes)).metadata.title, 'Cubes of Rivers and Their Sand');
});

test('an abstract beside its dates is read whole, and names with raised marks are not part of the title', async () => {
  const dates = ['Article history:', 'Received 3 May 1990', 'Accepted 1 July 1990', 'Keywords:', 'Rivers', 'Sand'];
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Sand of Rivers and What Carries It over the', { x: 50, y: 60, size: 14 });
    line(pdf, 'Plains of the North and of the South', { x: 50, y: 76, size: 14 });
    for (const [row, names] of [
      ['Ada Lovelace', 'Emmy Noether', 'Sofia Kovalevskaya', 'Maria Agnesi', 'Mary Somerville', 'Ada Byron'],
      ['Sophie Germain', 'Hypatia', 'Caroline Herschel'],
    ].entries()) {
      let x = 50;
      for (const name of names) {
        line(pdf, name, { x, y: 104 + 13 * row, size: 11 });
        x += pdf.widthOfString(name) + 2.5;
        line(pdf, 'a,1', { x, y: 104 + 13 * row, size: 7 });
        x += pdf.widthOfString('a,1');
        line(pdf, ',', { x, y: 104 + 13 * row, size: 11 });
        x += 6;
      }
    }
    line(pdf, 'a University of the North, Institute of Rivers and Plains, Department of Sand', {
      x: 50,
      y: 138,
      size: 6.4,
    });
    for (const [at, date] of dates.entries()) line(pdf, date, { x: 50, y: 170 + 13 * at, size: 6.4 });
    paragraph(pdf, prose(11, 1), { x: 200, y: 170, width: 345, size: 7.2 });
    paragraph(pdf, prose(18, 2), { x: 50, y: 330, width: 235, size: 8 });
    paragraph(pdf, prose(18, 3), { x: 310, y: 330, width: 235, size: 8 });
  });
  const document = await parsePdf(bytes);
  assert.equal(
    document.metadata.title,
    'Sand of Rivers and What Carries It over the Plains of the North and of the South',
  );
  assert.ok(textsOf(document, 'text').includes(prose(11, 1)));
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

test('all lines of a title belong to it, also with a box beside them and where a picture indents the first', async () => {
  const boxed = await makePdf((pdf) => {
    for (const [row, text] of ['Recovery of Rivers as a Balm', 'for Floods of the Plains in the', 'North'].entries())
      line(pdf, text, { x: 162, y: 70 + 24 * row, size: 20, font: 'Times-Bold' });
    for (const [row, text] of ['Access this article', 'Quick response', 'Volume 10: 1–21', 'Website', 'Code'].entries())
      line(pdf, text, { x: 56, y: 60 + 12 * row, size: 7 });
    line(pdf, 'Ada Stone, Bo Hill', { x: 162, y: 146, size: 10, font: 'Times-Bold' });
    paragraph(pdf, prose(14, 1), { x: 162, y: 170, width: 380 });
    paragraph(pdf, prose(16, 2), { x: 56, y: 400, width: 486 });
  });
  const title = 'Recovery of Rivers as a Balm for Floods of the Plains in the North';
  assert.equal((await parsePdf(boxed)).metadata.title, title);
  const indented = await makePdf((pdf) => {
    pdf.rect(60, 62, 34, 20).fill('#a31515').fillColor('black');
    line(pdf, 'Recovery of Rivers as a Balm for', { x: 104, y: 66, size: 16, font: 'Times-Bold' });
    line(pdf, 'Floods of the Plains in the North', { x: 58, y: 91, size: 16, font: 'Times-Bold' });
    line(pdf, 'Ada Stone', { x: 58, y: 120, size: 13 });
    paragraph(pdf, prose(20, 1), { x: 58, y: 160, width: 480 });
  });
  assert.equal((await parsePdf(indented)).metadata.title, title);
});

test('authors are read beside the text of the next column, and between rules', async () => {
  const beside = await makePdf((pdf) => {
    line(pdf, 'Recovery of Rivers', { x: 50, y: 60, size: 20, font: 'Times-Bold' });
    line(pdf, 'after Floods, 2012', { x: 50, y: 84, size: 20, font: 'Times-Bold' });
    line(pdf, 'Ada Stone, Carl Brook, Mary Somerville,', { x: 50, y: 120, font: 'Times-Bold' });
    line(pdf, 'Sofia Kovalevskaya, and Emmy Noether', { x: 50, y: 133, font: 'Times-Bold' });
    paragraph(pdf, prose(30, 1), { x: 50, y: 160, width: 230 });
    paragraph(pdf, prose(36, 2), { x: 310, y: 100, width: 230 });
  });
  const { metadata } = await parsePdf(beside);
  assert.deepEqual(metadata.authors, [
    'Ada Stone',
    'Carl Brook',
    'Mary Somerville',
    'Sofia Kovalevskaya',
    'Emmy Noether',
  ]);
  const ruled = await makePdf((pdf) => {
    line(pdf, 'Recovery of Rivers after Floods', { x: 150, y: 60, size: 18, font: 'Times-Bold' });
    for (const y of [95, 145]) pdf.moveTo(150, y).lineTo(540, y).lineWidth(0.5).stroke();
    line(pdf, 'Ada Stone1,', { x: 150, y: 102 });
    line(pdf, 'Carl Brook2, Bo Hill1,', { x: 240, y: 102 });
    line(pdf, 'Mary Somerville3,', { x: 150, y: 116 });
    line(pdf, 'Sofia Kovalevskaya2', { x: 270, y: 116 });
    line(pdf, 'and Emmy Noether1', { x: 150, y: 130 });
    paragraph(pdf, prose(24, 1), { x: 150, y: 190, width: 390 });
  });
  const { metadata: of, blocks } = await parsePdf(ruled);
  assert.equal(blocks.filter(({ kind }) => kind === 'table').length, 0);
  assert.deepEqual(of.authors, [
    'Ada Stone',
    'Carl Brook',
    'Bo Hill',
    'Mary Somerville',
    'Sofia Kovalevskaya',
    'Emmy Noether',
  ]);
});

test('the journal, its volume and issue and the pages are read from the edge of the first page', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'J. River Studies 2014;40(6):652–657', { x: 200, y: 30, size: 8 });
    line(pdf, 'Cubes of Rivers and Their Sand', { x: 160, y: 80, size: 18, font: 'Times-Bold' });
    line(pdf, 'Ada Lovelace and Emmy Noether', { x: 220, y: 110, size: 11 });
    paragraph(pdf, prose(30, 1), { x: 72, y: 150, width: 468 });
  });
  const { venue, volume, issue, pages, date } = (await parsePdf(bytes)).metadata.imprint ?? {};
  assert.deepEqual([venue, volume, issue, pages, date], ['J. River Studies', '40', '6', '652-657', '2014']);
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

test('a title that ends at the gutter is apart from the text beside it', async () => {
  const bytes = await makePdf((pdf) => {
    pdf.font('Helvetica-Bold').fontSize(22);
    pdf.text('Grains of Sand in Slow Currents of Rivers', 60, 80, { width: 226, align: 'right' });
    pdf.font('Helvetica-Bold').fontSize(10).text('Anna Duck and Bert Goose', 60, 170, { width: 226, align: 'right' });
    paragraph(pdf, prose(18), { x: 60, y: 200, width: 226 });
    paragraph(pdf, prose(24, 2), { x: 298, y: 89, width: 226 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'title').map(({ text }) => text),
    ['Grains of Sand in Slow Currents of Rivers'],
  );
});

test('a title ends where the title in the information of the file ends', async () => {
  const title = 'Grains of sand in slow currents (Arena lenta), broad plains (Campus latus), and wheat (Seges alta)';
  const draw = (pdf: Parameters<Parameters<typeof makePdf>[0]>[0], last: number): void => {
    line(pdf, 'Grains of sand in slow currents (Arena lenta),', { x: 72, y: 80, size: 16 });
    line(pdf, 'broad plains (Campus latus), and wheat (Seges alta)', { x: 72, y: 100, size: last });
    line(pdf, 'National Centre of Rivers and Plains*', { x: 72, y: 124, size: 13 });
    paragraph(pdf, prose(18), { x: 72, y: 170, width: 468 });
  };
  const titleOf = async (last: number, Title: string): Promise<string | undefined> =>
    (await parsePdf(await makePdf((pdf) => draw(pdf, last), { info: { Title } }))).metadata.title;
  assert.equal(await titleOf(9, title), title);
  assert.equal(await titleOf(16, title), title);
  // Where the pages say something else or more, their look decides.
  assert.ok((await titleOf(16, 'Grains of sand in slow currents ('))?.startsWith(title));
  assert.equal(await titleOf(9, 'Grains of sand.indd'), 'Grains of sand in slow currents (Arena lenta),');
});

test('the name of a file in the information is no title, not even where a word of the page begins it', async () => {
  const bytes = await makePdf(
    (pdf) => {
      line(pdf, 'DISPATCHES', { x: 72, y: 50, size: 9 });
      line(pdf, 'Cubes of Rivers and Their Sand', { x: 72, y: 80, size: 20, font: 'Times-Bold' });
      paragraph(pdf, prose(18), { x: 72, y: 130, width: 468 });
    },
    { info: { Title: 'Dispatches.qxp' } },
  );
  assert.equal((await parsePdf(bytes)).metadata.title, 'Cubes of Rivers and Their Sand');
});

test('the name of the journal is before the year behind the authors of a running head, however it writes "and"', async () => {
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 4; page += 1) {
      if (page > 1) pdf.addPage();
      line(pdf, 'Stone et al. Rivers and Plains (2020)11:799', { x: 72, y: 30, size: 8 });
      if (page === 1) {
        line(pdf, 'Rivers & Plains', { x: 400, y: 60, size: 20 });
        line(pdf, 'Cubes of the North and Their Sand', { x: 72, y: 110, size: 16 });
      }
      paragraph(pdf, prose(20, page), { x: 72, y: 160, width: 468 });
    }
  });
  assert.equal((await parsePdf(bytes)).metadata.title, 'Cubes of the North and Their Sand');
});

test('the section of a journal in large small letters is above the title', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'water studies in critical plains', { x: 72, y: 60, size: 23, font: 'Times-Bold' });
    line(pdf, 'Sand and Clay of Rivers', { x: 72, y: 95, size: 18, font: 'Times-Bold' });
    line(pdf, 'Vis-à-Vis the Height of Floods', { x: 72, y: 115, size: 18, font: 'Times-Bold' });
    line(pdf, 'Ada Stone, MD; Carl Brook, PhD', { x: 72, y: 150, size: 10 });
    paragraph(pdf, prose(18), { x: 72, y: 190, width: 468 });
  });
  assert.equal((await parsePdf(bytes)).metadata.title, 'Sand and Clay of Rivers Vis-à-Vis the Height of Floods');
});

test('a paper may begin behind two covers, one of its publisher', async () => {
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, `Copies are free for all. ${prose(4, 7)}`, { x: 72, y: 250, width: 468, size: 14 });
    pdf.addPage();
    line(pdf, 'Journal Pre-proof', { x: 97, y: 100, size: 18 });
    line(pdf, 'Cubes of rivers and their sand in the north', { x: 97, y: 150 });
    line(pdf, 'Ada Stone, Carl Brook', { x: 97, y: 180 });
    pdf.addPage();
    line(pdf, 'Cubes of rivers and their sand in the north', { x: 97, y: 80, size: 16 });
    line(pdf, 'Ada Stone and Carl Brook', { x: 97, y: 110, size: 12 });
    for (const page of [1, 2]) {
      paragraph(pdf, prose(30, page), { x: 72, y: 150, width: 468, size: 12 });
      pdf.addPage();
    }
    paragraph(pdf, prose(20, 3), { x: 72, y: 72, width: 468, size: 12 });
  });
  assert.equal((await parsePdf(bytes)).metadata.title, 'Cubes of rivers and their sand in the north');
});

test('the first line of a title of two sizes may be the running head of the next pages', async () => {
  const bytes = await makePdf((pdf) => {
    for (let page = 1; page <= 6; page += 1) {
      if (page > 1) pdf.addPage();
      line(pdf, 'Floods of Slow Rivers', page === 1 ? { x: 72, y: 50, size: 18 } : { x: 240, y: 30, size: 8 });
      if (page === 1) {
        line(pdf, 'Slow Currents, Recovery of Plains, and', { x: 72, y: 72, size: 14 });
        line(pdf, 'Wheat', { x: 72, y: 90, size: 14 });
        line(pdf, 'Ada Stone, PhD, Carl Brook, MD', { x: 72, y: 130, size: 10 });
      }
      paragraph(pdf, prose(20, page), { x: 72, y: 170, width: 468 });
    }
  });
  assert.equal(
    (await parsePdf(bytes)).metadata.title,
    'Floods of Slow Rivers Slow Currents, Recovery of Plains, and Wheat',
  );
});
