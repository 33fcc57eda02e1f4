import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { packageRoot } from '../../base/index.ts';
import { randomDocument } from '../../../test/fixtures/random-document.ts';
import type { Block, Cell, ParsedDocument } from '../document.ts';
import type { Chunk, ChunkOptions } from './chunk.ts';
import { embeddedText, pageAt } from './chunk.ts';
import { chunkDocument } from './chunker.ts';
import { flowOf } from './flow.ts';
import type { Tokenizer } from './tokenizer.ts';
import { openTokenizer } from './tokenizer.ts';

const OPTIONS: ChunkOptions = { maxTokens: 128, minTokens: 32, overlapTokens: 0 };
const DATA = join(packageRoot(), '..', 'shared', 'data');
const model = await openTokenizer('model');

function documentOf(blocks: readonly Block[], title?: string): ParsedDocument {
  const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
  return { pages: [], blocks, metadata: { authors: [], needsOcr: [], quality, ...(title && { title }) } };
}

function block(order: number, kind: 'text' | 'title' | 'caption', text: string, parent?: number): Block {
  return { order, kind, text, regions: [], ...(parent !== undefined && { parent }) };
}

/** Invariants of every document; `note` is the seed or file for messages. */
function checkInvariants(document: ParsedDocument, tokenizer: Tokenizer, options: ChunkOptions, note: string): Chunk[] {
  const chunks = chunkDocument('d', document, tokenizer, options);
  const flow = flowOf(document);
  let at = 0;
  for (const [index, chunk] of chunks.entries()) {
    assert.equal(chunk.index, index, note);
    assert.equal(chunk.start, at, `${note}: chunk ${index} begins where the one before ends`);
    assert.equal(flow.text.slice(chunk.start, chunk.end).trimEnd(), chunk.text.slice(chunk.repeated), note);
    assert.notEqual(chunk.text.trim(), '', note);
    const tokens = tokenizer.count(embeddedText(chunk)) + tokenizer.specials;
    assert.equal(chunk.tokens, tokens, `${note}: chunk ${index} knows its tokens`);
    assert.ok(tokens <= options.maxTokens, `${note}: chunk ${index} has ${tokens} tokens`);
    assert.deepEqual(
      chunk.regions,
      chunk.blocks.flatMap((order) => document.blocks.find((each) => each.order === order)?.regions ?? []),
      note,
    );
    at = chunk.end;
  }
  assert.equal(at, flow.text.length, `${note}: the last chunk ends with the flow`);
  assert.equal(new Set(chunks.map(({ id }) => id)).size, chunks.length, `${note}: ids are unique`);
  assert.deepEqual(chunkDocument('d', document, tokenizer, options), chunks, `${note}: chunks are stable`);
  checkRows(flow, chunks, { tokenizer, options, note });
  return chunks;
}

/** A row that fits in a chunk with the minimum context is never split. */
function checkRows(
  flow: ReturnType<typeof flowOf>,
  chunks: readonly Chunk[],
  { tokenizer, options, note }: { tokenizer: Tokenizer; options: ChunkOptions; note: string },
): void {
  for (const group of flow.groups) {
    for (const row of group.parts.filter(({ cut }) => cut === 'row')) {
      if (tokenizer.count(flow.text.slice(row.start, row.end)) > options.maxTokens / 2 - tokenizer.specials) continue;
      const cut = chunks.find(({ start }) => start > row.start && start < row.end);
      assert.equal(cut, undefined, `${note}: row "${flow.text.slice(row.start, row.end)}" is cut`);
    }
  }
}

for (const [name, seeds] of [
  ['model', 120],
  ['cl100k', 60],
  ['o200k', 30],
] as const) {
  test(`chunks of random documents tile the text and respect every limit (${name})`, async () => {
    const tokenizer = await openTokenizer(name);
    for (let seed = 1; seed <= seeds; seed += 1) {
      const maxTokens = [32, 64, 128, 256, 512][seed % 5] ?? 128;
      const overlapTokens = seed % 3 === 0 ? Math.floor(maxTokens / 8) : 0;
      const options = { maxTokens, minTokens: Math.floor(maxTokens / (2 + (seed % 4))), overlapTokens };
      checkInvariants(randomDocument(seed), tokenizer, options, `seed ${seed}`);
    }
  });
}

