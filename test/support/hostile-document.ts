import type { Block, ParsedDocument } from '../../src/parse/document.ts';

const evil = '<img src=x onerror=alert(1)> "\' & </title><script>';
const region = [{ page: 1, box: { left: 10, top: 20, right: 110, bottom: 40 } }];
const blocks: Block[] = [
  { order: 0, kind: 'title', text: `Ducks ${evil}`, regions: region },
  { order: 1, kind: 'page_header', text: 'running head', regions: region },
  { order: 2, kind: 'heading', level: 1, text: 'Methods', regions: region },
  {
    order: 3,
    kind: 'text',
    text: '# not a heading, snake_case *stars* [1](x)',
    regions: region,
    links: [{ start: 2, end: 5, url: 'javascript:alert(1)' }],
  },
  { order: 4, kind: 'list_item', ordered: true, depth: 0, marker: '3.', text: 'third', regions: [] },
  { order: 5, kind: 'list_item', ordered: false, depth: 1, parent: 4, text: 'inner', regions: [] },
  { order: 6, kind: 'code', text: 'x = "```"', language: 'Python', regions: [] },
  { order: 7, kind: 'formula', text: 'a_b', regions: [] },
  {
    order: 8,
    kind: 'table',
    text: '',
    regions: [],
    table: {
      rows: 2,
      columns: 2,
      cells: [
        { row: 0, column: 0, rowSpan: 1, columnSpan: 2, text: 'head', kind: 'column-header' },
        { row: 1, column: 0, rowSpan: 1, columnSpan: 1, text: 'a|b', kind: 'row-header' },
        { row: 1, column: 1, rowSpan: 1, columnSpan: 1, text: '1', kind: 'data' },
      ],
    },
  },
  { order: 9, parent: 8, kind: 'caption', text: 'Table 1', regions: [] },
  { order: 10, parent: 8, kind: 'footnote', text: 'a note', regions: [] },
  {
    order: 11,
    kind: 'reference',
    label: '1',
    text: 'Smith 2020',
    regions: [],
    links: [{ start: 0, end: 5, url: 'https://example.org/?a=1&b=2' }],
  },
];
/** A document with every kind of block, and with text that would be markup if it was not escaped. */
export const HOSTILE_DOCUMENT: ParsedDocument = {
  pages: [{ number: 1, width: 612, height: 792 }],
  blocks,
  metadata: {
    title: `Ducks ${evil}`,
    authors: ['A. Duck'],
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
  },
};
