import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { openCorpus } from '../../src/corpus/index.ts';
import { Screening } from '../../src/screen/index.ts';
import { openServer } from '../../src/serve/index.ts';
import { madeReview } from '../fixtures/made-review.ts';
import { writeReviewRun } from '../fixtures/review-run.ts';
import { HANGING_MS, openBrowser } from '../support/browser.ts';

const review = madeReview(60, 8, 5);
const included = new Map(review.map(({ title, included: is }) => [title, is]));
const TOKEN = 'a-token-for-tests-only';
const PICTURES = process.env['SCREEN_PICTURES'];

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Presses the key of the right decision and waits for the next work. */
async function decide(page: Page, key?: string): Promise<string> {
  const title = (await page.textContent('.screened h2')) ?? '';
  await page.keyboard.press(key ?? (included.get(title) === true ? 'i' : 'e'));
  await page.waitForSelector(`.screened h2:not(:text-is(${JSON.stringify(title)})), .panel > .lede`);
  return title;
}

test('a whole review in a browser: ranked, sampled, two reviewers, full texts, flow diagram', async (context) => {
  await using opened = await openBrowser();
  if (!opened) {
    context.diagnostic('NOT TESTED: there is no Chromium here');
    return;
  }
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-page-'));
  writeReviewRun(folder.path, review);
  await using corpus = await openCorpus(folder.path);
  await using server = await openServer({
    runs: [{ id: 'review', corpus }],
    queue: undefined,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    allowSteering: true,
    version: '0.0.0',
    log: () => undefined,
  });
  const faults: string[] = [];
  const openAs = async (by: string, width: number): Promise<Page> => {
    const one = await opened.browser.newContext({ viewport: { width, height: 800 } });
    const page = await one.newPage();
    page.setDefaultTimeout(HANGING_MS);
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${server.url}screen?by=${by}&mark=coral,reef&token=${TOKEN}`);
    await page.waitForSelector('.screened h2');
    return page;
  };
  {
    using screening = Screening.open(folder.path);
    screening.setProtocol({ question: 'coral bleaching', criteria: 'Corals.\nField studies only.', reasons: ['wrong population', 'no outcome'] }, 'ada'); // prettier-ignore
  }
  const ada = await openAs('ada', 1280);
  assert.ok((await ada.locator('.screened mark').count()) > 0, 'words are marked');
  assert.match((await ada.textContent('.criteria')) ?? '', /Field studies only/);
  await picture(ada, 'screen-1280');
  // A note, a changed mind, a reason by its number.
  await ada.keyboard.press('n');
  await ada.keyboard.type('see table 2');
  await ada.keyboard.press('Escape');
  const first = await decide(ada, 'm');
  await ada.keyboard.press('u');
  await ada.waitForSelector(`.screened h2:text-is(${JSON.stringify(first)})`);
  await decide(ada);
  await decide(ada, '2');
  await ada.keyboard.press('u');
  await ada.waitForSelector('.told:text("undone")');
  while (((await ada.textContent('.promise')) ?? '').includes('likeliest works come first')) await decide(ada);
  await ada.click('text=Begin the random sample');
  await ada.waitForSelector('.screened .eyebrow:text("random sample")');
  while (!((await ada.textContent('.promise')) ?? '').includes('You may stop')) {
    const isLast = await ada.evaluate<boolean>('document.querySelector("progress")?.value === 59');
    if (isLast) break;
    await decide(ada);
  }
  await picture(ada, 'screen-stop');
  // The full texts of what was included, one of them excluded with a reason.
  await ada.selectOption('#phase', 'full-text');
  await ada.waitForSelector('.screened h2');
  await ada.keyboard.press('1');
  await ada.waitForSelector('.told:text("Excluded")');
  const phone = await openAs('bo', 380);
  await picture(phone, 'screen-380');
  const overflow = await phone.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  assert.ok(overflow <= 0, `the page is ${overflow} px too wide at 380 px`);
  assert.deepEqual(faults, []);
  const flow = (await Array.fromAsync(corpus.export({ format: 'prisma' }))).join('');
  const counts = JSON.parse(flow) as Record<string, number>;
  assert.equal(counts['identified'], 60);
  assert.equal(counts['excluded_by_full_text'], 1);
  assert.match(readFileSync(join(folder.path, 'decisions.jsonl'), 'utf8'), /"note":"see table 2"/);
});

test('two reviewers in two browsers at once lose nothing and do not see each other', async (context) => {
  await using opened = await openBrowser();
  if (!opened) {
    context.diagnostic('NOT TESTED: there is no Chromium here');
    return;
  }
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-two-'));
  writeReviewRun(folder.path, review.slice(0, 12));
  {
    using screening = Screening.open(folder.path);
    screening.setProtocol({ reviewers: 2 }, 'ada');
  }
  await using corpus = await openCorpus(folder.path);
  const options = { queue: undefined, host: '127.0.0.1', port: 0, token: TOKEN, allowSteering: true, version: '0', log: () => undefined }; // prettier-ignore
  await using server = await openServer({ runs: [{ id: 'review', corpus }], ...options });
  const finish = async (by: string, wrong: number): Promise<void> => {
    const page = await (await opened.browser.newContext()).newPage();
    page.setDefaultTimeout(HANGING_MS);
    await page.goto(`${server.url}screen?by=${by}&token=${TOKEN}`);
    for (let at = 0; at < 12; at += 1) {
      await page.waitForSelector('.screened h2');
      assert.doesNotMatch((await page.textContent('.screened article')) ?? '', /Decided before/);
      const title = (await page.textContent('.screened h2')) ?? '';
      const isIncluded = included.get(title) === true || at < wrong;
      await page.keyboard.press(isIncluded ? 'i' : 'e');
      await page.waitForSelector(`.screened h2:not(:text-is(${JSON.stringify(title)})), .panel > .lede`);
    }
    await page.waitForSelector('text=Nothing is left to decide');
  };
  await Promise.all([finish('ada', 0), finish('bo', 3)]);
  using screening = Screening.open(folder.path);
  assert.equal([...screening.all()].length, 24);
  const { undecided, conflicts } = screening.status().phases['title-abstract'];
  assert.equal(undecided, 0);
  assert.equal(conflicts, screening.conflicts().length);
});