interface TruthBlock {
  readonly kind: string;
  readonly text?: string;
  readonly level?: number;
  readonly table?: { readonly rows: readonly (readonly { readonly text: string; readonly header?: boolean }[])[] };
}

test('chunks of the open papers and abstracts tile the text and respect every limit', (context) => {
  if (!existsSync(DATA)) {
    context.skip(`NOT TESTED on the open data: ${DATA} is not there`);
    return;
  }
  const options = { maxTokens: 256, minTokens: 64, overlapTokens: 0 };
  let papers = 0;
  // A third of the papers of every publisher: all of them take seconds.
  const files = globSync('parse/open/*/*.truth.json', { cwd: DATA }).sort();
  for (const file of files.filter((_, at) => at % 3 === 0)) {
    const truth = JSON.parse(readFileSync(join(DATA, file), 'utf8')) as { readonly blocks: readonly TruthBlock[] };
    checkInvariants(documentOf(truth.blocks.map(fromTruth)), model, options, file);
    papers += 1;
  }
  assert.ok(papers > 20);
  const lines = readFileSync(join(DATA, 'retrieval/open/scifact-train/corpus.jsonl'), 'utf8').split('\n', 300);
  for (const line of lines) {
    const { id, title, text } = JSON.parse(line) as { id: string; title: string; text: string };
    checkInvariants(documentOf([block(0, 'title', title), block(1, 'text', text)]), model, options, `abstract ${id}`);
  }
});

function fromTruth(truth: TruthBlock, order: number): Block {
  const base = { order, regions: [], text: truth.text ?? '' };
  switch (truth.kind) {
    case 'heading':
      return { ...base, kind: 'heading', level: truth.level ?? 1 };
    case 'table': {
      const rows = truth.table?.rows ?? [];
      const cells = rows.flatMap((row, at) =>
        row.map(({ text, header }, column) => cell(at, column, text, header ?? false)),
      );
      return { ...base, kind: 'table', table: { rows: rows.length, columns: rows[0]?.length ?? 0, cells } };
    }
    case 'list_item':
      return { ...base, kind: 'list_item', ordered: false, depth: 0 };
    case 'code':
    case 'reference':
    case 'title':
    case 'formula':
    case 'footnote':
    case 'caption':
      return { ...base, kind: truth.kind };
    default:
      return { ...base, kind: 'text' };
  }
}

function cell(row: number, column: number, text: string, header: boolean): Cell {
  return { row, column, rowSpan: 1, columnSpan: 1, text, kind: header ? 'column-header' : 'data' };
}

const sentence = (topic: string, words: number): string => `The ${topic} ${'really '.repeat(words)}matters.`;

test('a long paragraph is cut at sentence ends', () => {
  const text = Array.from({ length: 20 }, (_, at) => sentence(`effect of Fig. ${at}`, 12)).join(' ');
  const chunks = checkInvariants(documentOf([block(0, 'text', text)]), model, OPTIONS, 'paragraph');
  assert.ok(chunks.length > 2);
  for (const chunk of chunks) assert.match(chunk.text, /^The .*matters\.$/);
});

test('title and headings missing in the text are added as context, and counted', () => {
  const blocks: Block[] = [
    block(0, 'title', 'On Whales'),
    { order: 1, kind: 'heading', level: 1, text: 'Methods', regions: [] },
    { order: 2, kind: 'heading', level: 2, text: 'Sampling', regions: [] },
    block(3, 'text', Array.from({ length: 12 }, () => sentence('sea', 15)).join(' ')),
  ];
  const chunks = checkInvariants(documentOf(blocks), model, OPTIONS, 'headings');
  assert.equal(chunks[0]?.context, '');
  assert.match(chunks[0]?.text ?? '', /^On Whales\n\nMethods\n\nSampling\n\nThe sea/);
  assert.equal(chunks[1]?.context, 'On Whales\nMethods\nSampling');
  assert.deepEqual(chunks[1]?.headings, ['Methods', 'Sampling']);
});

