import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import type { Block, Table } from '../document.ts';
import { parsePdf } from './pdf.ts';

type Drawing = Parameters<Parameters<typeof makePdf>[0]>[0];

function rule(pdf: Drawing, x0: number, x1: number, y: number): void {
  pdf.moveTo(x0, y).lineTo(x1, y).lineWidth(0.5).stroke();
}

function tablesOf(blocks: readonly Block[]): Table[] {
  return blocks.flatMap((block) => (block.kind === 'table' ? [block.table] : []));
}

/** Rows as strings; spans follow the text. */
function rowsOf(table: Table | undefined): string[][] {
  if (!table) return [];
  return Array.from({ length: table.rows }, (_, row) =>
    table.cells
      .filter((cell) => cell.row === row)
      .map(
        (cell) =>
          cell.text +
          (cell.columnSpan > 1 ? `|c${cell.columnSpan}` : '') +
          (cell.rowSpan > 1 ? `|r${cell.rowSpan}` : ''),
      ),
  );
}

test('a table between rules is read with its spans, and its caption belongs to it', async () => {
  const bytes = await makePdf((pdf) => {
    const y = paragraph(pdf, prose(8, 1), { x: 72, y: 60, width: 468 }) + 14;
    line(pdf, 'Table 1: Grains found in two rivers.', { x: 72, y });
    const top = y + 20;
    rule(pdf, 72, 400, top);
    line(pdf, 'Length', { x: 255, y: top + 4 });
    rule(pdf, 200, 320, top + 17);
    line(pdf, 'River', { x: 80, y: top + 12 });
    line(pdf, 'upper', { x: 205, y: top + 20 });
    line(pdf, 'lower', { x: 285, y: top + 20 });
    line(pdf, 'Sand', { x: 360, y: top + 12 });
    rule(pdf, 72, 400, top + 34);
    const rows = [
      ['Elbe', '12.1', '14.2', '3'],
      ['Oder', '8.4', '9.9', '5'],
      ['Rhine', '20.0', '21.7', '8'],
    ];
    rows.forEach((cells, index) =>
      cells.forEach((cell, column) =>
        line(pdf, cell, { x: [80, 207, 287, 362][column] ?? 0, y: top + 38 + index * 14 }),
      ),
    );
    rule(pdf, 72, 400, top + 82);
    paragraph(pdf, prose(8, 2), { x: 72, y: top + 100, width: 468 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(rowsOf(tablesOf(blocks)[0]), [
    ['River|r2', 'Length|c2', 'Sand|r2'],
    ['upper', 'lower'],
    ['Elbe', '12.1', '14.2', '3'],
    ['Oder', '8.4', '9.9', '5'],
    ['Rhine', '20.0', '21.7', '8'],
  ]);
  const caption = blocks.find((block) => block.kind === 'caption');
  const table = blocks.find((block) => block.kind === 'table');
  assert.equal(caption?.text, 'Table 1: Grains found in two rivers.');
  assert.equal(caption?.parent, table?.order);
});

test('wrapped cells are one row, and stacked numbers are several', async () => {
  const bytes = await makePdf((pdf) => {
    const top = 100;
    rule(pdf, 72, 400, top);
    line(pdf, 'Method', { x: 75, y: top + 4 });
    line(pdf, 'Result', { x: 330, y: top + 4 });
    rule(pdf, 72, 400, top + 18);
    line(pdf, 'Dry the sample in the sun for several', { x: 75, y: top + 22 });
    line(pdf, '1.5', { x: 335, y: top + 22 });
    line(pdf, 'days', { x: 75, y: top + 34 });
    line(pdf, 'Heat it', { x: 75, y: top + 46 });
    line(pdf, '2.5', { x: 335, y: top + 46 });
    line(pdf, 'Freeze it', { x: 75, y: top + 58 });
    line(pdf, '3.5', { x: 335, y: top + 58 });
    rule(pdf, 72, 400, top + 72);
  });
  assert.deepEqual(rowsOf(tablesOf((await parsePdf(bytes)).blocks)[0]), [
    ['Method', 'Result'],
    ['Dry the sample in the sun for several days', '1.5'],
    ['Heat it', '2.5'],
    ['Freeze it', '3.5'],
  ]);
});

test('a table continued on the next page is one table', async () => {
  const head = (pdf: Drawing, top: number): void => {
    rule(pdf, 72, 400, top);
    line(pdf, 'Place', { x: 75, y: top + 4 });
    line(pdf, 'Depth', { x: 330, y: top + 4 });
    rule(pdf, 72, 400, top + 18);
  };
  const bytes = await makePdf((pdf) => {
    paragraph(pdf, prose(30, 1), { x: 72, y: 60, width: 468 });
    head(pdf, 690);
    ['Hamburg', 'Dresden', 'Prague'].forEach((place, index) => {
      line(pdf, place, { x: 75, y: 712 + index * 12 });
      line(pdf, String(index + 4), { x: 335, y: 712 + index * 12 });
    });
    pdf.addPage();
    head(pdf, 60);
    ['Torgau', 'Riesa'].forEach((place, index) => {
      line(pdf, place, { x: 75, y: 82 + index * 12 });
      line(pdf, String(index + 7), { x: 335, y: 82 + index * 12 });
    });
    rule(pdf, 72, 400, 108);
    paragraph(pdf, prose(30, 2), { x: 72, y: 140, width: 468 });
  });
  const tables = tablesOf((await parsePdf(bytes)).blocks);
  assert.equal(tables.length, 1);
  assert.deepEqual(
    rowsOf(tables[0]).map((row) => row[0]),
    ['Place', 'Hamburg', 'Dresden', 'Prague', 'Torgau', 'Riesa'],
  );
});

test('rules around text are not a table', async () => {
  const bytes = await makePdf((pdf) => {
    rule(pdf, 72, 540, 90);
    paragraph(pdf, prose(8, 1), { x: 72, y: 100, width: 468 });
    rule(pdf, 72, 540, 200);
  });
  assert.equal(tablesOf((await parsePdf(bytes)).blocks).length, 0);
});

test('a table without rules is found below its caption', async () => {
  const bytes = await makePdf((pdf) => {
    const y = paragraph(pdf, prose(8, 1), { x: 72, y: 60, width: 468 }) + 14;
    line(pdf, 'Table 2. Depth of the river at three places.', { x: 72, y });
    const rows = [
      ['Place', 'Depth', 'Width'],
      ['Hamburg', '4', '110'],
      ['Dresden', '5', '90'],
      ['Torgau', '7', '85'],
    ];
    rows.forEach((cells, index) =>
      cells.forEach((cell, column) => line(pdf, cell, { x: 90 + column * 90, y: y + 20 + index * 14 })),
    );
    paragraph(pdf, prose(8, 2), { x: 72, y: y + 100, width: 468 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(rowsOf(tablesOf(blocks)[0]), [
    ['Place', 'Depth', 'Width'],
    ['Hamburg', '4', '110'],
    ['Dresden', '5', '90'],
    ['Torgau', '7', '85'],
  ]);
});

test('cells that all wrap are one row, and a single label is the heading of the rows below', async () => {
  const cells = (pdf: Drawing, y: number, ...texts: readonly string[]): void =>
    texts.forEach((text, column) => {
      if (text !== '') line(pdf, text, { x: [75, 160, 330][column] ?? 0, y });
    });
  const bytes = await makePdf((pdf) => {
    const top = 100;
    rule(pdf, 72, 400, top);
    cells(pdf, top + 4, 'Sample', 'Where it was taken', 'Grains');
    rule(pdf, 72, 400, top + 18);
    cells(pdf, top + 22, 'Upper river');
    cells(pdf, top + 34, 'Dark sand', 'Below the bridge, near the', '12');
    cells(pdf, top + 46, 'of the bank', 'second pier', '');
    cells(pdf, top + 58, 'Red sand', 'At the mouth', '17');
    cells(pdf, top + 70, 'Clay', 'At the mouth', '19');
    rule(pdf, 72, 400, top + 84);
  });
  assert.deepEqual(rowsOf(tablesOf((await parsePdf(bytes)).blocks)[0]), [
    ['Sample', 'Where it was taken', 'Grains'],
    ['Upper river|c3'],
    ['Dark sand of the bank', 'Below the bridge, near the second pier', '12'],
    ['Red sand', 'At the mouth', '17'],
    ['Clay', 'At the mouth', '19'],
  ]);
});

test('numbers centred beside a two-line label belong to its row', async () => {
  const bytes = await makePdf((pdf) => {
    const top = 100;
    rule(pdf, 72, 400, top);
    ['River', 'Sand', 'Clay'].forEach((text, column) => line(pdf, text, { x: 75 + 120 * column, y: top + 4 }));
    rule(pdf, 72, 400, top + 18);
    ['Elbe', 'Oder', 'Rhine'].forEach((river, index) => {
      const y = top + 22 + index * 26;
      line(pdf, `${river} above the`, { x: 75, y });
      line(pdf, 'Great Bridge', { x: 75, y: y + 12 });
      line(pdf, String(index + 11), { x: 195, y: y + 6 });
      line(pdf, String(index + 31), { x: 315, y: y + 6 });
    });
    rule(pdf, 72, 400, top + 104);
  });
  assert.deepEqual(rowsOf(tablesOf((await parsePdf(bytes)).blocks)[0]), [
    ['River', 'Sand', 'Clay'],
    ['Elbe above the Great Bridge', '11', '31'],
    ['Oder above the Great Bridge', '12', '32'],
    ['Rhine above the Great Bridge', '13', '33'],
  ]);
});

test('a table with parts labelled as continued is one table over three pages', async () => {
  const bytes = await makePdf((pdf) => {
    for (let part = 0; part < 3; part += 1) {
      if (part > 0) pdf.addPage();
      line(pdf, part === 0 ? 'Table 4. Depth of the river.' : 'Table 4. Cont.', { x: 72, y: 60 });
      rule(pdf, 72, 400, 78);
      [0, 1, 2].forEach((row) => {
        line(pdf, `Place ${part * 3 + row}`, { x: 75, y: 82 + row * 12 });
        line(pdf, String(part * 3 + row), { x: 335, y: 82 + row * 12 });
      });
      rule(pdf, 72, 400, 120);
      paragraph(pdf, prose(30, part + 1), { x: 72, y: 140, width: 468 });
    }
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    tablesOf(blocks).map(({ rows }) => rows),
    [9],
  );
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'caption').map(({ text }) => text),
    ['Table 4. Depth of the river.'],
  );
});

test('two heads over one rule share its columns, from their starts or by their middles', async () => {
  for (const [first, second, words, shown] of [
    [200, 300, 'Lower', ['', 'Upper|c2', 'Lower|c2']],
    [218, 316, 'Lower', ['', 'Upper|c2', 'Lower|c2']],
    // What is in brackets goes on with the head before it.
    [218, 316, '(n = 6)', ['', 'Upper (n = 6)|c4']],
  ] as const) {
    const bytes = await makePdf((pdf) => {
      line(pdf, 'Table 1. Grains of two rivers.', { x: 72, y: 60 });
      rule(pdf, 72, 400, 78);
      line(pdf, 'Upper', { x: first, y: 82 });
      line(pdf, words, { x: second, y: 82 });
      rule(pdf, 198, 400, 96);
      const rows = ['River sand clay sand clay', 'Elbe 11 21 31 41', 'Oder 12 22 32 42', 'Rhine 13 23 33 43'];
      rows.forEach((row, index) =>
        row
          .split(' ')
          .forEach((cell, column) =>
            line(pdf, cell, { x: [75, 200, 250, 300, 350][column] ?? 0, y: 100 + index * 14 + (index > 0 ? 6 : 0) }),
          ),
      );
      rule(pdf, 72, 400, 116);
      rule(pdf, 72, 400, 166);
    });
    const [table] = tablesOf((await parsePdf(bytes)).blocks);
    assert.deepEqual(rowsOf(table)[0], shown);
  }
});

test('a table at the head of a page goes on with that at the end of the page before, if nothing is between', async () => {
  const draw = (text: string): Promise<Uint8Array> =>
    makePdf((pdf) => {
      const y = paragraph(pdf, prose(40), { x: 72, y: 60, width: 468 }) + 20;
      line(pdf, 'Table 1. Grains of eight rivers.', { x: 72, y });
      const rows = (top: number, from: number): void => {
        rule(pdf, 72, 400, top);
        for (let row = 0; row < 4; row += 1)
          [`River ${from + row}`, `${from + row}1`, `${from + row}2`].forEach((cell, column) =>
            line(pdf, from + row === 0 ? (['River', 'Sand', 'Clay'][column] ?? '') : cell, {
              x: 75 + column * 120,
              y: top + 4 + row * 14 + (row > 0 && from === 0 ? 6 : 0),
            }),
          );
        if (from === 0) rule(pdf, 72, 400, top + 20);
        rule(pdf, 72, 400, top + 68);
      };
      rows(y + 16, 0);
      pdf.addPage();
      pdf.rect(300, 20, 60, 24).fill('navy').circle(390, 32, 12).fill('navy').fillColor('black');
      const top = text === '' ? 60 : paragraph(pdf, text, { x: 72, y: 60, width: 468 }) + 20;
      rows(top, 4);
      paragraph(pdf, prose(30, 2), { x: 72, y: top + 90, width: 468 });
    });
  const shapes = async (text: string): Promise<number[]> =>
    tablesOf((await parsePdf(await draw(text))).blocks).map(({ rows }) => rows);
  assert.deepEqual(await shapes(''), [8]);
  assert.deepEqual(await shapes(prose(4, 3)), [4, 4]);
});

test('a header centred over short cells is not a separate column', async () => {
  const bytes = await makePdf((pdf) => {
    const top = 100;
    rule(pdf, 72, 400, top);
    line(pdf, 'Score', { x: 75, y: top + 4 });
    line(pdf, 'Signs', { x: 260, y: top + 4 });
    rule(pdf, 72, 400, top + 18);
    line(pdf, '1', { x: 75, y: top + 22 });
    line(pdf, 'dark water with reeds on every side of it', { x: 150, y: top + 22 });
    line(pdf, '2', { x: 75, y: top + 34 });
    line(pdf, 'none', { x: 150, y: top + 34 });
    rule(pdf, 72, 400, top + 48);
  });
  assert.deepEqual(rowsOf(tablesOf((await parsePdf(bytes)).blocks)[0]), [
    ['Score', 'Signs'],
    ['1', 'dark water with reeds on every side of it'],
    ['2', 'none'],
  ]);
});

/** A rule drawn cell by cell, each a little over the next. */
function cellRules(pdf: Drawing, ends: readonly number[], y: number): void {
  for (const [at, left] of ends.slice(0, -1).entries()) rule(pdf, left, (ends[at + 1] ?? left) + 1.5, y);
}

test('rules that are drawn cell by cell between all rows head no columns', async () => {
  const rows = [
    ['River', 'Code', 'Basin', 'Sand'],
    ['Elbe', 'E1', '', '3'],
    ['Oder', 'O2', 'B4', ''],
    ['Rhine', '', 'B5', '8'],
  ];
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Table 1. Grains found in rivers', { x: 200, y: 80 });
    rule(pdf, 72, 500, 100);
    for (const [row, cells] of rows.entries()) {
      for (const [column, cell] of cells.entries())
        line(pdf, cell, { x: [80, 230, 330, 430][column] ?? 0, y: 104 + row * 26 });
      cellRules(pdf, [72, 200, 300, 400, 500], 116 + row * 26);
    }
    paragraph(pdf, prose(16, 2), { x: 72, y: 260, width: 468 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(tablesOf(blocks).map(rowsOf), [rows]);
});

test('a head above rows in the type of the running text goes on to their last rule', async () => {
  const names = ['Height', 'Depth', 'Width', 'Speed', 'Sand', 'Clay'];
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Table 1. Measures of rivers', { x: 72, y: 80, size: 9 });
    cellRules(pdf, [72, 230, 380, 540], 96);
    line(pdf, 'Measure', { x: 80, y: 104, font: 'Times-Bold', size: 9 });
    for (const x of [280, 430]) {
      line(pdf, x === 280 ? 'North' : 'South', { x, y: 99, font: 'Times-Bold', size: 9 });
      line(pdf, 'n = 20', { x, y: 109, font: 'Times-Bold', size: 9 });
    }
    cellRules(pdf, [72, 230, 380, 540], 120);
    line(pdf, 'All rivers', { x: 80, y: 124, font: 'Times-Bold', size: 9 });
    cellRules(pdf, [72, 230, 380, 540], 136);
    for (const [row, name] of names.entries())
      for (const [column, cell] of [name, `${row}.82`, `${row}.31`].entries())
        line(pdf, cell, { x: [80, 280, 430][column] ?? 0, y: 140 + 28 * row });
    cellRules(pdf, [72, 230, 380, 540], 310);
    paragraph(pdf, prose(24, 9), { x: 72, y: 340, width: 468 });
  });
  const tables = tablesOf((await parsePdf(bytes)).blocks);
  assert.deepEqual(
    tables.map((table) =>
      rowsOf(table)
        .map(([first]) => first)
        .slice(-names.length),
    ),
    [names],
  );
});

test('values of columns that are close are cut where one column ends and the next begins', async () => {
  const rows = ['Elbe', 'Oder', 'Rhine', 'Main', 'Spree'].map((name, row) => [
    name,
    `${12 + row}.5 (1.2-3.4)`,
    row === 3 ? '52.0 (4.24-9.62)' : `${3 + row}.1 (2.5)`,
  ]);
  const bytes = await makePdf((pdf) => {
    rule(pdf, 72, 330, 96);
    for (const [column, head] of ['River', 'Sand', 'Clay'].entries())
      line(pdf, head, { x: [75, 160, 250][column] ?? 0, y: 100 });
    rule(pdf, 72, 330, 114);
    for (const [row, [name = '', sand = '', clay = '']] of rows.entries()) {
      line(pdf, name, { x: 75, y: 118 + row * 14 });
      line(pdf, sand, { x: 229 - pdf.widthOfString(sand), y: 118 + row * 14 });
      // The wide value begins right behind the one beside it.
      line(pdf, clay, { x: row === 3 ? 234 : 235, y: 118 + row * 14 });
    }
    rule(pdf, 72, 330, 190);
    paragraph(pdf, prose(16, 2), { x: 72, y: 220, width: 468 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(rowsOf(tablesOf(blocks)[0]).slice(1), rows);
});

test('a table of one column is one, with its paragraphs as rows', async () => {
  const items = [
    'Essential for work at rivers:',
    'Boats, nets and jars for sand and clay from the bottom of deep and shallow rivers and of the ponds beside them, and boots',
    'Maps of the plains',
    'Also of use where floods are to be expected:',
    'Ropes',
  ];
  const bytes = await makePdf((pdf) => {
    const y = paragraph(pdf, prose(9, 1), { x: 72, y: 60, width: 468 }) + 14;
    line(pdf, 'Table 1. What is taken along', { x: 72, y, size: 8 });
    rule(pdf, 72, 300, y + 14);
    let below = y + 20;
    for (const item of items) {
      pdf.font('Helvetica').fontSize(8).text(item, 76, below, { width: 220 });
      below = pdf.y + 1;
    }
    rule(pdf, 72, 300, below + 4);
    paragraph(pdf, prose(14, 2), { x: 72, y: below + 30, width: 468 });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(tablesOf(blocks).map(rowsOf), [items.map((item) => [item])]);
  const caption = blocks.find(({ kind }) => kind === 'caption');
  assert.equal(caption?.parent, blocks.find(({ kind }) => kind === 'table')?.order);
});

test('running text between two rules below the caption of a table is no table', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Table 1. What is taken along', { x: 72, y: 60 });
    rule(pdf, 72, 540, 76);
    paragraph(pdf, prose(12, 1), { x: 72, y: 84, width: 468 });
    rule(pdf, 72, 540, 300);
    paragraph(pdf, prose(14, 2), { x: 72, y: 320, width: 468 });
  });
  assert.deepEqual(tablesOf((await parsePdf(bytes)).blocks), []);
});

test('a rule below the label of a table is above its caption, and rules of its columns may stop for a row over all', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Table 1', { x: 72, y: 60, font: 'Times-Bold' });
    rule(pdf, 72, 500, 73);
    line(pdf, 'Grains found in two rivers and in all the ponds of the plain,', { x: 72, y: 76 });
    line(pdf, 'by the year of the flood', { x: 72, y: 88 });
    const rows = [
      ['River', 'Grains', 'Sand'],
      ['', 'in all', 'in all'],
      ['Elbe', '12.1', '3.4'],
      ['Rivers of the south'],
      ['Oder', '8.4', '5.5'],
      ['Rhine', '20.0', '8.1'],
    ];
    rows.forEach((cells, row) => {
      const y = 110 + 16 * row;
      if (row !== 1) rule(pdf, 72, 500, y);
      cells.forEach((cell, column) => line(pdf, cell, { x: 78 + 140 * column, y: y + 4, size: 9 }));
      if (cells.length > 1)
        for (const x of [72, 212, 352, 500])
          pdf
            .moveTo(x, y)
            .lineTo(x, y + 16)
            .lineWidth(0.5)
            .stroke();
    });
    rule(pdf, 72, 500, 206);
    paragraph(pdf, prose(8, 2), { x: 72, y: 230, width: 428 });
  });
  const { blocks } = await parsePdf(bytes);
  const caption = 'Table 1 Grains found in two rivers and in all the ponds of the plain, by the year of the flood';
  assert.deepEqual(
    blocks.flatMap(({ kind, text }) => (kind === 'caption' ? [text] : [])),
    [caption],
  );
  const [table, ...more] = tablesOf(blocks);
  assert.equal(more.length, 0);
  assert.deepEqual(rowsOf(table).at(-1), ['Rhine', '20.0', '8.1']);
  assert.ok(!JSON.stringify(table).includes('by the year'));
});

test('a name alone in bold is the label of the only table', async () => {
  const bytes = await makePdf((pdf) => {
    line(pdf, 'Table', { x: 72, y: 60, font: 'Times-Bold' });
    line(pdf, 'Grains found in two rivers', { x: 72, y: 74 });
    rule(pdf, 72, 400, 90);
    [
      ['River', 'Grains', 'Sand'],
      ['Elbe', '12.1', '3.4'],
      ['Oder', '8.4', '5.5'],
    ].forEach((cells, row) =>
      cells.forEach((cell, column) => line(pdf, cell, { x: 78 + 110 * column, y: 94 + 14 * row })),
    );
    rule(pdf, 72, 400, 106);
    rule(pdf, 72, 400, 138);
    paragraph(pdf, prose(8, 2), { x: 72, y: 160, width: 428 });
    line(pdf, 'Figure', { x: 72, y: 400, font: 'Times-Bold' });
  });
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.flatMap(({ kind, text }) => (kind === 'caption' ? [text] : [])),
    ['Table Grains found in two rivers'],
  );
});

test('frames that touch each other around the text of a page are no table', async () => {
  const bytes = await makePdf((pdf) => {
    for (const [x0, y0, x1, y1] of [
      [157, 204, 558, 204],
      [157, 204, 157, 731],
      [369, 685, 369, 731],
      [369, 685, 558, 685],
      [558, 685, 558, 731],
      [369, 731, 558, 731],
    ] as const)
      pdf.moveTo(x0, y0).lineTo(x1, y1).lineWidth(0.5).stroke();
    line(pdf, 'Cubes of Rivers', { x: 162, y: 100, size: 20 });
    paragraph(pdf, prose(16, 1), { x: 162, y: 214, width: 390, size: 9 });
    paragraph(pdf, prose(26, 2), { x: 162, y: 400, width: 188, size: 10 });
    paragraph(pdf, prose(24, 3), { x: 370, y: 400, width: 188, size: 10 });
    line(pdf, 'How to cite: Stone A. The rivers.', { x: 375, y: 700, size: 8 });
    for (const row of [0, 1, 2, 3, 4, 5]) line(pdf, `Department ${row}`, { x: 72, y: 400 + 12 * row, size: 8 });
  });
  assert.equal(tablesOf((await parsePdf(bytes)).blocks).length, 0);
});

test('letters between commas below two names are the cells of a table', async () => {
  const bytes = await makePdf((pdf) => {
    for (const y of [100, 118, 190]) rule(pdf, 72, 400, y);
    for (const [column, name] of ['Network N1', 'Network N2'].entries())
      for (const [row, text] of [name, '{B, C}, {D}', '{B, C, D}', '{A, B, C}', '{D, E, F}'].entries())
        line(pdf, text, { x: 80 + 160 * column, y: 104 + 17 * row });
    paragraph(pdf, prose(8, 2), { x: 72, y: 220, width: 428 });
  });
  assert.equal(tablesOf((await parsePdf(bytes)).blocks)[0]?.rows, 5);
});
