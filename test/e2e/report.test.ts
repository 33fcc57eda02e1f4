import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import type { Page } from 'playwright-core';

import { Admin, plantedQuestions, Simulation } from '../../sim/index.ts';
import type { OpenBrowser } from '../support/browser.ts';
import { HANGING_MS, openBrowser } from '../support/browser.ts';
import { PATIENCE } from '../support/harvest.ts';
import { command } from './command.ts';
import { startCommand } from './started-command.ts';

const HOSTILE = `</script><img src=x onerror="document.title='owned'"><svg onload=alert(1)>`;
const NO_BROWSER =
  'NOT TESTED: the report in a real browser (search, keyboard, 380 px, dark mode, hostile titles, the graph): there is no Chromium. Install one, such as Debian\'s "chromium"';

let folder = '';
let opened: OpenBrowser | undefined;
let page: Page;
let address = '';
let fact: { readonly answer: string; readonly nonce: string } = { answer: '', nonce: '' };
const told: string[] = [];
const requested: string[] = [];

/** A small run: a few simulated works harvested and parsed by the real commands, one of them with a hostile title. */
async function makeRun(): Promise<void> {
  await using simulation = await Simulation.open({
    parameters: { seed: 11, works: 5, hosts: 4, profile: 'calm' },
    timeScale: 0.05,
  });
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);
  const run = startCommand('contentdownload', [...ids, '--sim', admin.url, '--out', folder, '--json'], {
    cwd: folder,
    env: PATIENCE,
  });
  assert.equal((await run.ended).code, 0, run.stderr);
  const rows = readFileSync(join(folder, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { work: string; outcome: string; title: string });
  const saved = rows.filter(({ outcome }) => outcome === 'saved');
  assert.ok(saved.length > 1, 'the little world has full texts');
  for (const row of saved.slice(0, 1)) row.title = HOSTILE;
  writeFileSync(join(folder, 'manifest.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(
    join(folder, 'hostile.html'),
    `<html><head><title>Hostile</title></head><body><article><h1>Hostile</h1><p>Xylophones say ${HOSTILE.replaceAll('<', '&lt;')} &amp; &lt;!--<script>no</script> ${'again and again '.repeat(20)}</p></article></body></html>`,
  );
  for (const stage of ['doctags', 'chunk']) {
    const input = stage === 'doctags' ? ['--input', folder] : [];
    const { status, stderr } = command('docparse', [stage, ...input, '--data-root', join(folder, 'Data')], {
      cwd: folder,
      env: { DOCSTOKG_STAGE__WARM_SPARE: 'false', DOCSTOKG_STAGE__WORKERS: '1' },
    });
    assert.equal(status, 0, stderr);
  }
  // A scanned paper keeps its facts to itself.
  const read = globSync('Data/DocTagsFiles/*.jsonl', { cwd: folder }).map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  const works = new Set(saved.slice(1).map(({ work }) => work));
  const known = [...plantedQuestions(simulation.world, works)].find(({ nonce }) =>
    read.some((text) => text.includes(nonce)),
  );
  assert.ok(known, 'a planted fact was read');
  fact = known;
  assert.equal(command('docstokg', ['graph', 'build', '--run', folder]).status, 0);
  const { status, stdout, stderr } = command('docstokg', ['report', '--run', folder, '--title', `Corals ${HOSTILE}`]);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), join(folder, 'report.html'));
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docstokg-report-'));
  opened = await openBrowser();
  if (!opened) {
    console.error(NO_BROWSER);
    return;
  }
  await makeRun();
  address = pathToFileURL(join(folder, 'report.html')).href;
  page = await opened.browser.newPage({
    viewport: { width: 1280, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(HANGING_MS);
  await page.addInitScript(HEARS_OF_ITS_PLACE);
  page.on('console', (message) => {
    // A machine without a graphics card says how slowly it draws.
    if (!message.text().includes('GL Driver Message')) told.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => told.push(error.message));
  page.on('dialog', (dialog) => {
    told.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(address);
});
after(async () => {
  await opened?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function inBrowser(title: string, run: () => Promise<void>): void {
  test(title, async (context) => {
    if (opened) await run();
    else context.skip(NO_BROWSER);
  });
}

/** What runs inside the page is text here: this program knows no `document`. */
const CONTRAST = readFileSync(join(import.meta.dirname, '..', 'support', 'contrast.js'), 'utf8');
/** A page is told that its address has changed after whoever changed it: this notes which place it has heard of last. */
const HEARS_OF_ITS_PLACE = `
  globalThis.heardOf = '';
  const hear = () => setTimeout((place) => { globalThis.heardOf = place; dispatchEvent(new Event('heard')); }, 0, location.hash);
  for (const kind of ['load', 'hashchange']) addEventListener(kind, hear);`;
async function isShown(): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => { if (heardOf === location.hash) resolve(); else addEventListener('heard', look, { once: true }); };
    look();
  })`);
}
async function goTo(place: string): Promise<void> {
  await page.goto(`${address}#${place}`);
  await isShown();
}
async function arrivesAt(place: RegExp): Promise<void> {
  await page.waitForURL(place);
  await isShown();
}
const focused = (what = 'textContent'): Promise<string> => page.evaluate(`document.activeElement.${what} ?? ''`);

inBrowser('words typed after / find the planted fact, and Enter leads to the passage on its page', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type(fact.answer);
  // What was found for half the words may stand there first.
  await page.locator('#results li:first-child', { hasText: fact.nonce }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=option][aria-selected=true]');
  await isShown();
  assert.match(await focused(), new RegExp(fact.nonce), 'the passage has the focus');
  assert.match(page.url(), /#documents\/\d+\/passage\/\d+$/);
  const lit = await page.$$eval('.box.lit', (boxes) => boxes.length);
  assert.ok(lit > 0, 'its blocks are drawn as lit');
  assert.ok(await page.$('#panel-documents'), 'in the viewer');
  const [tabs, bar] = await Promise.all(
    ['nav', '.choice'].map((part) =>
      page.$eval(
        part,
        (element) => element.getBoundingClientRect().toJSON() as { readonly top: number; readonly bottom: number },
      ),
    ),
  );
  assert.ok(tabs && bar && bar.top >= tabs.bottom - 1, 'the tabs do not cover what the viewer is steered with');
});

inBrowser('a document is chosen by its number or by words of its title', async () => {
  await goTo('documents/0');
  await page.fill('#viewer-document', '2');
  await page.keyboard.press('Enter');
  await arrivesAt(/#documents\/1$/);
  const name = await page.inputValue('#viewer-document');
  assert.match(name, /^2\. /);
  await goTo('documents/0');
  await page.fill('#viewer-document', name.slice(3).toUpperCase());
  await page.keyboard.press('Enter');
  await arrivesAt(/#documents\/1$/);
  await page.fill('#viewer-document', 'no such title');
  await page.keyboard.press('Enter');
  assert.equal(await page.inputValue('#viewer-document'), name, 'what is not there changes nothing');
});

inBrowser('the keyboard alone leads everywhere: skip link, tabs, results, pages, passages', async () => {
  await page.goto('about:blank');
  await page.goto(address);
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the content');
  await page.keyboard.press('Enter');
  assert.equal(await focused('id'), 'main');
  await page.keyboard.press('/');
  await page.keyboard.type('the');
  await page.keyboard.type(` ${fact.nonce}`);
  await page.locator('#results li:first-child', { hasText: fact.nonce }).waitFor();
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused('tagName'), 'A');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused('id'), 'search');
  await page.keyboard.press('Escape');
  await page.waitForSelector('#results', { state: 'hidden' });
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Account');
  const seen: string[] = [];
  for (let tab = 0; tab < 5; tab += 1) {
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[role=tab][aria-selected=true]:focus');
    seen.push(await focused());
  }
  assert.deepEqual(seen, ['Works', 'Hosts', 'Stages', 'Documents', 'Graph']);
  await page.keyboard.press('ArrowLeft');
  await page.waitForSelector('#tab-documents[aria-selected=true]:focus');
  const where = (): Promise<string | null> => page.textContent('.where');
  assert.match((await where()) ?? '', /page 1 of|flowing/);
  for (let stop = 0; stop < 12 && (await focused('role')) !== 'option'; stop += 1) await page.keyboard.press('Tab');
  const first = await focused();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await focused(), first, 'arrows move from passage to passage');
  assert.ok(await page.$eval('.box.lit', () => true), 'and light the blocks on the page');
  await page.keyboard.press('Shift+ArrowRight');
  await arrivesAt(/#documents\/1$/);
});

inBrowser('what is pointed at on the page is marked in the list, and the other way round', async () => {
  await goTo('documents/1');
  await page.click('.switch button:last-child');
  const block = await page.getAttribute('.box', 'data-block');
  await page.hover('.box rect, p.box, h3.box');
  assert.match((await page.textContent('.side .pointed')) ?? '', new RegExp(`^${block} `));
  await page.hover('.side li:nth-child(2)');
  const head = (await page.textContent('.side li:nth-child(2) small')) ?? '';
  assert.equal(await page.getAttribute('.box.lit', 'data-block'), head.split(' ')[0]);
});

inBrowser('every work is listed, can be filtered, and leads to its file', async () => {
  await goTo('works');
  assert.equal(await page.$$eval('.works tbody tr', (rows) => rows.length), 5);
  await page.fill('#works-text', 'onerror');
  assert.equal(await page.$$eval('.works tbody tr', (rows) => rows.length), 1);
  const href = (await page.getAttribute('.works td[data-name=File] a', 'href')) ?? '';
  assert.match(href, /^\.\/(PDF|XML|HTML)\//);
  assert.ok(readFileSync(new URL(href, address)).length > 0);
  await page.fill('#works-text', '');
  const titles = (): Promise<string[]> =>
    page.$$eval('.works tbody th', (cells) => cells.map((cell) => (cell.firstChild?.textContent ?? '').toLowerCase()));
  const asTheyCame = await titles();
  await page.click('.works thead button');
  assert.deepEqual(await titles(), asTheyCame.toSorted());
  await page.click('.works thead button');
  assert.deepEqual(await titles(), asTheyCame.toSorted().toReversed());
  await page.click('.works thead button');
  assert.deepEqual(await titles(), asTheyCame, 'a third time is the order of the run');
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('.tools button')]);
  const csv = readFileSync(await file.path(), 'utf8');
  assert.equal(csv.split('\r\n').length, 1 + 5 + 1, 'a head, five works');
  assert.match(csv, /^id,doi,title,outcome,reason,/);
});

inBrowser(
  'the surroundings of a work are drawn and listed, and an edge leads to its sentence on its page',
  async () => {
    await goTo('graph/0');
    await page.waitForSelector('.canvas canvas');
    assert.match((await page.getAttribute('.canvas', 'aria-label')) ?? '', /^Drawing: .* by year$/);
    const kinds = (): Promise<string[]> =>
      page.$$eval('.around h4', (heads) => heads.map((head) => head.textContent.replace(/ \(\d+\)$/, '')));
    assert.ok((await kinds()).includes('Cites'), (await kinds()).join());
    await page.uncheck('.kinds input[name=cites]');
    assert.ok(!(await kinds()).includes('Cites'));
    await page.check('.kinds input[name=cites]');
    await page.check('.kinds input[name=measures]');
    assert.ok((await kinds()).includes('Measures'), (await kinds()).join());
    // By keyboard: into the list, an entry opened, its page gone to.
    await page.focus('.around details:has(q) summary');
    await page.keyboard.press('Enter');
    const quote = (await page.textContent('.around details[open] q')) ?? '';
    assert.ok(quote.length > 10);
    await page.keyboard.press('Tab');
    assert.match(await focused(), /^(page \d+|in the text)$/);
    await page.keyboard.press('Enter');
    await arrivesAt(/#documents\/\d+\/block\/\d+\/\d+-\d+$/);
    await page.waitForSelector('[role=option][aria-selected=true] mark');
    assert.equal(await page.textContent('[role=option][aria-selected=true] mark'), quote);
    // By mouse: the work in the middle of the drawing opens one of its edges.
    await goTo('graph/1');
    await page.fill('#graph-work', '1');
    await page.keyboard.press('Enter');
    await arrivesAt(/#graph\/0$/);
    assert.match(await page.inputValue('#graph-work'), /^1\. \S+ (et al\. )?\d{4} · /, 'author, year, title');
  },
);

inBrowser('hosts show requests against their limits, stages their latencies', async () => {
  await goTo('hosts');
  assert.match((await page.textContent('#panel-hosts .lede')) ?? '', /No host ever had more requests at once/);
  assert.ok((await page.$$eval('.lanes .sent', (bars) => bars.length)) > 3);
  await goTo('stages');
  assert.match((await page.textContent('#panel-stages')) ?? '', /half within .* the longest/);
});

inBrowser('titles and texts from hostile files are only text', async () => {
  assert.ok((await page.title()).startsWith('Corals </script><img'), await page.title());
  await goTo('account');
  await page.keyboard.press('/');
  await page.keyboard.type('xylophones');
  await page.waitForSelector('#results a');
  assert.match((await page.textContent('#results')) ?? '', /Xylophones say <\/script><img src=x onerror=/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#panel-documents .box');
  assert.equal(await page.$$eval('img, [onerror], [onload], #report script', (found) => found.length), 0);
});

for (const width of [380, 1280]) {
  inBrowser(
    `nothing is wider than a screen of ${width} pixels, and text has contrast by day and by night`,
    async () => {
      await page.setViewportSize({ width, height: 800 });
      const grounds: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const tab of ['account', 'works', 'hosts', 'stages', 'documents/1', 'graph']) {
          await goTo(tab);
          assert.ok(
            (await page.evaluate<number>('document.documentElement.scrollWidth')) <= width,
            `${tab} is too wide`,
          );
          const { texts, faults } = await page.evaluate<{ texts: number; faults: string[] }>(CONTRAST);
          assert.ok(texts > 10);
          assert.deepEqual(faults, [], `${tab}, ${colorScheme}`);
        }
        grounds.push(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
      }
      assert.notEqual(grounds[0], grounds[1]);
    },
  );
}

inBrowser(
  'no error was told and nothing was asked of any network, and the page could not ask if it wanted to',
  async () => {
    assert.deepEqual(told, []);
    const outside = requested.filter(
      (url) => !url.startsWith(address) && !url.startsWith('data:') && url !== 'about:blank',
    );
    assert.deepEqual(outside, []);
    let hits = 0;
    const server = createServer((_request, response) => {
      hits += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await page.evaluate(`(async () => {
      const image = new Image();
      const refused = new Promise((resolve) => image.addEventListener('error', resolve));
      image.src = '${target}';
      await refused;
      return fetch('${target}', { mode: 'no-cors' }).then(() => 'sent', () => 'refused');
    })()`);
    server.close();
    assert.deepEqual([answer, hits], ['refused', 0]);
  },
);
