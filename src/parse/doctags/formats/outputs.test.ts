import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parse } from 'parse5';

import type { Block, ParsedDocument } from '../../document.ts';
import { writeDoclingJson } from './docling-json.ts';
import { writeHtmlPage } from './html-page.ts';
import { writeMarkdown } from './markdown.ts';
import { writeSidecar } from './sidecar.ts';

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
const document: ParsedDocument = {
  pages: [{ number: 1, width: 612, height: 792 }],
  blocks,
  metadata: {
    title: `Ducks ${evil}`,
    authors: ['A. Duck'],
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
  },
};

test('Markdown keeps the structure and escapes text that looks like markup', () => {
  const text = writeMarkdown(document);
  assert.match(text, /^# Ducks \\<img/);
  assert.match(text, /\n## Methods\n/);
  assert.match(text, /\\# not a heading, snake_case \\\*stars\\\* \[1\\\]\(x\)/);
  assert.match(text, /\n3\. third\n {4}- inner\n/);
  assert.match(text, /\n````Python\nx = "```"\n````\n/);
  assert.match(text, /Table 1\n\n\| head \|  \|\n\| - \| - \|\n\| a\\\|b \| 1 \|/);
  assert.match(text, /\n- \[1\] Smith 2020\n/);
  assert.doesNotMatch(text, /running head/);
});

/** Every element of a parsed page, by name. */
function elements(html: string): { name: string; attributes: Record<string, string> }[] {
  const found: { name: string; attributes: Record<string, string> }[] = [];
  const visit = (node: {
    childNodes?: unknown[];
    tagName?: string;
    attrs?: { name: string; value: string }[];
  }): void => {
    if (node.tagName)
      found.push({
        name: node.tagName,
        attributes: Object.fromEntries((node.attrs ?? []).map(({ name, value }) => [name, value])),
      });
    for (const child of node.childNodes ?? []) visit(child as typeof node);
  };
  visit(parse(html));
  return found;
}

test('the HTML shows hostile text and does not run it', () => {
  const all = elements(writeHtmlPage(document));
  assert.ok(!all.some((element) => element.name === 'script' || element.name === 'img'));
  assert.ok(!all.some(({ attributes }) => Object.keys(attributes).some((attribute) => attribute.startsWith('on'))));
  assert.ok(all.every(({ attributes }) => !/^javascript:/i.test(attributes['href'] ?? '')));
  const policy = all.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy')?.attributes[
    'content'
  ];
  assert.match(policy ?? '', /^default-src 'none'/);
});

test('the HTML has tables with spans, lists and headings', () => {
  const html = writeHtmlPage(document);
  assert.match(
    html,
    /<table><caption>Table 1<\/caption><thead><tr><th colspan="2" scope="col">head<\/th><\/tr><\/thead><tbody><tr><th scope="row">a\|b<\/th><td>1<\/td><\/tr><\/tbody><\/table>/,
  );
  assert.match(html, /<ol>\n<li>third<\/li>\n<ul>\n<li>inner<\/li>\n<\/ul>\n<\/ol>/);
});

test('docling JSON refers to every item once and links captions and notes to their table', () => {
  const json = JSON.parse(
    writeDoclingJson(document, { name: 'ducks', filename: 'ducks.pdf', mimetype: 'application/pdf' }),
  ) as {
    schema_name: string;
    body: { children: { $ref: string }[] };
    furniture: { children: { $ref: string }[] };
    texts: { self_ref: string; parent: { $ref: string }; children: { $ref: string }[]; label: string; text: string }[];
    tables: {
      captions: { $ref: string }[];
      footnotes: { $ref: string }[];
      data: { num_cols: number; table_cells: unknown[] };
    }[];
    groups: { self_ref: string; parent: { $ref: string }; children: { $ref: string }[] }[];
  };
  assert.equal(json.schema_name, 'DoclingDocument');
  assert.equal(json.furniture.children.length, 1);
  const [table] = json.tables;
  assert.equal(json.texts.find((text) => text.self_ref === table?.captions[0]?.$ref)?.text, 'Table 1');
  assert.equal(json.texts.find((text) => text.self_ref === table?.footnotes[0]?.$ref)?.text, 'a note');
  assert.equal(table?.data.num_cols, 2);
  assert.equal(json.groups.length, 2);
  assert.equal(json.groups[1]?.parent.$ref, json.texts.find((text) => text.text === 'third')?.self_ref);
});

test('the sidecar describes how the document was parsed and what it contains', () => {
  const sidecar = JSON.parse(
    writeSidecar(
      document,
      { path: 'ducks.pdf', sha256: 'ab', kind: 'pdf' },
      { parse_engine: 'docling-vlm', model_name: 'm', served_models: ['m'], vllm_version: '0.9' },
    ),
  ) as Record<string, unknown>;
  assert.equal(sidecar['parse_engine'], 'docling-vlm');
  assert.deepEqual(sidecar['served_models'], ['m']);
  assert.deepEqual(sidecar['authors'], ['A. Duck']);
  assert.equal((sidecar['counts'] as Record<string, number>)['tables'], 1);
});
