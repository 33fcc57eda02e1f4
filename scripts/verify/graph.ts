import { spawn } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { renderPdf, writePaper } from '../../sim/content/index.ts';
import { paperSpec } from '../../sim/server/paper-spec.ts';
import { World } from '../../sim/world/world.ts';
import { openGraph } from '../../src/library/index.ts';
import { extractDocument } from '../../src/graph/extract/extract-document.ts';
import { withWork } from '../../src/graph/extract/reading.ts';
import { outputEndings, outputTexts } from '../../src/parse/doctags/outputs.ts';
import type { ParsedDocument } from '../../src/parse/index.ts';
import { documentId, parseFile, readBlockLines } from '../../src/parse/index.ts';
import { removeStore } from '../../src/database/index.ts';
import { seededRandom } from '../../test/fixtures/random-document.ts';
import { changeGraph, graphHash, memoryStore } from '../../test/support/graph.ts';
import { checkOptions } from '../../test/support/options.ts';

// npm run verify:graph [-- --simulated 12] [--real 40] [--papers DIR] [--entities trained] [--seeds 20] [--kills 30]: builds the
// graph of simulated papers, of published ones if available and of those of a folder, and checks that every edge has evidence, every quote is at its position, and that
// builds have the same rows: repeated, incremental in any order, or killed.

const given = checkOptions({ simulated: 12, real: 40, papers: '', entities: 'trained', seeds: 20, kills: 30 });
const root = join(import.meta.dirname, '..', '..');
using temporary = mkdtempDisposableSync(join(tmpdir(), 'verify-graph-'));
const folder = temporary.path;
const faults: string[] = [];
/** How long the first build took. */
let buildMs: number | undefined;
const run = join(folder, 'run');
await parsePapers(run);
await build(run);
await checkEvidence(run);
await checkBuilds(run);
await checkOrders(run, given.seeds);
await checkKills(run, given.kills);
for (const fault of faults.slice(0, 20)) console.error(`FAULT ${fault}`);
console.log(faults.length === 0 ? 'no faults' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function parsePapers(run: string): Promise<void> {
  const outputFolder = join(run, 'Data', 'DocTagsFiles');
  mkdirSync(join(folder, 'papers'), { recursive: true });
  mkdirSync(outputFolder, { recursive: true });
  const world = new World({ seed: 1, works: 400, hosts: 40, profile: 'calm' });
  const made = given.simulated;
  for (let work = 0; work < made; work += 1) {
    const path = join(folder, 'papers', `sim-${work}.pdf`);
    writeFileSync(path, await renderPdf(writePaper(paperSpec(world, work)), 'L1'));
    await parsePaper(path, outputFolder);
  }
  const published = join(root, '..', 'shared', 'data', 'parse', 'open', 'pmc');
  const real = existsSync(published) ? globSync('*.pdf', { cwd: published }).sort().slice(0, given.real) : [];
  if (real.length === 0) console.log('no published papers found: only simulated ones are checked');
  for (const name of real) await parsePaper(join(published, name), outputFolder);
  const further = given.papers === '' ? [] : globSync('*.{pdf,xml}', { cwd: given.papers }).sort();
  for (const name of further) await parsePaper(join(given.papers, name), outputFolder);
  console.log(`${made} simulated, ${real.length} published and ${further.length} further papers`);
}

async function parsePaper(path: string, outputFolder: string): Promise<void> {
  const id = documentId(path);
  const texts = outputTexts(await parseFile(path), { id, path });
  for (const [name, ending] of Object.entries(outputEndings({})))
    writeFileSync(join(outputFolder, id + ending), texts[name]?.() ?? '');
}

async function build(run: string, options: { readonly killAfterMs?: number } = {}): Promise<number | null> {
  const started = performance.now();
  const settings = ['--log-level', 'error', '--entities', given.entities];
  const child = spawn(join(root, 'bin', 'docstokg'), ['graph', 'build', run, ...settings], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const timer =
    options.killAfterMs === undefined
      ? undefined
      : setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), options.killAfterMs);
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  clearTimeout(timer);
  if (options.killAfterMs === undefined && code !== 0) faults.push(`graph build ended with ${code}`);
  if (options.killAfterMs === undefined) buildMs ??= performance.now() - started;
  return code;
}

