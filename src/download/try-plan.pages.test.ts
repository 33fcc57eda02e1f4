import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Plan } from '../resolve/index.ts';
import { HeldClock, loopbackClient, openLoopback } from '../testing/index.ts';
import { NO_IDS, workFromIds } from '../works/index.ts';
import { KeptFiles } from './kept-files.ts';
import type { Trial } from './try-plan.ts';
import { PlanTrier } from './try-plan.ts';

const TITLE = 'Coral bleaching under repeated marine heat waves in a lagoon';
const PDF = `%PDF-1.4\n${'bytes '.repeat(300)}\nstartxref\n0\n%%EOF\n`;
const PLAN: Plan = {
  resolver: 'test',
  url: 'http://p.test/page',
  expect: 'landing',
  isPromised: false,
  license: null,
  version: null,
  hostType: null,
  robots: 'terms',
  credentials: [],
  headers: {},
  checksum: null,
  sameAs: null,
  terms: null,
};

/** Other pages; the first ones pass on to a file. */
const PASSING: Readonly<Record<string, string>> = {
  '/viewer': '<html><iframe src="/file.pdf"></iframe></html>',
  '/wait': '<html><meta http-equiv="refresh" content="3; url=/file.pdf">Your download will start shortly</html>',
  '/abstract': `<html><body><h1>${TITLE}</h1><p>A short abstract.</p><button>Get access</button></body></html>`,
  '/full': `<html><body><h1>${TITLE}</h1>${`<p>${'The reef was visited and each colony was counted. '.repeat(20)}</p>`.repeat(20)}</body></html>`,
  '/again': '<html><meta http-equiv="refresh" content="3; url=/viewer"></html>',
};

