import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, Simulation, webTime } from '../../sim/index.ts';
import type { CorpusOptions } from './corpus.ts';
import { openCorpus } from './corpus.ts';
import type { CorpusEvent } from './index.ts';
import type { RunRequest } from '../run/index.ts';
import { FLAG } from '../../sim/world/world.ts';

/** A busy machine may delay a response by a second, which is minutes on this clock. */
const PATIENT: NonNullable<CorpusOptions['settings']> = {
  http: { connect_s: 3600, headers_s: 3600, idle_s: 3600, total_s: 7200 },
};

test('a search for works writes nothing and downloads no file', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-find-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 11, works: 6, hosts: 4, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.01,
  });
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);
  await using corpus = await openCorpus(join(scratch.path, 'run'), {
    sim: admin.url,
    web: webTime(simulation.timeScale),
    settings: PATIENT,
  });
  const works = await Array.fromAsync(corpus.find({ ids }));
  assert.deepEqual(
    works.map(({ id }) => id),
    ids,
  );
  assert.deepEqual(readdirSync(scratch.path), [], 'not even a folder');
  await assert.rejects(Array.fromAsync(corpus.find({ ids: ['nonsense'] })), { code: 'USAGE_ID' });
  await assert.rejects(Array.fromAsync(corpus.run({ ids: ['nonsense'] })), { code: 'USAGE_ID' });
  assert.deepEqual(readdirSync(scratch.path), []);
});

test('every entry of every list is in exactly one count, in the first run and in the next', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-entries-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 11, works: 6, hosts: 4, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.01,
  });
  await using admin = await Admin.open(simulation);
  const [a, b] = [...simulation.world.works()].flatMap(({ doi }) => doi ?? []);
  const [bib, text, ids] = ['mine.bib', 'mine.txt', 'ids.txt'].map((name) => join(scratch.path, name));
  assert.ok(a !== undefined && b !== undefined && bib && text && ids);
  const grey = '@report{g, title={Quixotic zebra jurisprudence of the north}, author={Berg, Ana}, year={2019}}\n';
  await writeFile(bib, `@article{a, doi={${a}}, title={A reef}}\n${grey}@misc{b, note={nothing}}\n${grey}`);
  await writeFile(text, `${'Of vicuñas and their entirely unheard-of habits\n'.repeat(4)}${a}\n${a}\n`);
  await writeFile(ids, `${b}\n978-3-16-148410-0\n`);
  await using corpus = await openCorpus(join(scratch.path, 'run'), {
    sim: admin.url,
    web: webTime(simulation.timeScale),
    settings: PATIENT,
  });
  for (const run of ['first', 'next']) {
    const events: CorpusEvent[] = await Array.fromAsync(corpus.run({ input: [bib, text, ids], until: 'files' }));
    const account = events.find((event) => event.kind === 'ended')?.account.works;
    assert.ok(account);
    // 4 + 6 + 2 entries: two works, two titles without an id, two entries without either, and what repeats them.
    const { prisma, unidentified, unreadable_entries: unreadable, repeated_entries: repeated } = account;
    assert.deepEqual([prisma.identified, account.listed, unidentified, unreadable, repeated], [12, 4, 2, 2, 6], run);
    assert.deepEqual(account.listed_by_file, { 'mine.bib': 2, 'mine.txt': 2, 'ids.txt': 1 });
    assert.deepEqual(account.unreadable_by_file, { 'ids.txt': 1, 'mine.bib': 1 });
    assert.deepEqual(account.repeated_by_file, { 'mine.txt': 4, 'mine.bib': 1 });
    assert.deepEqual(prisma.removed_before_screening, { unreadable_entries: 2, duplicates: 6 });
    assert.deepEqual([prisma.not_screened, account.by_reason['title-unknown']], [4, 2]);
    assert.deepEqual([prisma.records, prisma.unidentified], [4, 2]);
    const svg = join(scratch.path, 'flow.svg');
    await Array.fromAsync(corpus.export({ format: 'prisma', out: svg }));
    const picture = readFileSync(svg, 'utf8');
    assert.match(picture, /Records to screen \(n = 4\)/);
    assert.match(
      picture,
      /<rect[^>]*\/><text>[^/]*Grey[^/]*<\/tspan><tspan[^>]*>known by title, authors and year only \(n = 2\)/,
    );
  }
});

