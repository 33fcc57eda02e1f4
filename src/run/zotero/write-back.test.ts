import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Note } from '../../database/index.ts';
import type { Send } from '../../http/index.ts';
import type { ZoteroChange } from '../../works/index.ts';
import { NO_IDS, parseZotero, ZoteroLibrary } from '../../works/index.ts';
import type { ToldWork, WrittenBack } from './write-back.ts';
import { writeBack, ZOTERO_PARTS } from './write-back.ts';

interface Item {
  key: string;
  version: number;
  data: Record<string, unknown> & { tags: { tag: string }[] };
}

/** A library that answers as Zotero's API documents: versions, keys chosen by clients, and what failed. */
class FakeZotero {
  readonly items = new Map<string, Item>();
  #version = 10;
  /** Whether the answer to the next write is lost. */
  losesAnswer = false;

  constructor(works: readonly Record<string, unknown>[]) {
    for (const [at, data] of works.entries()) this.put(`WORK000${at + 2}`, { itemType: 'journalArticle', ...data });
  }

  put(key: string, data: Record<string, unknown>): void {
    this.#version += 1;
    this.items.set(key, { key, version: this.#version, data: { tags: [], ...data } });
  }

  children(): Item[] {
    return [...this.items.values()].filter(({ data }) => 'parentItem' in data);
  }

  readonly send: Send = async ({ url, method = 'GET', headers = {}, body = '' }) => {
    assert.equal(headers['zotero-api-version'], '3');
    if (method === 'DELETE') return this.#delete(url.pathname.split('/').at(-1) ?? '', headers);
    if (method === 'GET') return this.#list(url.searchParams);
    const answer = this.#write(JSON.parse(String(body)) as readonly ZoteroChange[]);
    if (!this.losesAnswer) return answered(200, answer);
    this.losesAnswer = false;
    return { kind: 'failed', reason: 'connection', message: 'lost' } as unknown as Awaited<ReturnType<Send>>;
  };

  #list(asked: URLSearchParams): Awaited<ReturnType<Send>> {
    const tag = asked.get('tag');
    const listed = [...this.items.values()].filter(({ data }) =>
      tag === null ? !('parentItem' in data) : data.tags.some((each) => each.tag === tag),
    );
    const start = Number(asked.get('start'));
    return answered(200, listed.slice(start, start + 100), { 'total-results': String(listed.length) });
  }

  #write(changes: readonly ZoteroChange[]): object {
    const answer = { successful: {} as Record<string, unknown>, failed: {} as Record<string, unknown> };
    for (const [at, { key, version, ...data }] of changes.entries()) {
      const known = this.items.get(key);
      if ((known?.version ?? 0) !== version) answer.failed[at] = { code: 412, message: 'version' };
      else {
        this.put(key, { ...known?.data, ...data });
        answer.successful[at] = this.items.get(key);
      }
    }
    return answer;
  }

  #delete(key: string, headers: Readonly<Record<string, unknown>>): Awaited<ReturnType<Send>> {
    assert.equal(headers['if-unmodified-since-version'], String(this.items.get(key)?.version));
    this.items.delete(key);
    return answered(204, {});
  }
}

function answered(status: number, value: unknown, headers: object = {}): Awaited<ReturnType<Send>> {
  const response = { status, headers, body: Buffer.from(JSON.stringify(value)) };
  return { kind: 'response', response, trail: {} } as unknown as Awaited<ReturnType<Send>>;
}

const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  work: 'W1',
  document: null,
  page: 3,
  quote: 'Corals <bleached>.',
  text: 'Compare\nwith table 2.',
  by: 'Ada',
  at: '2026-01-02T03:04:05Z',
  removed: false,
  ...more,
});

const work = (more: Partial<ToldWork>): ToldWork => ({
  ids: { ...NO_IDS, doi: '10.1234/a' },
  title: 'Reefs',
  year: 2020,
  label: null,
  isRetracted: false,
  notes: [],
  file: null,
  url: null,
  ...more,
});

async function write(
  zotero: FakeZotero,
  folder: string,
  works: readonly ToldWork[],
  { to = 'zotero:users/12', isTrial = false } = {},
): Promise<WrittenBack> {
  const place = parseZotero(to);
  assert.ok(place);
  const library = new ZoteroLibrary(place, {
    send: zotero.send,
    web: { base: new URL('https://api.zotero.org/'), credentials: [] },
    wait: () => Promise.resolve(),
  });
  return await writeBack(library, works, { folder, parts: new Set(ZOTERO_PARTS), isTrial });
}