/** Tries a plan against a host with this page and a valid file. */
async function tryPage(
  page: string,
  plan: Partial<Plan> = {},
  {
    text,
    urls = [],
    ...named
  }: Partial<{ text: string; title: string | null; doi: string | null; urls: string[] }> = {},
): Promise<Trial & { readonly asked: readonly string[] }> {
  const root = mkdtempSync(join(tmpdir(), 'docstokg-pages-'));
  await using server = await openLoopback(({ url }, response) => {
    if (url.endsWith('/file.pdf')) response.end(PDF);
    else if (url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    else if (url in PASSING) response.writeHead(200, { 'content-type': 'text/html' }).end(PASSING[url]);
    else if (url === '/sale')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body><a>Purchase PDF</a></body></html>');
    else response.writeHead(404).end();
  });
  await using client = loopbackClient(server);
  using files = new KeptFiles(root);
  const { doi = '10.5555/work', title = TITLE } = named;
  const work = workFromIds({ ...NO_IDS, doi, pmid: '31000005' }, { title, urls, authors: ['Ana Berg', 'Wei Liu'] });
  assert.ok(work);
  try {
    const clock = new HeldClock();
    const trier = new PlanTrier(
      work,
      {
        send: client.send,
        files,
        clock,
        inspect:
          text === undefined
            ? undefined
            : () => Promise.resolve({ pages: 9, isEncrypted: false, isReadable: true, text, isQuick: false }),
        accept: new Set(['pdf', 'xml', 'html']),
        maxBytes: 10_000_000,
        budgetMs: 180_000,
        retries: 0,
        signal: new AbortController().signal,
      },
      new Map(),
    );
    const trial = await trier.try({ ...PLAN, ...plan });
    return { ...trial, asked: server.requests.map(({ url }) => url) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const page = (doi: string, more = '', authors = 'Berg, Ana'): string =>
  `<html><head><meta name="citation_title" content="${TITLE}"><meta name="citation_author" content="${authors}">
   <meta name="citation_doi" content="${doi}">${more}<meta name="citation_pdf_url" content="/file.pdf"></head><body></body></html>`;

test('a page returned instead of a file is parsed as a page', async () => {
  for (const plan of [
    { expect: 'pdf', isPromised: true },
    { expect: 'any', isPromised: true },
  ] as const) {
    const { attempt, asked } = await tryPage(page('10.5555/work'), plan);
    assert.deepEqual([attempt.reason, asked], ['success', ['/page', '/file.pdf']]);
  }
});

test('a page with another DOI is another version of the work, and the evidence is saved', async () => {
  const { attempt } = await tryPage(page('10.31219/osf.io/abcde'));
  assert.deepEqual(
    [attempt.reason, attempt.same_as, attempt.version, attempt.evidence],
    ['success', '10.31219/osf.io/abcde', 'submittedVersion', 'title and authors agree'],
  );
});

test('a page with another DOI and other authors is another work, and its file is not downloaded', async () => {
  const { attempt, asked } = await tryPage(page('10.5555/other', '', 'Rossi, Maria'));
  assert.deepEqual([attempt.reason, asked], ['identity-mismatch', ['/page']]);
});

test('the licence of a page is used for its file if no other source states one', async () => {
  const licensed = page('10.5555/work', '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">');
  assert.equal((await tryPage(licensed)).attempt.license, 'cc-by');
});

test('a page that offers the text for sale is paywalled, also behind the link of another page', async () => {
  const sold = page('10.5555/work').replace('/file.pdf', '/sale');
  const { attempt, asked } = await tryPage(sold);
  assert.deepEqual([attempt.reason, asked], ['paywalled', ['/page', '/sale']]);
  for (const html of ['<a>Purchase PDF</a>', '<a>Purchase PDF</a><a href="/file.pdf">Nutzungsbedingungen</a>'])
    assert.equal((await tryPage(`<html><body>${html}</body></html>`)).attempt.reason, 'paywalled', html);
});

test('a linked page is read only if it shows the file or redirects to it, once', async () => {
  for (const between of ['/viewer', '/wait']) {
    const { attempt, asked } = await tryPage(page('10.5555/work').replace('/file.pdf', between));
    assert.deepEqual([attempt.reason, asked], ['success', ['/page', between, '/file.pdf']]);
  }
  const { attempt, asked } = await tryPage(page('10.5555/work').replace('/file.pdf', '/again'));
  assert.deepEqual([attempt.reason, asked], ['html-as-pdf', ['/page', '/again', '/viewer']]);
});

test('the file that a page states comes before a refresh for browsers without scripts', async () => {
  const refresh = '<noscript><meta http-equiv="refresh" content="0; url=/enable-javascript"></noscript>';
  const { attempt, asked } = await tryPage(page('10.5555/work', refresh));
  assert.deepEqual([attempt.reason, asked], ['success', ['/page', '/file.pdf']]);
});

test('a page that is the full text is saved', async () => {
  const prose = `<p>${'The reef was visited in every season and each colony was counted by two divers. '.repeat(12)}</p>`;
  const text = `<html><head><meta name="citation_title" content="${TITLE}"></head><body><h1>${TITLE}</h1>
    <h2>Introduction</h2>${prose.repeat(6)}<h2>Results</h2>${prose.repeat(6)}<h2>Discussion</h2>${prose.repeat(4)}</body></html>`;
  const { attempt, artifact } = await tryPage(text);
  assert.deepEqual([attempt.reason, artifact?.kind], ['success', 'html']);
});

test('a page listed by its URL alone is the work if it is a full text, with or without metadata', async () => {
  const prose = `<p>${'The reef was visited in every season and each colony was counted by two divers. '.repeat(12)}</p>`;
  const essay = (head: string): string =>
    `<html><head>${head}</head><body><h1>An essay</h1>${prose.repeat(20)}</body></html>`;
  const listed = { title: null, doi: null, urls: ['http://p.test/page'] };
  const stated = '<meta name="citation_title" content="An essay"><meta name="citation_doi" content="10.5555/essay">';
  for (const head of ['', '<title>An essay</title>', stated]) {
    const { attempt, artifact } = await tryPage(essay(head), {}, listed);
    assert.deepEqual([attempt.reason, artifact?.kind], ['success', 'html'], head);
  }
  // A page that someone else named must show that it is the work.
  const found = await tryPage(essay(''), {}, { ...listed, urls: [] });
  assert.deepEqual([found.attempt.reason, found.artifact], ['no-pdf-link', null]);
  assert.equal((await tryPage('<html><body><p>Welcome to the journal</p></body></html>', {}, listed)).artifact, null);
});

test('a page that sells the text or calls itself a preview is not the text, whatever it shows and whoever led to it', async () => {
  const prose = `<p>${'The reef was visited in every season and each colony was counted by two divers. '.repeat(9)}</p>`;
  const shown = (notice: string): string =>
    `<html><head><meta name="citation_title" content="${TITLE}"></head><body><h1>${TITLE}</h1>${notice}
     <h2>Introduction</h2>${prose.repeat(3)}<h2>Methods</h2>${prose.repeat(3)}<h2>Results</h2>${prose.repeat(3)}
     <h2>Discussion</h2>${prose.repeat(3)}<h2>References</h2><p>1. A title</p></body></html>`;
  const closed = [
    '<button>Access through <b>your institution</b></button><a href="/buy">Purchase PDF</a>',
    '<h2>Section snippets</h2>',
    '<header><a href="/in">Access through your institution</a></header><p>Purchase access to the full article</p>',
    '<a href="/in">Access through your library</a><p>You do not have access to this chapter</p>',
    '<p>This is a preview of subscription content, <a href="/in">log in via an institution</a> to check access.</p>',
    '<div>Buy article PDF 39,95 €</div>',
    '<p>You do not currently have access to this article.</p>',
    '<a href="/x">Get full access to this article</a>',
    '<p>Log in, subscribe or purchase access</p>',
    '<a href="/x">View all access and purchase options for this article</a>',
    '<p>To read the full-text of this article, sign in or subscribe.</p>',
    '<span>48-hour online access $12.00</span>',
    '<button>Artikel kaufen</button>',
    '<a href="/x">Acheter l’article</a>',
    '<a href="/x">Comprar este artículo</a>',
    '<button>购买全文</button>',
  ];
  for (const notice of closed)
    for (const plan of [{}, { expect: 'html' }] as const) {
      const { attempt, artifact } = await tryPage(shown(notice), plan);
      assert.deepEqual([attempt.reason, artifact], ['paywalled', null], notice);
    }
  // Without the text, the same words mean that it is for subscribers.
  const { attempt: abstractOnly } = await tryPage(
    `<html><head><meta name="citation_title" content="${TITLE}"></head><body><h1>${TITLE}</h1>
     <button>Access through your institution</button><h2>Abstract</h2>${prose}</body></html>`,
  );
  assert.equal(abstractOnly.reason, 'paywalled');
  const open = [
    '<a href="/x">Buy this article in print</a>',
    '<a href="/x">Get rights and content</a>',
    '<a href="/x">Purchase reprints</a><a href="/x">Buy this issue</a>',
    '<nav><a href="/x">Purchase access</a></nav>',
    '<header><ul><li><a href="/x">Access through your institution</a></li><li>Search</li></ul></header>',
    '<div class="menu"><button>Access through <b>your organization</b></button></div>',
    '<a href="/x">Zugang über Ihre Institution</a>',
    '<a href="/x">Accès via votre établissement</a>',
    '<p>Article processing charge: $1,200</p>',
    '<p>Unlimited access for less than $2 a month</p>',
    '<p>A crab is carried into the room during a preview of the auction</p>',
    '<p>In order to access this content on a phone, turn it.</p>',
    '<div>Sign in via your Institution</div><div>Add to Cart</div>',
    '<div class="related-articles"><a href="/y">Another paper</a> <a href="/z">Purchase PDF</a></div>',
    `<p>${'Readers who buy this article pay for access to the full text, and they purchase content. '.repeat(4)}</p>`,
  ];
  for (const notice of open) {
    const { attempt, artifact } = await tryPage(shown(notice));
    assert.deepEqual([attempt.reason, artifact?.kind], ['success', 'html'], notice);
  }
});

test('a page stated to be the full text is saved only if it is', async () => {
  const stated = page('10.5555/work')
    .replace('citation_pdf_url', 'citation_fulltext_html_url')
    .replace('/file.pdf', '/abstract');
  const { attempt, asked, artifact } = await tryPage(stated);
  assert.deepEqual([attempt.reason, asked, artifact], ['paywalled', ['/page', '/abstract'], null]);
  const whole = await tryPage(stated.replace('/abstract', '/full'));
  assert.deepEqual([whole.attempt.reason, whole.artifact?.kind], ['success', 'html']);
});

test('a file that a page only links to is saved only if its text proves that it is the work', async () => {
  const weak = `<html><body><h1>${TITLE}</h1><a href="/file.pdf">PDF</a></body></html>`;
  const other = 'A paper about something else. '.repeat(30);
  const cases: readonly (readonly [text: string, named: object, reason: string])[] = [
    [`${TITLE}. ${other}`, {}, 'success'],
    [`doi: 10.5555/work ${other}`, {}, 'success'],
    [other, {}, 'identity-mismatch'],
    ['', {}, 'identity-mismatch'],
    [`${other} Memory is discussed.`, { title: 'Memory', doi: null }, 'identity-mismatch'],
    [`Memory. Ana Berg. ${other}`, { title: 'Memory', doi: null }, 'success'],
    [other, { title: null, doi: null }, 'identity-mismatch'],
  ];
  for (const [text, named, reason] of cases) {
    const { attempt } = await tryPage(weak, {}, { text, ...named });
    assert.equal(attempt.reason, reason, JSON.stringify([text.slice(0, 40), named]));
  }
  assert.equal((await tryPage(weak)).attempt.reason, 'identity-mismatch', 'no inspector, no proof');
});

test('a file URL guessed from a platform pattern needs something to check it against', async () => {
  const platform = '<html><body><a href="/bitstream/1/2/file.pdf">View</a></body></html>';
  const scan = { text: '' };
  assert.equal((await tryPage(platform, {}, scan)).attempt.reason, 'success', 'a scan of a work with a title');
  const nameless = { ...scan, title: null, doi: null };
  const { attempt, asked } = await tryPage(platform, {}, nameless);
  assert.deepEqual([attempt.reason, asked.length], ['identity-mismatch', 1]);
  // The page's own statement counts.
  const stated = `<meta name="citation_title" content="${TITLE}">`;
  assert.equal(
    (await tryPage(stated + platform, {}, { ...nameless, text: `${TITLE} by A. Berg ${'x '.repeat(300)}` })).attempt
      .reason,
    'success',
  );
  assert.equal(
    (await tryPage(stated + platform, {}, { ...nameless, text: 'Quite another paper. '.repeat(30) })).attempt.reason,
    'identity-mismatch',
  );
});

test('a page that is the full text comes before files it only links to', async () => {
  const prose = `<p>${'The reef was visited in every season and each colony was counted by two divers. '.repeat(12)}</p>`;
  const text = `<html><body><h1>${TITLE}</h1>${prose.repeat(20)}<a href="/file.pdf">PDF</a></body></html>`;
  const { artifact, asked } = await tryPage(text, {}, { text: `${TITLE} ${'x '.repeat(300)}` });
  assert.deepEqual([artifact?.kind, asked], ['html', ['/page']]);
  const cites = `<h2>References</h2><ol><li>Berg A. ${TITLE}. 2020.</li></ol></body>`;
  const citing = text.replace(TITLE, 'A paper of another name on fishes and whales').replace('</body>', cites);
  assert.equal((await tryPage(citing)).attempt.reason, 'identity-mismatch');
  const another = await tryPage(text.replace(TITLE, 'A paper of another name on fishes and whales'));
  assert.equal(another.attempt.reason, 'identity-mismatch');
});

test('a wall instead of a page is reported, and nothing behind it is requested', async () => {
  const { attempt, asked } = await tryPage(
    '<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={}</script></body></html>',
  );
  assert.deepEqual([attempt.reason, asked], ['bot-wall', ['/page']]);
});
