import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { graphHash } from '../../test/support/graph.ts';
import { Admin, Simulation, webTime } from '../../sim/index.ts';
import { author } from '../../sim/world/people.ts';
import { AppError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { Block } from '../parse/index.ts';
import { writeBlockLines } from '../parse/index.ts';
import { openJsonServer, sendJson } from '../testing/index.ts';
import type { GraphEvent } from './corpus-graph.ts';
import { openCorpus } from './corpus.ts';
import { Records, removeStore } from '../database/index.ts';
import { emptyRecord } from '../works/index.ts';

const REFERENCES = [
  '[1] Silva A. Heat and the decline of coral reefs in shallow seas. J Seas. 2010;3:1-9.',
  '[2] Novak B. Slow recovery of deep reefs after storms. J Seas. 2012;5:11-19.',
  '[3] Okafor C. How sand settles in slow rivers. River Res. 2001;4:22-31.',
  '[4] ibid.',
];
const REGISTERED = [
  {
    DOI: '10.5555/Heat',
    title: ['Heat and the decline of coral reefs in shallow seas'],
    author: [{ family: 'Silva' }],
    issued: { 'date-parts': [[2010]] },
    'container-title': ['Journal of Seas'],
  },
  // Another work with that title: the reference is ambiguous.
  ...['10.5555/slow-1', '10.5555/slow-2'].map((DOI) => ({
    DOI,
    title: ['Slow recovery of deep reefs after storms'],
    author: [],
    issued: { 'date-parts': [[2012]] },
  })),
];

function doiIn(text: string): { readonly doi?: string } {
  const doi = / doi:(\S+)$/.exec(text)?.[1];
  return doi === undefined ? {} : { doi };
}

function writeDocument(data: string, name: string, title: string, references: readonly string[]): void {
  const texts: Pick<Block, 'kind' | 'text'>[] = [
    { kind: 'title', text: title },
    { kind: 'text', text: 'Reefs decline in warm water [1]. Others recover [2], and sand settles [3].' },
    ...references.map((text) => ({ kind: 'reference' as const, text, ...doiIn(text) })),
  ];
  mkdirSync(join(data, 'DocTagsFiles'), { recursive: true });
  writeFileSync(
    join(data, 'DocTagsFiles', `${name}.jsonl`),
    writeBlockLines({
      pages: [{ number: 1, width: 600, height: 800 }],
      blocks: texts.map((block, order) => ({
        ...block,
        order,
        regions: [{ page: 1, box: { left: 1, top: 2, right: 3, bottom: 4 } }],
      })) as Block[],
      metadata: { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } },
    }),
  );
}

/** Timeouts for a busy machine, at a thousandth of real time. */
const PATIENT = {
  connect_s: 30_000,
  headers_s: 30_000,
  idle_s: 30_000,
  total_s: 60_000,
  floor_bytes_per_second: 0,
} as const;

function settingsFor(url: string, graph: Settings['graph']): Settings {
  return {
    graph,
    stage: { durable: false, workers: 1, policy: 'io' },
    http: {
      ...PATIENT,
      contact: 'ada@university.example',
      allow: [new URL(url).host],
      retries: 0,
    },
    services: { base_urls: { crossref: url } },
  };
}

type Built = Extract<GraphEvent, { kind: 'built' }>;

async function build(folder: string, settings: Settings): Promise<Built & { readonly warnings: readonly string[] }> {
  await using corpus = await openCorpus(folder, { settings, web: webTime(0.001) });
  let built: Built | undefined;
  const warnings: string[] = [];
  for await (const event of corpus.graph.build())
    if (event.kind === 'built') built = event;
    else if (event.kind === 'warning') warnings.push(event.message);
  assert.ok(built);
  return { ...built, warnings };
}

