import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { Page } from 'playwright-core';

import { openCorpus } from '../../src/corpus/index.ts';
import type { CorpusServer } from '../../src/serve/index.ts';
import { openServer } from '../../src/serve/index.ts';
import { checkAccessible } from '../support/accessible.ts';
import type { OpenBrowser } from '../support/browser.ts';
import { HANGING_MS, NO_BROWSER, openBrowser } from '../support/browser.ts';
import { line, makePdf, paragraph, prose } from '../support/make-pdf.ts';
import { seen } from '../support/seen.ts';
import { command } from './command.ts';

const TOKEN = 'a-token-for-tests-only';
const CITED = 'Slow currents let small grains of sand settle in plains';
const QUOTE = 'The measured yield of thymol was 47.59 percent of the whole oil in every sample.';
const CITING = 'Wheat and barley grew there before [1,3].';
const FINDING = 'The oil reduced the growth of moulds compared with water alone.';
const PAGES = 150;

let folder = '';
let opened: OpenBrowser | undefined;
let server: CorpusServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reader-page-'));
  opened = await openBrowser();
  if (!opened) return;
  const papers = join(folder, 'papers');
  mkdirSync(papers);
  const titled = (title: string, more: Parameters<typeof makePdf>[0]): Promise<Uint8Array> =>
    makePdf((pdf) => {
      line(pdf, title, { x: 72, y: 72, size: 17, font: 'Times-Bold' });
      line(pdf, 'Ana Berg, Carl Dahl', { x: 72, y: 100, size: 11 });
      line(pdf, 'Abstract', { x: 72, y: 130, size: 13, font: 'Times-Bold' });
      paragraph(pdf, prose(6, title.length), { x: 72, y: 150, width: 460 });
      more(pdf);
    });
  const citing = await titled('What the oil of thyme holds', (pdf) => {
    pdf.addPage();
    line(pdf, 'Results', { x: 72, y: 72, size: 13, font: 'Times-Bold' });
    paragraph(pdf, `${prose(5, 3)} ${QUOTE} ${FINDING} ${prose(5, 4)} ${CITING}`, { x: 72, y: 96, width: 300 });
    line(pdf, 'Funding', { x: 72, y: 360, size: 13, font: 'Times-Bold' });
    line(pdf, 'This work was funded by the Wellcome Trust.', { x: 72, y: 382, size: 10 });
    line(pdf, 'References', { x: 72, y: 420, size: 13, font: 'Times-Bold' });
    for (const [at, text] of [
      'E. Falk. Wheat and barley for distant towns. Journal of Plains 3 (2010) 12-19.',
      `A. Berg, C. Dahl. ${CITED}. Journal of Rivers 7 (2012) 1-9.`,
      'G. Holm. Grains of the coast in four winters. Journal of Plains 5 (2014) 77-80.',
    ].entries())
      line(pdf, `[${at + 1}] ${text}`, { x: 72, y: 444 + 16 * at, size: 9 });
  });
  const long = await titled('A thesis of many pages about rivers', (pdf) => {
    for (let page = 2; page <= PAGES; page += 1) {
      pdf.addPage();
      line(pdf, `Sample ${page} of the long river was taken in winter.`, { x: 72, y: 120, size: 10 });
    }
  });
  writeFileSync(join(papers, 'citing.pdf'), citing);
  writeFileSync(join(papers, 'cited.pdf'), await titled(CITED, () => undefined));
  writeFileSync(join(papers, 'long.pdf'), long);
  const run = command('docstokg', ['run', '--input', papers, '--out', join(folder, 'run')], { cwd: folder });
  assert.equal(run.status, 0, run.stderr);
  server = await openServer({
    runs: [{ id: 'run', corpus: await openCorpus(join(folder, 'run')) }],
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

async function openPage({ browser }: OpenBrowser, path: string, width = 1440, height = 900): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(HANGING_MS);
  const to = new URL(path, server.url);
  to.searchParams.set('token', TOKEN);
  await page.goto(to.href);
  return page;
}

/** Whether the middle of an element is inside the part of the pages that is seen. */
const IS_SEEN = `(element) => {
  const [desk, place] = [document.querySelector('.desk'), element].map((each) => each.getBoundingClientRect());
  const middle = (place.top + place.bottom) / 2;
  return middle > desk.top && middle < desk.bottom;
}`;

// The others need the graph.
inBrowser('where there is no graph yet, the page builds it', async (browser) => {
  const page = await openPage(browser, '/graph');
  await page.locator('.building', { hasText: 'This library has no graph yet.' }).waitFor();
  await checkAccessible(page, 'a library without a graph');
  await page.click('.building button:text("Build the graph")');
  await page.waitForSelector('.ground canvas');
  assert.equal(await page.locator('.building').count(), 0);
});

inBrowser("one's own paper is shown as its pages; a sentence of an answer is marked in its line", async (browser) => {
  const page = await openPage(browser, `/ask?q=${encodeURIComponent('What was the measured yield of thymol?')}`);
  await page.locator('.answer li', { hasText: '47.59' }).locator('a').first().click();
  await page.waitForSelector('.sheet[data-page="2"] img');
  await seen(page, 'document.querySelector(\'.sheet[data-page="2"] img\')?.naturalWidth > 500');
  await page.waitForSelector('.printed-text mark');
  const marked = await page.$$eval('.printed-text mark', (marks) => marks.map((mark) => mark.textContent).join(' '));
  assert.equal(marked.replaceAll(/\s+/g, ' ').trim(), QUOTE, 'the sentence, and only it');
  assert.equal(await page.evaluate(`(${IS_SEEN})(document.querySelector('.printed-text mark'))`), true);
  await checkAccessible(page, 'a quote on its page');
  await page.goBack();
  await page.waitForSelector('.opened', { state: 'detached' });
  assert.ok(await page.locator('.answer li').first().isVisible(), 'back at the answer');
});

inBrowser(
  'one box finds works, sentences and names; a result opens beside, Back returns, and the address can be shared',
  async (browser) => {
    const page = await openPage(browser, '/works');
    await page.waitForSelector('.works tbody tr');
    await page.keyboard.press('/');
    await page.keyboard.type('oil');
    await page.keyboard.press('Enter');
    await page.locator('.hits li:not(.more)', { hasText: '47.59' }).waitFor();
    assert.deepEqual(await page.locator('.found[aria-label=Works] a').allTextContents(), [
      'What the oil of thyme holds',
    ]);
    await page.keyboard.type('s of rivers');
    assert.equal(await page.inputValue('#search'), 'oils of rivers', 'one goes on typing');
    await page.fill('#search', 'berg');
    await page.press('#search', 'Enter');
    await page.locator('.names a', { hasText: 'Ana Berg' }).first().waitFor();
    await checkAccessible(page, 'works, sentences and names');
    // A name leads to the works that have it.
    await page.locator('.names a', { hasText: 'Ana Berg' }).first().click();
    await page.locator('.around h4', { hasText: 'Works (1)' }).waitFor();
    await page.goBack();
    await page.locator('.names a', { hasText: 'Ana Berg' }).first().waitFor();
    await page.goBack();
    await page.locator('.hits li:not(.more)', { hasText: '47.59' }).locator('a').first().click();
    await page.waitForSelector('.opened .sheet img');
    const shared = new URL(page.url());
    const other = await openPage(browser, shared.pathname + shared.search);
    await other.waitForSelector('.opened .sheet img');
    assert.equal(await other.inputValue('#search'), 'oil');
    await page.goBack();
    await page.waitForSelector('.opened', { state: 'detached' });
    assert.ok(await page.locator('.hits li').first().isVisible());
    // A filter is part of the address, and holds for works too.
    await page.click('summary:text("Filters")');
    await page.fill('[name=author]', 'nobody');
    await page.press('[name=author]', 'Enter');
    await page.waitForSelector('.found[aria-label=Works]', { state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('author'), 'nobody');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('text=Copy link');
    await page.locator('.status', { hasText: 'Copied' }).waitFor();
    const copied = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    assert.deepEqual(
      [...copied.searchParams],
      [
        ['q', 'oil'],
        ['author', 'nobody'],
      ],
    );
    await page.goBack();
    assert.equal(new URL(page.url()).pathname, '/works');
  },
);

inBrowser('text of a page can be selected, and is what is printed', async (browser) => {
  const page = await openPage(browser, '/works?document=citing&page=2');
  const printed = page.locator('.sheet[data-page="2"] .printed-text span', { hasText: 'E. Falk' });
  await printed.click({ clickCount: 3 });
  assert.match(await page.evaluate<string>('String(getSelection())'), /E\. Falk\. Wheat and barley for distant towns/);
});

inBrowser(
  'words of a paper are marked and written about; a note is found again, removed and restored',
  async (browser) => {
    const page = await openPage(browser, '/works?document=citing&page=2');
    const printed = page.locator('.sheet[data-page="2"] .printed-text span', { hasText: 'E. Falk' });
    await printed.click({ clickCount: 3 });
    await page.click('.selected button:text("Write a note")');
    await page.fill('.writing [name=by]', 'ada');
    await page.fill('.writing textarea', 'Was it sown twice?');
    await checkAccessible(page, 'writing a note');
    await page.click('.writing [type=submit]');
    await page.waitForSelector('.printed-text mark.noted');
    assert.match((await page.textContent('mark.noted')) ?? '', /E\. Falk\. Wheat and barley/);
    // The name is known now: a mark is one click.
    await page.locator('.sheet[data-page="2"] .printed-text span', { hasText: 'G. Holm' }).click({ clickCount: 3 });
    await page.click('.selected button:text("Mark")');
    await page.waitForSelector('.notes li:nth-child(2)');
    await page.locator('.notes li', { hasText: 'G. Holm' }).getByText('Remove').click();
    await page.waitForSelector('.notes li:nth-child(2)', { state: 'detached' });
    await page.click('.notes button:text("Undo")');
    await page.waitForSelector('.notes li:nth-child(2)');
    // Another reader finds it by the paper, and is led to its words.
    const other = await openPage(browser, '/notes');
    await checkAccessible(other, 'all notes');
    await other.click('.noted-papers q:has-text("E. Falk")');
    await other.waitForSelector('.printed-text mark');
    assert.equal(await other.evaluate(`(${IS_SEEN})(document.querySelector('.printed-text mark'))`), true);
    const log = readFileSync(join(folder, 'run', 'decisions.jsonl'), 'utf8');
    assert.match(log, /"kind":"note".*"page":2,.*E\. Falk.*"text":"Was it sown twice\?","by":"ada"/);
  },
);

inBrowser('a reference opens the work that it cites, and the outline leads to its page', async (browser) => {
  const page = await openPage(browser, '/works?document=citing');
  await page.click('.switch button:text("Outline")');
  await page.click('.side li:has-text("Results")');
  await seen(page, "/page 2 of 2/.test(document.querySelector('.where')?.textContent ?? '')");
  await page.click('.switch button:text("References")');
  await page.waitForSelector('.listed li');
  assert.equal(await page.locator('.listed .cited').count(), 1, 'one of three is in the library');
  await checkAccessible(page, 'references');
  await page.click('.listed .cited');
  await seen(page, `document.querySelector('.viewer h2')?.textContent === ${JSON.stringify(CITED)}`);
  await page.goBack();
  await seen(page, "/oil of thyme/.test(document.querySelector('.viewer h2')?.textContent ?? '')");
});

inBrowser(
  'of a long document only the pages near the visible one are drawn, and any is reached at once',
  async (browser) => {
    const drawn: string[] = [];
    const page = await openPage(browser, '/works?document=long');
    page.on('request', (request) => drawn.push(request.url()));
    await page.waitForSelector('.sheet[data-page="1"] img');
    assert.equal(await page.locator('.sheet').count(), PAGES);
    assert.ok((await page.locator('.sheet img').count()) < 6, 'few pages are drawn');
    await page.evaluate(
      "document.querySelector('.desk').scrollTop = document.querySelector('[data-page=\"140\"]').offsetTop",
    );
    await page.waitForSelector('.sheet[data-page="140"] .printed-text span');
    await seen(page, "/page 140 of/.test(document.querySelector('.where')?.textContent ?? '')");
    await page.waitForURL(/[?&]page=140\b/);
    assert.ok((await page.locator('.sheet img').count()) < 6, 'those left behind are gone');
    assert.ok(drawn.filter((url) => url.includes('.png')).length < 12, `${drawn.length} requests`);
    const again = await openPage(browser, new URL(page.url()).pathname + new URL(page.url()).search);
    await again.waitForSelector('.sheet[data-page="140"] .printed-text span');
    await again.keyboard.press('ArrowRight');
    await seen(again, "/page 141 of/.test(document.querySelector('.where')?.textContent ?? '')");
  },
);

inBrowser('the graph leads from a work to a finding, and from there to its sentence on the page', async (browser) => {
  const page = await openPage(browser, '/graph');
  await page.waitForSelector('.ground canvas');
  await page.fill('[name=work]', 'oil of thyme');
  await page.press('[name=work]', 'Enter');
  await page.locator('.around h3', { hasText: 'oil of thyme' }).waitFor();
  await page.check('.kinds input[name=states]');
  await page.locator('.around section', { hasText: 'Findings' }).locator('summary').first().click();
  await page.waitForSelector('.around details[open] q');
  await checkAccessible(page, 'a finding');
  await page.click('.around details[open] li a');
  await page.waitForSelector('.sheet[data-page="2"] .printed-text mark');
  const marked = await page.$$eval('.printed-text mark:not(.noted)', (marks) =>
    marks.map((mark) => mark.textContent).join(' '),
  );
  assert.equal(marked.replaceAll(/\s+/g, ' ').trim(), FINDING);
  await page.goBack();
  await page.waitForSelector('.opened', { state: 'detached' });
  assert.ok(await page.locator('.ground canvas').first().isVisible(), 'back at the graph');
});

inBrowser('the graph is asked, and its rows have their sentences', async (browser) => {
  const page = await openPage(browser, '/graph');
  await page.click('details.narrow summary:text("Ask the graph")');
  await page.selectOption('[name=ask]', 'effect');
  await page.fill('[name=of]', 'oil');
  await page.fill('[name=on]', 'growth of moulds');
  await page.press('[name=on]', 'Enter');
  const row = page.locator('.graph-rows > li', { hasText: FINDING.slice(0, -1) });
  await row.waitFor();
  assert.match((await row.textContent()) ?? '', /oil of thyme.*decreases · work · 1/s);
  await checkAccessible(page, 'questions to the graph');
  // From the sentence to its place.
  await row.locator('ul a').first().click();
  await page.waitForSelector('.sheet[data-page="2"] .printed-text mark');
});

inBrowser('questions to the graph are pages: Back returns to the one before, on a phone too', async (browser) => {
  for (const width of [1440, 380]) {
    const page = await openPage(browser, '/graph', width);
    await page.click('details.narrow summary:text("Ask the graph")');
    // Without a name it lists who paid, and what was paid for.
    await page.selectOption('[name=ask]', 'funding');
    const funder = page.locator('.graph-rows a', { hasText: 'Wellcome Trust' });
    await funder.waitFor();
    await page.locator('.graph-rows a', { hasText: 'What the oil of thyme holds' }).waitFor();
    await page.waitForSelector('#named-of option[value="Wellcome Trust"]', { state: 'attached' });
    await checkAccessible(page, 'a list of funders');
    await funder.click();
    await page.locator('.graph-rows > li', { hasText: 'This work was funded by' }).waitFor();
    assert.equal(await page.inputValue('[name=of]'), 'Wellcome Trust');
    await page.selectOption('[name=ask]', 'effect');
    // With the second field, the first one is there anew.
    await page.waitForSelector('[name=on]');
    await page.fill('[name=of]', 'oil');
    await page.click('details.narrow button:text("Ask")');
    await page
      .locator('.graph-rows > li', { hasText: FINDING.slice(0, -1) })
      .first()
      .waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator('.graph-rows > li', { hasText: 'This work was funded by' }).waitFor();
    assert.equal(await page.inputValue('[name=of]'), 'Wellcome Trust', 'the question before');
    // About the whole library: no name is asked for.
    await page.selectOption('[name=ask]', 'gaps');
    await page.locator('details.narrow [role=status]', { hasText: 'not in the corpus' }).waitFor();
    assert.equal(await page.locator('[name=of]').count(), 0);
    await page.selectOption('[name=colours]', 'year');
    await page.waitForSelector('.legend[aria-label=Colours] li:has-text("no year")');
    await checkAccessible(page, 'colours by year');
    await page.context().close();
  }
});

inBrowser('a question about two names waits for the second one, and says so', async (browser) => {
  const page = await openPage(browser, '/graph?ask=about&of=Wellcome+Trust');
  await page.waitForSelector('details.narrow .graph-rows', { state: 'attached' });
  await page.selectOption('[name=ask]', 'path');
  await page.locator('details.narrow [role=status]', { hasText: 'name a second one' }).waitFor();
  assert.equal(await page.inputValue('[name=of]'), 'Wellcome Trust');
  await page.click('details.narrow button:text("Ask")');
  assert.equal(await page.evaluate('document.activeElement.name'), 'on', 'what is missing');
  assert.equal(await page.locator('[role=alert]').count(), 0);
  await page.fill('[name=on]', 'What the oil of thyme holds');
  await page.press('[name=on]', 'Enter');
  await page.waitForURL(/on=What/);
  await page.locator('details.narrow [role=status], [role=alert]').filter({ hasNotText: 'second' }).waitFor();
  assert.deepEqual(await page.locator('[role=alert]').allTextContents(), []);
});

inBrowser('it is seen which works a sentence cites, and where a work is cited', async (browser) => {
  for (const width of [1440, 380]) {
    const page = await openPage(browser, '/works?document=citing&page=2', width);
    await page.locator('.sheet[data-page="2"] .printed-text span', { hasText: 'Wheat and barley grew' }).waitFor();
    const listed = (): Promise<string[]> => page.locator('.side.listed li > span:first-child').allTextContents();
    await page.click('.switch button:text("References")');
    await page.click('.which button:text("All (3)")');
    assert.equal((await listed()).length, 3);
    await page.click('.which button:text("Cited on page 2 (2)")');
    assert.deepEqual(
      (await listed()).map((text) => /Falk|Dahl|Holm/.exec(text)?.[0]),
      ['Falk', 'Holm'],
    );
    await checkAccessible(page, 'references of a page');
    // To the sentence on its page, and Back.
    await page.locator('.side.listed li', { hasText: 'Holm' }).locator('small a').click();
    await page.locator('.printed-text mark:not(.noted)').first().waitFor();
    const marked = await page.locator('.printed-text mark:not(.noted)').allTextContents();
    assert.match(marked.join(' '), /Wheat and barley grew there before/);
    await page.goBack();
    await page.waitForSelector('.printed-text mark:not(.noted)', { state: 'detached' });
    await page.context().close();
  }
  const page = await openPage(browser, '/works?document=citing&page=2');
  await page
    .locator('.sheet[data-page="2"] .printed-text span', { hasText: 'Wheat and barley grew' })
    .click({ clickCount: 3 });
  await page.click('.selected button:text("What it cites")');
  await page.waitForSelector('.which button[aria-pressed=true]:text("Cited by the sentence (2)")');
});

inBrowser('a view is found as it was left, and what is asked goes along', async (browser) => {
  const page = await openPage(browser, '/graph?ask=effect&of=oil&on=growth+of+moulds');
  await page.locator('.graph-rows > li ul a').first().click();
  await page.waitForSelector('.opened');
  await page.click('.places a:text("Search")');
  await page.fill('#search', 'oil');
  await page.press('#search', 'Enter');
  await page.waitForSelector('.hits h2 a');
  await page.click('.places a:text("Graph")');
  await page.locator('.graph-rows > li', { hasText: FINDING.slice(0, -1) }).waitFor();
  assert.equal(await page.locator('.opened').count(), 0, 'without the paper');
  await page.click('.places a:text("Graph")');
  await page.waitForSelector('.graph-rows', { state: 'detached' });
  await page.click('.places a:text("Search")');
  assert.equal(await page.inputValue('#search'), 'oil');
  await page.click('.places a:text("Ask")');
  assert.equal(await page.inputValue('#question'), 'oil');
  // What was searched is replaced by the question, wherever one clicks into it; then the caret goes where one clicks.
  await page.setViewportSize({ width: 380, height: 760 });
  await page.click('#question', { position: { x: 20, y: 12 } });
  await page.keyboard.type('What?');
  assert.equal(await page.inputValue('#question'), 'What?');
  await page.click('#question', { position: { x: 14, y: 12 } });
  await page.keyboard.type('-');
  assert.match(await page.inputValue('#question'), /^(?=.*What|W|-).{6}$/);
  await page.goto(`${server.url}screen?by=ada`);
  await page.click('.rail span:text("Library")');
  await page.waitForSelector('.works tbody tr');
  await page.click('.rail span:text("Review")');
  await page.waitForURL(/\/screen\?by=ada$/);
});

inBrowser('the flow diagram is saved from its page', async (browser) => {
  const page = await openPage(browser, '/flow');
  await page.waitForSelector('.flow-steps');
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('text=Save the diagram (SVG)')]);
  assert.match(readFileSync(await file.path(), 'utf8'), /^<svg/);
  await checkAccessible(page, 'the flow diagram');
});