test('a table is split between rows, with caption and header repeated', () => {
  const cells = Array.from({ length: 40 }, (_, row) =>
    row === 0
      ? [cell(0, 0, 'species', true), cell(0, 1, 'length in metres', true)]
      : [cell(row, 0, `whale number ${row}`, false), cell(row, 1, `${row}.5`, false)],
  ).flat();
  const table: Block = { order: 0, kind: 'table', text: '', regions: [], table: { rows: 40, columns: 2, cells } };
  const caption = block(1, 'caption', 'Table 1: Lengths of whales.', 0);
  const chunks = checkInvariants(documentOf([table, caption]), model, OPTIONS, 'table');
  assert.ok(chunks.length > 2);
  for (const chunk of chunks) {
    assert.match(chunk.text, /^Table 1: Lengths of whales\.\nspecies \| length in metres\nwhale number/);
    assert.match(chunk.text, /\d\.5$/);
  }
});

test('small sections are merged with their siblings, never across a higher heading', () => {
  const heading = (order: number, level: number, text: string): Block => ({
    order,
    kind: 'heading',
    level,
    text,
    regions: [],
  });
  const blocks = [
    heading(0, 1, 'Results'),
    block(1, 'text', sentence('result', 118)),
    heading(2, 2, 'Speed'),
    block(3, 'text', 'It is fast.'),
    heading(4, 2, 'Size'),
    block(5, 'text', 'It is small.'),
    heading(6, 1, 'Conclusion'),
    block(7, 'text', 'It is good.'),
  ];
  const chunks = checkInvariants(documentOf(blocks), model, OPTIONS, 'peers');
  assert.deepEqual(
    chunks.slice(1).map(({ text }) => text.split(/\s+/).join(' ')),
    ['Speed It is fast. Size It is small.', 'Conclusion It is good.'],
  );
});

test('a title page and a reference list are never merged with the body', () => {
  const heading = (order: number, text: string): Block => ({ order, kind: 'heading', level: 1, text, regions: [] });
  const blocks: Block[] = [
    block(0, 'title', 'Whales and their size'),
    block(1, 'text', 'Ada Smith, Ben Jones'),
    block(2, 'text', 'University of Flint · University of Elm'),
    heading(3, 'Abstract'),
    block(4, 'text', 'Whales are large.'),
    heading(5, 'Conclusion'),
    block(6, 'text', 'They are the largest.'),
    heading(7, 'References'),
    { order: 8, kind: 'reference', text: 'Smith A. On whales. 1999.', regions: [] },
  ];
  const chunks = checkInvariants(documentOf(blocks), model, OPTIONS, 'apart');
  assert.deepEqual(
    chunks.map(({ text }) => text.split(/\s+/).join(' ')),
    [
      'Whales and their size Ada Smith, Ben Jones University of Flint · University of Elm',
      'Abstract Whales are large. Conclusion They are the largest.',
      'References Smith A. On whales. 1999.',
    ],
  );
});

test('overlap repeats the last sentences and marks them', () => {
  const text = Array.from({ length: 20 }, (_, at) => sentence(`point ${at}`, 5)).join(' ');
  const chunks = checkInvariants(
    documentOf([block(0, 'text', text)]),
    model,
    { ...OPTIONS, overlapTokens: 24 },
    'overlap',
  );
  const flow = flowOf(documentOf([block(0, 'text', text)])).text;
  for (const chunk of chunks.slice(1)) {
    assert.ok(chunk.repeated > 0);
    assert.ok(model.count(chunk.text.slice(0, chunk.repeated)) <= 24);
    assert.equal(chunk.text.slice(0, chunk.repeated), flow.slice(chunk.start - chunk.repeated, chunk.start));
    assert.match(chunk.text, /^The point/);
  }
});