test('references without an identifier are looked up once, and the same responses give the same graph', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-lookup-'));
  const folder = join(scratch.path, 'run');
  const data = join(folder, 'Data');
  writeDocument(data, 'one', 'A study of reefs and sand', REFERENCES);
  writeDocument(data, 'two', 'Another study of reefs', [`1. ${REFERENCES[0]?.slice(4)}`]);
  await using server = await openJsonServer(({ path }, response) => {
    const words = new URL(path, 'http://x').searchParams.get('query.bibliographic') ?? '';
    const items = REGISTERED.filter(({ title }) => words.includes(title[0] ?? ''));
    return sendJson(response, 200, { message: { items } });
  });

  const alone = await build(folder, settingsFor(server.url, {}));
  assert.equal(alone.lookedUp, null);
  assert.equal(server.received.length, 0, 'no requests without graph.lookup');

  // Two documents cite the first reference, so it is looked up first, and once.
  const first = await build(folder, settingsFor(server.url, { lookup: true, lookup_most: 1 }));
  assert.deepEqual(first.lookedUp, { asked: 1, found: 1, doubtful: 0, unknown: 0, unanswered: 0, left: 2 });
  const [sent] = server.received;
  assert.match(sent?.path ?? '', /query\.bibliographic=Heat\+and\+the\+decline.*Silva.*2010.*mailto=ada/);
  assert.match(sent?.headers['user-agent'] ?? '', /ada@university\.example/);

  const second = await build(folder, settingsFor(server.url, { lookup: true }));
  assert.deepEqual(second.lookedUp, { asked: 2, found: 0, doubtful: 1, unknown: 1, unanswered: 0, left: 0 });
  const third = await build(folder, settingsFor(server.url, { lookup: true }));
  assert.deepEqual(third.lookedUp, { asked: 0, found: 0, doubtful: 0, unknown: 0, unanswered: 0, left: 0 });
  assert.equal(server.received.length, 3, 'an answered request is not repeated, whatever the answer');

  {
    await using corpus = await openCorpus(folder, { settings: settingsFor(server.url, {}) });
    using graph = corpus.graph.open();
    const heat = graph.find('10.5555/heat');
    assert.deepEqual([heat.label, heat.year], ['Heat and the decline of coral reefs in shallow seas', 2010]);
    const citing = graph.citedBy('10.5555/heat');
    assert.equal(citing.length, 2);
    const evidence = citing.flatMap((each) => each.evidence);
    assert.ok(
      evidence.some(({ quote }) => quote === REFERENCES[0]),
      'the reference as printed',
    );
    assert.ok(
      evidence.some(({ method, origin, readAt }) => method === 'reference-lookup' && origin === 'crossref' && readAt),
      'its source and the time of the answer',
    );
  }
  const rows = graphHash(folder);
  await build(folder, settingsFor(server.url, {}));
  assert.equal(graphHash(folder), rows, 'a build without lookups keeps earlier answers');
  removeStore(folder);
  await build(folder, settingsFor(server.url, {}));
  assert.equal(graphHash(folder), rows, 'a graph built in one go has the same rows');
  removeStore(folder);
  {
    await using corpus = await openCorpus(folder, { settings: settingsFor(server.url, {}) });
    using graph = corpus.graph.open();
    assert.equal(
      graph.citedBy('10.5555/heat').length,
      2,
      'a graph whose database was deleted is built when it is opened',
    );
  }
  assert.equal(graphHash(folder), rows);
});

test('works that records cite only by id are looked up once, and a missing work is counted once', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-names-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 7, works: 120, hosts: 12, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.001,
  });
  await using admin = await Admin.open(simulation);
  const settings: Settings = {
    graph: { lookup: true },
    stage: { durable: false, workers: 1, policy: 'io' },
    http: PATIENT,
  };
  const { world } = simulation;
  // A record cites a missing work by id, a document by its DOI; another id belongs to no work.
  const wanted = [...world.works()].find(({ doi, agency, isXpac }) => doi !== null && agency === 'crossref' && !isXpac);
  assert.ok(wanted);
  writeDocument(join(scratch.path, 'Data'), 'own', 'A study', [`[1] Somebody A. Something. 2010. doi:${wanted.doi}`]);
  const folder = scratch.path;
  {
    using records = Records.open(folder);
    const ids = { openalex: 'W1' };
    records.add([{ ...emptyRecord('W1', ids), title: 'Another study', references: [wanted.id, 'W999999999999'] }]);
  }
  await using corpus = await openCorpus(folder, { sim: admin.url, web: webTime(simulation.timeScale), settings });
  const events = await Array.fromAsync(corpus.graph.build());
  assert.deepEqual(events.find((event) => event.kind === 'built')?.named, { asked: 2, named: 1, unknown: 1, left: 0 });
  using graph = corpus.graph.open();
  assert.deepEqual(
    graph.gaps({ least: 2 }).map(({ node, weight }) => [node.id, node.label, weight]),
    [[`work:doi:${wanted.doi?.toLowerCase()}`, wanted.title, 2]],
  );
  const again = await Array.fromAsync(corpus.graph.build());
  assert.equal(again.find((event) => event.kind === 'built')?.named?.asked, 0);
});

test('a graph of selected works contains only them and their documents', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-chosen-'));
  writeDocument(join(folder.path, 'Data'), 'unrelated', 'A study of sand', REFERENCES);
  {
    using records = Records.open(folder.path);
    records.add(
      ['W1', 'W2'].map((id) => ({ ...emptyRecord(id, { openalex: id }), title: `Study ${id}`, references: [] })),
    );
  }
  await using corpus = await openCorpus(folder.path);
  const names = ['W1', 'W2', 'unrelated'];
  const nodes = async (works?: ReadonlySet<string>): Promise<readonly string[]> => {
    await Array.fromAsync(corpus.graph.build({ works }));
    using graph = corpus.graph.open();
    return names.filter((name) => {
      try {
        return graph.find(name).id !== '';
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'GRAPH_NO_NODE');
        return false;
      }
    });
  };
  assert.deepEqual(await nodes(new Set(['W1'])), ['W1']);
  assert.deepEqual(await nodes(), names);
});

