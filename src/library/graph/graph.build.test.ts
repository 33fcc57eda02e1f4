import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import type { Block, ParsedDocument } from '../../parse/index.ts';
import { writeBlockLines } from '../../parse/index.ts';
import type { StageWorker } from '../../stage/index.ts';
import { runStage, stageOptions } from '../../stage/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, withProvenance } from '../../works/index.ts';
import { buildGraph, graphHash } from '../../../test/support/graph.ts';
import { graphPlan, graphWorker } from '../../graph/index.ts';
import { communities, openGraph, nearDocuments, pageRank } from './graph.ts';

const folder = mkdtempSync(join(tmpdir(), 'graph-build-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(data: string, name: string, blocks: readonly Pick<Block, 'kind' | 'text'>[]): void {
  const document: ParsedDocument = {
    pages: [{ number: 1, width: 600, height: 800 }],
    blocks: blocks.map((block, order) => ({
      ...block,
      order,
      regions: [{ page: 1, box: { left: 1, top: 2, right: 3, bottom: 4 } }],
    })) as Block[],
    metadata: { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } },
  };
  const path = join(data, 'DocTagsFiles', `${name}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, writeBlockLines(document));
}

function record(id: string, fields: Partial<WorkRecord>): WorkRecord {
  const doi = id === 'W3' ? null : `10.5555/${id.toLowerCase()}`;
  return withProvenance(
    { ...emptyRecord(id), ids: { ...emptyRecord(id).ids, openalex: id, doi }, ...fields },
    'openalex',
    '2026-01-01T00:00:00.000Z',
  );
}

const RECORDS = [
  record('W1', {
    title: 'Heat and the decline of coral reefs in shallow seas',
    date: '2010',
    venue: 'Journal of Seas',
    issn: ['1234-5678'],
    authors: [
      {
        name: 'Ana Silva',
        family: 'Silva',
        given: 'Ana',
        orcid: '0000-0001-2345-6789',
        institutions: [{ name: 'Reef Institute', ror: '01abcde23' }],
      },
    ],
    references: ['W9'],
  }),
  record('W2', {
    title: 'Recovery of reefs after bleaching',
    date: '2015',
    references: ['W1'],
    topics: [{ id: 'T10', name: 'Coral reefs' }],
  }),
];
const records = {
  all: () => RECORDS,
  ofDocument: (document: string) => RECORDS.find(({ id }) => id === document),
};

async function build(data: string, path: string, known: typeof records | undefined = records): Promise<void> {
  const settings = { vocabulary: null, entities: false };
  const options = stageOptions({
    policy: 'io',
    workers: 1,
    manifestDir: join(data, 'Manifests'),
    handleSignals: false,
  });
  assert.ok(graphWorker.module instanceof URL);
  const { default: worker } = (await import(graphWorker.module.href)) as { default: StageWorker };
  await runStage(await graphPlan(data, settings), worker, options, {}, { workerData: settings });
  buildGraph(path, { dataRoot: data, ...(known && { records: known }) });
}

const W1: readonly Pick<Block, 'kind' | 'text'>[] = [
  { kind: 'title', text: 'Heat and the decline of coral reefs in shallow seas' },
  { kind: 'text', text: 'Sea surface temperature (SST) was 29.5 °C in 2009. We used MATLAB for all fits.' },
];
const W2: readonly Pick<Block, 'kind' | 'text'>[] = [
  { kind: 'title', text: 'Recovery of reefs after bleaching' },
  { kind: 'text', text: 'Reefs decline in warm water [1]. Others recover [2]. The mean cover was 12% of the area.' },
  { kind: 'reference', text: '[1] Silva A. Heat and the decline of coral reefs in shallow seas. J Seas. 2010;3:1-9.' },
  { kind: 'reference', text: '[2] Novak B. Slow recovery of deep reefs. J Seas. 2012;5:11-19.' },
];

test('quantities of the requested measure come before others in the same sentence', async () => {
  const data = join(folder, 'rates');
  const path = join(folder, 'rates-run');
  write(data, 'W1', [
    { kind: 'title', text: 'Runs and their errors' },
    { kind: 'text', text: 'In the survey wave the error rate was 11.7% across 10 runs.' },
  ]);
  await build(data, path, undefined);
  using graph = openGraph(path);
  assert.deepEqual(
    graph.quantities('error rate', { unsure: true }).map(({ quantity }) => quantity.label),
    ['error rate · 11.7%', '10 · runs'],
  );
  assert.deepEqual(
    graph.quantities('error rate').map(({ quantity }) => quantity.label),
    ['10 · runs'],
    'values in running text are shown on request only',
  );
});

test('a graph is built whose edges lead to their sentences', async () => {
  const data = join(folder, 'a');
  const path = join(folder, 'a-run');
  write(data, 'W1', W1);
  write(data, 'W2', W2);
  await build(data, path);
  using graph = openGraph(path);
  assert.equal(graph.find('W1').id, 'work:doi:10.5555/w1');
  const [cited, ...others] = graph.citedBy('W1');
  assert.deepEqual(others, [], 'a catalogue and a reference list with two ids of the work give one citation');
  assert.equal(cited?.node.id, 'work:doi:10.5555/w2');
  assert.match(cited?.evidence[0]?.quote ?? '', /^\[1\] Silva A\. Heat and the decline/);
  const shown = graph.neighbours('10.5555/w1', {
    kinds: ['authored_by', 'published_in', 'defines', 'uses', 'measures', 'cites'],
  });
  const labels = shown.map(({ kind, direction, node }) => `${direction} ${kind} ${node.label}`);
  for (const label of [
    'out authored_by Ana Silva',
    'out published_in Journal of Seas',
    'out defines Sea surface temperature',
    'out uses MATLAB',
    'out cites openalex:W9',
  ])
    assert.ok(labels.includes(label), `${label} in ${labels.join(', ')}`);
  const [quantity] = graph.quantities('temperature', { unsure: true });
  assert.deepEqual([quantity?.quantity.data['normal'], quantity?.evidence.page], [[302.65], 1]);
  assert.equal(graph.path('W2', 'author:orcid:0000-0001-2345-6789')?.length, 3);
  assert.deepEqual(
    graph
      .gaps({ least: 1 })
      .map(({ node }) => node.label)
      .sort(),
    ['Slow recovery of deep reefs', 'openalex:W9'],
  );
  assert.equal(graph.timeline().find(({ year }) => year === 2010)?.corpus, 1);
  const rank = pageRank(graph.store);
  assert.ok(Math.abs([...rank.values()].reduce((sum, each) => sum + each, 0) - 1) < 1e-6);
  assert.equal(communities(graph.store).size, rank.size);
  const central = graph.mostCentral(10).map(({ node }) => node.id);
  assert.equal(new Set(central).size, central.length, 'a work with two ids is listed once');
  const picture = graph.neighbourhood('W2');
  const drawn = picture.edges.map(
    ({ source, target, kind, evidence }) =>
      `${picture.nodes[source]?.label} ${kind} ${picture.nodes[target]?.label}: ${evidence[0]?.quote}`,
  );
  const name = 'Silva 2010 · Heat and the decline of coral reefs in shallow seas';
  assert.ok(
    drawn.includes(`2015 · Recovery of reefs after bleaching cites ${name}: Reefs decline in warm water [1].`),
    drawn.join('\n'),
  );
  assert.deepEqual(
    graph.works(10).map(({ id }) => id),
    ['work:doi:10.5555/w2', 'work:doi:10.5555/w1'],
  );
  assert.deepEqual([...nearDocuments(graph, ['W2', 'none'])], ['W1'], 'it cites W1');
  assert.throws(() => graph.sql('DELETE FROM edges'), /readonly/);
  assert.throws(() => graph.find('nothing like that'), { code: 'GRAPH_NO_NODE' });
});

test('changing or removing a document gives the same rows as a new build', async () => {
  const data = join(folder, 'b');
  const path = join(folder, 'b-run');
  write(data, 'W1', W1);
  write(data, 'W2', W2.slice(0, 2));
  await build(data, path);
  write(data, 'W2', W2);
  write(data, 'W3', W1);
  await build(data, path);
  rmSync(join(data, 'DocTagsFiles', 'W3.jsonl'));
  await build(data, path);
  assert.equal(graphHash(path), graphHash(join(folder, 'a-run')));
});

test('a graph can be built while another connection is reading it', async () => {
  const data = join(folder, 'read');
  const path = join(folder, 'read-run');
  write(data, 'W1', W1);
  await build(data, path);
  using reader = openGraph(path);
  const rows = reader.store.database.prepare('SELECT id FROM nodes').iterate();
  assert.equal(rows.next().done, false);
  write(data, 'W2', W2);
  await build(data, path);
  rows.return?.();
  assert.equal(reader.stats().documents, 2, 'the next query sees the new graph');
});
