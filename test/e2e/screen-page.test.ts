import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { openCorpus } from '../../src/corpus/index.ts';
import { addRecords, Screening } from '../../src/screen/index.ts';
import { openServer } from '../../src/serve/index.ts';
import { madeReview } from '../fixtures/made-review.ts';
import { checkAccessible } from '../support/accessible.ts';
import type { OpenBrowser } from '../support/browser.ts';
import { HANGING_MS, NO_BROWSER, openBrowser } from '../support/browser.ts';

const TOKEN = 'a-token-for-tests-only';
const OPEN_REVIEW = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'screening', 'open', 'Donners_2021.jsonl'); // prettier-ignore
/** A folder for the screenshots of the guide. */
const PICTURES = process.env['DOCSTOKG_TEST_PICTURES'];

interface Listed {
  readonly title: string;
  readonly abstract: string;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly included: boolean;
}

let opened: OpenBrowser | undefined;
before(async () => {
  opened = await openBrowser();
});
after(async () => await opened?.[Symbol.asyncDispose]());

const made = madeReview(36, 6, 5).map((each): Listed => ({ ...each, authors: ['Berg, Ana'], year: 2024 }));

function openReview(): Listed[] {
  const lines = readFileSync(OPEN_REVIEW, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const { title, abstract, authors, year, included } = JSON.parse(line) as { title: string | null; abstract: string | null; authors: string[] | null; year: number | null; included: number }; // prettier-ignore
    return { title: title ?? '', abstract: abstract ?? '', authors: authors ?? [], year, included: included === 1 };
  });
}

