import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Block, ParsedDocument, Cell, Table } from '../../document.ts';
import { readDoctags } from './doctags-reader.ts';
import type { CellToken } from './doctags.ts';
import { writeDoctags, readOtsl, writeOtsl, boxFromGrid, locationTokens, toGrid } from './doctags.ts';

const PAGE = { number: 1, width: 500, height: 500 };
const region = (page: number, left: number, top: number, right: number, bottom: number) => ({
  page,
  box: { left, top, right, bottom },
});

/** One block of every kind, with everything the format can carry. */
const blocks: Block[] = [
  { order: 0, kind: 'page_header', text: 'Journal of Ducks', regions: [region(1, 10, 5, 200, 12)] },
  { order: 1, kind: 'title', text: 'On Ducks', regions: [region(1, 20, 20, 300, 40)] },
  { order: 2, kind: 'heading', level: 2, text: '1.1 P < 0.05 & more', regions: [region(1, 20, 50, 300, 60)] },
  {
    order: 3,
    kind: 'text',
    text: 'A paragraph over two columns and <b>markup</b>.',
    regions: [region(1, 20, 70, 200, 490), region(1, 220, 70, 400, 90)],
  },
  { order: 4, kind: 'list_item', ordered: false, depth: 0, text: 'outer', regions: [region(1, 220, 100, 400, 110)] },
  {
    order: 5,
    kind: 'list_item',
    ordered: true,
    depth: 1,
    parent: 4,
    text: 'inner',
    regions: [region(1, 230, 111, 400, 120)],
  },
  { order: 6, kind: 'list_item', ordered: false, depth: 0, text: 'again', regions: [region(1, 220, 121, 400, 130)] },
  {
    order: 7,
    kind: 'code',
    language: 'Python',
    text: 'if a < b:\n    print("</text>")',
    regions: [region(1, 220, 140, 400, 160)],
  },
  { order: 8, parent: 7, kind: 'caption', text: 'Listing 1: code', regions: [region(1, 220, 161, 400, 165)] },
  { order: 9, kind: 'formula', text: 'E=mc^2', regions: [region(1, 220, 170, 400, 180)] },
  { order: 10, kind: 'picture', category: 'bar_chart', text: '', regions: [region(1, 220, 190, 400, 250)] },
  { order: 11, parent: 10, kind: 'caption', text: 'Figure 1: bars', regions: [region(1, 220, 251, 400, 260)] },
  {
    order: 12,
    kind: 'table',
    text: 'Dose n 5',
    table: {
      rows: 2,
      columns: 2,
      cells: [
        { row: 0, column: 0, rowSpan: 1, columnSpan: 2, text: 'Dose', kind: 'column-header' },
        { row: 1, column: 0, rowSpan: 1, columnSpan: 1, text: 'n', kind: 'row-header' },
        { row: 1, column: 1, rowSpan: 1, columnSpan: 1, text: '5', kind: 'data' },
      ],
    },
    regions: [region(1, 220, 270, 400, 300)],
  },
  { order: 13, parent: 12, kind: 'caption', text: 'Table 1: doses', regions: [region(1, 220, 301, 400, 310)] },
  { order: 14, kind: 'footnote', text: '1 A note.', regions: [region(1, 220, 320, 400, 330)] },
  { order: 15, kind: 'page_footer', text: '7', regions: [region(1, 240, 480, 250, 490)] },
  {
    order: 16,
    kind: 'reference',
    label: '12',
    text: 'Smith, J. (2020). Ducks. doi:10.1234/ab.c',
    doi: '10.1234/ab.c',
    regions: [region(3, 20, 20, 200, 30)],
  },
];
const document: ParsedDocument = {
  pages: [PAGE, { ...PAGE, number: 2 }, { ...PAGE, number: 3 }],
  blocks,
  metadata: {
    title: 'On Ducks',
    authors: [],
    pageCount: 3,
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
  },
};