inBrowser(
  'the graph leads from a work by a finding to another work, and says what to do about a name it has not',
  async (browser) => {
    const page = await openPage(browser, '/works');
    const node = (id: string, kind: string, more: object = {}) => ({ id, kind, label: id, year: null, cited: 1, inCorpus: kind === 'work', x: 0, y: 0, ...more }); // prettier-ignore
    const edge = (source: number, target: number, kind: string) => ({ source, target, kind, evidence: [] });
    const [a, b, finding, coral] = [node('A', 'work'), node('B', 'work'), node('F', 'finding'), node('Coral', 'organism', { cited: 2 })]; // prettier-ignore
    const pictures: Readonly<Record<string, object>> = {
      A: { nodes: [a, finding, coral], edges: [edge(0, 1, 'states'), edge(0, 2, 'names')], leftOut: {} },
      F: { nodes: [finding, a, coral, b], edges: [edge(1, 0, 'states'), edge(0, 2, 'has_object'), edge(1, 2, 'names'), edge(3, 2, 'names')], leftOut: {} }, // prettier-ignore
      B: { nodes: [b, coral], edges: [edge(0, 1, 'names')], leftOut: {} },
    };
    await page.route('**/graph/works', (route) => route.fulfill({ json: { items: [{ id: 'A', label: 'A' }] } }));
    await page.route('**/graph/picture?*', (route) => {
      const picture = pictures[new URL(route.request().url()).searchParams.get('node') ?? ''];
      return picture ? route.fulfill({ json: picture }) : route.continue();
    });
    await page.goto(new URL('/graph', server.url).href);
    await page.waitForSelector('.ground[data-nodes="3"]');
    assert.ok(await page.isChecked('.kinds input[name=names]'), 'what leads to other works is drawn');
    assert.match((await page.locator('.around section', { hasText: 'Names' }).textContent()) ?? '', /in 2 works/);
    await page.click('[aria-label="Go there: F"]');
    await page.locator('.around h4', { hasText: 'Other works with “Coral” (1)' }).waitFor();
    assert.equal(await page.locator('.ground').getAttribute('data-nodes'), '3', 'it is only listed');
    await page.click('[aria-label="Go there: B"]');
    await page.waitForSelector('.ground[data-nodes="4"]');
    await page.locator('.around h3', { hasText: /^B$/ }).waitFor();
    assert.equal(await page.locator('.around .acts a:text("Read")').count(), 1);
    await checkAccessible(page, 'another work in the graph');
    for (const path of ['/graph?ask=about&of=nosuchthing', '/graph?node=nosuchthing']) {
      await page.goto(new URL(path, server.url).href);
      const said = await page.locator('[role=alert]').textContent();
      assert.match(said ?? '', /no node “nosuchthing”/);
      assert.doesNotMatch(said ?? '', /docstokg/);
      assert.equal(await page.locator('[role=alert] a').textContent(), 'search the papers for it');
    }
  },
);

