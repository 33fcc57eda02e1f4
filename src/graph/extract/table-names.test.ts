import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import type { EntityType } from '../../tagger/index.ts';
import type { TaggedCell } from './table-names.ts';
import { extractEntities } from './entities.ts';
import { Reading, Statements } from './reading.ts';
import { namesInTable, typeOfColumn } from './table-names.ts';

type Table = Block & { readonly kind: 'table' };

/** A table of columns, the first row of which is the heading, and what the tagger finds in its cells: all of `read`. */
function tableOf(columns: readonly (readonly string[])[], type: EntityType, read: readonly string[]) {
  const cells = columns.flatMap((texts, column) =>
    texts.map((text, row) => ({
      row,
      column,
      rowSpan: 1,
      columnSpan: 1,
      text,
      kind: row === 0 ? ('column-header' as const) : ('data' as const),
    })),
  );
  const table = { rows: columns[0]?.length ?? 0, columns: columns.length, cells };
  const block = { kind: 'table', text: '', order: 0, regions: [], table } as unknown as Table;
  const tagged: TaggedCell[] = cells.map(({ row, column, text }) => ({
    block: 0,
    row,
    column,
    entities: read.flatMap((name) => {
      const start = text.indexOf(name);
      return start < 0 ? [] : [{ label: type, start, end: start + name.length, sure: 0.9 }];
    }),
  }));
  return { block, tagged };
}

function names(columns: readonly (readonly string[])[], type: EntityType, read: readonly string[]): string[] {
  const { block, tagged } = tableOf(columns, type, read);
  return namesInTable(block, tagged).map(({ type: of, cell, start, end }) => `${of} ${cell.text.slice(start, end)}`);
}

test('a heading says what the cells below it name', () => {
  assert.equal(typeOfColumn('Volatile compounds (area %)'), 'chemical');
  assert.equal(typeOfColumn('Bacterial strains^a'), 'organism');
  assert.equal(typeOfColumn('Country'), 'place');
  for (const heading of ['Number of species', 'Class of compound', 'Gene expression', 'Patients', 'Genes/introns', ''])
    assert.equal(typeOfColumn(heading), undefined, heading);
});

test('a column names what its heading says if the tagger finds that in half of its cells', () => {
  assert.deepEqual(
    names([['Compound', 'α-pinene', 'camphene', 'limonene', 'Total']], 'chemical', ['α-pinene', 'limonene']),
    ['chemical α-pinene', 'chemical camphene', 'chemical limonene'],
  );
  assert.deepEqual(
    names([['Component', 'Patient placement', 'Isolation sign', 'Toluene']], 'chemical', ['Toluene']),
    [],
  );
});

test('a list has the names that the tagger finds; marks, brackets and strains are no part of a name', () => {
  assert.deepEqual(
    names([['Compounds', 'camphor (12), linalool (3) and others', 'borneol^a (2.1)']], 'chemical', [
      'camphor',
      'linalool',
      'borneol',
    ]),
    ['chemical camphor', 'chemical linalool', 'chemical borneol'],
  );
  assert.deepEqual(
    names([['Virus', 'Equine coronavirus', 'Bovine coronavirus', 'NA']], 'organism', ['Equine', 'Bovine coronavirus']),
    ['organism Equine coronavirus', 'organism Bovine coronavirus'],
  );
  assert.deepEqual(
    names([['Strains', 'Escherichia coli ATCC 25922', 'Botrytis cinerea', 'CTM 10099']], 'organism', [
      'Escherichia coli',
      'Botrytis cinerea',
    ]),
    ['organism Escherichia coli', 'organism Botrytis cinerea'],
  );
});

test('a name in a cell is a node with the cell, and any cell that is a known name or a country names it', () => {
  const { block, tagged } = tableOf(
    [
      ['Compound', 'Camphor', 'Borneol'],
      ['Found in', 'Peru', 'not found'],
      ['Remark', 'malaria', 'no'],
      ['Country', 'USA', 'Peru'],
    ],
    'chemical',
    ['Camphor', 'Borneol'],
  );
  const text = 'It cures malaria.';
  const blocks = [block, { kind: 'text', text, order: 1, regions: [] }] as unknown as Block[];
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  const reading = new Reading('paper', { pages: [], blocks, metadata }, null);
  const say = new Statements(reading);
  extractEntities(reading, say, {
    entities: [{ block: 1, start: 9, end: 16, label: 'disease', sure: 0.99 }],
    cells: tagged,
  });
  assert.deepEqual(
    say.edges.map(({ target, evidence: { place, detail, method } }) =>
      [target, method, place.kind === 'text' ? place.quote : '', detail['columnName'], detail['rowName']].join(' | '),
    ),
    [
      'disease:name:malaria | tagger | It cures malaria. |  | ',
      'disease:name:malaria | table-name | malaria | Remark | Camphor',
      'chemical:name:camphor | table-name | Camphor | Compound | ',
      'chemical:name:borneol | table-name | Borneol | Compound | ',
      'place:name:peru | table-name | Peru | Found in | Camphor',
      'place:name:peru | table-name | Peru | Country | Borneol',
      'place:name:united states | table-name | USA | Country | Camphor',
    ],
  );
});
