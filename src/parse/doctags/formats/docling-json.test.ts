import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HOSTILE_DOCUMENT } from '../../../../test/support/hostile-document.ts';
import { writeDoclingJson } from './docling-json.ts';

test('docling JSON refers to every item once and links captions and notes to their table', () => {
  const json = JSON.parse(
    writeDoclingJson(HOSTILE_DOCUMENT, { name: 'ducks', filename: 'ducks.pdf', mimetype: 'application/pdf' }),
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
