import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { openCorpus } from '../src/corpus/index.ts';
import { openStore, WorkQueue } from '../src/queue/index.ts';
import { Screening } from '../src/screen/index.ts';
import { openServer } from '../src/serve/index.ts';
import { HANGING_MS, NO_BROWSER, openBrowser } from '../test/support/browser.ts';
import { seen } from '../test/support/seen.ts';

// Makes the pictures of README and guides: `npm run pictures`, or `npm run pictures RUN` with the folder of a demo that is
// there already; it is copied. Everything shown is invented by the simulated web.

const ROOT = join(import.meta.dirname, '..');
const PICTURES = join(ROOT, 'docs', 'pictures');
const TOKEN = 'a-token-for-the-pictures';
const QUESTION = 'With which symbiont was the photochemical yield higher?';
const COLUMNS = ['year', 'species', 'sample size:number', 'main result'];
const REVIEWER = 'ada';
/** At least so many decisions come before the first picture of a screening, and more until a relevant work is next. */
const DECIDED = 5;

/** A picture: the address, what must be there before it is taken, and what is done then. */
interface Shown {
  readonly name: string;
  readonly path: string;
  readonly ready: string;
  readonly before?: (page: Page) => Promise<void>;
}

const SHOWN: readonly Shown[] = [
  { name: 'serve-works', path: '/works', ready: '.works tbody tr' },
  { name: 'serve-now', path: '/now', ready: '.trend canvas' },
  { name: 'serve-queue', path: '/queue', ready: '.jobs tbody tr' },
  { name: 'serve-search', path: `/search?q=${encodeURIComponent(QUESTION)}`, ready: '.hits li' },
  { name: 'serve-ask', path: `/ask?q=${encodeURIComponent(QUESTION)}`, ready: '.follow', before: openQuote },
  { name: 'serve-table', path: '/table', ready: '.cells tbody tr', before: openCell },
  { name: 'serve-graph', path: '/graph', ready: '.ground canvas', before: showFindings },
  { name: 'screen', path: `/screen?by=${REVIEWER}&mark=heat,symbionts`, ready: '.card h2' },
];

await makePictures(process.argv[2]);

async function makePictures(made: string | undefined): Promise<void> {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'pictures-'));
  const folder = join(scratch.path, 'demo');
  if (made === undefined) docstokg('demo', '--out', folder);
  else cpSync(made, folder, { recursive: true });
  docstokg('graph', 'build', folder);
  docstokg(
    'table',
    folder,
    ...COLUMNS.flatMap((column) => ['--column', column]),
    '--out',
    join(scratch.path, 'table.csv'),
  );
  {
    using screening = Screening.open(folder);
    const criteria = 'Include: symbionts of corals under heat.\nExclude: models without field data.';
    screening.setProtocol(
      { question: 'heat-tolerant symbionts', criteria, reasons: ['wrong organism', 'no field data'] },
      REVIEWER,
    );
    await decide(screening, (count, title) => count >= DECIDED && isRelevant(title));
  }
  await using opened = await openBrowser();
  if (!opened) throw new Error(NO_BROWSER);
  const corpus = await openCorpus(folder);
  const queue = corpus.config.queue.path;
  await using server = await openServer({
    runs: [{ id: 'demo', corpus }],
    queue: existsSync(queue) ? new WorkQueue(await openStore(queue)) : undefined,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    allowControl: true,
    version: '',
    log: () => undefined,
  });
  const context = await opened.browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(HANGING_MS);
  await page.goto(`${server.url}?token=${TOKEN}`);
  // A copied run may have lost its queue.
  for (const each of SHOWN.filter(({ path }) => path !== '/queue' || existsSync(queue)))
    await take(page, server.url, each);
  {
    using screening = Screening.open(folder);
    screening.sample(REVIEWER);
    await decide(screening, () => false);
  }
  await take(page, server.url, { name: 'screen-stop', path: `/screen?by=${REVIEWER}`, ready: '.promise' });
  const flow = join(scratch.path, 'flow');
  await Array.fromAsync(corpus.export({ format: 'prisma', out: flow }));
  copyFileSync(`${flow}.svg`, join(PICTURES, 'screen-flow.svg'));
}

function docstokg(...parameters: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'bin', 'docstokg'), ...parameters], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`docstokg ${parameters.join(' ')} ended with ${status}`);
}

async function take(page: Page, url: string, { name, path, ready, before }: Shown): Promise<void> {
  await page.goto(new URL(path, url).href);
  await page.waitForSelector(ready);
  await before?.(page);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  console.log(name);
}

function isRelevant(title: string | null): boolean {
  return /symbiont/i.test(title ?? '');
}

/** Decides as the protocol says, until it is enough or a random sample allows to stop. */
async function decide(
  screening: Screening,
  isEnough: (decided: number, next: string | null) => boolean,
): Promise<void> {
  for (let count = 0; ; count += 1) {
    await screening.ready();
    const [next] = screening.next(REVIEWER, { limit: 1 });
    if (!next || screening.status().sample?.isReached || isEnough(count, next.title)) return;
    screening.decide({
      by: REVIEWER,
      work: next.work,
      phase: 'title-abstract',
      decision: isRelevant(next.title) ? 'include' : 'exclude',
    });
  }
}

/** Opens the first quote of an answer on its page. */
async function openQuote(page: Page): Promise<void> {
  await page.click('.answer .source a');
  await seen(page, "document.querySelector('.printed-text mark, .recognised') !== null");
  await seen(page, "[...document.querySelectorAll('.sheet img')].every((image) => image.complete)");
}

async function openCell(page: Page): Promise<void> {
  await page.locator('.cells td:nth-of-type(3) button', { hasNotText: '–' }).first().click();
  await page.waitForSelector('.opened .viewer');
  await seen(page, "document.querySelector('.sheet img, .recognised, .flowing') !== null");
  await seen(page, "[...document.querySelectorAll('.sheet img')].every((image) => image.complete)");
}

/** Adds what the work measured and claims to whom it cites. */
async function showFindings(page: Page): Promise<void> {
  for (const kind of ['measures', 'defines', 'about', 'authored_by']) {
    const box = page.locator(`.kinds input[name=${kind}]`);
    if ((await box.count()) > 0) await box.check();
  }
  await page.waitForSelector('.ground canvas');
}
