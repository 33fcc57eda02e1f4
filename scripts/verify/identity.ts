import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Admin, PROFILES, Simulation } from '../../sim/index.ts';
import { author } from '../../sim/world/people.ts';
import { Records } from '../../src/database/index.ts';
import { workFromText } from '../../src/works/index.ts';
import { startCommand } from '../../test/e2e/started-command.ts';
import { seededRandom } from '../../test/fixtures/random-document.ts';
import { PATIENCE } from '../../test/support/harvest.ts';
import { checkOptions, numbers, asked } from '../../test/support/options.ts';

// npm run verify:identity: lists works by DOI, PMID, PMCID, arXiv id, OpenAlex id or title, some of them twice under different
// names, and counts how many are merged rightly, wrongly or not at all. No file is downloaded.

const values = checkOptions({
  entries: 1000,
  duplicates: 0.3,
  seeds: String(Math.floor(Math.random() * 1e6)),
  profile: ['realistic', ...PROFILES],
});

/** The name of an entry that has only title, first author and year. */
const TITLE = 'title';

interface Row {
  readonly work: string;
  readonly reason: string;
  readonly duplicate_of?: string;
}

async function measure(seed: number): Promise<{ readonly faults: number; readonly line: string }> {
  const draw = seededRandom(seed);
  const entries = values.entries;
  const repeated = Math.round(entries * values.duplicates);
  const parameters = { seed, works: entries - repeated, hosts: 60, profile: values.profile };
  await using simulation = await Simulation.open({ parameters, timeScale: 0.02, documents: 'plain' });
  await using admin = await Admin.open(simulation);
  const works = [...simulation.world.works()];
  const namesOf = (index: number): string[] => {
    const { doi, pmid, pmcid, arxivId, id } = simulation.world.work(index);
    return [doi, pmid, pmcid, arxivId === null ? null : `arXiv:${arxivId}`, id, TITLE].filter((name) => name !== null);
  };
  const pick = (names: readonly string[]): string => names[Math.floor(draw() * names.length)] ?? '';
  // The second entry of a work has a different name.
  const named = works.map((_, index) => ({ index, name: pick(namesOf(index)) }));
  const again = Array.from({ length: repeated }, () => {
    const index = Math.floor(draw() * works.length);
    return { index, name: pick(namesOf(index).filter((name) => name !== named[index]?.name)) };
  });
  const list = [...named, ...again].filter(({ name }) => name !== '').toSorted(() => draw() - 0.5);
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'docstokg-identity-'));
  const folder = temporary.path;
  const cells = list.map(({ index, name }) => {
    const { title, year, authors } = simulation.world.work(index);
    return name === TITLE ? `,"${title}","${author(seed, authors[0] ?? 0).name}",${year}` : `${name},,,`;
  });
  writeFileSync(join(folder, 'list.csv'), `id,title,authors,year\n${cells.join('\n')}\n`);
  const parametersOfRun = ['--input', 'list.csv', '--sim', admin.url, '--out', 'out', '--workers', '16', '--json'];
  await using run = startCommand(
    'contentdownload',
    [...parametersOfRun, '--set', 'download.resolver_order=openalex', '--set', 'download.accept=xml'],
    {
      cwd: folder,
      env: PATIENCE,
    },
  );
  const { code } = await run.ended;
  const rows = new Map(
    readFileSync(join(folder, 'out', 'manifest.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Row)
      .map((row) => [row.work, row]),
  );
  // Two OpenAlex ids with one DOI are both tried, since either may have the only copy, and listed as one work.
  using records = Records.open(join(folder, 'out'));
  return score(list, rows, { seed, code, simulation, workOf: (name) => records.idOf(name) });
}

function score(
  list: readonly { readonly index: number; readonly name: string }[],
  rows: ReadonlyMap<string, Row>,
  {
    seed,
    code,
    simulation,
    workOf,
  }: {
    readonly seed: number;
    readonly code: number | null;
    readonly simulation: Simulation;
    /** The work that a list of works shows for a name. */
    readonly workOf: (name: string) => string;
  },
): { readonly faults: number; readonly line: string } {
  const root = (id: string): string => {
    const { duplicate_of: of } = rows.get(id) ?? {};
    return of === undefined || of === id ? id : root(of);
  };
  let unknown = 0;
  const found: { readonly work: string; readonly id: string; readonly root: string }[] = [];
  for (const { index, name } of list) {
    const listed = name === TITLE ? undefined : workFromText(name);
    const { doi, id: openalex } = simulation.world.work(index);
    // An entry with a title is queued under the DOI found for it.
    const id = listed?.kind === 'work' ? listed.work.id : `doi:${doi}`;
    // OpenAlex has some works twice: works with the same DOI are one work.
    if (rows.has(id)) found.push({ work: doi ?? openalex, id, root: workOf(root(id)) });
    else unknown += 1;
  }
  const byWork = Map.groupBy(found, ({ work }) => work);
  const byRoot = Map.groupBy(found, ({ root: each }) => each);
  const groups = (map: ReadonlyMap<unknown, readonly object[]>): number =>
    [...map.values()].filter(({ length }) => length > 1).length;
  const wrong = [...byRoot.values()].filter((each) => new Set(each.map(({ work }) => work)).size > 1).length;
  const repeats = [...byWork.values()].map((each) => ({
    entries: each.length,
    roots: new Set(each.map((one) => one.root)).size,
  }));
  const merged = repeats.reduce((sum, { entries, roots }) => sum + entries - roots, 0);
  const missed = repeats.reduce((sum, { roots }) => sum + roots - 1, 0);
  const apart = [...byWork.values()].filter((each) => new Set(each.map((one) => one.root)).size > 1);
  const named = apart.map((each) => each.map(({ id }) => `${id} (${rows.get(id)?.reason ?? ''})`).join(' and '));
  return {
    faults: wrong + missed,
    line: `seed ${seed}: ${list.length} entries, ${found.length} found, ${unknown} not found by title; works ${byWork.size}, named more than once ${groups(byWork)}; merged right ${merged}, wrong ${wrong}, missed ${missed}; exit ${code}${named.map((each) => `\n  not merged: ${each}`).join('')}`,
  };
}

let faults = 0;
for (const seed of asked(() => numbers('seeds', values.seeds))) {
  const result = await measure(seed);
  faults += result.faults;
  console.log(result.line);
}
process.exitCode = faults === 0 ? 0 : 1;