test('in the simulated world, every work found is the one that was cited', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-lookup-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 7, works: 120, hosts: 12, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.001,
  });
  await using admin = await Admin.open(simulation);
  const { world } = simulation;
  const printed = [...world.works()]
    .filter(({ agency, isXpac }) => agency === 'crossref' && !isXpac)
    .slice(0, 12)
    .map(({ doi, title, year, authors }, at) => {
      const names = authors
        .map((each) => author(world.parameters.seed, each))
        .map(({ given, family }) => `${family} ${given.charAt(0)}`);
      return {
        doi: doi ?? '',
        text: `[${at + 1}] ${names.join(', ')}. ${title}. J Seas. ${year};3:${at + 1}-${at + 9}.`,
      };
    });
  const unknown = '[13] Nobody A. Something that was never registered anywhere by anybody. J Seas. 2010;3:1-9.';
  writeDocument(join(scratch.path, 'Data'), 'one', 'A study', [...printed.map(({ text }) => text), unknown]);
  await using corpus = await openCorpus(scratch.path, {
    sim: admin.url,
    web: webTime(simulation.timeScale),
    settings: { graph: { lookup: true }, stage: { durable: false, workers: 1, policy: 'io' }, http: PATIENT },
  });
  const events = await Array.fromAsync(corpus.graph.build());
  const lookedUp = events.find((event) => event.kind === 'built')?.lookedUp;
  assert.equal(lookedUp?.asked, 13);
  assert.ok(lookedUp.found >= 9, JSON.stringify(lookedUp));
  using graph = corpus.graph.open();
  const found = graph.sql(
    "SELECT quote, detail FROM evidence WHERE method = 'reference-lookup' AND kind = 'cites' AND quote IS NOT NULL",
  );
  assert.equal(found.length, lookedUp.found);
  for (const { quote, detail } of found) {
    const { doi } = printed.find(({ text }) => text === quote) ?? {};
    assert.equal((JSON.parse(String(detail)) as { identifier: string }).identifier, `doi:${doi?.toLowerCase()}`);
  }
});

test('a catalogue that is down or returns invalid data leaves the graph unchanged', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-lookup-'));
  const answers: readonly (readonly [string, unknown, Partial<Record<string, number>>])[] = [
    ['away', undefined, { unanswered: 3, found: 0 }],
    ['a prototype', { message: { items: [{ __proto__: { polluted: 1 }, DOI: 7 }] } }, { found: 0 }],
    [
      'no DOI, and one that is none',
      { message: { items: [{ title: [REFERENCES[0]] }, { DOI: 'javascript:alert(1)', title: [REFERENCES[0]] }] } },
      { found: 0 },
    ],
    [
      'endless fields',
      {
        message: {
          items: Array.from({ length: 500 }, (_, at) => ({
            DOI: `10.5555/${at}`,
            title: ['(a'.repeat(2_000)],
            author: Array.from({ length: 5 }, () => ({ family: 'x'.repeat(500) })),
          })),
        },
      },
      { found: 0 },
    ],
    ['another shape', ['a list'], { found: 0 }],
  ];
  let [body, status]: [unknown, number] = [{}, 200];
  await using server = await openJsonServer((_request, response) => sendJson(response, status, body));
  writeDocument(join(scratch.path, 'Data'), 'one', 'A study of reefs and sand', REFERENCES);
  await build(scratch.path, settingsFor(server.url, {}));
  const rows = graphHash(scratch.path);
  for (const [name, answer, wanted] of answers) {
    [body, status] = [answer, answer === undefined ? 503 : 200];
    const { lookedUp, warnings } = await build(scratch.path, settingsFor(server.url, { lookup: true }));
    assert.equal(lookedUp?.asked, 3, name);
    for (const [key, value] of Object.entries(wanted))
      assert.equal(lookedUp[key as keyof typeof lookedUp], value, `${name}: ${key}`);
    if (answer === undefined) assert.match(warnings.join(), /crossref does not answer/);
    assert.equal(graphHash(scratch.path), rows, name);
    rmSync(join(scratch.path, 'records.jsonl'), { force: true });
    removeStore(scratch.path);
  }
  // Four are looked up together: when the third gets no answer, the rest are not requested.
  const many = Array.from(
    { length: 8 },
    (_, at) => `[${at + 1}] Lind D. Reefs of the ${'n'.repeat(at + 1)}orth sea. J Seas. 2010.`,
  );
  writeDocument(join(scratch.path, 'Data'), 'two', 'Another study', many);
  status = 503;
  const { lookedUp } = await build(scratch.path, settingsFor(server.url, { lookup: true }));
  assert.deepEqual(lookedUp, { asked: 6, found: 0, doubtful: 0, unknown: 0, unanswered: 6, left: 5 });
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

test('graph lookups without a contact address are refused before anything is read', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-lookup-'));
  writeDocument(join(scratch.path, 'Data'), 'one', 'A study of reefs and sand', REFERENCES);
  await using corpus = await openCorpus(scratch.path, { settings: { graph: { lookup: true }, http: { contact: '' } } });
  await assert.rejects(
    async () => {
      for await (const event of corpus.graph.build()) assert.notEqual(event.kind, 'stage');
    },
    (error) => error instanceof AppError && /CONTACT/.test(error.code),
  );
});
