import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { Page } from 'playwright-core';

import { openCorpus } from '../../src/corpus/index.ts';
import { addRecords, Screening } from '../../src/screen/index.ts';
import type { CorpusServer } from '../../src/serve/index.ts';
import { openServer } from '../../src/serve/index.ts';
import { madeReview } from '../fixtures/made-review.ts';
import { checkAccessible } from '../support/accessible.ts';
import type { OpenBrowser } from '../support/browser.ts';
import { HANGING_MS, NO_BROWSER, openBrowser } from '../support/browser.ts';

const TOKEN = 'a-token-for-tests-only';
/** More than a page of the list. */
const WORKS = 70;

let folder = '';
let opened: OpenBrowser | undefined;
let server: CorpusServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'library-page-'));
  opened = await openBrowser();
  const entries = madeReview(WORKS, 6, 5).map(({ title, abstract }, at) =>
    ['TY  - JOUR', `TI  - ${title} ${at}`, `AB  - ${abstract}`, `DO  - 10.5555/made.${at}`, 'ER  - ', ''].join('\n'),
  );
  writeFileSync(join(folder, 'list.ris'), entries.join(''));
  {
    using screening = Screening.open(folder);
    await addRecords(screening, [join(folder, 'list.ris')], { now: '2026-01-01T00:00:00.000Z' });
  }
  server = await openServer({
    runs: [{ id: 'made', corpus: await openCorpus(folder) }],
    queue: undefined,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    allowControl: true,
    version: '0.0.0',
    log: () => undefined,
  });
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await opened?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const inBrowser = (title: string, body: (browser: OpenBrowser) => Promise<void>): void =>
  void test(title, async (context) => {
    if (opened) await body(opened);
    else context.skip(NO_BROWSER);
  });

async function openPage({ browser }: OpenBrowser, path: string, width: number, height: number): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(HANGING_MS);
  const to = new URL(path, server.url);
  to.searchParams.set('token', TOKEN);
  await page.goto(to.href);
  await page.waitForSelector('main > *', { state: 'attached' });
  return page;
}

