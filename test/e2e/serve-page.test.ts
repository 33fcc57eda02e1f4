import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';

import { Admin, plantedQuestions, Simulation } from '../../sim/index.ts';
import { buildGraph } from '../support/graph.ts';
import { openStore, WorkQueue } from '../../src/queue/index.ts';
import { Records } from '../../src/database/index.ts';
import { INLINE } from '../support/bin.ts';
import type { OpenBrowser } from '../support/browser.ts';
import { checkAccessible } from '../support/accessible.ts';
import { HANGING_MS, NO_BROWSER, openBrowser } from '../support/browser.ts';
import { PATIENCE } from '../support/harvest.ts';
import type { StartedCommand } from './started-command.ts';
import { startCommand } from './started-command.ts';

const CONTRAST = readFileSync(join(import.meta.dirname, '..', 'support', 'contrast.js'), 'utf8');
/** Lexical search is enough here; the model is tested elsewhere. */
const ENVIRONMENT = {
  DOCSTOKG_PARSE__DENSE: 'none',
  ...PATIENCE,
  ...INLINE,
};
const RUN = 'reefs';
const HOSTILE = `</script><img src=x onerror="document.title='owned'"><svg onload=alert(1)>`;
/** Works that exist when the page opens; the others are added later. */
const FIRST = 3;

let folder = '';
let opened: OpenBrowser | undefined;
let simulation: Simulation;
let admin: Admin;
let serve: StartedCommand;
let page: Page;
let [origin, token] = ['', ''];
let ids: string[] = [];
/** The failure reason of the works without a file in this world. */
let usual = '';
const complaints: string[] = [];
const requested: string[] = [];

/** Downloads works of the simulated web with the real command, into the run folder that is served. */
function gather(works: readonly string[]): StartedCommand {
  const parameters = ['run', ...works, '--sim', admin.url, '--out', join(folder, RUN), '--json'];
  return startCommand('docstokg', parameters, { cwd: folder, env: ENVIRONMENT });
}

