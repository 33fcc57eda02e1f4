import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startPostgres } from '../../../test/postgres.ts';
import { seededRandom } from '../../../test/fixtures/random-document.ts';
import { findWordFaults } from '../../../test/support/joined-words.ts';
import { startPglite } from '../../../test/support/pglite-server.ts';
import type { IndexUnderTest } from '../../../test/support/search-index-suite.ts';
import { describeSearchIndex, engineOf, MODEL, passage } from '../../../test/support/search-index-suite.ts';
import { openPostgres } from '../../queue/kept/index.ts';
import type { IndexedPassage } from '../passage.ts';
import type { IndexDense } from '../segment/write-segment.ts';
import { PostgresIndex } from './postgres-index.ts';
import { openPostgresIndex } from './postgres-reader.ts';
import { encodeVectors } from './vector-bytes.ts';

const withVectors = await startPglite();
after(() => withVectors[Symbol.asyncDispose]());
let schemas = 0;

interface Opened extends IndexUnderTest {
  readonly writer: PostgresIndex;
  readonly schema: string;
  put(passages: readonly IndexedPassage[], dense?: IndexDense | null): Promise<boolean>;
  /** What the joined words say otherwise than the documents. */
  faults(): Promise<string[]>;
  /** Makes the index one of another version of the program. */
  downgrade(): Promise<void>;
  /** Loses words of all documents, which nothing but a new index mends. */
  damage(): Promise<void>;
  /** Puts a document into an index beside the one that is searched, each time as a process of its own. */
  putAnew(passages: readonly IndexedPassage[], then?: 'complete'): Promise<boolean>;
}

/** A schema of its own, through a pooler in transaction mode. */
async function openSchema(url: string, given?: string, joined?: number): Promise<Opened> {
  schemas += 1;
  const schema = given ?? `search_${process.pid}_${schemas}`;
  const connection = await openPostgres(url, { schema, pooler: true, maxConnections: 2 });
  const writer = await PostgresIndex.open(connection, joined === undefined ? {} : { joined });
  const put: Opened['put'] = async (passages, dense = null) => {
    const id = passages[0]?.document ?? '';
    return await writer.put({ id, stamp: JSON.stringify(passages.map(({ text }) => text)), passages }, dense);
  };
  return {
    writer,
    schema,
    put,
    faults: () => connection.transaction((run) => findWordFaults(run)),
    downgrade: async () =>
      void (await connection.run('downgrade', `UPDATE search_generations SET version = 'old'`, {})),
    damage: async () => void (await connection.run('damage', `UPDATE search_documents_1 SET terms = '{}'`, {})),
    async putAnew(passages, then) {
      const anew = await PostgresIndex.open(connection, { anew: true });
      const stamp = JSON.stringify(passages.map(({ text }) => text));
      const isNew = await anew.put({ id: passages[0]?.document ?? '', stamp, passages }, null);
      if (then === 'complete') await anew.complete(null);
      return isNew;
    },
    async build(passages, { dense = null } = {}) {
      const documents = Map.groupBy(passages, ({ document }) => document);
      for (const own of documents.values()) await put(own, dense);
      const old = [...(await writer.stamps(dense)).keys()].filter((id) => !documents.has(id));
      await writer.remove(old, dense);
      await writer.complete(dense);
    },
    open: (engine) => openPostgresIndex(connection, engine),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

describeSearchIndex('PostgreSQL', () => openSchema(withVectors.url));
describeSearchIndex('PostgreSQL, words of some documents joined', () => openSchema(withVectors.url, undefined, 3));

const plain = await startPostgres();
after(() => plain[Symbol.asyncDispose]());

const DENSE = { model: MODEL, dimensions: 2 };
const OTHER = { model: { ...MODEL, revision: '2' }, dimensions: 2 };

test('a server without vectors is searched by words, and says so', async () => {
  await using under = await openSchema(plain.url);
  assert.equal(under.writer.hasVectors, false);
  await under.build([passage(1, 'a whale', Float32Array.of(1, 0))], { dense: DENSE });
  await using index = await under.open();
  assert.deepEqual([index.modes, index.manifest.dense], [['lexical'], null]);
  const [hit] = await index.search('whale', { mode: 'lexical', top: 1 });
  assert.equal(hit?.passage.id, '1');
});

test('a document that is put again changes nothing; a changed or removed one leaves nothing behind', async () => {
  await using under = await openSchema(plain.url);
  await under.build([passage(1, 'whale song'), passage(2, 'deep sea')]);
  assert.equal(await under.put([passage(1, 'whale song')]), false);
  assert.equal(await under.put([passage(1, 'desert sand')]), true);
  await under.writer.remove(['d2', 'unknown'], null);
  await using index = await under.open();
  const found = async (query: string): Promise<number> =>
    (await index.search(query, { mode: 'lexical', top: 9 })).length;
  assert.deepEqual([await found('whale'), await found('sea'), await found('desert')], [0, 0, 1]);
  await using alone = await openSchema(plain.url);
  await alone.build([passage(1, 'desert sand')]);
  await using built = await alone.open();
  const scores = async (from: typeof index): Promise<unknown> =>
    (await from.search('desert sand', { mode: 'lexical', top: 9 })).map(({ score, fit }) => [score, fit]);
  assert.deepEqual(await scores(index), await scores(built), 'increments equal a rebuild');
});

test('documents that come, change and go while words are joined leave what an index of the rest has', async () => {
  await using under = await openSchema(plain.url, undefined, 3);
  const random = seededRandom(7);
  const texts = ['whale song', 'deep sea whale', 'desert sand', 'whale whale whale', 'a sea of sand'];
  const some = (): string => texts[Math.floor(random() * texts.length)] ?? '';
  const there = new Map<string, IndexedPassage[]>();
  const check = async (): Promise<void> => {
    assert.deepEqual(await under.faults(), []);
    await using alone = await openSchema(plain.url);
    await alone.build([...there.values()].flat());
    await using index = await under.open();
    await using built = await alone.open();
    for (const query of ['whale', 'deep sand', 'song of the sea']) {
      const hits = async (from: typeof index): Promise<unknown[]> =>
        (await from.search(query, { mode: 'lexical', top: 50 }))
          .map(({ score, fit, passage: { id } }) => `${score} ${fit} ${id}`)
          .sort();
      assert.deepEqual(await hits(index), await hits(built), query);
    }
  };
  for (let step = 1; step <= 120; step += 1) {
    const number = Math.floor(random() * 20);
    const document = `d${number}`;
    if (random() < 0.3) {
      await under.writer.remove([document], null);
      there.delete(document);
    } else {
      const own = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at) => ({
        ...passage(`${number}-${at}`, `${some()} ${number} ${at}`),
        document,
      }));
      await under.put(own);
      there.set(document, own);
    }
    if (step % 40 === 0) await check();
  }
  await under.writer.complete(null);
  await check();
});