async function checkEvidence(run: string): Promise<void> {
  using graph = openGraph(run);
  const one = (sql: string): number => Number(graph.sql(sql)[0]?.['count']);
  const edges = one('SELECT count(*) AS count FROM edges');
  const bare = one(
    'SELECT count(*) AS count FROM edges WHERE NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.source = edges.source AND evidence.kind = edges.kind AND evidence.target = edges.target)',
  );
  const loose = one(
    'SELECT count(*) AS count FROM edges WHERE source NOT IN (SELECT node FROM nodes) OR target NOT IN (SELECT node FROM nodes)',
  );
  if (bare > 0) faults.push(`${bare} edges have no evidence`);
  if (loose > 0) faults.push(`${loose} edges have an end that is not a node`);
  const documents = new Map<string, ParsedDocument>();
  let quotes = 0;
  let wrong = 0;
  for (const row of graph.sql(
    'SELECT owner, block, start_at, end_at, quote, detail, method FROM evidence WHERE quote IS NOT NULL',
  )) {
    const owner = String(row['owner']);
    const document =
      documents.get(owner) ?? (await readBlockLines(join(run, 'Data', 'DocTagsFiles', `${owner}.jsonl`)));
    documents.set(owner, document);
    const block = document.blocks[Number(row['block'])];
    const at = JSON.parse(String(row['detail'])) as { readonly row?: number; readonly column?: number };
    const cells = at.row !== undefined && block?.kind === 'table' ? block.table.cells : undefined;
    const text = (cells?.find((cell) => cell.row === at.row && cell.column === at.column) ?? block)?.text;
    quotes += 1;
    if (text?.slice(Number(row['start_at']), Number(row['end_at'])) === row['quote']) continue;
    wrong += 1;
    if (wrong < 5)
      faults.push(
        `${owner} block ${String(row['block'])}: the quote does not match the text: ${String(row['quote']).slice(0, 80)}`,
      );
  }
  console.log(
    `${edges} edges, ${edges - bare} with evidence; ${quotes} quotes, ${quotes - wrong} equal to the text at their offsets`,
  );
}

async function checkBuilds(run: string): Promise<void> {
  const again = join(folder, 'again');
  cpSync(join(run, 'Data', 'DocTagsFiles'), join(again, 'Data', 'DocTagsFiles'), { recursive: true });
  await build(again);
  const same = graphHash(run) === graphHash(again);
  if (!same) faults.push('two builds differ');
  console.log(`two builds: ${same ? 'the same rows' : 'DIFFERENT'}`);
}

async function checkOrders(run: string, seeds: number): Promise<void> {
  const names = globSync('*.jsonl', { cwd: join(run, 'Data', 'DocTagsFiles') })
    .sort()
    .slice(0, 10);
  const documents = await Promise.all(
    names.map(async (name) => {
      const owner = basename(name, '.jsonl');
      const work = `work:document:${owner}`;
      const said = withWork(
        extractDocument(owner, await readBlockLines(join(run, 'Data', 'DocTagsFiles', name))),
        work,
      );
      return {
        ...said,
        nodes: [...said.nodes, { id: work, kind: 'work' as const, label: owner, year: null, rank: 1, data: {} }],
      };
    }),
  );
  let same = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = seededRandom(seed);
    using store = memoryStore();
    const kept = new Set<number>();
    for (let step = 0; step < 14; step += 1) {
      const at = Math.floor(random() * documents.length);
      const document = documents[at];
      if (!document) continue;
      if (kept.delete(at)) changeGraph(store, { remove: [document.owner] });
      else {
        kept.add(at);
        changeGraph(store, { add: [document] });
      }
    }
    using fresh = memoryStore();
    changeGraph(fresh, { add: documents.filter((_, at) => kept.has(at)) });
    if (graphHash(store) === graphHash(fresh)) same += 1;
    else faults.push(`seed ${seed}: incremental build differs from a full build`);
  }
  console.log(`incremental builds in random order: ${same} of ${seeds} seeds are identical to a full build`);
}

async function checkKills(run: string, kills: number): Promise<void> {
  const wanted = graphHash(run);
  const killed = join(folder, 'killed');
  cpSync(join(run, 'Data', 'DocTagsFiles'), join(killed, 'Data', 'DocTagsFiles'), { recursive: true });
  let died = 0;
  const random = seededRandom(kills);
  for (let kill = 1; kill <= kills; kill += 1) {
    // Starts from scratch every few kills, so that every phase of a build is interrupted.
    if (kill % 6 === 0) {
      removeStore(killed);
      rmSync(join(killed, 'Data', 'GraphFacts'), { recursive: true, force: true });
    }
    if ((await build(killed, { killAfterMs: 300 + random() * (buildMs ?? 0) })) === null) died += 1;
  }
  await build(killed);
  const same = graphHash(killed) === wanted;
  if (!same) faults.push('a killed build differs');
  console.log(`killed ${died} times of ${kills}: ${same ? 'ends with the same rows' : 'DIFFERENT'}`);
}