/** Changes the failures in the queue to time-outs, which can be retried. */
async function timeOutFailed(): Promise<void> {
  await using queue = new WorkQueue(await openStore(join(folder, RUN, 'state', 'workqueue.sqlite')));
  usual = (await queue.stats()).byErrorCode[0]?.code ?? '';
  await queue.store.admin.requeue({ states: ['skipped', 'error'] }, Date.now(), { dryRun: false });
  for (const job of await queue.lease('test', 10))
    await queue.ack(job, 'error', { code: 'TIMEOUT', message: 'too slow' });
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docstokg-serve-'));
  opened = await openBrowser();
  if (!opened) return;
  simulation = await Simulation.open({
    parameters: { seed: 11, works: 5, hosts: 4, profile: 'calm' },
    timeScale: 0.05,
  });
  admin = await Admin.open(simulation);
  ids = [...simulation.world.works()].map(({ id }) => id);
  const first = gather(ids.slice(0, FIRST));
  assert.equal((await first.ended).code, 0, first.stderr);
  await timeOutFailed();
  // The graph is built from records alone, without reading documents.
  using records = Records.open(join(folder, RUN));
  const [one] = records.all();
  assert.ok(one);
  records.replace([{ ...one, title: HOSTILE, abstract: HOSTILE, venue: HOSTILE }]);
  buildGraph(join(folder, RUN), { dataRoot: join(folder, RUN, 'Data'), records });
  serve = startCommand('docstokg', ['serve', join(folder, RUN), '--port', '0', '--allow-control', '--json'], {
    cwd: folder,
    env: ENVIRONMENT,
  });
  await serve.printed(/serving/);
  const printed = JSON.parse(serve.stdout) as { readonly link: string; readonly url: string; readonly token: string };
  const { link } = printed;
  [origin, token] = [new URL(printed.url).origin, printed.token];
  page = await opened.browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  page.setDefaultTimeout(HANGING_MS);
  page.on('console', (message) => {
    // Without a graphics card the driver warns about slow drawing.
    if (!message.text().includes('GL Driver Message')) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(link);
});
after(async () => {
  await serve?.[Symbol.asyncDispose]();
  await opened?.[Symbol.asyncDispose]();
  await admin?.[Symbol.asyncDispose]();
  await simulation?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const inBrowser = (title: string, body: () => Promise<void>): void =>
  void test(title, async (context) => {
    if (opened) await body();
    else context.skip(NO_BROWSER);
  });

/** Waits until a condition is true in the page, whose policy forbids eval. */
async function seen(condition: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const look = () => { if (${condition}) { observer.disconnect(); resolve(); } };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
    setTimeout(() => reject(new Error('not seen')), ${HANGING_MS / 4});
  })`);
}

/** The number that a stage shows. */
const stage = async (name: string): Promise<number> =>
  Number((await page.textContent(`[data-stage=${name}] strong`))?.replaceAll(',', ''));

inBrowser('the link signs the browser in and removes the token from the URL', async () => {
  await page.waitForSelector('.works tbody tr');
  assert.doesNotMatch(page.url(), /token/);
  // A run that has ended opens in the library, and its figures lead there too.
  await page.goto(`${origin}/now`);
  await page.waitForSelector('[data-stage=works]');
  assert.equal(await page.textContent('.panel.now a.quiet'), 'Open the library');
  assert.deepEqual([await stage('works'), (await stage('parsed')) > 0], [FIRST, true]);
  // Figures and events come by separate requests, in any order.
  await seen("document.querySelector('.connection')?.textContent === 'live'");
});

inBrowser('a search result opens the passage on its page, and its citation can be copied', async () => {
  const saved = new Set(ids.slice(0, FIRST));
  const questions = [...plantedQuestions(simulation.world, saved)];
  let found = false;
  for (const { nonce } of questions) {
    await page.goto(`${origin}/search?q=${encodeURIComponent(nonce)}`);
    await seen("/passage/.test(document.querySelector('.panel.search [role=status]')?.textContent ?? '')");
    // A scanned paper has no text to search.
    if ((await page.$$('.hits li')).length === 0) continue;
    found = true;
    assert.ok((await page.textContent('.hits li'))?.includes(nonce));
    assert.ok((await page.$$('.hits mark')).length > 0, 'the words of the query are marked');
    assert.deepEqual(await page.$$eval('.hits li:first-child button', (all) => all.map((each) => each.textContent)), [
      'Copy APA',
      'Copy BibTeX',
    ]);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.id'), 'search');
    await page.click('.hits h2 a');
    await page.waitForSelector('.side [aria-selected=true] mark');
    assert.match(page.url(), /\/(?:search|ask)\?q=.*&document=.*&passage=/);
    assert.ok((await page.$$('.box.lit')).length > 0, 'the passage is marked on its page');
    break;
  }
  assert.ok(found, 'a planted fact was found');
});

inBrowser(
  'a sentence of an answer links to the highlighted passage, and a question without an answer says so',
  async () => {
    let found = false;
    for (const { answer } of plantedQuestions(simulation.world, new Set(ids.slice(0, FIRST)))) {
      await page.goto(`${origin}/ask`);
      await page.waitForSelector('#question');
      await page.fill('#question', answer);
      await page.press('#question', 'Enter');
      await seen("/papers/.test(document.querySelector('.panel.ask [role=status]')?.textContent ?? '')");
      // A scanned paper has no text to search.
      if ((await page.$$('.answer li')).length === 0) continue;
      found = true;
      assert.match((await page.textContent('.panel.ask [role=status]')) ?? '', /No model was used/);
      await page.click('.answer li a');
      await page.waitForSelector('.side [aria-selected=true]');
      assert.match(page.url(), /\/(?:search|ask)\?q=.*&document=.*&passage=/);
      assert.ok((await page.$$('.box.lit')).length > 0, 'the passage is marked on its page');
      break;
    }
    assert.ok(found, 'a planted fact was quoted');
    await page.goto(`${origin}/ask?q=${encodeURIComponent('What do metformin tablets cost in Danish pharmacies?')}`);
    await seen(
      "/No answer was found in these papers/.test(document.querySelector('.panel.ask [role=status]')?.textContent ?? '')",
    );
    const [papers, texts] = [await page.$$('.panel.ask .hits li:not(.more)'), await page.$$('.panel.ask .hits li > p:not(.hint)')]; // prettier-ignore
    assert.ok(await page.isVisible('.panel.ask .lede[role=status]'), 'as large as an answer');
    assert.equal(texts.length, papers.length, 'each of the nearest passages is shown with its text');
    await page.goto(`${origin}/ask?q=corals&works=nosuchset`);
    await seen("/nosuchset/.test(document.querySelector('.panel.ask')?.textContent ?? '')");
  },
);

inBrowser('a table is filled in, sorted, filtered and corrected, and the correction survives a reload', async () => {
  await page.goto(`${origin}/table`);
  await seen("/No tables yet/.test(document.querySelector('.panel.table')?.textContent ?? '')");
  // Where there is nothing else to do, the form is open; later it is out of the way.
  await page.waitForSelector('.panel.table details[open]');
  await page.fill('[name=columns]', 'year\nvenue\nsample size:number');
  await page.click('.panel.table form button[type=submit]');
  await seen("/filled in now, 0 failed/.test(document.querySelector('.fill')?.textContent ?? '')");
  // Rows are shown as they are filled in; the last ones come after what is said of all.
  await seen(
    "document.querySelectorAll('.cells tbody tr').length === Number.parseInt(document.querySelector('.fill').textContent)",
  );
  await page.waitForSelector('.panel.table details:not([open])');
  const years = async (): Promise<number[]> =>
    page.$$eval('.cells td[data-name=year]', (all) => all.map((each) => Number(each.textContent)));
  await page.click('.cells thead th:nth-child(2) button');
  await page.waitForSelector('.cells th[aria-sort=ascending]');
  const up = await years();
  assert.deepEqual(
    up,
    up.toSorted((one, other) => one - other),
  );
  await page.click('.cells thead th:nth-child(2) button');
  await page.waitForSelector('.cells th[aria-sort=descending]');
  assert.deepEqual(await years(), up.toReversed());
  // The hostile title is plain text here as well.
  assert.equal(await page.$$eval('.cells img, .cells svg', (found) => found.length), 0);
  await page.click('.cells tbody tr:first-child td[data-name=year] button');
  await page.waitForSelector('.one-cell [name=value]');
  assert.match((await page.textContent('.one-cell .hint')) ?? '', /record/);
  await page.fill('[name=value]', '1066');
  await page.click('.one-cell form button[type=submit]');
  await page.waitForSelector('.one-cell .undo');
  assert.equal(await page.locator('.opened .viewer').count(), 1, 'the paper is beside the cell');
  await page.click('[aria-label="Close the cell"]');
  await page.waitForSelector('.opened', { state: 'detached' });
  await seen(
    "document.querySelector('.cells td[data-name=year]').textContent.trim() !== '' && [...document.querySelectorAll('.cells td[data-name=year]')].some((each) => each.textContent.trim() === '1066')",
  );
  await page.reload();
  await page.waitForSelector('.cells tbody tr');
  await page.fill('[name=q]', '1066');
  await seen("document.querySelectorAll('.cells tbody tr').length === 1");
  assert.match(page.url(), /q=1066/);
  assert.match(
    readFileSync(join(folder, RUN, 'decisions.jsonl'), 'utf8'),
    /"kind":"cell".*"column":"year","value":"1066"/,
  );
  // The correction is kept when the table is filled in again.
  await page.click('.panel.table summary');
  await page.fill('[name=columns]', 'year\nvenue\nsample size:number');
  await page.click('.panel.table form button[type=submit]');
  await seen("/filled in now, 0 failed/.test(document.querySelector('.fill')?.textContent ?? '')");
  await page.waitForSelector('.cells tbody tr');
  assert.deepEqual(await years(), [1066]);
  await page.click('.cells td[data-name=year] button');
  await page.click('.one-cell .undo');
  await seen("document.querySelectorAll('.cells tbody tr').length === 0");
  await page.keyboard.press('Escape');
  await page.goto(`${origin}/table`);
  await page.waitForSelector('.cells tbody tr');
  assert.deepEqual(
    (await years()).toSorted((one, other) => one - other),
    up,
    'the original values are back',
  );
  // An empty cell opens wherever one clicks in it, also by its key, and what it opens is in view.
  for (const [width, height] of [
    [1280, 420],
    [380, 600],
  ] as const) {
    await page.setViewportSize({ width, height });
    const empty = page.locator('.cells td:has(button:text-is("–"))').last();
    const box = await empty.boundingBox();
    assert.ok(box);
    await empty.click({ position: { x: box.width - 4, y: box.height - 3 } });
    for (const by of ['click', 'Enter']) {
      await page.waitForSelector('.one-cell h2:text("empty")');
      assert.equal(await page.locator('.opened .viewer').count(), width === 380 ? 0 : 1);
      const [top, bottom] = await page.$eval('.one-cell [name=value]', (input) => { const { top, bottom } = input.getBoundingClientRect(); return [top, bottom]; }); // prettier-ignore
      assert.ok(top > 48 && bottom < height, `from ${top} to ${bottom} of ${height} at ${width}`);
      await page.click('[aria-label="Close the cell"]');
      await page.waitForSelector('.one-cell', { state: 'detached' });
      assert.equal(await page.evaluate('document.activeElement.textContent'), '–', 'back in the cell');
      if (by === 'click') await page.keyboard.press('Enter');
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

inBrowser(
  'numbers update during a run; a paused host gets no requests, and jobs with one failure reason are retried',
  async () => {
    await page.goto(`${origin}/hosts`);
    const paused = await page.getAttribute('tr[data-host^=repository]', 'data-host');
    assert.ok(paused);
    const others = `[...document.querySelectorAll('.act button')].filter((each) => !each.ariaLabel.endsWith(${JSON.stringify(` ${paused}`)}))`;
    await page.evaluate(`globalThis.others = ${others}`);
    await page.click(`[aria-label="Pause ${paused}"]`);
    await page.waitForSelector(`[aria-label="Resume ${paused}"]`);
    assert.match((await page.textContent(`tr[data-host="${paused}"]`)) ?? '', /paused/);
    const stayed = `others.length > 1 && others.every((each) => each.isConnected) && ${others}.length === others.length`;
    assert.ok(await page.evaluate(stayed), 'the other buttons are not replaced');

    await page.goto(`${origin}/queue`);
    const reason = await page.getAttribute('.failures tr[data-reason]:has(.act button)', 'data-reason');
    assert.ok(reason, 'a failure can be retried');
    const waiting = async (): Promise<string | null> => page.textContent('.figures strong');
    assert.equal(await waiting(), '0');
    await page.click(`tr[data-reason="${reason}"] .act button`);
    await seen("document.querySelector('.figures strong').textContent !== '0'");
    // The event stream may be faster than the response to the request.
    await seen("document.querySelector('.status').textContent.includes('enqueued again')");
    await seen(
      "document.querySelector('.status').textContent.includes('No active workers; start some with docstokg queue run --queue ')",
    );
    const figures = (await page.textContent('.figures')) ?? '';
    assert.match(figures, /no active workers/);
    // Leases are not workers, and jobs that will be retried have not failed.
    assert.match(figures, /Leased\s*0\s*0 workers in 0 processes; 0 waiting for a host/);
    assert.match(figures, /Failed\s*\d+\s*\d+ more will be retried/);

    await page.goto(`${origin}/now`);
    await page.waitForSelector('[data-stage=works]');
    const [before, from] = [await stage('works'), [...simulation.log.since(0)].length];
    await using run = gather(ids.slice(FIRST));
    await seen(`Number(document.querySelector('[data-stage=works] strong').textContent) > ${before}`);
    await page.waitForSelector('.events li');
    await run.ended;
    // Whoever watches a run to its end is led to its library.
    await page.click('.panel.now a:text("Open the library")');
    await seen(`document.querySelectorAll('.works tbody tr').length >= ${ids.length}`);
    const asked = [...simulation.log.since(0)].slice(from).filter(({ host }) => host === paused);
    assert.deepEqual(asked, [], 'the paused host got no request');
    assert.ok([...simulation.log.since(0)].length > from, 'other hosts did');

    // The requeued job shows two attempts; a busy server may show the old state for a while.
    const tried = async (): Promise<number> => {
      await page.goto(`${origin}/queue`);
      await page.fill('[name=code]', usual);
      await page.keyboard.press('Enter');
      // All jobs are listed until the response arrives.
      const shown = JSON.stringify(usual.replaceAll('_', ' ').toLowerCase());
      await seen(
        `[...document.querySelectorAll('.jobs td[data-name=Reason]')].every(({ textContent }) => textContent === ${shown})`,
      );
      await page.click('.jobs tbody th button');
      await page.waitForSelector('dialog[open] .tried');
      return (await page.$$('dialog[open] .tried')).length;
    };
    let times = await tried();
    await page.keyboard.press('Escape');
    assert.match(page.url(), new RegExp(`/queue\\?code=${usual}$`), 'the filter is in the URL');
    await page.reload();
    await page.waitForSelector('.jobs tbody tr');
    assert.equal(await page.inputValue('[name=code]'), usual);
    for (let again = 0; again < 100 && times === 1; again += 1) times = await tried();
    assert.equal(times, 2);
    await page.keyboard.press('Escape');
    await page.goto(`${origin}/hosts`);
    await page.click(`[aria-label="Resume ${paused}"]`);
    await page.waitForSelector(`[aria-label="Pause ${paused}"]`);
  },
);

inBrowser('works are filtered, sorted and exported', async () => {
  await page.goto(`${origin}/works`);
  await page.waitForSelector('.works tbody tr');
  const titles = async (): Promise<string[]> =>
    page.$$eval('.works tbody th a', (all) => all.map((each) => (each.textContent ?? '').toLowerCase()));
  const up = await titles();
  assert.deepEqual(up, up.toSorted());
  await page.click('.works thead button');
  await seen("document.querySelector('.works th[aria-sort=descending]')");
  await seen(`document.querySelector('.works tbody th a').textContent.toLowerCase() !== ${JSON.stringify(up[0])}`);
  assert.deepEqual(await titles(), up.toReversed());
  await page.selectOption('[name=outcome]', 'saved');
  await seen("[...document.querySelectorAll('.works .outcome')].every((each) => each.matches('.saved'))");
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('.downloads a')]);
  assert.match(readFileSync(await file.path(), 'utf8'), /^id,/);
});

inBrowser('events name hosts and titles, and table headers stay short', async () => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${origin}/now`);
  await page.waitForSelector('.events li');
  const texts = await page.$$eval('.events li > :last-child', (all) => all.map((each) => each.textContent ?? ''));
  assert.ok(texts.some((text) => /: (?:parsed|chunked)$/.test(text)));
  for (const text of texts) assert.doesNotMatch(text, /^W\d+: |^(?:parsed|chunked)$|\d{4}-\d\d-\d\dT/, text);
  await page.goto(`${origin}/hosts`);
  await page.waitForSelector('.hosts tbody tr');
  const tall = await page.$$eval('.hosts thead th', (all) => all.map((each) => each.getBoundingClientRect().height));
  assert.ok(Math.max(...tall) < 45, `headers of ${tall.join()} pixels`);
});

