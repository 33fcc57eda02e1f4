import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { WALL_SIGNS, isForSale, wallOf } from './wall.ts';

const RECORDED = join(import.meta.dirname, '../../../shared/data/api-fixtures/open/landing');
const skip = existsSync(RECORDED) ? false : `${RECORDED} is absent`;

const wall = (text: string, more: Partial<Parameters<typeof wallOf>[0]> = {}): string | undefined =>
  wallOf({ status: 200, url: new URL('https://p.example/article/7'), headers: {}, text, ...more });

const page = (head: string, body: string): string =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;

/** Vendors' pages, by vendor; written by hand. */
const WALLS: Readonly<Record<string, readonly { status: number; headers?: Record<string, string>; text: string }[]>> = {
  Cloudflare: [
    {
      status: 403,
      text: page(
        '<title>Just a moment...</title><meta http-equiv="refresh" content="390">',
        '<noscript><span id="challenge-error-text">Enable JavaScript and cookies to continue</span></noscript><script>window._cf_chl_opt={cvId:"3"};</script>',
      ),
    },
    { status: 200, text: page('<title>Ein Moment…</title>', '<script>(function(){window._cf_chl_opt={}})()</script>') },
    { status: 429, text: 'error code: 1015' },
    { status: 403, text: 'error code: 1020\n' },
    { status: 403, headers: { 'cf-mitigated': 'challenge' }, text: '' },
    {
      status: 403,
      text: page(
        '<title>Attention Required! | Cloudflare</title>',
        '<div id="cf-error-details"><h1>Sorry, you have been blocked</h1><h2>You are unable to access p.example</h2></div>',
      ),
    },
  ],
  'AWS WAF': [
    { status: 202, headers: { 'x-amzn-waf-action': 'challenge' }, text: '' },
    { status: 405, headers: { 'x-amzn-waf-action': 'captcha' }, text: page('<title>Human Verification</title>', '') },
  ],
  Anubis: [
    {
      status: 200,
      text: page(
        '<title>Making sure you&#39;re not a bot!</title><link rel="stylesheet" href="/.within.website/x/xess/xess.css">',
        '<main><h1 id="title">Making sure you&#39;re not a bot!</h1><p id="status">Loading...</p><details><summary>Why am I seeing this?</summary><p>You are seeing this because the administrator of this website has set up Anubis to protect the server against the scourge of AI companies aggressively scraping websites. This can and does cause downtime for the websites, which makes their resources inaccessible for everyone.</p></details><script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script></main>',
      ),
    },
  ],
  'PubMed Central': [
    {
      status: 200,
      text: page(
        '<title>Preparing to download ...</title>',
        '<p>Preparing to download ...</p><script>const POW_CHALLENGE="x"; const POW_COOKIE_NAME="cloudpmc-viewer-pow";</script>',
      ),
    },
  ],
  'reCAPTCHA at NCBI': [
    {
      status: 200,
      text: page(
        '<title>Checking your browser - reCAPTCHA</title>',
        '<h1>Checking your browser before accessing pmc.ncbi.nlm.nih.gov ...</h1><p>Click here if you are not automatically redirected after 5 seconds.</p>',
      ),
    },
  ],
  Radware: [
    {
      status: 200,
      text: page(
        '<title>Radware Bot Manager Captcha</title>',
        '<h2>We apologize for the inconvenience...</h2><p>To ensure we keep this website safe, please can you confirm you are a human by ticking the box below.</p>',
      ),
    },
    {
      status: 200,
      text: page('<title></title>', '<script src="https://cdn.perfdrive.com/aperture/aperture.js"></script>'),
    },
  ],
  DataDome: [
    {
      status: 403,
      text: page(
        '<title>p.example</title>',
        `<p id="cmsg">Please enable JS and disable any ad blocker</p><script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script><script src="https://ct.captcha-delivery.com/c.js"></script>`,
      ),
    },
  ],
  Akamai: [
    {
      status: 403,
      text: '<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \nYou don\'t have permission to access "http&#58;&#47;&#47;p&#46;example&#47;" on this server.<P>\nReference&#32;&#35;18&#46;4d3f1502&#46;1700000000&#46;2f1a\n</BODY>\n</HTML>\n',
    },
    {
      status: 429,
      text: page('<title></title>', '<div id="sec-if-cpt-container"></div><script src="/x/y?v=1"></script>'),
    },
  ],
  'HUMAN (PerimeterX)': [
    {
      status: 403,
      text: page(
        '<title>Access to this page has been denied.</title>',
        '<div id="px-captcha"></div><p>Press &amp; Hold to confirm you are a human (and not a bot).</p>',
      ),
    },
  ],
  'Imperva (Incapsula)': [
    {
      status: 200,
      text: page(
        '<META NAME="robots" CONTENT="noindex,nofollow">',
        '<script src="/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d891814e9a2dace20bd4,719d34d31c8e3a6e6fffd425f7e032f3"></script>',
      ),
    },
    {
      status: 403,
      text: page(
        '',
        '<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=1">Request unsuccessful. Incapsula incident ID: 877000440-1</iframe>',
      ),
    },
  ],
  F5: [
    {
      status: 200,
      text: page(
        '<title>Request Rejected</title>',
        'The requested URL was rejected. Please consult with your administrator.<br>Your support ID is: 1234',
      ),
    },
  ],
  Vercel: [
    { status: 429, text: page('<title>Vercel Security Checkpoint</title>', '<p>We are verifying your browser</p>') },
  ],
  Kasada: [{ status: 429, text: page('', '<script>window.KPSDK={};</script>') }],
  Fastly: [
    {
      status: 200,
      text: page(
        '<title>Client Challenge</title>',
        '<p>JavaScript is disabled in your browser. Please enable JavaScript to proceed.</p><script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js"></script>',
      ),
    },
  ],
  Silverchair: [
    {
      status: 200,
      text: page(
        '<title>Validate User</title>',
        '<form action="/crawlprevention/governor?content=%2fbib%2farticle%2f1"><p>We are sorry, but we are experiencing unusual traffic at this time. Please help us confirm that you are not a robot and we will take you to your content.</p><div class="g-recaptcha"></div></form>',
      ),
    },
  ],
  Sucuri: [
    {
      status: 403,
      text: page(
        '<title>Sucuri WebSite Firewall - Access Denied</title>',
        '<p>If you are the site owner, please contact cloudproxy@sucuri.net.</p>',
      ),
    },
    {
      status: 307,
      text: page('<title>You are being redirected...</title>', '<script>sucuri_cloudproxy_js=""</script>'),
    },
  ],
  'DDoS-Guard': [
    {
      status: 403,
      text: page('<title>DDoS-Guard</title>', '<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>'),
    },
  ],
  SiteGround: [
    {
      status: 202,
      text: page('<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2Farticle&y=ipc:1.2.3.4:1.1">', ''),
    },
  ],
  'Alibaba Cloud': [
    { status: 200, text: '<html><script>var arg1="8A";document.cookie="acw_sc__v2="+x</script></html>' },
  ],
  'go-away': [
    {
      status: 200,
      text: page(
        '<title>Checking you are not a bot</title>',
        '<script src="/.well-known/.git.gammaspectra.live/git/go-away/cmd/go-away/challenge/x"></script>',
      ),
    },
  ],
};

