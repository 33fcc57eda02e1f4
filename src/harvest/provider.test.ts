import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { clientSettings, Simulation } from '../../sim/index.ts';
import { author } from '../../sim/world/people.ts';
import { createClient } from '../http/index.ts';
import { baseUrlsBelow, Services } from '../resolve/index.ts';
import { HeldClock } from '../testing/index.ts';
import type { WorkRecord } from '../works/index.ts';
import type { UnreadableEntry, WantedWorks } from './provider.ts';
import { wantedWorks } from './provider.ts';

async function inWorld(
  use: (
    simulation: Simulation,
    find: (ids: readonly string[], wanted: WantedWorks) => Promise<string[]>,
    kept: { readonly records: WorkRecord[]; readonly unreadable: UnreadableEntry[] },
  ) => Promise<void>,
): Promise<void> {
  await using simulation = await Simulation.open({
    parameters: { seed: 7, works: 200, hosts: 12, profile: 'calm' },
    documents: 'plain',
  });
  const { dns, allowedAddresses, keys } = clientSettings(simulation);
  const [address = '', port = ''] = dns.address.split(':');
  await using client = createClient({
    contact: 'someone@docstokg.dev',
    perHost: { perSecond: Infinity },
    guard: { allow: allowedAddresses, dnsMap: [{ pattern: '*.sim.test', address, port: Number(port), trusted: true }] },
  });
  const services = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http'), keys });
  const kept = { records: [] as WorkRecord[], unreadable: [] as UnreadableEntry[] };
  await use(
    simulation,
    async (ids, wanted) => {
      const found: string[] = [];
      for await (const work of wantedWorks(ids, wanted, {
        send: client.send,
        services,
        contact: 'someone@docstokg.dev',
        records: { add: (records) => void kept.records.push(...records) },
        unreadable: async (entry) => void kept.unreadable.push(entry),
        signal: new AbortController().signal,
        tell: () => undefined,
        clock: new HeldClock(),
        zoteroKey: '',
        statePath: undefined,
      }))
        found.push(work.id);
      return found;
    },
    kept,
  );
}

test('works are found by people, institutions, citations as deep as asked, conditions and pasted addresses', async () => {
  await inWorld(async ({ world }, find) => {
    const all = [...world.works()].filter(({ isXpac }) => !isXpac);
    const [citing] = all.filter(({ references }) => references.length > 2);
    const [person] = all
      .flatMap(({ authors }) => authors)
      .map((each) => author(world.parameters.seed, each))
      .filter(({ orcid }) => orcid);
    assert.ok(citing && person?.orcid);
    const visible = (indexes: Iterable<number>): string[] =>
      [...new Set(indexes)]
        .map((index) => world.work(index))
        .filter(({ isXpac }) => !isXpac)
        .map(({ id }) => id)
        .toSorted();
    const cited = await find([], { citedBy: [citing.id] });
    assert.deepEqual(cited.toSorted(), visible(citing.references));
    const deep = await find([], { citedBy: [citing.id], depth: 2 });
    const second = citing.references.flatMap((index) => [index, ...world.work(index).references]);
    assert.deepEqual([...new Set(deep)].toSorted(), visible(second));
    const [target = 0] = citing.references;
    const back = await find([], { cites: [world.work(target).id] });
    assert.ok(back.includes(citing.id));
    const own = await find([], { orcid: [`https://orcid.org/${person.orcid}`] });
    assert.ok(own.length > 0);
    assert.deepEqual((await find([], { ror: [person.institution.ror] })).length > 0, true);
    const conditions = 'publication_year:2020-2022,is_oa:true';
    const some = await find([], { filter: conditions });
    assert.ok(some.length > 0);
    assert.deepEqual(await find([`https://openalex.org/works?filter=${encodeURIComponent(conditions)}`], {}), some);
    await assert.rejects(find([], { orcid: ['nobody'] }), { code: 'USAGE_FILTER' });
  });
});

test('an entry that names no work is taken down by its line, and what a list says about works is kept', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'provider-'));
  const path = join(folder.path, 'mine.bib');
  await writeFile(path, '@article{a, doi={10.1000/a}, title={A reef}, author={Berg, Ana}}\n@misc{b, title={no id}}\n');
  await inWorld(async (_simulation, find, kept) => {
    assert.deepEqual(await find([], { input: [path] }), ['doi:10.1000/a']);
    assert.deepEqual(
      kept.unreadable.map(({ file, line }) => [file, line]),
      [[path, 2]],
    );
    assert.deepEqual(
      kept.records.map(({ id, title }) => [id, title]),
      [['doi:10.1000/a', 'A reef']],
    );
    assert.equal(kept.records[0]?.sources[0]?.from, 'list');
  });
});
