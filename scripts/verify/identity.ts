import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { Admin, Simulation } from '../../sim/index.ts';
import { author } from '../../sim/world/people.ts';
import { workFromText } from '../../src/works/index.ts';
import { startCommand } from '../../test/e2e/started-command.ts';
import { PATIENCE } from '../../test/support/harvest.ts';

// Lists that name works by DOI, PMID, PMCID, arXiv id, OpenAlex id and title, a share of them twice under other names: how
// many are recognised as one work. No file is downloaded: only what tells works apart is asked for.

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000' },
    duplicates: { type: 'string', default: '0.3' },
    seeds: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    profile: { type: 'string', default: 'realistic' },
  },
});

/** Stands for the title, the first author and the year. */
const TITLE = 'title';

interface Row {
  readonly work: string;
  readonly reason: string;
  readonly duplicate_of?: string;
}

/** A random number from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function measure(seed: number): Promise<{ readonly wrong: number; readonly line: string }> {
  const draw = random(seed);
  const entries = Number(values.entries);
  const repeated = Math.round(entries * Number(values.duplicates));
  const parameters = { seed, works: entries - repeated, hosts: 60, profile: values.profile as 'realistic' };
  await using simulation = await Simulation.open({ parameters, timeScale: 0.02, documents: 'plain' });
  await using admin = await Admin.open(simulation);
  const works = [...simulation.world.works()];
  const namesOf = (index: number): string[] => {
    const { doi, pmid, pmcid, arxivId, id } = simulation.world.work(index);
    return [doi, pmid, pmcid, arxivId === null ? null : `arXiv:${arxivId}`, id, TITLE].filter((name) => name !== null);
  };
  const pick = (names: readonly string[]): string => names[Math.floor(draw() * names.length)] ?? '';
  // Of a work that is named twice, the second name is another one.
  const named = works.map((_, index) => ({ index, name: pick(namesOf(index)) }));
  const again = Array.from({ length: repeated }, () => {
    const index = Math.floor(draw() * works.length);
    return { index, name: pick(namesOf(index).filter((name) => name !== named[index]?.name)) };
  });
  const list = [...named, ...again].filter(({ name }) => name !== '').toSorted(() => draw() - 0.5);
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-identity-'));
  try {
    const cells = list.map(({ index, name }) => {
      const { title, year, authors } = simulation.world.work(index);
      return name === TITLE ? `,"${title}","${author(seed, authors[0] ?? 0).name}",${year}` : `${name},,,`;
    });
    writeFileSync(join(folder, 'list.csv'), `id,title,authors,year\n${cells.join('\n')}\n`);
    const parametersOfRun = ['--input', 'list.csv', '--sim', admin.url, '--out', 'out', '--workers', '16', '--json'];
    await using run = startCommand(
      'contentdownload',
      [...parametersOfRun, '--resolver-order', 'openalex', '--accept', 'xml'],
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
    return score(list, rows, { seed, code, simulation });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function score(
  list: readonly { readonly index: number; readonly name: string }[],
  rows: ReadonlyMap<string, Row>,
  { seed, code, simulation }: { readonly seed: number; readonly code: number | null; readonly simulation: Simulation },
): { readonly wrong: number; readonly line: string } {
  const root = (id: string): string => {
    const { duplicate_of: of } = rows.get(id) ?? {};
    return of === undefined || of === id ? id : root(of);
  };
  let unknown = 0;
  const found: { readonly work: string; readonly root: string }[] = [];
  for (const { index, name } of list) {
    const listed = name === TITLE ? undefined : workFromText(name);
    const { doi, id: openalex } = simulation.world.work(index);
    // An entry with a title is queued under the DOI that was found for it.
    const id = listed?.kind === 'work' ? listed.work.id : `doi:${doi}`;
    // OpenAlex has some works twice: what has one DOI is one work.
    if (rows.has(id)) found.push({ work: doi ?? openalex, root: root(id) });
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
  return {
    wrong,
    line: `seed ${seed}: ${list.length} entries, ${found.length} found, ${unknown} not found by title; works ${byWork.size}, named more than once ${groups(byWork)}; merged right ${merged}, wrong ${wrong}, missed ${missed}; exit ${code}`,
  };
}

let wrong = 0;
for (const seed of values.seeds.split(',').map(Number)) {
  const result = await measure(seed);
  wrong += result.wrong;
  console.log(result.line);
}
process.exitCode = wrong === 0 ? 0 : 1;