test('works are requested by web and local Zotero libraries and by citations up to a depth', async (t) => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-zotero-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 5, works: 160, hosts: 6, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.005,
  });
  await using admin = await Admin.open(simulation);
  await using corpus = await openCorpus(join(scratch.path, 'run'), {
    sim: admin.url,
    web: webTime(simulation.timeScale),
    settings: PATIENT,
  });
  const found = async (request: RunRequest): Promise<Set<string>> =>
    new Set((await Array.fromAsync(corpus.find(request))).map(({ ids }) => ids.doi ?? ids.openalex ?? ''));
  const { world } = simulation;
  const registered = [...world.works()].filter(({ doi, duplicateOf }) => doi !== null && duplicateOf === null);
  const dois = (of: typeof registered): Set<string> => new Set(of.map(({ doi }) => (doi ?? '').toLowerCase()));

  assert.ok(registered.length > 100, 'more than a page');
  assert.deepEqual(await found({ input: ['zotero:users/12'] }), dois(registered), 'with the key');
  const collection = registered.filter(({ index }) => index % 3 === 0);
  assert.deepEqual(await found({ input: ['zotero:groups/4711/collections/ABCD2345'] }), dois(collection));
  await assert.rejects(found({ input: ['zotero:groups/nobody'] }), { code: 'USAGE_INPUT' });

  const index = new Map([...world.works()].map((work) => [work.index, work]));
  const citing = (of: ReadonlySet<number>): Set<number> =>
    new Set(
      [...index.values()].filter(({ references }) => references.some((each) => of.has(each))).map((each) => each.index),
    );
  const [cited] = [...index.values()].filter((work) => !work.isXpac && citing(new Set([work.index])).size > 1);
  assert.ok(cited);
  const names = (of: Iterable<number>): Set<string> =>
    new Set(
      [...of]
        .flatMap((each) => index.get(each) ?? [])
        .filter(({ isXpac }) => !isXpac)
        .map(({ doi, id }) => doi?.toLowerCase() ?? id),
    );
  const first = citing(new Set([cited.index]));
  assert.deepEqual(await found({ cites: [cited.id] }), names(first));
  const [from] = [...first].flatMap((each) => index.get(each) ?? []).filter(({ isXpac }) => !isXpac);
  assert.ok(from);
  assert.deepEqual(await found({ references: [from.id] }), names(from.references));
  const second = new Set(from.references.flatMap((each) => index.get(each)?.references ?? []));
  assert.deepEqual(await found({ references: [from.id], depth: 2 }), names(new Set([...from.references, ...second])));

  await t.test('zotero:local', async (local) => {
    // As answered by the local Zotero: a bare array, where the web API returns an object.
    const items = registered.slice(0, 3).map(({ doi, title }) => ({ type: 'article-journal', title, DOI: doi }));
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'text/plain', 'total-results': '3', 'last-modified-version': '0' });
      response.end(JSON.stringify(items));
    });
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(23_119, '127.0.0.1', () => resolve(true));
    });
    if (!listening) return local.skip('something else listens at port 23119 of this machine');
    try {
      assert.deepEqual(await found({ input: ['zotero:local'] }), dois(registered.slice(0, 3)));
      assert.deepEqual(requests, ['/api/users/0/items/top?format=csljson&limit=100&start=0']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

test('an estimate gives the works, the open ones and the cost from two pages, without downloads', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-estimate-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 4, works: 250, hosts: 12, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.01,
  });
  await using admin = await Admin.open(simulation);
  await using corpus = await openCorpus(join(scratch.path, 'run'), {
    sim: admin.url,
    web: webTime(simulation.timeScale),
    settings: PATIENT,
  });
  const { world, log } = simulation;
  const listed = [...world.works()].filter(({ isXpac }) => !isXpac);
  const open = listed.filter(({ index }) => ((world.columns.flags[index] ?? 0) & FLAG.open) !== 0);
  const requestCount = (): number => log.since(0).filter(({ url }) => !url.endsWith('/robots.txt')).length;

  const all = await corpus.estimate({ filter: 'publication_year:1900-2100' });
  assert.equal(all.works, listed.length);
  assert.equal(all.sampled, 100);
  assert.ok(Math.abs(all.likely_open - open.length) <= 0.1 * listed.length, `${all.likely_open} of ${open.length}`);
  assert.deepEqual([all.credits.listing, all.credits.spent], [Math.ceil(listed.length / 100), 2]);
  assert.equal(all.gigabytes, Number(((all.likely_open * 2) / 1000).toPrecision(3)));
  const [slowest] = all.hosts;
  assert.ok(slowest);
  const seconds = (slowest.works * 1.5) / slowest.per_second;
  assert.ok(Math.abs(all.hours * 3600 - seconds) <= 0.1 * seconds, 'the host with the most files determines the time');
  assert.equal(requestCount(), 2);

  const few = await corpus.estimate({ filter: 'publication_year:1900-2100', max: 7 });
  assert.equal(few.works, 7);
  // Named works: all of them are looked up, so the number is exact.
  const named = listed.filter(({ doi }) => doi !== null).slice(0, 30);
  const exact = await corpus.estimate({ ids: named.map(({ doi }) => doi ?? '') });
  assert.deepEqual([exact.works, exact.credits.listing], [30, 0]);
  assert.equal(exact.likely_open, named.filter((work) => open.includes(work)).length);
  assert.ok((await corpus.estimate({ cites: [named[0]?.id ?? ''], depth: 2 })).at_least);
  assert.deepEqual(readdirSync(scratch.path), [], 'nothing was written');
});