inBrowser('a graph of hundreds of nodes is drawn at once and finds its places afterwards', async (browser) => {
  const page = await openPage(browser, '/works');
  const nodes = Array.from({ length: 400 }, (_, at) => ({ id: `work:w${at}`, kind: 'work', label: `Berg 2000 · Part ${at}`, year: 2000, cited: 0, inCorpus: true, x: at, y: at })); // prettier-ignore
  const edges = nodes.map((_, at) => ({ source: at, target: (at * 7) % 400, kind: 'cites', evidence: [] }));
  await page.route('**/graph/picture?*', (route) => route.fulfill({ json: { nodes, edges, leftOut: {} } }));
  await page.click('.places a:text("Graph")');
  await page.waitForSelector('.ground[data-nodes="400"] canvas');
  await page.waitForSelector('.ground[data-settled=true]');
});

inBrowser('a phone shows the page or its lists, never both', async (browser) => {
  const page = await openPage(browser, '/works?document=citing', 380, 760);
  await page.waitForSelector('.sheet img');
  assert.equal(await page.locator('.beside').isVisible(), false);
  const [line, close] = await page.$$eval('.named p, .opened .close', (all) => all.map((each) => each.getBoundingClientRect())); // prettier-ignore
  assert.ok(line && close && line.right <= close.left, 'the link to the file is beside the cross, not under it');
  assert.equal(await page.$eval('.named p', (each) => each.scrollWidth - each.clientWidth), 0, 'and not cut');
  await page.click('.switch button:text("Outline")');
  assert.equal(await page.locator('.desk').isVisible(), false);
  await page.click('.side li:has-text("Results")');
  await seen(page, "/page 2 of 2/.test(document.querySelector('.where')?.textContent ?? '')");
  assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 380, 'nothing is wider');
  await checkAccessible(page, 'the reader on a phone');
});