test('a question sees what was joined after the one before', async () => {
  await using under = await openSchema(plain.url, undefined, 2);
  await under.build([passage(1, 'whale')]);
  await using index = await under.open();
  const found = async (): Promise<string[]> =>
    (await index.search('whale', { mode: 'lexical', top: 9 })).map((hit) => hit.passage.id).sort();
  assert.deepEqual(await found(), ['1']);
  await under.put([passage(2, 'another whale')]);
  assert.deepEqual(await found(), ['1', '2']);
  await under.writer.remove(['d1'], null);
  assert.deepEqual(await found(), ['2']);
});

test('machines that put the same documents at once leave each one once', async () => {
  await using under = await openSchema(plain.url);
  const texts = Array.from({ length: 6 }, (_, at) => passage(at, `whale number ${at}`));
  await Promise.all([...texts, ...texts, ...texts.toReversed()].map((each) => under.put([each])));
  await using index = await under.open();
  assert.deepEqual([index.manifest.passages, index.manifest.documents], [6, 6]);
  assert.equal((await index.search('whale', { mode: 'lexical', top: 20 })).length, 6);
});

test('of documents with the same text one is searched, the next when that one is gone', async () => {
  await using under = await openSchema(plain.url);
  await under.build([passage('b', 'whale'), passage('a', 'whale')]);
  await using index = await under.open();
  const found = async (): Promise<string[]> =>
    (await index.search('whale', { mode: 'lexical', top: 9 })).map((hit) => hit.passage.document);
  assert.deepEqual([await found(), await index.documents(() => true)], [['da'], ['da']]);
  await under.writer.remove(['da'], null);
  assert.deepEqual([await found(), await index.documents(() => true)], [['db'], ['db']]);
});

test('another model grows beside the index in use, which is replaced when the other is complete', async () => {
  await using under = await openSchema(withVectors.url);
  await under.build([passage(1, 'whale', Float32Array.of(1, 0))], { dense: DENSE });
  await using old = await under.open(engineOf({}, 2));
  await under.put([passage(2, 'whale', Float32Array.of(0, 1))], OTHER);
  const found = async (index: typeof old): Promise<string[]> =>
    (await index.search('whale', { mode: 'lexical', top: 9 })).map((hit) => hit.passage.id);
  assert.deepEqual(await found(old), ['1']);
  await under.writer.complete(OTHER);
  await assert.rejects(found(old), { code: 'INDEX_MODEL' });
  await using now = await under.open();
  assert.deepEqual(await found(now), ['2']);
  assert.deepEqual(now.manifest.dense, OTHER);
});

