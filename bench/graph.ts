// The graph: documents taken in; edges alone beside graphology and DuckDB; a picture moved in a browser; extraction against parsing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { renderPdf, writePaper } from '../sim/content/index.ts';
import { paperSpec } from '../sim/server/paper-spec.ts';
import { World } from '../sim/world/world.ts';
import { extractDocument } from '../src/graph/extract/extract-document.ts';
import type { Contribution, EdgeStatement, NodeStatement } from '../src/graph/index.ts';
import { GraphStore } from '../src/graph/index.ts';
import { parsePdf } from '../src/parse/doctags/pdf.ts';
import { drawnFrames } from './graph/browser.ts';
import type { Side } from './graph/side.ts';
import type { Figure } from './measure.ts';
import { cpuSeconds, quick, report } from './measure.ts';

const NODES = quick ? 20_000 : 100_000;
const EDGES = quick ? 200_000 : 1_000_000;
const DRAWN_NODES = 5_000;
const DRAWN_EDGES = 20_000;
const folder = mkdtempSync(join(tmpdir(), 'bench-graph-'));
const figures: Figure[] = [];

let state = 1;
function next(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

/** Works that cite others, thirty to a document. */
function* contributions(): Generator<Contribution> {
  const perDocument = Math.round(EDGES / NODES);
  const id = (at: number): string => `work:doi:10.5555/${at}`;
  const node = (at: number, rank: number): NodeStatement => ({
    id: id(at),
    kind: 'work',
    label: `Work ${at}`,
    year: 2000,
    rank,
    data: {},
  });
  for (let at = 0; at < NODES; at += 1) {
    const cited = new Set(Array.from({ length: perDocument }, () => next(NODES)));
    const edges = [...cited].map((other): EdgeStatement => {
      const evidence = {
        place: { kind: 'metadata', origin: 'bench', readAt: null },
        method: 'bench',
        version: 1,
        score: 1,
        detail: {},
      } as const;
      return { source: id(at), kind: 'cites', target: id(other), evidence };
    });
    yield {
      owner: `d${String(at).padStart(7, '0')}`,
      work: id(at),
      fileSha256: null,
      nodes: [node(at, 0), ...[...cited].map((other) => node(other, 4))],
      edges,
      references: [],
    };
  }
}

try {
  const path = join(folder, 'graph.sqlite');
  using store = new GraphStore(path);
  const load = await cpuSeconds(() => store.apply({ add: contributions() }, ({ owner }) => owner));
  const edges = Number(store.database.prepare('SELECT count(*) AS count FROM edges').get()?.['count']);
  figures.push(
    {
      name: `documents with ${edges.toLocaleString('en')} edges and their evidence, taken in`,
      value: load,
      unit: 'CPU s',
    },
    { name: 'resident memory', value: process.memoryUsage().rss / 1e6, unit: 'MB' },
    { name: 'file', value: statSync(path).size / 1e6, unit: 'MB' },
  );
  beside();
  await drawing();
  await extraction();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report('graph', { nodes: NODES, edges: EDGES }, figures);

/** The edges alone, sorted, in the graph's own table, in graphology and in DuckDB, each in a process of its own. */
function beside(): void {
  for (const name of ['sqlite', 'graphology', 'duckdb'] as const) {
    const side = JSON.parse(
      execFileSync(process.execPath, [join(import.meta.dirname, 'graph', 'side.ts'), name, String(EDGES)], {
        encoding: 'utf8',
      }),
    ) as Side;
    const own = name === 'sqlite';
    const shown = own ? 'this graph' : name;
    figures.push(
      {
        name: `${shown}: ${EDGES.toLocaleString('en')} edges alone, loaded`,
        value: side.loadCpuSeconds,
        unit: 'CPU s',
        ...(own && { atMost: 3 }),
      },
      { name: `${shown}: resident memory`, value: side.residentMegabytes, unit: 'MB', ...(own && { atMost: 150 }) },
      { name: `${shown}: two hops`, value: side.hopCpuMs, unit: 'CPU ms', ...(own && { atMost: 1 }) },
    );
  }
}

/** A large picture moved in a browser. */
async function drawing(): Promise<void> {
  const drawn = await drawnFrames(DRAWN_NODES, DRAWN_EDGES);
  if (!drawn) {
    console.error('NOT MEASURED: frames in a browser, there is no Chromium');
    return;
  }
  const what = `${DRAWN_NODES.toLocaleString('en')} nodes and ${DRAWN_EDGES.toLocaleString('en')} edges`;
  figures.push(
    // As the page does it: drawn anew at every frame where that is quick, else a still of the drawing is moved.
    { name: `${what} moved by hand, ${drawn.renderer}`, value: drawn.fps, unit: 'frames/s', atLeast: 30 },
    { name: `${what} chosen from and drawn anew at every frame`, value: drawn.redrawnFps, unit: 'frames/s' },
  );
}

async function extraction(): Promise<void> {
  const world = new World({ seed: 3, works: 400, hosts: 40, profile: 'calm' });
  const pdfs: Uint8Array[] = [];
  for (let work = 0; work < (quick ? 12 : 40); work += 1)
    pdfs.push(await renderPdf(writePaper(paperSpec(world, work)), work % 2 === 0 ? 'L1' : 'L2'));
  let parse = 0;
  let extract = 0;
  for (const [at, pdf] of pdfs.entries()) {
    let document: Awaited<ReturnType<typeof parsePdf>> | undefined;
    const parsed = await cpuSeconds(async () => (document = await parsePdf(pdf)));
    const read = await cpuSeconds(() => document && extractDocument(`paper-${at}`, document));
    // The first papers warm the code of both.
    if (at < 4) continue;
    parse += parsed;
    extract += read;
  }
  figures.push({ name: 'extraction / parsing', value: extract / parse, unit: 'of its CPU', atMost: 0.2 });
}