inBrowser('twenty works fit a screen, and the menus of a phone leave it more than six sevenths', async (browser) => {
  const page = await openPage(browser, '/', 1440, 900);
  await page.waitForSelector('.works tbody tr');
  // What was drawn first stays where it is, as browsers measure it.
  const moved = await page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0))).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
  })`);
  assert.ok(moved < 0.01, `a layout shift of ${moved}`);
  assert.equal(new URL(page.url()).pathname, '/', 'a run that does not run opens in its library');
  const bottoms = await page.$$eval('.works tbody tr', (rows) => rows.map((row) => row.getBoundingClientRect().bottom));
  const whole = bottoms.filter((bottom) => bottom <= 900).length;
  assert.ok(whole >= 20, `${whole} works on a screen`);
  const phone = await openPage(browser, '/works', 380, 760);
  await phone.waitForSelector('.works tbody tr');
  const heights = await phone.$$eval('header, .rail', (parts) =>
    parts.map((part) => part.getBoundingClientRect().height),
  );
  const taken = heights.reduce((sum, height) => sum + height, 0);
  assert.ok(taken < 760 / 7, `the menus take ${taken} of 760 pixels`);
  assert.equal(await phone.evaluate<number>('document.documentElement.scrollWidth'), 380, 'nothing is wider');
  await checkAccessible(phone, 'a phone');
});

inBrowser('a work opens beside its list, and Back finds the list where it was, with its filter', async (browser) => {
  for (const [width, isBeside] of [
    [1280, true],
    [380, false],
  ] as const) {
    const page = await openPage(browser, '/works?sort=title&order=desc', width, 800);
    await page.waitForSelector('.works tbody tr');
    await page.click('text=Show more');
    await page.waitForSelector(`.works tbody tr:nth-child(${WORKS})`);
    const row = page.locator('.works tbody tr').nth(60);
    await row.scrollIntoViewIfNeeded();
    const top = await page.evaluate<number>('scrollY');
    assert.ok(top > 100);
    const title = (await row.locator('a').textContent()) ?? '';
    await row.click();
    await page.waitForSelector('.opened h2');
    assert.equal(await page.textContent('.opened h2'), title);
    assert.equal(await row.isVisible(), isBeside, `the list at ${width} pixels`);
    assert.equal(await page.locator('.works tr.open').count(), 1);
    await checkAccessible(page, `a work at ${width} pixels`);
    // The same address in another browser shows the same work, with the same order behind it.
    const shared = new URL(page.url());
    assert.deepEqual([shared.pathname, shared.searchParams.get('order')], ['/works', 'desc']);
    const other = await openPage(browser, shared.pathname + shared.search, width, 800);
    await other.waitForSelector('.opened h2');
    assert.equal(await other.textContent('.opened h2'), title);
    await page.goBack();
    await page.waitForSelector('.opened', { state: 'detached' });
    assert.equal(await row.isVisible(), true);
    assert.ok(Math.abs((await page.evaluate<number>('scrollY')) - top) < 5, 'the list is where it was');
    await page.goForward();
    await page.waitForSelector('.opened h2');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.opened', { state: 'detached' });
  }
});

inBrowser('what is listed is exported, and saved as a set that other views offer', async (browser) => {
  for (const width of [1440, 380]) {
    const page = await openPage(browser, '/works', width, 800);
    await page.waitForSelector('.works tbody tr');
    assert.equal(await page.getByText('Save as a set').count(), 0, 'of all works there is no need');
    await page.goto(`${server.url}works?q=10.5555%2Fmade.7`);
    await page.getByText('Save as a set').waitFor();
    const exported = await page.locator('.downloads a', { hasText: 'RIS' }).getAttribute('href');
    assert.match(exported ?? '', /works\.ris\?q=10\.5555/);
    await page.getByText('Save as a set').click();
    await page.keyboard.type(`seven ${width}`);
    await checkAccessible(page, 'naming a set');
    await page.keyboard.press('Enter');
    await page.locator('.downloads [role=status]', { hasText: `“seven-${width}”: ` }).waitFor();
    await page.locator('.downloads [role=status] a', { hasText: 'Search' }).click();
    await page.waitForSelector(`#set-names option[value="seven-${width}"]`, { state: 'attached' });
    assert.equal(await page.inputValue('[name=works]'), `seven-${width}`);
    await page.context().close();
  }
});

inBrowser('arrow keys go through the list, and Enter opens the work', async (browser) => {
  const page = await openPage(browser, '/works', 1280, 800);
  await page.waitForSelector('.works tbody tr');
  await page.focus('.works tbody th a');
  await page.keyboard.press('ArrowDown');
  const name = await page.evaluate<string>('document.activeElement.textContent');
  assert.equal(name, await page.locator('.works tbody tr').nth(1).locator('a').textContent());
  await page.keyboard.press('Enter');
  await page.waitForSelector('.opened h2');
  assert.equal(await page.textContent('.opened h2'), name);
});

inBrowser('an unknown run, an unknown page and a missing token are explained on a page', async (browser) => {
  const page = await openPage(browser, '/works?run=nosuch', 1280, 800);
  assert.match((await page.textContent('main')) ?? '', /There is no run “nosuch” here/);
  await page.click('main a');
  await page.waitForSelector('.works tbody tr');
  await page.goto(`${server.url}nowhere`);
  assert.match((await page.textContent('main')) ?? '', /There is no such page.*Open the library/s);
  await checkAccessible(page, 'an unknown page');
  const stranger = await (await browser.browser.newContext()).newPage();
  await stranger.goto(`${server.url}works`);
  assert.match((await stranger.textContent('main')) ?? '', /Open the link that docstokg serve printed/);
  await checkAccessible(stranger, 'a page without a token');
});