test('text without spaces is cut between sentences and words', () => {
  const text = '我们提出了一种新的方法来测量海水的温度。'.repeat(40);
  const chunks = checkInvariants(documentOf([block(0, 'text', text)]), model, OPTIONS, 'chinese');
  assert.ok(chunks.length > 3);
  for (const chunk of chunks) assert.match(chunk.text, /^我们.*。$/);
});

test('text added above does not change the ids of the chunks below', () => {
  const section = (order: number, name: string): Block[] => [
    { order, kind: 'heading', level: 1, text: name, regions: [] },
    block(order + 1, 'text', sentence(name, 60)),
  ];
  const before = chunkDocument('d', documentOf(section(0, 'Old')), model, OPTIONS);
  const after = chunkDocument('d', documentOf([...section(0, 'New'), ...section(2, 'Old')]), model, OPTIONS);
  assert.equal(after.at(-1)?.id, before.at(-1)?.id);
});

test('contradictory settings are refused', () => {
  assert.throws(() => chunkDocument('d', documentOf([]), model, { ...OPTIONS, minTokens: 100 }), {
    code: 'CHUNK_OPTIONS',
  });
});

test('notes below the references are not part of that section', () => {
  const none = { regions: [] };
  const blocks: Block[] = [
    { order: 0, kind: 'heading', level: 1, text: 'Results', ...none },
    { order: 1, kind: 'text', text: 'They swim.', ...none },
    { order: 2, kind: 'heading', level: 1, text: 'References', ...none },
    { order: 3, kind: 'reference', text: 'Lake B. (2020).', ...none },
    { order: 4, kind: 'footnote', text: 'The gauges were replaced in 2003.', ...none },
  ];
  const chunks = chunkDocument('d', documentOf(blocks), model, OPTIONS);
  const noted = chunks.find(({ text }) => text.includes('gauges'));
  assert.deepEqual(noted?.headings, []);
  assert.ok(!noted?.text.includes('Lake'));
});

test('a chunk knows where in its text each page begins, also inside a paragraph that is broken over pages', () => {
  const region = (page: number, height: number): Block['regions'][number] => ({
    page,
    box: { left: 0, top: 0, right: 100, bottom: height },
  });
  const [first, broken, last] = ['One stands here.', `${'Two goes on. '.repeat(9)}Two ends.`, 'Three is short.'];
  const blocks = [
    { ...block(0, 'text', first ?? ''), regions: [region(4, 10)] },
    { ...block(1, 'text', broken ?? ''), regions: [region(4, 30), region(5, 30)] },
    { ...block(2, 'text', last ?? ''), regions: [region(6, 10)] },
  ];
  const [chunk, ...others] = chunkDocument('d', documentOf(blocks), model, OPTIONS);
  assert.deepEqual([others, chunk?.pageStarts.filter((_, at) => at % 2 === 1)], [[], [4, 5, 6]]);
  const { text = '', pageStarts = [] } = chunk ?? {};
  for (const [words, page] of [
    ['One', 4],
    ['Two goes', 4],
    ['Two ends', 5],
    ['Three', 6],
  ] as const)
    assert.equal(pageAt(pageStarts, text.indexOf(words)), page, words);
  // The second chunk begins on the page on which it begins, not on that of its paragraph.
  const small = chunkDocument('d', documentOf(blocks.slice(1, 2)), model, { ...OPTIONS, maxTokens: 32, minTokens: 8 });
  assert.equal(small[0]?.pageStarts[1], 4);
  assert.equal(small.at(-1)?.pageStarts.join(' '), '0 5');
  assert.deepEqual(chunkDocument('d', documentOf([block(0, 'text', 'No pages.')]), model, OPTIONS)[0]?.pageStarts, []);
});
