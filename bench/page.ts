// The page of serve: its size, the first view of 10,000 works, a document of 500 pages, a graph of 10,000 nodes, memory.
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { CDPSession, Page } from 'playwright-core';

import { openCorpus } from '../src/corpus/index.ts';
import { Records } from '../src/database/index.ts';
import type { GraphPicture } from '../src/graph/picture/index.ts';
import { openServer } from '../src/serve/index.ts';
import { firstModules, pageParts } from '../src/serve/page-assets.ts';
import { command } from '../test/e2e/command.ts';
import { writeWorks } from '../test/serve/small-run.ts';
import { NO_BROWSER, openBrowser } from '../test/support/browser.ts';
import { buildGraph } from '../test/support/graph.ts';
import { line, makePdf } from '../test/support/make-pdf.ts';
import { seen } from '../test/support/seen.ts';
import { BenchReport, flags } from './kit.ts';

const TOKEN = 'a-token-for-the-bench';
const [WORKS, PAGES, NODES] = flags.quick ? [2_000, 60, 2_000] : [10_000, 500, 10_000];
const ROUNDS = flags.quick ? 3 : 7;
const VISITS = flags.quick ? 10 : 60;
/** Views between which one goes to and fro. */
const VISITED = ['/works', '/search?q=reefs', '/graph', '/notes', '/stages', '/summary', '/flow'];

/** Notes when the first element of a kind is there, and how much what was drawn moved. */
const WATCH = `globalThis.moved = 0;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) globalThis.moved += entry.value; }).observe({ type: 'layout-shift', buffered: true });
globalThis.first = new Promise((resolve) => new MutationObserver((_, observer) => {
  if (!document.querySelector('.works tbody tr')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
}).observe(document, { subtree: true, childList: true }));`;

await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-bench-page-'));
const report = new BenchReport('page');
report.setting('inputs', `${WORKS} works, ${PAGES} pages, ${NODES} nodes`);
const { script, style, modules } = await pageParts();
const kB = (...parts: readonly (string | Buffer)[]): number =>
  parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) / 1_000;
report.add({ name: 'script and style', unit: 'kB', samples: [kB(script, style)] });
report.add({
  name: 'script and style, gzip',
  unit: 'kB',
  samples: [kB(gzipSync(script), gzipSync(style))],
  atMost: 400,
});

const first = firstModules(modules).map((name) => gzipSync(modules[name] ?? ''));
report.add({ name: 'of it what every view loads, gzip', unit: 'kB', samples: [kB(...first, gzipSync(style))] });

report.progress('making works and a long document');
const [works, thesis, papers] = ['works', 'thesis', 'papers'].map((name) => join(scratch.path, name)) as [string, string, string]; // prettier-ignore
mkdirSync(papers);
await writeWorks(works, 0, WORKS);
{
  using records = Records.open(works);
  buildGraph(works, { dataRoot: join(works, 'Data'), records });
}
const long = await makePdf((pdf) => {
  line(pdf, 'A thesis of many pages about rivers', { x: 72, y: 72, size: 17, font: 'Times-Bold' });
  for (let page = 2; page <= PAGES; page += 1) {
    pdf.addPage();
    for (let at = 0; at < 40; at += 1)
      line(pdf, `Sample ${page}.${at} of the long river was taken in winter at a depth of ${at} metres.`, { x: 72, y: 72 + 16 * at, size: 10 }); // prettier-ignore
  }
});
writeFileSync(join(papers, 'long.pdf'), long);
const run = command('docstokg', ['run', '--input', papers, '--out', thesis, '--set', 'parse.dense=none']);
if (run.status !== 0) throw new Error(run.stderr);

await using opened = await openBrowser();
if (!opened) throw new Error(NO_BROWSER);
const { browser } = opened;
await using server = await openServer({
  runs: [
    { id: 'works', corpus: await openCorpus(works) },
    { id: 'thesis', corpus: await openCorpus(thesis) },
  ],
  queue: undefined,
  host: '127.0.0.1',
  port: 0,
  token: TOKEN,
  version: '',
  log: () => undefined,
});

/** An address in a browser that has seen nothing yet. */
async function openFresh(path: string, width = 1_440): Promise<{ page: Page; session: CDPSession }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await page.addInitScript(WATCH);
  const url = new URL(path, server.url);
  await page.goto(`${server.url}healthz`);
  url.searchParams.set('token', TOKEN);
  await page.goto(url.href);
  return { page, session };
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
}

async function heapMegabytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
}