test('every kind of block survives a round trip, also minified and with self-closing tokens', () => {
  const written = writeDoctags(document);
  const minified = written
    .replaceAll(/>\n</gu, '><')
    .replaceAll(/<((?:loc_\d+|[a-z]?cel|ched|rhed|srow|nl|page_break))>/gu, '<$1/>');
  for (const each of [written, minified]) {
    const read = readDoctags(each, { pages: document.pages });
    assert.deepEqual(read, document);
    assert.equal(writeDoctags(read), written);
  }
});

test('captions are inside their element, and lists are nested as in docling', () => {
  const written = writeDoctags(document).replaceAll(/<loc_\d+>/gu, '');
  assert.match(written, /<chart><bar_chart><caption>Figure 1: bars<\/caption><\/chart>/);
  assert.match(written, /<nl><caption>Table 1: doses<\/caption><\/otsl>/);
  assert.match(
    written,
    /<unordered_list><list_item>outer<\/list_item>\n<ordered_list><list_item>inner<\/list_item>\n<\/ordered_list>\n<list_item>again<\/list_item>\n<\/unordered_list>/,
  );
  assert.match(written, /<text><reference>\[12\] Smith/);
  assert.ok(written.startsWith('<doctag><page_header>'));
});

test('text that looks like a tag stays text', () => {
  const text = 'The tokens </text>, <otsl>, <fcel> and <page_break> mark <title> and tables.';
  const [block] = readDoctags(
    writeDoctags({ ...document, blocks: [{ order: 0, kind: 'text', text, regions: [] }] }),
  ).blocks;
  assert.equal(block?.text, text);
  // Other writers escape nothing.
  const [other, next] = readDoctags(
    '<doctag><text>Use <table> or </table> here.</text>\n<text>Next</text></doctag>',
  ).blocks;
  assert.equal(other?.text, 'Use <table> or </table> here.');
  assert.equal(next?.text, 'Next');
});

test('an unclosed last element keeps its text; an earlier one ends where the next begins', () => {
  const { blocks: read } = readDoctags(
    '<doctag><text><loc_1><loc_2><loc_3><loc_4>one<section_header_level_1>two</section_header_level_1><text>three',
  );
  assert.deepEqual(
    read.map((block) => [block.kind, block.text]),
    [
      ['text', 'one'],
      ['heading', 'two'],
      ['text', 'three'],
    ],
  );
});

test('inline pieces are joined into one paragraph', () => {
  const { blocks: read } = readDoctags(
    '<inline><loc_1><loc_2><loc_3><loc_4><text>Here</text><formula>E=mc^2</formula>\n<code><_unknown_>f()</code><text>ends.</text></inline>',
  );
  assert.deepEqual(
    read.map((block) => [block.kind, block.text, block.regions.length]),
    [['text', 'Here E=mc^2 f() ends.', 1]],
  );
});

test('a region that starts higher in the same column is on the next page', () => {
  const { blocks: read } = readDoctags(
    '<text><loc_50><loc_400><loc_450><loc_480><loc_50><loc_40><loc_450><loc_60>x</text>',
  );
  assert.deepEqual(
    read[0]?.regions.map(({ page }) => page),
    [1, 2],
  );
});

test('check boxes, form regions and chart data are kept', () => {
  const { blocks: read } = readDoctags(
    '<checkbox_selected>yes</checkbox_selected><key_value_region><key_1>Name<link_2></key_1><value_2>Duck</value_2></key_value_region><chart><line_chart><fcel>x<fcel>1<nl><caption>c</caption></chart>',
  );
  assert.deepEqual(
    read.map((block) => [block.kind, block.text, block.parent]),
    [
      ['list_item', 'yes', undefined],
      ['text', 'Name Duck', undefined],
      ['picture', '', undefined],
      ['table', 'x 1', 2],
      ['caption', 'c', 2],
    ],
  );
});

const SAMPLES = join(import.meta.dirname, '../../../../../shared/data/parse/open/docling-ref');
test(
  'files written by docling are read and written back unchanged',
  { skip: existsSync(SAMPLES) ? false : `${SAMPLES} is absent` },
  () => {
    const files = globSync(join(SAMPLES, '*.doctags'));
    assert.ok(files.length >= 10);
    for (const file of files) {
      const source = readFileSync(file, 'utf8');
      const read = readDoctags(source);
      const written = writeDoctags(read);
      const fold = (text: string): string => text.replaceAll('\u200B', '').replaceAll(/\s+/g, ' ').trim();
      assert.equal(fold(written), fold(source), file);
      assert.deepEqual(readDoctags(written).blocks, read.blocks, file);
    }
  },
);