inBrowser(
  'the full text of an included work opens beside its decision, and an exclusion needs a reason',
  async (browser) => {
    const page = await openPage(browser, '/screen?by=ada');
    // The thesis may be ranked first, or any other.
    await page.waitForSelector('.card h2');
    const title = await page.textContent('.card h2');
    await page.keyboard.press('i');
    await page.waitForSelector('.own:text("You: 1 of 3")');
    await page.click('.places a:text("Full texts")');
    await page.waitForSelector('.opened .sheet img');
    assert.deepEqual([await page.textContent('.card h2'), await page.textContent('.viewer h2')], [title, title]);
    await checkAccessible(page, 'a full text beside its decision');
    await page.keyboard.press('e');
    await page.keyboard.type('no oil');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.done .lede');
    await page.waitForSelector('.opened', { state: 'detached' });
    await page.click('text=Undo the last decision');
    await page.waitForSelector('.opened .sheet img');
    const log = readFileSync(join(folder, 'run', 'decisions.jsonl'), 'utf8');
    assert.match(log, /"phase":"full-text","decision":"exclude","by":"ada".*"reason":"no oil"/);
  },
);

inBrowser(
  'an answer is asked on, copied with its sources and found again; Back goes through the questions',
  async (browser) => {
    const page = await openPage(browser, '/ask');
    const question = 'What was the measured yield of thymol?';
    await page.fill('#question', question);
    await page.press('#question', 'Enter');
    await page.locator('.answer li', { hasText: '47.59' }).waitFor();
    assert.match((await page.textContent('.verdict')) ?? '', /word for word in the paper/);
    await page.waitForSelector('.follow');
    await checkAccessible(page, 'an answer');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('text=Save as Markdown')]);
    const text = readFileSync(await file.path(), 'utf8');
    assert.match(
      text,
      /^# What was the measured yield of thymol\?\n\n[^]*47\.59 percent[^]*\[1, p\. 2\][^]*## References\n\n1\. .*oil of thyme/,
    );
    await page.fill('[name=follow]', 'Which journal has wheat and barley?');
    await page.press('[name=follow]', 'Enter');
    await page.waitForURL(/q=Which\+journal/);
    assert.ok(new URL(page.url()).searchParams.get('works'), 'only the papers of the answer are asked');
    await page.locator('.asked a', { hasText: question }).waitFor();
    await page.goBack();
    await page.locator('.answer li', { hasText: '47.59' }).waitFor();
    await page.goto(`${server.url}ask`);
    await page.click(`.asked a:text("${question}")`);
    await page.locator('.answer li', { hasText: '47.59' }).waitFor();
  },
);

