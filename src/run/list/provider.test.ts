import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { clientSettings, Simulation } from '../../../sim/index.ts';
import { author } from '../../../sim/world/people.ts';
import { createClient } from '../../http/index.ts';
import { baseUrlsBelow, findByTitle, Lookups, Services } from '../../resolve/index.ts';
import { HeldClock } from '../../testing/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { csvLine } from '../../base/index.ts';
import type { UnreadableEntry } from './search-titles.ts';
import type { WantedWorks } from './provider.ts';
import { wantedWorks } from './provider.ts';
import type { ReviewFile } from './search-titles.ts';
import { openReviewFile } from './search-titles.ts';

async function inWorld(
  use: (
    simulation: Simulation,
    find: (ids: readonly string[], wanted: WantedWorks, review?: ReviewFile) => Promise<string[]>,
    kept: {
      readonly records: WorkRecord[];
      readonly unreadable: UnreadableEntry[];
      readonly identified: string[];
    },
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
  const lookups = new Lookups(client.send, services);
  const kept = { records: [] as WorkRecord[], unreadable: [] as UnreadableEntry[], identified: [] as string[] };
  await use(
    simulation,
    async (ids, wanted, review) => {
      const found: string[] = [];
      for await (const work of wantedWorks(ids, wanted, {
        send: client.send,
        services,
        lookups,
        contact: 'someone@docstokg.dev',
        records: { add: (records) => void kept.records.push(...records) },
        byTitle: (cited, signal) =>
          findByTitle(cited, { lookups, contact: 'someone@docstokg.dev', accept: 0.9, review: 0.6 }, signal),
        unreadable: async (entry) => `entry:${kept.unreadable.push(entry)}`,
        identified: async (entry, work) => void kept.identified.push(`${entry} ${work.id}`),
        ...(review && { review }),
        signal: new AbortController().signal,
        tell: () => undefined,
        clock: new HeldClock(),
        webClock: new HeldClock(),
        statePath: undefined,
      }))
        found.push(work.id);
      return found;
    },
    kept,
  );
}

test('works are found by people, institutions, citations to a given depth, filters and pasted URLs', async () => {
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
    const cited = await find([], { references: [citing.id] });
    assert.deepEqual(cited.toSorted(), visible(citing.references));
    const deep = await find([], { references: [citing.id], depth: 2 });
    const second = citing.references.flatMap((index) => [index, ...world.work(index).references]);
    assert.deepEqual(deep.toSorted(), visible(second), 'each once: repeats count as duplicates of a review');
    assert.equal((await find([citing.id, ...cited], { max: 2 })).length, 2);
    await assert.rejects(find([], { topic: 'corals', yearStart: 2021, yearEnd: 2020 }), { code: 'USAGE_YEARS' });
    const [target = 0] = citing.references;
    const back = await find([], { cites: [world.work(target).id] });
    assert.ok(back.includes(citing.id));
    // As in `graph cited-by`: works that cite it. A DOI works too.
    const withDoi = all.find(({ doi, references }) => doi !== null && references.length > 2);
    assert.ok(withDoi?.doi);
    const byDoi = await find([], { references: [withDoi.doi] });
    assert.deepEqual(byDoi.toSorted(), visible(withDoi.references));
    const seed = withDoi.references
      .map((index) => world.work(index))
      .find(({ doi, isXpac }) => doi !== null && !isXpac);
    assert.ok(seed?.doi);
    const citedBy = await find([], { citedBy: [`https://doi.org/${seed.doi}`] });
    assert.ok(citedBy.includes(withDoi.id));
    assert.deepEqual(citedBy, await find([], { cites: [seed.id] }));
    await assert.rejects(find([], { cites: ['10.5555/nobody-registered-this'] }), { code: 'OPENALEX_UNKNOWN_WORK' });
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

test('an entry without a work is reported with its line, and the records of a list are kept', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'provider-'));
  const path = join(folder.path, 'mine.bib');
  await writeFile(path, '@article{a, doi={10.1000/a}, title={A reef}, author={Berg, Ana}}\n@misc{b, title={no id}}\n');
  await inWorld(async (_simulation, find, kept) => {
    assert.deepEqual(await find([], { input: [path] }), ['doi:10.1000/a']);
    assert.deepEqual(
      kept.unreadable.map(({ file, line, record }) => [file, line, record?.title]),
      [[path, 2, 'no id']],
    );
    assert.deepEqual(
      kept.records.map(({ id, title }) => [id, title]),
      [['doi:10.1000/a', 'A reef']],
    );
    assert.equal(kept.records[0]?.sources[0]?.from, 'list');
  });
});

