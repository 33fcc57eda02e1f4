import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import type { Page } from 'playwright-core';

import { Admin, plantedQuestions, Simulation } from '../../sim/index.ts';
import { Records } from '../../src/database/index.ts';
import { INLINE } from '../support/bin.ts';
import type { OpenBrowser } from '../support/browser.ts';
import { checkAccessible } from '../support/accessible.ts';
import { HANGING_MS, NO_BROWSER, openBrowser } from '../support/browser.ts';
import { PATIENCE } from '../support/harvest.ts';
import { command } from './command.ts';
import { startCommand } from './started-command.ts';

const HOSTILE = `</script><img src=x onerror="document.title='owned'"><svg onload=alert(1)>`;

let folder = '';
let opened: OpenBrowser | undefined;
let page: Page;
let address = '';
let fact: { readonly answer: string; readonly nonce: string } = { answer: '', nonce: '' };
const errors: string[] = [];
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
  const saved = rows.filter(({ outcome }) => outcome === 'saved').map(({ work }) => work);
  assert.ok(saved.length > 1, 'the small world has full texts');
  writeFileSync(
    join(folder, 'hostile.html'),
    `<html><head><title>Hostile</title></head><body><article><h1>Hostile</h1><p>Xylophones say ${HOSTILE.replaceAll('<', '&lt;')} &amp; &lt;!--<script>no</script> ${'again and again '.repeat(20)}</p></article></body></html>`,
  );
  for (const stage of ['doctags', 'chunk']) {
    const input = stage === 'doctags' ? ['--input', folder] : [];
    const { status, stderr } = command('docparse', [stage, ...input, '--data-root', join(folder, 'Data')], {
      cwd: folder,
      env: INLINE,
    });
    assert.equal(status, 0, stderr);
  }
  // A scanned paper has no text to search. Downloads end in any order.
  const text = (work: string): string => readFileSync(join(folder, 'Data', 'DocTagsFiles', `${work}.jsonl`), 'utf8');
  const isRead = (work: string): boolean => existsSync(join(folder, 'Data', 'DocTagsFiles', `${work}.jsonl`));
  const [hostile, ...others] = saved.filter(isRead).sort();
  {
    using records = Records.open(folder);
    const one = [...records.all()].find(({ id }) => id === hostile);
    assert.ok(one, 'the first work that was read has a record');
    records.replace([{ ...one, title: HOSTILE }]);
  }
  const known = [...plantedQuestions(simulation.world, new Set(others))].find(({ nonce }) =>
    others.some((work) => text(work).includes(nonce)),
  );
  assert.ok(known, 'a planted fact was read');
  fact = known;
  assert.equal(command('docstokg', ['graph', 'build', folder]).status, 0);
  const { status, stdout, stderr } = command('docstokg', [
    'export',
    folder,
    '--format',
    'report',
    '--title',
    `Corals ${HOSTILE}`,
  ]);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), join(folder, 'report.html'));
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docstokg-report-'));
  opened = await openBrowser();
  if (!opened) return;
  await makeRun();
  address = pathToFileURL(join(folder, 'report.html')).href;
  page = await opened.browser.newPage({
    viewport: { width: 1280, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(HANGING_MS);
  page.on('console', (message) => {
    // Without a graphics card the driver warns about slow drawing.
    if (!message.text().includes('GL Driver Message')) errors.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('.panel > *');
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

/** Code that runs in the page is a string here, since there is no `document`. */
const CONTRAST = readFileSync(join(import.meta.dirname, '..', 'support', 'contrast.js'), 'utf8');
/** Opens a view of the report. */
async function goTo(place: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${address}#/${place}`);
  await page.waitForSelector('.panel > *');
}
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
const focused = (what = 'textContent'): Promise<string> => page.evaluate(`document.activeElement.${what} ?? ''`);

inBrowser('a search started with / finds the planted fact, and Enter opens the passage on its page', async () => {
  await page.keyboard.press('/');
  // In one step, since every key press searches.
  await page.keyboard.insertText(fact.answer);
  await page.locator('.hits > li:first-child', { hasText: fact.nonce }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=option][aria-selected=true]');
  assert.match(await focused(), new RegExp(fact.nonce), 'the passage has the focus');
  assert.match(page.url(), /#\/search\?q=[^&]+&document=[^&]+&passage=[^&]+&words=/);
  assert.ok((await page.$$('.box.lit')).length > 0, 'its blocks are highlighted');
  assert.ok((await page.$$('[aria-selected=true] mark')).length > 0, 'its words are marked');
  await page.goBack();
  await page.locator('.hits > li:first-child', { hasText: fact.nonce }).waitFor();
});

inBrowser('everything is reachable by keyboard: skip link, views, results, pages, passages', async () => {
  await goTo('');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the content');
  await page.keyboard.press('Enter');
  assert.equal(await focused('id'), 'main');
  await page.keyboard.press('/');
  await page.keyboard.type(`the ${fact.nonce}`);
  await page.locator('.hits > li:first-child', { hasText: fact.nonce }).waitFor();
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused('tagName'), 'A');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused('id'), 'search');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.hits li', { state: 'detached' });
  await goTo('');
  const menu = [
    ['Library', 'Works', 'Search', 'Graph'],
    ['Review', 'Flow diagram'],
    ['Run', 'Hosts', 'Stages', 'Summary'],
  ];
  for (const [place, ...views] of menu)
    for (const name of views) {
      await page.waitForSelector('.places a[aria-current]');
      for (const link of [place, name]) {
        // Back to the menu.
        await page.focus('.skip');
        for (let stop = 0; stop < 12 && (await focused()) !== link; stop += 1) await page.keyboard.press('Tab');
        assert.equal(await focused(), link);
        await page.keyboard.press('Enter');
        await seen(`document.querySelector('.rail [aria-current]').textContent === ${JSON.stringify(place)}`);
      }
      await page.waitForSelector(`.panel[aria-label="${name}"] > *`);
      assert.equal(await page.textContent('.places [aria-current=page]'), name);
    }
  await goTo('works');
  await page.click('.panel tbody a');
  await page.waitForSelector('.side li');
  assert.match((await page.textContent('.where')) ?? '', /page 1 of|no pages/);
  await page.focus('.side li');
  const first = await focused();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await focused(), first, 'arrows move from passage to passage');
  assert.ok(await page.$eval('.box.lit', () => true), 'and highlight the blocks on the page');
  const title = await page.textContent('.viewer h2');
  await page.waitForSelector('[aria-label="Next document"]');
  await page.keyboard.press('Shift+ArrowRight');
  await seen(`document.querySelector('.viewer h2')?.textContent !== ${JSON.stringify(title)}`);
  await page.waitForSelector('.side li');
});

inBrowser('hovering a block on the page highlights it in the list, and the other way round', async () => {
  await goTo('works?outcome=saved');
  await page.click('.panel tbody a');
  await page.waitForSelector('.side li');
  await page.click('.switch button:text("Blocks")');
  const block = await page.getAttribute('.box', 'data-block');
  await page.hover('.box rect, p.box, h3.box');
  assert.match((await page.textContent('.side .pointed')) ?? '', new RegExp(`^${block} `));
  await page.hover('.side li:nth-child(2)');
  const head = (await page.textContent('.side li:nth-child(2) small')) ?? '';
  assert.equal(await page.getAttribute('.box.lit', 'data-block'), head.split(' ')[0]);
});

inBrowser('works can be listed, filtered, sorted, exported and opened, with the filters in the URL', async () => {
  const count = async (): Promise<number> => page.$$eval('.works tbody tr', (rows) => rows.length);
  await goTo('works');
  await page.waitForSelector('.works tbody tr');
  assert.equal(await count(), 5);
  await page.fill('[name=q]', 'onerror');
  await seen("document.querySelectorAll('.works tbody tr').length === 1");
  assert.match(page.url(), /#\/works\?.*q=onerror/);
  await page.click('.works tbody th a');
  // A scan without text shows only the file and what is known of the work.
  await page.waitForSelector('.opened h2');
  assert.equal(await page.textContent('.opened h2'), HOSTILE);
  await page.waitForSelector('.opened a[target]');
  const href = (await page.getAttribute('.opened a[target]', 'href')) ?? '';
  assert.match(href, /^\.\/(PDF|XML|HTML)\//);
  assert.ok(readFileSync(new URL(href, address)).length > 0);
  await goTo('works?order=desc&sort=title');
  const titles = (): Promise<string[]> =>
    page.$$eval('.works tbody th a', (cells) => cells.map((cell) => (cell.textContent ?? '').toLowerCase()));
  await page.waitForSelector('.works tbody tr');
  const down = await titles();
  await page.click('.works thead button');
  await page.waitForSelector('.works th[aria-sort=ascending]');
  await seen(`document.querySelector('.works tbody th a').textContent.toLowerCase() !== ${JSON.stringify(down[0])}`);
  assert.deepEqual(await titles(), down.toReversed());
  await page.selectOption('[name=outcome]', 'saved');
  await seen("[...document.querySelectorAll('.works .outcome')].every((each) => each.matches('.saved'))");
  const shown = await count();
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('.downloads button')]);
  const csv = readFileSync(await file.path(), 'utf8');
  assert.equal(csv.split('\r\n').length, 1 + shown + 1, 'a header and the listed works');
  assert.match(csv, /^id,doi,title,/);
});

inBrowser('the neighbours of a work are drawn and listed, and an edge links to its sentence on the page', async () => {
  await goTo('graph');
  await page.waitForSelector('.ground canvas');
  assert.match((await page.getAttribute('.ground', 'aria-label')) ?? '', /^Drawing: .* among \d+ nodes and \d+ edges$/);
  const kinds = (): Promise<string[]> =>
    page.$$eval('.around h4', (heads) => heads.map((head) => head.textContent.replace(/ \(\d+\)$/, '')));
  assert.ok((await kinds()).includes('Cites'), (await kinds()).join());
  await page.uncheck('.kinds input[name=cites]');
  await seen("![...document.querySelectorAll('.around h4')].some((head) => head.textContent.startsWith('Cites'))");
  await page.check('.kinds input[name=cites]');
  await page.check('.kinds input[name=about]');
  await seen("[...document.querySelectorAll('.around h4')].some((head) => head.textContent.startsWith('About'))");
  // By keyboard: focus the list, open an entry, go to its page.
  await page.focus('.around details:has(q) summary');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.around details[open] q');
  const quote = (await page.textContent('.around details[open] q')) ?? '';
  assert.ok(quote.length > 10);
  await page.keyboard.press('Tab');
  assert.match(await focused(), /^(page \d+|in the text)$/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=option][aria-selected=true] mark');
  assert.match(page.url(), /#\/graph\?(?:node=[^&]+&)?document=[^&]+&block=\d+&start=\d+&end=\d+$/);
  assert.equal(await page.textContent('[role=option][aria-selected=true] mark'), quote);
  // The buttons zoom, and a node that is found by its name has its own edges listed.
  await goTo('graph');
  await page.waitForSelector('.ground canvas');
  await page.click('[aria-label="Zoom in"]');
  await seen("document.querySelector('.ground').dataset.zoom > 1");
  await page.click('[aria-label="Show all"]');
  await seen("document.querySelector('.ground').dataset.zoom === '1.00'");
  const [first, other] = await page.$$eval('.around h3, .around summary', (all) =>
    all.map((each) => (each.textContent ?? '').replace(/ cited .*$/, '').trim()),
  );
  await page.fill('[name=find]', other ?? '');
  await page.keyboard.press('Enter');
  await seen(`document.querySelector('.around h3').textContent !== ${JSON.stringify(first)}`);
  assert.ok((await page.textContent('.around'))?.includes(first ?? ''), 'the edge back is listed');
  await page.fill('[name=work]', '2');
  await page.keyboard.press('Enter');
  // While the new neighbours load, the field is not there.
  await seen("/^2\\. /.test(document.querySelector('[name=work]')?.value)");
  assert.match(page.url(), /#\/graph\?node=/);
});

inBrowser(
  'hosts show requests and limits, stages show durations, and features that need a server are absent',
  async () => {
    await goTo('hosts');
    await page.waitForSelector('.lanes');
    assert.match(
      (await page.textContent('.over-time .lede')) ?? '',
      /No host had more requests in flight than its limit/,
    );
    assert.ok((await page.$$eval('.lanes .sent', (bars) => bars.length)) > 3);
    await goTo('stages');
    await page.waitForSelector('.histogram');
    assert.match((await page.textContent('.panel.stages')) ?? '', /median .*, p95 .*, max /);
    const names = await page.$$eval('.places a', (links) => links.map((each) => each.textContent));
    assert.ok(!names.includes('Queue') && !names.includes('Now'), names.join());
    assert.match((await page.textContent('footer')) ?? '', /need a server: docstokg serve/);
  },
);

inBrowser('titles and texts from hostile files are shown as plain text', async () => {
  assert.ok((await page.title()).includes('Corals </script><img'), await page.title());
  await goTo('summary');
  await page.keyboard.press('/');
  await page.keyboard.type('xylophones');
  await page.waitForSelector('.hits a');
  assert.match((await page.textContent('.hits')) ?? '', /Xylophones say <\/script><img src=x onerror=/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.viewer .box');
  const foreign = 'img:not(.sheet > img), [onerror], [onload], #report script';
  assert.equal(await page.$$eval(foreign, (found) => found.length), 0);
  assert.notEqual(await page.title(), 'owned');
});

inBrowser('every view fits 380 and 1280 pixels, and text has enough contrast in light and dark mode', async () => {
  const [document = ''] = globSync('Data/DocTagsFiles/W*.jsonl', { cwd: folder }).map((name) =>
    basename(name, '.jsonl'),
  );
  for (const [tab, ready] of [
    ['flow', '.flow-steps'],
    ['summary', '.figures'],
    ['works', '.works tbody tr'],
    [`works?document=${document}`, '.side li'],
    ['search?q=the', '.panel.search [role=status]'],
    ['graph', '.around li'],
    ['hosts', '.lanes'],
    ['stages', '.histogram'],
  ] as const) {
    // Without a reload, which would take longer than the checks.
    await page.evaluate(`location.hash = '/${tab}'`);
    await page.waitForSelector(ready);
    for (const width of [380, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `${tab} is ${wide} wide`);
    }
    // The served page has the same styles, and is checked at both widths.
    const grounds = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { texts, faults } = await page.evaluate<{ texts: number; faults: string[] }>(CONTRAST);
      assert.ok(texts > 10);
      assert.deepEqual(faults, [], `${tab}, ${colorScheme}`);
      await checkAccessible(page, `${tab}, ${colorScheme}`);
      grounds.add(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
    }
    assert.equal(grounds.size, 2);
  }
});

inBrowser('the page logs no error and makes no network request, and its policy blocks requests', async () => {
  assert.deepEqual(errors, []);
  const outside = requested.filter(
    (url) => !url.startsWith(address) && !/^(?:data|blob):/.test(url) && url !== 'about:blank',
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
});