inBrowser('a row of an answer is shown with its table and columns; a phone too says what was read', async (browser) => {
  for (const [width, height] of [
    [1440, 900],
    [380, 760],
  ] as const) {
    const page = await openPage(browser, '/works', width, height);
    const row = {
      table: 'Table 3: Yields of the oil',
      group: 'In winter',
      row: 'Thymol',
      cells: [
        { column: 'Yield (%)', value: '47.59', unit: '%' },
        { column: '', value: '0.001', unit: null },
      ],
    };
    const [document, passage] = ['citing', 'citing#0001'];
    const quote = { text: 'Thymol | 47.59 | 0.001', sentence: '', document, passage, work: null, title: 'Oil', citation: null, link: null, page: 2, start: 0, end: 22, row, cites: null, unread: 0 }; // prettier-ignore
    const read = { rank: 1, fit: 1, found_by: 'words', run: 'run', work: 'w', title: 'Oil', by: '', year: null, venue: null, doi: null, license: null, retracted: false, headings: [], part: 'results', page: 2, text: 'Thymol', citation: null, bibtex: null, id: passage, document, boxes: [], link: null }; // prettier-ignore
    const answer = { kind: 'answer', answer: { question: 'yield?', model: null, sentences: [{ text: 'Thymol', fit: 1, quotes: [quote] }], nearest: [], disagreements: [], uncertain: [], dropped: {}, support: null, cut: false, searches: [], failure: null, note: null, passages: [read] } }; // prettier-ignore
    await page.route('**/ask.ndjson?*', (route) =>
      route.fulfill({ body: `${JSON.stringify(answer)}\n`, contentType: 'application/x-ndjson' }),
    );
    await page.click('.places a:text("Ask")');
    await page.fill('#question', 'yield?');
    await page.press('#question', 'Enter');
    await page.waitForSelector('.answer .quoted-row');
    assert.equal(await page.textContent('.answer figcaption'), 'Table 3: Yields of the oil');
    assert.deepEqual(await page.locator('.answer dt').allTextContents(), ['In winter', 'Yield (%)', 'no heading']);
    assert.deepEqual(await page.locator('.answer dd').allTextContents(), ['Thymol', '47.59', '0.001']);
    assert.ok(await page.locator('aside h2:text("Read for it")').isVisible(), `at ${width} pixels`);
    assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), width, 'nothing is wider');
    await checkAccessible(page, `a row in an answer at ${width} pixels`);
    await page.click('.answer .source a');
    await page.waitForSelector('.opened');
  }
});