test('notes, labels and papers stand beneath the items of their works, once', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zotero-'));
  const zotero = new FakeZotero([
    { title: 'Other', DOI: 'https://doi.org/10.1234/A', tags: [{ tag: 'mine' }, { tag: 'docstokg: excluded' }] },
    { title: 'Ducks', date: 'May 2019', extra: 'PMID: 77\nx' },
    { title: 'Twice', date: '2019' },
    { title: 'Twice', date: '2019' },
  ]);
  const works = [
    work({
      label: 'included',
      isRetracted: true,
      notes: [note('a'), note('gone', { removed: true })],
      file: '/run/PDF/a.pdf',
    }),
    work({ ids: { ...NO_IDS, pmid: '77' }, title: null, notes: [note('b', { quote: null, page: null })] }),
    work({ ids: NO_IDS, title: 'Twice', year: 2019, notes: [note('c')] }),
    work({ ids: { ...NO_IDS, doi: '10.1234/else' }, title: 'Not there' }),
  ];
  const trial = await write(zotero, folder.path, works, { isTrial: true });
  assert.equal(zotero.children().length, 0);
  const made = await write(zotero, folder.path, works);
  assert.deepEqual(made, trial);
  assert.deepEqual(made, { works: 4, found: 2, tagged: 1, added: 3, changed: 0, removed: 0, problems: [] });
  assert.deepEqual(
    zotero.items.get('WORK0002')?.data.tags.map(({ tag }) => tag),
    ['mine', 'docstokg: included', 'docstokg: retracted'],
  );
  const [first, paper, second] = zotero.children().map(({ data }) => data);
  assert.deepEqual(
    [first?.['parentItem'], first?.['note']],
    [
      'WORK0002',
      '<blockquote><p>Corals &lt;bleached&gt;.</p></blockquote><p>Compare</p><p>with table 2.</p><p><em>Ada, 2026-01-02, page 3</em></p>',
    ],
  );
  assert.deepEqual([paper?.['linkMode'], paper?.['path']], ['linked_file', '/run/PDF/a.pdf']);
  assert.equal(second?.['parentItem'], 'WORK0003');
  const before = structuredClone([...zotero.items]);
  const again = await write(zotero, folder.path, works);
  assert.deepEqual([again.tagged, again.added, again.changed], [0, 0, 0]);
  assert.deepEqual([...zotero.items], before);
});

test('what people did in Zotero stays until it changes here; a removed note is removed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zotero-'));
  const zotero = new FakeZotero([{ title: 'Reefs', DOI: '10.1234/a' }]);
  const notes = [note('a'), note('b'), note('c')];
  await write(zotero, folder.path, [work({ notes })]);
  const [first, second, third] = zotero.children();
  assert.ok(first && second && third);
  zotero.put(first.key, { ...first.data, note: 'edited' });
  zotero.items.delete(second.key);
  const same = await write(zotero, folder.path, [work({ notes })]);
  assert.deepEqual([same.added, same.changed, zotero.items.get(first.key)?.data['note']], [0, 0, 'edited']);
  const later = [note('a', { text: 'New.' }), note('b'), note('c', { removed: true })];
  const made = await write(zotero, folder.path, [work({ notes: later })]);
  assert.deepEqual([made.added, made.changed, made.removed], [0, 1, 1]);
  assert.match(String(zotero.items.get(first.key)?.data['note']), /New\./);
  assert.deepEqual(
    zotero.children().map(({ key }) => key),
    [first.key],
  );
});

test('an answer that was lost, or a folder without memory, writes nothing twice', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zotero-'));
  await using other = await mkdtempDisposable(join(tmpdir(), 'zotero-'));
  const zotero = new FakeZotero([{ title: 'Reefs', DOI: '10.1234/a' }]);
  const works = [work({ notes: [note('a'), note('b')] })];
  zotero.losesAnswer = true;
  await assert.rejects(write(zotero, folder.path, works), { code: 'ZOTERO_REFUSED' });
  await write(zotero, folder.path, works);
  await write(zotero, other.path, works);
  assert.equal(zotero.children().length, 2);
});

test('groups get addresses instead of files, and what cannot be written is refused', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zotero-'));
  const zotero = new FakeZotero([{ title: 'Reefs', DOI: '10.1234/a' }]);
  const works = [work({ file: '/run/PDF/a.pdf', url: 'https://a.example/a.pdf' })];
  await write(zotero, folder.path, works, { to: 'zotero:groups/4711/collections/ABCD2345' });
  const [link] = zotero.children();
  assert.deepEqual([link?.data['linkMode'], link?.data['url']], ['linked_url', 'https://a.example/a.pdf']);
  await assert.rejects(write(zotero, folder.path, works, { to: 'zotero:local' }), { code: 'USAGE_ZOTERO' });
});

test('an item that was changed in Zotero at the same moment is named, and written by the next run', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zotero-'));
  const zotero = new FakeZotero([{ title: 'Reefs', DOI: '10.1234/a' }]);
  const send: Send = (request, signal) => {
    if (request.method === 'POST') zotero.put('WORK0002', { ...zotero.items.get('WORK0002')?.data, title: 'Reefs!' });
    return zotero.send(request, signal);
  };
  const works = [work({ label: 'included' })];
  const racing = Object.assign(Object.create(zotero) as FakeZotero, { send });
  const { problems } = await write(racing, folder.path, works);
  assert.deepEqual(problems, [{ item: 'WORK0002', problem: 'it was changed in Zotero meanwhile' }]);
  assert.deepEqual((await write(zotero, folder.path, works)).problems, []);
  assert.deepEqual(zotero.items.get('WORK0002')?.data.tags, [{ tag: 'docstokg: included' }]);
});