inBrowser('every page fits 380 and 1280 pixels, and text has enough contrast in light and dark mode', async () => {
  for (const [path, ready] of [
    ['/now', '.trend canvas'],
    ['/queue', '.jobs tbody tr'],
    ['/hosts', '.hosts tbody tr'],
    ['/works', '.works tbody tr'],
    [`/works?document=${ids[0] ?? ''}`, '.side li'],
    ['/ask?q=the', '.panel.ask [role=status]'],
    ['/table', '.cells tbody tr'],
    ['/search?q=the', '.panel.search [role=status]'],
    ['/graph', '.around li'],
    ['/notes', '.note'],
    ['/flow', '.flow-steps'],
    ['/summary', '.figures'],
    ['/screen', '.naming'],
    ['/screen?by=ada', '.card'],
    ['/full-texts?by=ada', '.lede'],
    ['/conflicts?by=ada', '.lede'],
    ['/stages', '.histogram'],
  ] as const) {
    // Without a reload, which would take longer than the checks.
    await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
    await page.waitForSelector(ready);
    // Every rule once per view: on a phone in light mode, on a desk in dark mode; contrast in all four.
    for (const [width, checked] of [
      [380, 'light'],
      [1280, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `${path} is ${wide} wide`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const { texts, faults } = await page.evaluate<{ texts: number; faults: string[] }>(CONTRAST);
        assert.ok(texts > 10, path);
        assert.deepEqual(faults, [], `${path}, ${colorScheme}`);
        if (colorScheme === checked) await checkAccessible(page, `${path}, ${width} px, ${colorScheme}`);
      }
    }
  }
});

inBrowser('external text is shown as plain text, and the print view has no menu', async () => {
  await page.goto(`${origin}/works?q=onerror`);
  await page.click('.works tbody th a');
  await page.waitForSelector('.opened h2');
  assert.equal(await page.textContent('.opened h2'), HOSTILE);
  await page.goto(`${origin}/graph`);
  await page.waitForSelector('.around li');
  assert.equal(await page.$$eval('#report img, [onerror], [onload], #report script', (found) => found.length), 0);
  assert.notEqual(await page.title(), 'owned');
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.isVisible('.places'), false);
  await page.emulateMedia({ media: 'screen' });
});