inBrowser('what the page says of an answer is no more than what is known of it', async (browser) => {
  const page = await openPage(browser, '/works');
  const [document, passage, text] = ['citing', 'citing#0001', 'The oil was kept cold.'];
  const quote = { text, sentence: text, document, passage, work: null, title: 'Oil', citation: null, link: null, page: 2, start: 0, end: 22, row: null, cites: null, unread: 0 }; // prettier-ignore
  const said = { text, fit: 0.3, quotes: [quote] };
  const nothing = { question: 'Why?', model: null, sentences: [], nearest: [], disagreements: [], uncertain: [], dropped: {}, support: null, cut: false, searches: [], failure: null, note: null, passages: [] }; // prettier-ignore
  let lines: readonly object[] = [];
  await page.route('**/ask.ndjson?*', (route) =>
    route.fulfill({
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      contentType: 'application/x-ndjson',
    }),
  );
  const asked = async (...answer: readonly object[]): Promise<string> => {
    lines = answer;
    await page.goto(new URL('/works', server.url).href);
    await page.goto(new URL('/ask?q=Why%3F', server.url).href);
    const [shown] = [page.locator('.panel.ask')];
    await page.waitForSelector('.panel.ask .answered, .panel.ask [role=alert]');
    return await shown.innerText();
  };
  const near = await asked({ kind: 'answer', answer: { ...nothing, nearest: [said] } });
  assert.match(near, /No answer was found in these papers\./);
  assert.match(near, /no proof that they do not say it/);
  assert.match(near, /The nearest sentences\s+The oil was kept cold\.[^]*may not answer/);
  assert.doesNotMatch(near, /word for word/);
  assert.equal(await page.locator('.verdict').count(), 0, 'no tick beside what may not answer');
  await checkAccessible(page, 'an answer that was not found');
  const disagreeing = await asked({ kind: 'answer', answer: { ...nothing, model: 'm', disagreements: [said] } });
  assert.match(disagreeing, /The papers disagree\s+The oil was kept cold\./);
  assert.doesNotMatch(disagreeing, /No answer was found/);
  const cutOff = await asked({ kind: 'passages', passages: [] });
  assert.match(cutOff, /ended before the answer was whole/);
  assert.doesNotMatch(cutOff, /No answer was found/);
});