const cell = (row: number, column: number, text: string, more: Partial<Cell> = {}): Cell => ({
  row,
  column,
  rowSpan: 1,
  columnSpan: 1,
  text,
  kind: 'data',
  ...more,
});

function tokens(stream: string): CellToken[] {
  return Array.from(stream.matchAll(/<([a-z]+)\/?>([^<]*)/g), ([, token = '', text = '']) => ({ token, text }));
}

test('spans are written as in docling', () => {
  const table: Table = {
    rows: 3,
    columns: 4,
    cells: [
      cell(0, 0, 'a', { kind: 'column-header', rowSpan: 2 }),
      cell(0, 1, 'b', { kind: 'column-header', columnSpan: 3 }),
      cell(1, 1, 'c', { rowSpan: 2, columnSpan: 2 }),
      cell(1, 3, ''),
      cell(2, 0, 'd', { kind: 'row-header' }),
      cell(2, 3, 'e'),
    ],
  };
  const written = writeOtsl(table);
  assert.equal(written, '<ched>a<ched>b<lcel><lcel><nl><ucel><fcel>c<xcel><ecel><nl><rhed>d<xcel><xcel><fcel>e<nl>');
  assert.deepEqual(readOtsl(tokens(written)), table);
});

test('the notation of the OTSL paper is read as the same table', () => {
  const docling = readOtsl(tokens('<fcel>a<fcel>b<xcel><nl><fcel>c<xcel><xcel><nl>'));
  const paper = readOtsl(tokens('<fcel>a<fcel>b<lcel><nl><fcel>c<ucel><xcel><nl>'));
  assert.deepEqual(paper, docling);
  assert.deepEqual(paper.cells[1], cell(0, 1, 'b', { rowSpan: 2, columnSpan: 2 }));
});

test('a cell left of a two-dimensional span does not absorb it', () => {
  const table = readOtsl(tokens('<fcel>left<fcel>wide<xcel><nl><fcel>below<xcel><xcel><nl>'));
  assert.deepEqual(
    table.cells.map(({ text, rowSpan, columnSpan }) => [text, rowSpan, columnSpan]),
    [
      ['left', 1, 1],
      ['wide', 2, 2],
      ['below', 1, 1],
    ],
  );
});

test('short rows are padded, and text after a stray continuation is kept', () => {
  const table = readOtsl(tokens('<fcel>a<fcel>b<fcel>c<nl><lcel>lost<nl>'));
  assert.equal(table.columns, 3);
  assert.deepEqual(
    table.cells.filter(({ row }) => row === 1).map(({ text }) => text),
    ['lost', '', ''],
  );
});

test('positions are rounded half to even, as Python does', () => {
  assert.equal(toGrid(0.5, 500), 0);
  assert.equal(toGrid(1.5, 500), 2);
  assert.equal(toGrid(2.5, 500), 2);
  assert.equal(toGrid(2.6, 500), 3);
});

test('positions stay on the grid for any page and box', () => {
  assert.equal(toGrid(612, 612), 499);
  assert.equal(toGrid(-3, 612), 0);
  assert.equal(toGrid(10, 0), 0);
});

test('a box is written as left, top, right, bottom and read back to within one grid step', () => {
  const page = { number: 1, width: 612, height: 792 };
  const box = { left: 72, top: 90.25, right: 540, bottom: 700.5 };
  const tokens = locationTokens(box, page);
  assert.equal(tokens, '<loc_59><loc_57><loc_441><loc_442>');
  const back = boxFromGrid([59, 57, 441, 442], page);
  for (const side of ['left', 'top', 'right', 'bottom'] as const)
    assert.ok(Math.abs(back[side] - box[side]) <= 792 / 500);
});