test('a filter keeps its documents out when they are replaced, and finds one in many', async () => {
  await using under = await openSchema(withVectors.url);
  const axis = (at: number): Float32Array => Float32Array.of(Math.cos(at), Math.sin(at));
  const all = Array.from({ length: 60 }, (_, at) => passage(at, `whale ${at}`, axis(at)));
  await under.build(all, { dense: DENSE });
  await using index = await under.open(engineOf({ whale: axis(7) }, 2));
  const found = async (accepts: (document: string) => boolean): Promise<string[]> =>
    (
      await index.search('whale', {
        mode: 'hybrid',
        top: 400,
        filter: { documents: { key: String(accepts), accepts } },
      })
    ).map((hit) => hit.passage.document);
  assert.deepEqual(await found((document) => document === 'd50'), ['d50']);
  const others = (document: string): boolean => document !== 'd7';
  assert.equal((await found(others)).includes('d7'), false);
  await under.put([passage(7, 'whale whale', axis(7))], DENSE);
  const later = await found(others);
  assert.deepEqual([later.length, later.includes('d7')], [59, false]);
});

test('no document is ever half there, however a writer ends', async () => {
  await using under = await openSchema(plain.url);
  await under.build([passage(1, 'whale one')]);
  const broken = async function* (): AsyncGenerator<IndexedPassage> {
    yield { ...passage(1, 'shark one') };
    throw new Error('killed');
  };
  await assert.rejects(under.writer.put({ id: 'd1', stamp: 'new', passages: broken() }, null), /killed/);
  await using index = await under.open();
  assert.equal((await index.search('whale', { mode: 'lexical', top: 1 })).length, 1);
  assert.deepEqual(await under.writer.stamps(null), new Map([['d1', '["whale one"]']]));
});

test('an index of another version is not searched, and the next writer makes a new one', async () => {
  await using under = await openSchema(plain.url);
  await assert.rejects(under.open(), { code: 'INDEX_MISSING' });
  await under.build([passage(1, 'whale')]);
  await under.downgrade();
  await assert.rejects(under.open(), { code: 'INDEX_MISSING' });
  await using again = await openSchema(plain.url, under.schema);
  await again.build([passage(1, 'whale')]);
  await using index = await again.open();
  assert.equal(index.manifest.passages, 1);
});

test('an index is built anew beside the one in use, also after it was stopped, and switched at once', async () => {
  await using under = await openSchema(plain.url);
  await under.build([passage(1, 'whale'), passage(2, 'sea')]);
  await under.damage();
  await using index = await under.open();
  const found = async (word: string): Promise<number> => (await index.search(word, { mode: 'lexical', top: 9 })).length;
  assert.deepEqual([await found('whale'), await found('sea')], [0, 0]);
  await under.putAnew([passage(1, 'whale')]);
  assert.equal(await found('whale'), 0, 'a part is not searched');
  assert.deepEqual(await under.putAnew([passage(1, 'whale')]), false, 'what was made stays');
  await under.putAnew([passage(2, 'sea')], 'complete');
  assert.deepEqual([await found('whale'), await found('sea')], [1, 1]);
  assert.equal(await under.put([passage(1, 'whale')]), false);
});

test('the server reads vectors as they are, and passages without one', async () => {
  await using connection = await openPostgres(withVectors.url, { schema: 'vectors', pooler: true, maxConnections: 1 });
  await PostgresIndex.open(connection);
  const vectors = [Float32Array.of(0.1, -3e-12, 7), undefined, Float32Array.of(1 / 3, 3.4e38, 0)];
  const rows = await connection.transaction(async (run) => {
    const [type] = await run<{ name: string; number: number }>(
      `SELECT oid::regtype::text AS name, oid::bigint AS number FROM pg_type WHERE typname = 'vector'`,
    );
    return await run<{ vector: string | null }>(
      `SELECT vector::text FROM unnest(:given::${type?.name}[]) WITH ORDINALITY AS given(vector, at) ORDER BY at`,
      { given: encodeVectors(vectors, type?.number ?? 0) },
    );
  });
  const found = rows.map(({ vector }) =>
    vector === null ? undefined : Float32Array.from(JSON.parse(vector) as number[]),
  );
  assert.deepEqual(found, vectors);
});

test('the extension belongs to no fleet: dropping the schema of the first one leaves the vectors of others', async () => {
  await using connection = await openPostgres(withVectors.url, { schema: 'first', pooler: true, maxConnections: 1 });
  await PostgresIndex.open(connection);
  const [found] = await connection.run<{ schema: string }>(
    'where-is-vector',
    `SELECT extnamespace::regnamespace::text AS schema FROM pg_extension WHERE extname = 'vector'`,
    {},
  );
  assert.equal(found?.schema, 'public');
});
