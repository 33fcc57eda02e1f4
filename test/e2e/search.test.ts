import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { NodeStatement } from '../../src/graph/index.ts';
import { CorpusStore } from '../../src/database/index.ts';
import { changeGraph } from '../support/graph.ts';
import type { Block, DenseEngine } from '../../src/parse/index.ts';
import {
  chunkItem,
  chunkOutput,
  embedItem,
  embedOutput,
  openDenseEngine,
  openTokenizer,
} from '../../src/parse/index.ts';
import { readOnly } from '../support/read-only.ts';
import { command } from './command.ts';

let root = '';
let engine: DenseEngine;
before(async () => {
  root = mkdtempSync(join(tmpdir(), 'search-command-'));
  engine = await openDenseEngine({ engine: 'embedded', precision: 'int8', threads: 1 });
});
after(async () => {
  await engine[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

/** Writes a paper into a run folder as the stages do. */
async function paper(run: string, id: string, title: string, paragraphs: readonly string[]): Promise<void> {
  const dataRoot = join(root, 'runs', run, 'Data');
  const regions = (page: number): Block['regions'] => [{ page, box: { left: 0, top: 0, right: 1, bottom: 1 } }];
  const blocks: Block[] = [
    { order: 0, kind: 'title', text: title, regions: regions(1) },
    { order: 1, kind: 'heading', level: 1, text: 'Results', regions: regions(2) },
    ...paragraphs.map((text, at): Block => ({ order: at + 2, kind: 'text', text, regions: regions(at + 2) })),
  ];
  const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
  const chunks = chunkOutput(dataRoot, id, 'parquet');
  await chunkItem({
    id,
    document: { blocks, metadata: { title, authors: [], needsOcr: [], quality } },
    output: chunks,
    tokenizer: await openTokenizer('model'),
    options: { maxTokens: 96, minTokens: 16, overlapTokens: 0 },
  });
  const output = embedOutput(dataRoot, id, 'parquet');
  const engines = { dense: engine, sparse: undefined };
  await embedItem({ input: chunks, output, engines, type: 'float32', cache: undefined });
  mkdirSync(join(root, 'runs', run, 'PDF'), { recursive: true });
  writeFileSync(join(root, 'runs', run, 'PDF', `${id}.pdf`), '%PDF-');
}

function search(...parameters: string[]): ReturnType<typeof command> {
  return command('docstokg', ['search', ...parameters], { cwd: root });
}

interface Found {
  readonly mode: string;
  readonly run: string;
  readonly hits: readonly Readonly<Record<string, unknown>>[];
}

test('a run is searched by words and meaning; its index is built, reused, and updated for new passages', async () => {
  const filler = 'Unrelated remarks about the weather of the island fill this paragraph to some length. '.repeat(9);
  const whale = `The blue whale is the largest animal that ever lived. ${'No other beast on land or in water comes near its size and weight. '.repeat(4)}`;
  await paper('ocean', 'W1', 'Giants of the Sea', [filler, whale]);
  await paper('ocean', 'W2', 'Money and Banks', ['Interest rates rose by half a percent in the third quarter.']);
  await paper('old', 'W9', 'Old News', ['Nothing of interest was found here long ago.']);
  // The default is the run whose chunks were written last.
  utimesSync(join(root, 'runs', 'old', 'Data', 'ChunkedDocTagFiles'), new Date(0), new Date(0));

  const first = search('which creature is the biggest?');
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stderr, /building the index of 2 documents[\s\S]*passages indexed[\s\S]*words and meaning/);
  const lines = first.stdout.split('\n');
  assert.match(lines[0] ?? '', /^1\. {2}Giants of the Sea +\d\.\d\d$/);
  assert.match(first.stdout, /Results · page 3\n.*The blue whale is the largest animal that ever lived\./);
  assert.ok(first.stdout.includes(join('runs', 'ocean', 'PDF', 'W1.pdf')));
  assert.ok(lines.every((line) => line.length <= 80));

  const second = search('--json', '--top', '1', 'central bank', '--hybrid');
  assert.doesNotMatch(second.stderr, /index/, 'the index is unchanged');
  const found = JSON.parse(second.stdout) as Found;
  assert.equal(found.mode, 'hybrid');
  assert.deepEqual(
    { ...found.hits[0], id: '', score: 0, fit: 0, boxes: [] },
    {
      rank: 1,
      score: 0,
      fit: 0,
      by: 'words and meaning',
      id: '',
      document: 'W2',
      title: 'Money and Banks',
      section: [],
      part: 'body',
      page: 1,
      boxes: [],
      text: 'Money and Banks\n\nResults\n\nInterest rates rose by half a percent in the third quarter.',
      file: join('runs', 'ocean', 'PDF', 'W2.pdf'),
      link: `${join('runs', 'ocean', 'PDF', 'W2.pdf')}#page=1`,
      work: null,
    },
  );
  const empty = search('');
  assert.equal(empty.status, 2, 'an empty question is refused');
  assert.match(empty.stderr, /USAGE_QUESTION/);

  await paper('ocean', 'W3', 'Penguins', ['Penguins march over the ice.']);
  const third = command('docstokg', ['search', '--lexical', join('runs', 'ocean'), '-n', '1'], {
    cwd: root,
    input: 'marching penguin\n\ninterest\nxylophone\n',
  });
  assert.match(third.stderr, /updating the index of 1 document$/m);
  assert.match(third.stdout, /^1\. {2}Penguins[\s\S]*\n\n1\. {2}Money and Banks[\s\S]*no results for “xylophone”/);
  assert.match(search(join('runs', 'old'), 'interest', '--lexical').stdout, /Old News/);
});

/** Node's options that make a package look as if it was not installed. */
function without(name: string): string {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(specifier, context, next) {
      if (specifier === '${name}') throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context);
    } });`;
  return `--import=data:text/javascript,${encodeURIComponent(hook)}`;
}

test('a corpus embedded with onnxruntime is searched by meaning where only WebAssembly runs', async () => {
  await paper('travels', 'W1', 'Giants', ['The blue whale is the largest animal that ever lived in any sea.']);
  await paper('travels', 'W2', 'Banks', ['Interest rates rose by half a percent in the third quarter.']);
  const [folder, question] = [join(root, 'runs', 'travels'), 'which creature is the biggest?'];
  const here = search(folder, question, '--json');
  assert.equal(here.status, 0, here.stderr);
  const env = { NODE_OPTIONS: without('onnxruntime-node') };
  const there = command('docstokg', ['search', folder, question, '--json'], { cwd: root, env });
  assert.equal(there.status, 0, there.stderr);
  const [first, second] = [here, there].map(({ stdout }) => JSON.parse(stdout) as Found);
  assert.equal(second?.mode, 'hybrid');
  assert.deepEqual(
    second.hits.map(({ document }) => document),
    first?.hits.map(({ document }) => document),
  );
});

test('--by-paper shows the best passage of each paper and counts the others', async () => {
  const about = (part: string): string =>
    `Icebergs ${part}. ${'They drift with the current for many years. '.repeat(9)}`;
  await paper('ice', 'W1', 'Icebergs', ['melt slowly', 'calve loudly', 'roll over'].map(about));
  await paper('ice', 'W2', 'Harbours', ['Harbours are closed when icebergs drift near the coast in spring.']);
  const ask = (...more: string[]) => search(join('runs', 'ice'), '--lexical', '--top', '2', ...more, 'icebergs drift');
  assert.equal(ask().stdout.match(/^\d+\. {2}/gm)?.length, 2);
  assert.doesNotMatch(ask().stdout, /Harbours/, 'the best passages come first');
  const { stdout } = ask('--by-paper');
  assert.match(stdout, /^1\. {2}Icebergs[\s\S]*\d more found in this paper: pages [\d, ]+\n[\s\S]*^2\. {2}Harbours/m);
  const { hits } = JSON.parse(ask('--by-paper', '--json').stdout) as Found;
  const papers = hits.map(({ rank, document, more }) => [rank, document, typeof more]);
  assert.deepEqual(papers, [
    [1, 'W1', 'number'],
    [2, 'W2', 'number'],
  ]);
});

test('--related appends passages of works linked by citations', async () => {
  const ask = (...more: string[]): ReturnType<typeof command> =>
    search(join('runs', 'ocean'), '--lexical', '--top', '1', '--min-fit', '0', '--json', ...more);
  const question = 'largest animal and interest rates';
  const documents = (stdout: string): unknown[] =>
    (JSON.parse(stdout) as Found).hits.map(({ rank, document, related }) => [rank, document, related ?? false]);
  const none = ask('--related', question);
  assert.match(none.stderr, /GRAPH_MISSING[\s\S]*docstokg graph build/);
  const found = documents(ask(question).stdout);
  assert.equal(found.length, 1);
  const work = (id: string): NodeStatement => ({
    id: `work:document:${id}`,
    kind: 'work',
    label: id,
    year: null,
    rank: 1,
    data: {},
  });
  const place = { kind: 'metadata', origin: 'test', readAt: null } as const;
  const evidence = { place, method: 'test', version: 1, score: 1, detail: {} };
  const edge = { source: 'work:document:W1', kind: 'cites', target: 'work:document:W2', evidence } as const;
  using store = CorpusStore.create(join(root, 'runs', 'ocean'));
  changeGraph(store, {
    add: ['W1', 'W2', 'W3'].map((owner) => ({
      owner,
      work: `work:document:${owner}`,
      fileSha256: null,
      nodes: [work(owner)],
      edges: owner === 'W1' ? [edge] : [],
      references: [],
    })),
  });
  const [[, first]] = found as [[number, string]];
  const other = first === 'W1' ? 'W2' : 'W1';
  assert.deepEqual(documents(ask('--related', question).stdout), [...found, [2, other, true]]);
  assert.deepEqual(documents(ask('--related', '--by-paper', question).stdout), [...found, [2, other, true]]);
});

test('a run on a read-only disk is searched, with an index that may be out of date', async (context) => {
  await paper('archive', 'A1', 'Tides', ['The tide follows the moon around the earth every day.']);
  const run = join(root, 'runs', 'archive');
  const wanted = search(run, '--lexical', 'moon').stdout;
  assert.match(wanted, /Tides/);
  const chunks = chunkOutput(join(run, 'Data'), 'A1', 'parquet');
  for (const isChanged of [false, true]) {
    if (isChanged) utimesSync(chunks, new Date(0), new Date(0));
    using mounted = readOnly(run);
    if (!mounted) {
      context.skip('NOT TESTED: a folder cannot be made read-only here');
      return;
    }
    const { stdout, stderr } = search(run, '--lexical', 'moon');
    assert.equal(stdout, wanted, stderr);
    assert.equal(/the index was not updated: .* cannot be (?:opened|written)/.test(stderr), isChanged, stderr);
  }
});

test('a missing run or corpus is reported with a hint', () => {
  const nowhere = command('docstokg', ['search', 'x'], { cwd: tmpdir() });
  assert.equal(nowhere.status, 1);
  assert.match(nowhere.stderr, /SEARCH_NOTHING[\s\S]*docstokg run/);
  assert.match(search('./elsewhere', 'x').stderr, /USAGE_RUN \.\/elsewhere does not exist/);
  assert.equal(search('--dense', '--lexical', 'x').status, 2);
});