test('every vendor in the list has an example, and each is detected as a wall', () => {
  assert.deepEqual(Object.keys(WALLS).toSorted(), Object.keys(WALL_SIGNS).toSorted());
  for (const [vendor, pages] of Object.entries(WALLS))
    for (const each of pages) assert.equal(wall(each.text, each), 'bot-wall', `${vendor}: ${each.text.slice(0, 200)}`);
});

const CITED = '<meta name="citation_title" content="A study"><meta name="citation_doi" content="10.5555/1">';
/** What the same vendors and publishers include in the pages of open articles. */
const IN_ORDINARY_PAGES = [
  `<script>(function(){window.__CF$cv$params={r:'8'};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'})();</script>`,
  '<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3&ns=2&cb=1"></script>',
  '<script src="https://cdn.perfdrive.com/aperture/aperture.js"></script>',
  '<script src="https://js.datadome.co/tags.js"></script>',
  '<script src="https://client.px-cloud.net/PX1/main.min.js"></script>',
  '<form action="/login"><input name="user"><input type="password"></form>',
  '<a href="/cart">Add to Cart</a><a>Get access</a>',
  '<div class="g-recaptcha" data-sitekey="x"></div>',
  '<p>Please enable cookies to save your searches.</p>',
];

test('an article page is parsed despite its guard scripts', () => {
  const prose = '<p>The quick brown fox jumps over the lazy dog near the river bank where it rested. </p>'.repeat(40);
  for (const carried of IN_ORDINARY_PAGES) {
    assert.equal(wall(page(CITED, carried)), undefined, carried);
    assert.equal(wall(page('<meta name="DC.Title" content="A study">', carried)), undefined, carried);
    assert.equal(wall(page('<title>A study</title>', prose + carried)), undefined, carried);
  }
  const structured = '<script type="application/ld+json">{"@type":"ScholarlyArticle","name":"A study"}</script>';
  assert.equal(wall(page(structured, IN_ORDINARY_PAGES.join(''))), undefined);
  assert.equal(wall(page(CITED, '<h1>Not found</h1>')), undefined);
  const built = page('<meta property="og:type" content="article">', '<input type="password">Sign in');
  assert.equal(wall(built), undefined);
});

test('closed pages that are not bot walls have their own reasons', () => {
  assert.equal(wall('<div class="g-recaptcha"></div>'), 'blocked-captcha');
  assert.equal(wall('<form><input type="password"></form>'), 'blocked-login');
  assert.equal(wall('', { url: new URL('https://idp.example/login?x=1') }), 'blocked-login');
  assert.equal(wall('', { url: new URL('https://p.example/action/cookieAbsent') }), 'blocked-cookie');
  assert.equal(wall('<title>Page not found | X</title>'), 'soft-404');
  assert.equal(wall('<title>404 Not Found</title>'), 'soft-404');
  for (const title of ['Seite nicht gefunden', 'Page introuvable', '页面不存在'])
    assert.equal(wall(`<title>${title}</title>`), 'soft-404', title);
  for (const title of ['Anmelden - Bibliothek', 'Iniciar sesión', '用户登录'])
    assert.equal(wall(`<title>${title}</title>`), 'blocked-login', title);
  assert.equal(wall('<title>Gene 404 was not found in mice</title>'), undefined);
  assert.equal(wall('gone', { status: 404 }), undefined);
  assert.equal(wall(page('<title>App</title>', '<div id="root"></div>')), undefined);
  assert.equal(isForSale('<a>Purchase PDF</a>'), true);
  assert.equal(isForSale('<a>Download PDF</a>'), false);
});

test('recorded pages: challenges are walls, article pages are not', { skip }, () => {
  for (const name of globSync('*.html', { cwd: RECORDED })) {
    const expected = /challenge/.test(name) ? 'bot-wall' : undefined;
    assert.equal(wall(readFileSync(join(RECORDED, name), 'utf8')), expected, name);
  }
});