test('an entry without an id is found by its title or left for review, and the decision applies to the next run', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'provider-'));
  const [bib, lines, reviewed] = ['mine.bib', 'mine.txt', 'review.csv'].map((name) => join(folder.path, name));
  await inWorld(async ({ world }, find, kept) => {
    const known = [...world.works()].filter(({ agency, duplicateOf }) => agency === 'crossref' && duplicateOf === null);
    const [first, second, third] = known;
    assert.ok(first && second && third && bib && lines && reviewed);
    const family = (work: typeof first): string => author(7, work.authors[0] ?? 0).family;
    // Its number is another work's, and none of its authors is named: something similar exists, but it is not this
    // work.
    const doubtful = third.title.replace(/case \d+/, 'case 1');
    await writeFile(
      bib,
      `@article{a, title={${first.title.toUpperCase()}}, author={${family(first)}, A.}, year={${first.year}}}\n` +
        `@misc{b, title={${doubtful}}}\n@misc{c, title={Nothing whatever resembles quixotic zebra jurisprudence}}\n`,
    );
    await writeFile(lines, `[1] ${family(second)} X. ${second.title}. Journal, ${second.year}.\n`);
    const review = await openReviewFile(reviewed);
    const found = await find([], { input: [bib, lines] }, review);
    assert.deepEqual(found, [`doi:${first.doi}`, `doi:${second.doi}`]);
    assert.deepEqual(
      kept.unreadable.map(({ line, word }) => [line, word]),
      [
        [2, 'title-doubtful'],
        [3, 'title-unknown'],
      ],
    );
    const [header = '', row = '', rest] = readFileSync(reviewed, 'utf8').split('\r\n');
    assert.match(header, /^entry,title,authors,year,reason,accept,chosen_doi,candidate_1,score_1,found_1,/);
    assert.match(row, /^mine\.bib#2,/);
    assert.equal(rest, '');
    // A second run adds no line; a decision is applied, also in a file that a spreadsheet saved with semicolons.
    assert.deepEqual(await find([], { input: [bib] }, review), found.slice(0, 1));
    const cells = ['mine.bib#2', doubtful, '', '', '', 'yes', '', third.doi ?? '', '0.8', 'x', '', '', '', '', '', ''];
    await writeFile(reviewed, `\uFEFF${header.replaceAll(',', ';')}\r\n${cells.join(';')}\r\n`);
    const decided = await openReviewFile(reviewed);
    assert.deepEqual(await find([], { input: [bib] }, decided), [`doi:${first.doi}`, `doi:${third.doi}`]);
    assert.equal(kept.identified.at(-1), `mine.bib#2 doi:${third.doi}`);
    cells[5] = 'no';
    await writeFile(reviewed, `${header}\r\n${csvLine(cells)}`);
    assert.deepEqual(await find([], { input: [bib] }, await openReviewFile(reviewed)), found.slice(0, 1));
    // A spreadsheet saved it with other columns and semicolons, in UTF-16, an editor cut the last line end off: lines
    // are added in that form, and the decision stays.
    const saved = `\uFEFFnote;accept;entry;candidate_1\r\nread;yes;mine.bib#9;${second.doi}`;
    await writeFile(reviewed, saved, 'utf16le');
    await find([], { input: [bib] }, await openReviewFile(reviewed));
    const [, decision, added = '', end] = readFileSync(reviewed, 'utf16le').split('\r\n');
    assert.equal(decision, `read;yes;mine.bib#9;${second.doi}`);
    assert.match(added, /^;;mine\.bib#2;10\./);
    assert.equal(end, '');
    const again = await openReviewFile(reviewed);
    assert.deepEqual(again.decision('mine.bib#9'), { kind: 'chosen', doi: second.doi });
    assert.deepEqual(again.decision('mine.bib#2'), { kind: 'open' });
  });
});