/** A list as a database exports it; the number of an entry is in its DOI. */
function ris(review: readonly Listed[]): string {
  const plain = (text: string): string => text.replaceAll(/\s+/g, ' ');
  return review.map(({ title, abstract, authors, year }, at) => ['TY  - JOUR', `TI  - ${plain(title)}`, `AB  - ${plain(abstract)}`, ...authors.map((name) => `AU  - ${plain(name)}`), `PY  - ${year ?? ''}`, `DO  - 10.5555/listed.${at}`, 'ER  - ', ''].join('\n')).join(''); // prettier-ignore
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

const shownWork = async (page: Page): Promise<string> =>
  (await page.getAttribute('.screened article', 'data-work')) ?? '';

/** Presses the key of a decision, by default the right one, and waits for the next work. */
async function decide(page: Page, review: readonly Listed[], key?: string): Promise<string> {
  const work = await shownWork(page);
  await page.keyboard.press(key ?? (review[Number(/\d+$/.exec(work)?.[0])]?.included === true ? 'i' : 'e'));
  await page.waitForSelector(`.screened article:not([data-work=${JSON.stringify(work)}]), .done .lede`);
  return work;
}

/** Starts a server for a run made from a list. */
async function served(folder: string, review: readonly Listed[]) {
  writeFileSync(join(folder, 'list.ris'), ris(review));
  {
    using screening = Screening.open(folder);
    await addRecords(screening, [join(folder, 'list.ris')], { now: '2026-01-01T00:00:00.000Z' });
    // Two entries may be versions of one work.
    assert.ok(screening.works.length >= 0.99 * review.length);
  }
  const corpus = await openCorpus(folder);
  const options = { host: '127.0.0.1', port: 0, token: TOKEN, allowControl: true, version: '0.0.0', log: () => undefined }; // prettier-ignore
  const server = await openServer({ runs: [{ id: 'review', corpus }], queue: undefined, ...options });
  return { corpus, url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function wholeReview(
  review: readonly Listed[],
  about: { question: string; criteria: string; mark: string },
  name: string,
  browser: Browser,
): Promise<void> {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'screen-page-'));
  const folder = join(scratch.path, 'review');
  mkdirSync(folder);
  await using server = await served(folder, review);
  {
    using screening = Screening.open(folder);
    const { question, criteria } = about;
    screening.setProtocol({ question, criteria, reasons: ['wrong population', 'no outcome'] }, 'ada');
  }
  const faults: string[] = [];
  const openAs = async (by: string, width: number): Promise<Page> => {
    const page = await (await browser.newContext({ viewport: { width, height: 720 } })).newPage();
    page.setDefaultTimeout(HANGING_MS);
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${server.url}screen?by=${by}&mark=${about.mark}&token=${TOKEN}`);
    await page.waitForSelector('.card h2, .done .lede');
    return page;
  };
  const ada = await openAs('ada', 1100);
  assert.ok((await ada.locator('.screened mark').count()) > 0, 'words are marked');
  const protocol = (await ada.textContent('.criteria')) ?? '';
  assert.ok(protocol.includes(about.criteria) && protocol.includes(about.question), protocol);
  await picture(ada, name);
  // A note, a changed mind, a reason by its number.
  await ada.keyboard.press('n');
  await ada.keyboard.type('see table 2');
  await ada.keyboard.press('Escape');
  const first = await decide(ada, review, 'm');
  await ada.keyboard.press('u');
  await ada.waitForSelector(`.screened article[data-work=${JSON.stringify(first)}]`);
  await decide(ada, review);
  await decide(ada, review, '2');
  await ada.keyboard.press('u');
  await ada.waitForSelector('.last:text("undone")');
  while (((await ada.textContent('.promise')) ?? '').includes('most likely to be relevant')) await decide(ada, review);
  await ada.click('text=Begin the random sample');
  await ada.waitForSelector('.screened .eyebrow:text("random sample")');
  const isLeft = (): Promise<boolean> => ada.evaluate<boolean>('document.querySelector(".card") !== null');
  while ((await isLeft()) && !((await ada.textContent('.promise')) ?? '').includes('You may stop')) await decide(ada, review); // prettier-ignore
  assert.match((await ada.textContent('.promise')) ?? '', /You may stop: with 95 % confidence/);
  await picture(ada, `${name}-stop`);
  // The full texts of included works, one of which is excluded with a reason.
  await ada.click('.places a:text("Full texts")');
  await ada.waitForSelector('.card.full-text .eyebrow:text("Rank")');
  await decide(ada, review, '1');
  while (await isLeft()) await decide(ada, review, 'i');
  const phone = await openAs('bo', 380);
  const overflow = await phone.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  assert.ok(overflow <= 0, `the page is ${overflow} px too wide at 380 px`);
  assert.deepEqual(faults, []);
  assert.match(readFileSync(join(folder, 'decisions.jsonl'), 'utf8'), /"note":"see table 2"/);
  using screening = Screening.open(folder);
  const { phases, sample } = screening.status();
  const { included, excluded, undecided } = phases['title-abstract'];
  assert.ok(included >= 0.95 * review.filter((each) => each.included).length, `${included} included`);
  assert.equal(sample?.isReached, true);
  const out = join(PICTURES ?? folder, `${name}-flow`);
  await Array.fromAsync(server.corpus.export({ format: 'prisma', out }));
  const flow = JSON.parse(readFileSync(`${out}.json`, 'utf8')) as Record<string, unknown>;
  assert.deepEqual(
    [flow['identified'], flow['screened'], flow['not_screened'], flow['excluded'], flow['sought'], flow['retrieved']],
    [review.length, included + excluded, undecided, excluded, included, included],
  );
  const duplicates = review.length - screening.works.length;
  assert.deepEqual(flow['removed_before_screening'], { unreadable_entries: 0, duplicates });
  assert.deepEqual(
    [flow['excluded_by_full_text_reasons'], flow['included']],
    [{ 'wrong population': 1 }, included - 1],
  );
  assert.match(readFileSync(`${out}.svg`, 'utf8'), new RegExp(`Studies included \\(n = ${included - 1}\\)`));
  // The page shows the same counts.
  await ada.click('text=Flow diagram');
  const steps = (await ada.textContent('.flow-steps')) ?? (await ada.locator('.flow-steps').innerText());
  assert.match(steps, new RegExp(`${included} Full texts sought[^]*${included - 1} Studies included`));
}

test('a whole review in a browser: ranked, sampled, full texts, flow diagram', async (context) => {
  if (!opened) return context.skip(NO_BROWSER);
  const about = { question: 'coral bleaching', criteria: 'Corals.\nField studies only.', mark: 'coral,reef' };
  await wholeReview(made, about, 'made', opened.browser);
});

test('a published review in a browser, from its list to the flow diagram', async (context) => {
  if (PICTURES === undefined || !existsSync(OPEN_REVIEW)) {
    context.diagnostic('only for the screenshots of the guide, from a published review beside the repository');
    return;
  }
  assert.ok(opened, 'screenshots need Chromium');
  const about = { question: 'pharmacokinetics and pharmacodynamics of emicizumab', criteria: 'Include: concentrations of emicizumab, or its effect on coagulation.\nExclude: reviews without own data.', mark: 'emicizumab,concentration' }; // prettier-ignore
  await wholeReview(openReview(), about, 'screen', opened.browser);
});

test('keys pressed after the name was entered decide, and never go into the name', async (context) => {
  if (!opened) return context.skip(NO_BROWSER);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-keys-'));
  await using server = await served(folder.path, made.slice(0, 8));
  const page = await (await opened.browser.newContext()).newPage();
  page.setDefaultTimeout(HANGING_MS);
  await page.goto(`${server.url}screen?token=${TOKEN}`);
  await page.click('[name=by]');
  await page.keyboard.type('ada');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.card h2');
  const work = await shownWork(page);
  await page.keyboard.press('e');
  await page.waitForSelector(`.screened article:not([data-work=${JSON.stringify(work)}])`);
  assert.match((await page.textContent('.who')) ?? '', /^ada /);
  assert.match((await page.textContent('.last')) ?? '', /^Excluded: /);
  assert.equal(await page.textContent('.own'), 'You: 1 of 8 decided');
  await page.click('.choices button:has-text("Undo")');
  await page.waitForSelector(`.screened article[data-work=${JSON.stringify(work)}]`);
  assert.equal(await page.textContent('.own'), 'You: 0 of 8 decided');
  assert.ok(await page.isDisabled('.choices .undo'), 'nothing to undo');
  // Enter in a field ends typing: the keys decide again.
  await page.fill('[name=mark]', 'coral');
  await page.press('[name=mark]', 'Enter');
  await page.keyboard.press('r');
  await page.keyboard.type('not a field study');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`.screened article:not([data-work=${JSON.stringify(work)}])`);
  assert.equal(await page.inputValue('[name=mark]'), 'coral');
  await page.keyboard.press('i');
  await page.waitForSelector('.own:text("You: 2 of 8")');
  const log = readFileSync(join(folder.path, 'decisions.jsonl'), 'utf8');
  assert.match(log, /"decision":"exclude","by":"ada".*"reason":"not a field study"/);
  // This browser knows the name: Enter is enough.
  await page.click('[aria-label="Change the reviewer"]');
  await page.waitForSelector('.naming');
  assert.equal(await page.inputValue('[name=by]'), 'ada');
  await checkAccessible(page, 'who decides');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.card h2');
});

test('the next work is shown from its title, however far down the last one was read', async (context) => {
  if (!opened) return context.skip(NO_BROWSER);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-top-'));
  const long = made.slice(0, 8).map((each) => ({ ...each, abstract: `${each.abstract} `.repeat(40) }));
  await using server = await served(folder.path, long);
  for (const [by, width] of [
    ['ada', 1100],
    ['bo', 380],
  ] as const) {
    const page = await (await opened.browser.newContext({ viewport: { width, height: 600 } })).newPage();
    page.setDefaultTimeout(HANGING_MS);
    await page.goto(`${server.url}screen?by=${by}&token=${TOKEN}`);
    await page.waitForSelector('.card h2');
    for (const act of ['i', 'm', 'e', 'u', '.choices .include']) {
      await page.evaluate('scrollTo({ top: 500, behavior: "instant" })');
      const work = await shownWork(page);
      await (act.length === 1 ? page.keyboard.press(act) : page.click(act));
      await page.waitForSelector(`.screened article:not([data-work=${JSON.stringify(work)}])`);
      const [bar, title] = await page.$$eval('header, .card h2', (all) => all.map((each) => each.getBoundingClientRect())); // prettier-ignore
      assert.ok(bar && title && title.top >= bar.bottom && title.bottom <= 600, `${act} at ${width}: ${title?.top}`);
    }
  }
});

test('criteria are changed on the page, and a phone decides with its thumbs', async (context) => {
  if (!opened) return context.skip(NO_BROWSER);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-phone-'));
  await using server = await served(folder.path, made.slice(0, 8));
  const page = await (await opened.browser.newContext({ viewport: { width: 380, height: 760 } })).newPage();
  page.setDefaultTimeout(HANGING_MS);
  await page.goto(`${server.url}screen?by=ada&token=${TOKEN}`);
  await page.click('button:text("Write criteria")');
  await page.fill('.criteria [name=criteria]', 'Corals only.');
  await page.fill('.criteria [name=reasons]', 'no corals\n\nno field data');
  await page.fill('.criteria [name=reviewers]', '2');
  // Elsewhere the bar with the choices may be half under the header, depending on what was scrolled into view.
  await page.evaluate('scrollTo(0, 0)');
  await checkAccessible(page, 'the criteria on a phone');
  // Keys typed in the form do not decide.
  await page.locator('.criteria [name=highlight]').pressSequentially('include');
  await page.click('.criteria [type=submit]');
  await page.waitForSelector('.criteria p:text("Corals only.")');
  assert.match((await page.textContent('.criteria')) ?? '', /Not: no corals; no field data/);
  assert.equal(await page.textContent('.own'), 'You: 0 of 8 decided');
  assert.match((await page.textContent('.review')) ?? '', /2 people decide about each work, blind/);
  assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 380, 'nothing is wider');
  const [bar, menu] = await page.$$eval('.choices, .rail', (all) => all.map((each) => each.getBoundingClientRect()));
  assert.ok(bar && menu && Math.max(bar.bottom, menu.bottom) <= 760, 'the choices are in sight');
  await page.click('.reasons button:has-text("no field data")');
  await page.waitForSelector('.own:text("You: 1 of 8")');
  await page.click('.choices .include');
  await page.waitForSelector('.own:text("You: 2 of 8")');
  // What was decided can be seen, and decided again.
  await page.click('.made summary');
  await page.waitForSelector('.made figcaption:text("1 work included in 2 decisions; the last 0 without one")');
  assert.deepEqual(
    (await page.locator('.made li').allTextContents()).map((each) => each.trim().split(/\s/)[0]),
    ['Included', 'Excluded'],
  );
  assert.match((await page.textContent('.made li:last-child')) ?? '', /no field data$/);
  await page.evaluate('scrollTo(0, 0)');
  await checkAccessible(page, 'screening on a phone');
  const again = (await page.textContent('.made li:last-child a')) ?? '';
  await page.click('.made li:last-child a');
  await page.waitForSelector(`.card h2:has-text(${JSON.stringify(again)})`);
  await page.click('.choices .include');
  await page.waitForSelector('.made figcaption:text("2 works included in 2 decisions")');
  assert.equal(await page.textContent('.own'), 'You: 2 of 8 decided');
  const log = readFileSync(join(folder.path, 'decisions.jsonl'), 'utf8');
  assert.match(log, /"kind":"protocol".*"criteria":"Corals only\.","reasons":\["no corals","no field data"\]/);
});

test('a second person learns how many decide about each work, and a blind review shows its own progress only', async (context) => {
  if (!opened) return context.skip(NO_BROWSER);
  const { browser } = opened;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-second-'));
  const review = made.slice(0, 6);
  await using server = await served(folder.path, review);
  const openAs = async (path: string): Promise<Page> => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(HANGING_MS);
    await page.goto(`${server.url}${path}${path.includes('?') ? '&' : '?'}token=${TOKEN}`);
    return page;
  };
  const ada = await openAs('screen?by=ada');
  const first = await decide(ada, review, 'i');
  await decide(ada, review, 'e');
  await ada.waitForSelector('.own:text("You: 2 of 6")');
  const bo = await openAs('screen');
  await bo.locator('.naming', { hasText: 'Have decided here: ada.' }).waitFor();
  assert.equal(await bo.inputValue('[name=many]'), '1');
  await checkAccessible(bo, 'who decides, as a second person');
  await bo.fill('[name=by]', 'bo');
  await bo.press('[name=by]', 'Enter');
  await bo
    .locator('.second', { hasText: 'ada has decided here too, and one person decides about each work' })
    .waitFor();
  assert.match((await bo.textContent('.review')) ?? '', /All together: 2 of 6 decided: 1 included, 1 excluded/);
  await bo.click('.second button');
  await bo.locator('.review', { hasText: '2 people decide about each work, blind' }).waitFor();
  assert.doesNotMatch((await bo.textContent('.screened')) ?? '', /included|ada|All together/);
  assert.equal(await bo.textContent('.own'), 'You: 0 of 6 decided');
  await bo.click('.places a:text("Flow diagram")');
  await bo.locator('.flow-steps', { hasText: '2 of them waiting for another decision' }).waitFor();
  await bo.goto(`${server.url}screen?by=bo&settle=${encodeURIComponent(first)}`);
  await bo.waitForSelector(`.screened article[data-work=${JSON.stringify(first)}]`);
  await decide(bo, review, 'e');
  await bo.click('.places a:text("Flow diagram")');
  await bo.locator('.flow-steps', { hasText: '1 of them waiting for another decision1 of them in conflict' }).waitFor();
  await bo.locator('.hint', { hasText: 'Decisions count once they are settled' }).waitFor();
  await checkAccessible(bo, 'the flow of an unsettled review');
  // A review of two is begun as such.
  await bo.goto(`${server.url}screen`);
  await bo.waitForSelector('[name=many]:enabled');
  assert.equal(await bo.inputValue('[name=many]'), '2');
});

test('two reviewers in two browsers at once lose nothing and do not see each other', async (context) => {
  if (!opened) return context.skip(NO_BROWSER);
  const { browser } = opened;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-two-'));
  const review = made.slice(0, 8);
  await using server = await served(folder.path, review);
  {
    using screening = Screening.open(folder.path);
    screening.setProtocol({ reviewers: 2 }, 'ada');
  }
  const finish = async (by: string, wrong: number): Promise<void> => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(HANGING_MS);
    await page.goto(`${server.url}screen?by=${by}&token=${TOKEN}`);
    for (let at = 0; at < 8; at += 1) {
      await page.waitForSelector('.card h2');
      assert.doesNotMatch((await page.textContent('.card article')) ?? '', /Decided before/);
      assert.equal(await page.textContent('.own'), `You: ${at} of 8 decided`);
      await decide(page, review, at < wrong ? 'i' : undefined);
    }
    await page.waitForSelector('text=Nothing is left to decide');
  };
  await Promise.all([finish('ada', 0), finish('bo', 3)]);
  using screening = Screening.open(folder.path);
  assert.equal([...screening.all()].length, 16);
  const { undecided, conflicts } = screening.status().phases['title-abstract'];
  assert.equal(undecided, 0);
  assert.equal(conflicts, screening.conflicts().length);
  assert.ok(conflicts > 0);
  // A third person sees both decisions and settles the conflicts.
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(HANGING_MS);
  await page.goto(`${server.url}screen?by=ada&token=${TOKEN}`);
  assert.match((await page.textContent('.review')) ?? '', /Agreement of reviewers on 8 works: \d+ %, kappa -?\d\.\d\d/);
  await page.goto(`${server.url}conflicts?by=cleo`);
  for (let left = conflicts; left > 0; left -= 1) {
    await page.waitForSelector('.conflicts li');
    assert.equal(await page.locator('.conflicts > li').count(), left);
    await checkAccessible(page, 'conflicts');
    const both = await page.locator('.conflicts > li').first().locator('ul li').allTextContents();
    assert.match(both.toSorted().join(' | '), /^exclude\s+(?:ada|bo).* \| include\s+(?:ada|bo)/);
    await page.locator('.conflicts > li > a').first().click();
    await page.waitForSelector('.card .hint:text("Decided before")');
    await decide(page, review, 'e');
    await page.click('.places a:text("Conflicts")');
  }
  await page.waitForSelector('text=No work is in conflict');
  assert.equal(screening.conflicts().length, 0);
});

test('what another reviewer decides is counted on an open page, and the work being read stays', async (context) => {
  if (!opened) return context.skip(NO_BROWSER);
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'screen-page-'));
  const folder = join(scratch.path, 'review');
  mkdirSync(folder);
  await using server = await served(folder, made);
  const page = await (await opened.browser.newContext()).newPage();
  page.setDefaultTimeout(HANGING_MS);
  await page.goto(`${server.url}screen?by=ada&token=${TOKEN}`);
  await page.waitForSelector('.card h2');
  const read = await shownWork(page);
  const response = await fetch(new URL('api/v1/runs/review/screening/decide', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ by: 'bo', work: read, phase: 'title-abstract', decision: 'include' }),
  });
  assert.equal(response.status, 200, await response.text());
  await page.waitForSelector(`.review:has-text("1 of ${made.length} decided")`);
  assert.equal(await shownWork(page), read);
});