inBrowser('an answer that is stopped is not said to be missing', async (browser) => {
  const page = await openPage(browser, '/works');
  await page.route('**/ask.ndjson?*', () => undefined);
  await page.goto(new URL('/ask?q=Why%3F', server.url).href);
  await page.click('.panel.ask .tools button:text("Stop")');
  await seen(page, "/^Stopped before/.test(document.querySelector('.panel.ask [role=status]')?.textContent.trim())");
});

inBrowser(
  'further passages of a paper are folded beneath its best one, and each says why it is there',
  async (browser) => {
    const page = await openPage(browser, '/works');
    const found = (rank: number, document: string, text: string) => ({ rank, fit: 0.9 - rank / 10, found_by: 'words and meaning', run: 'run', work: document, title: document, by: '', year: null, venue: null, doi: null, license: null, retracted: false, headings: [`Part ${rank}`], part: 'results', page: 2, text, citation: null, bibtex: null, id: `${document}#${rank}`, document, boxes: [], link: null }); // prettier-ignore
    const passages = [
      found(1, 'citing', 'The oil of thyme was distilled.'),
      found(2, 'citing', 'Oil was kept in the dark.'),
      found(3, 'citing', 'No oil was lost.'),
      found(4, 'cited', 'Sand and oil.'),
    ];
    const asked: (string | null)[] = [];
    await page.route('**/api/v1/runs/run/search?*', (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('top'));
      const hits = { question: 'oil yield', searched_by: 'words and meaning', passages_searched: 9, works_screened_out: 0, passages }; // prettier-ignore
      return route.fulfill({ json: hits });
    });
    await page.click('.places a:text("Search")');
    await page.fill('#search', 'oil yield');
    await page.press('#search', 'Enter');
    await page.waitForSelector('.hits h2 a');
    assert.deepEqual(asked, ['100']);
    const shown = (): Promise<string[]> => page.locator('.hits h2 a:visible').allTextContents();
    assert.deepEqual(await shown(), ['citing', 'cited']);
    await page.press('#search', 'ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(
      await page.evaluate<string>('document.activeElement.textContent'),
      'cited',
      'what is folded is passed by',
    );
    await page.click('.hits summary:text("2 more of this paper")');
    await page.waitForSelector('.hits h2 a:text("Part 3 · page 2")');
    assert.deepEqual(await shown(), ['citing', 'Part 2 · page 2', 'Part 3 · page 2', 'cited']);
    await page.locator('.hits summary', { hasText: 'Why here' }).first().click();
    assert.match((await page.textContent('.why[open] p')) ?? '', /Place 1, found by words and meaning, fit 0\.80 of 1\.\s+Paper or passage have “oil”, not “yield”\./); // prettier-ignore
    await checkAccessible(page, 'passages of a paper');
  },
);