report.progress('first view');
const [clock, thread, cpu, moved]: number[][] = [[], [], [], []];
for (let round = 0; round < ROUNDS; round += 1) {
  const before = process.cpuUsage();
  const { page, session } = await openFresh('/works?run=works', round % 2 === 0 ? 1_440 : 380);
  clock?.push(await page.evaluate<number>('first'));
  const { user, system } = process.cpuUsage(before);
  thread?.push(1_000 * (await metric(session, 'TaskDuration')));
  cpu?.push((user + system) / 1_000);
  moved?.push(await page.evaluate<number>('moved'));
  await page.context().close();
}
// The first one fills the caches of the server.
report.add({ name: `first view of ${WORKS} works, by the clock`, unit: 'ms', samples: clock?.slice(1) ?? [], atMost: 300 }); // prettier-ignore
report.add({ name: 'its main thread', unit: 'ms', samples: thread?.slice(1) ?? [] });
report.add({ name: 'CPU of the server and of the bench', unit: 'ms', samples: cpu?.slice(1) ?? [] });
report.add({ name: 'layout shift', unit: '', samples: moved?.slice(1) ?? [], atMost: 0.1 });

report.progress('a long document');
{
  const { page, session } = await openFresh('/works?run=thesis&document=long');
  await page.waitForSelector('.sheet[data-page="1"] img');
  const [first, far]: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${server.url}works?run=thesis&document=long`);
    await seen(page, 'document.querySelector(\'.sheet[data-page="1"] img\')?.naturalWidth > 0');
    first?.push(await page.evaluate<number>('performance.now()'));
    const to = PAGES - 10 - round;
    const start = performance.now();
    await page.evaluate(
      `document.querySelector('.desk').scrollTop = document.querySelector('[data-page="${to}"]').offsetTop`,
    );
    await page.waitForSelector(`.sheet[data-page="${to}"] .printed-text span`);
    far?.push(performance.now() - start);
  }
  report.add({ name: `${PAGES} pages: the first is drawn`, unit: 'ms', samples: first ?? [] });
  report.add({ name: 'a page at the end has its text', unit: 'ms', samples: far ?? [] });
  report.add({ name: 'heap of the page', unit: 'MB', samples: [await heapMegabytes(session)] });
  await page.context().close();
}

report.progress('a large graph');
{
  const { page, session } = await openFresh('/notes?run=works');
  const picture: GraphPicture = {
    nodes: Array.from({ length: NODES }, (_, at) => ({
      id: `work:w${at}`,
      kind: 'work',
      label: `Berg et al. ${2000 + (at % 20)} · On reefs, part ${at}`,
      year: 2000 + (at % 20),
      cited: at % 50,
      inCorpus: at % 3 === 0,
      x: 1_000 * Math.cos(at) * Math.sqrt(at / NODES),
      y: 1_000 * Math.sin(at) * Math.sqrt(at / NODES),
    })),
    edges: Array.from({ length: 2 * NODES }, (_, at) => ({
      source: at % NODES,
      target: (at * 7_919 + 1) % NODES,
      kind: 'cites',
      evidence: [],
    })),
    leftOut: {},
  };
  const body = JSON.stringify(picture);
  await page.route('**/graph/picture?*', (route) => route.fulfill({ contentType: 'application/json', body }));
  const before = await metric(session, 'TaskDuration');
  const start = performance.now();
  await page.click('.places a:text("Graph")');
  await seen(page, "document.querySelector('.ground')?.dataset.zoom !== undefined");
  report.add({
    name: `${NODES} nodes and ${2 * NODES} edges are drawn, by the clock`,
    unit: 'ms',
    samples: [performance.now() - start],
  });
  report.add({
    name: 'its main thread',
    unit: 'ms',
    samples: [1_000 * ((await metric(session, 'TaskDuration')) - before)],
  });
  await seen(page, "document.querySelector('.ground')?.dataset.settled === 'true'");
  report.add({
    name: 'until every node has its place, by the clock',
    unit: 'ms',
    samples: [performance.now() - start],
  });
  const zooms: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = await metric(session, 'TaskDuration');
    await page.click('[aria-label="Zoom in"]');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    zooms.push(1_000 * ((await metric(session, 'TaskDuration')) - from));
  }
  report.add({ name: 'zooming one step, main thread', unit: 'ms', samples: zooms });
  report.add({ name: 'heap of the page', unit: 'MB', samples: [await heapMegabytes(session)] });
  await page.context().close();
}

report.progress('going to and fro');
{
  const { page, session } = await openFresh('/works?run=works');
  const visit = async (path: string): Promise<void> => {
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page
      .locator(`.panel.${/\w+/.exec(path)?.[0]} > *`)
      .first()
      .waitFor({ state: 'attached' });
  };
  for (const path of VISITED) await visit(path);
  const [heap, resident] = [await heapMegabytes(session), process.memoryUsage().rss / 1e6];
  for (let round = 0; round < VISITS; round += 1) for (const path of VISITED) await visit(path);
  report.add({ name: `heap of the page after ${VISITED.length} views`, unit: 'MB', samples: [heap] });
  report.add({
    name: `and after ${VISITED.length * VISITS} more`,
    unit: 'MB',
    samples: [await heapMegabytes(session)],
  });
  report.add({
    name: 'memory that the server gained meanwhile',
    unit: 'MB',
    samples: [process.memoryUsage().rss / 1e6 - resident],
  });
}
report.finish();