inBrowser('everything is reachable by keyboard: the skip link, the pages, the content', async () => {
  await page.goto(`${origin}/flow`);
  await page.waitForSelector('.flow-steps');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
  for (const place of ['Library', 'Review', 'Run']) {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), place);
  }
  await page.keyboard.press('Enter');
  await page.waitForSelector('.panel.now .stage');
  await seen("document.activeElement.id === 'main'");
  assert.equal(await page.getAttribute('.places a[aria-current]', 'aria-current'), 'page');
});

inBrowser('the server answers MCP requests under /mcp, and refuses them without the token', async () => {
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
    const headers = { Authorization: `Bearer ${token}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } });
    await client.connect(transport, { timeout: HANGING_MS });
    const { tools } = await client.listTools({}, { timeout: HANGING_MS });
    assert.ok(tools.some(({ name }) => name === 'decide'));
    const { structuredContent } = await client.callTool({ name: 'account', arguments: {} }, { timeout: HANGING_MS });
    assert.equal((structuredContent as { corpora: { works: number }[] }).corpora[0]?.works, ids.length);
    await client.close();
  }
  assert.equal((await fetch(`${origin}/mcp`, { method: 'POST' })).status, 401);
});

inBrowser('the page logs no error and makes no request to other servers', async () => {
  // The browser logs the refused request for an unknown set once.
  const refused = 'error: Failed to load resource: the server responded with a status of 400 (Bad Request)';
  assert.deepEqual(complaints, [refused]);
  const outside = requested.filter((url) => !url.startsWith(`${origin}/`) && !/^(?:data|blob|about):/.test(url));
  assert.deepEqual(outside, []);
});
