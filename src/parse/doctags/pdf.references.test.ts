import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ofKind, textsOf } from '../../../test/support/document-blocks.ts';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import { parsePdf } from './pdf.ts';

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
    return textsOf(await parsePdf(bytes), 'reference');
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
  assert.deepEqual(textsOf(document, 'reference'), entries);
  assert.equal(textsOf(document, 'text').join(' ').replaceAll(/\s+/g, ' '), body);
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

test('two lines of references at the foot of the first column begin the list that the second has below its text', async () => {
  const names = ['Able', 'Baker', 'Carter', 'Dyer', 'Fuller', 'Mason'];
  const references = names.map(
    (name, at) => `${name}, A. (${1990 + at}). ${prose(1, at + 1).slice(0, 60)}. River J. ${at + 3}, 1-9.`,
  );
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Rivers of Sand and Clay', { x: 180, y: 60, size: 18, font: 'Times-Bold' });
    const ends = [0, 1].map((column) =>
      paragraph(pdf, prose(22, column + 1), { x: 60 + 260 * column, y: 100, width: 240, size: 10 }),
    );
    const top = Math.max(...ends) + 30;
    line(pdf, 'REFERENCES', { x: 60, y: top, size: 11, font: 'Times-Bold' });
    let y = top + 18;
    for (const text of references.slice(0, 1)) y = paragraph(pdf, text, { x: 60, y, width: 240, size: 8 }) + 2;
    y = top;
    for (const text of references.slice(1)) y = paragraph(pdf, text, { x: 320, y, width: 240, size: 8 }) + 2;
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'reference').map(({ text }) => /^\p{L}+/u.exec(text)?.[0]),
    names,
  );
});
