import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { decodePage, readLandingPage } from '../index.ts';
import { parseLinkHeader } from './link-header.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const skip = existsSync(DATA) ? false : `${DATA} is absent`;
const page = new URL('https://journal.example/article/view/7');

const urls = (html: string, headers = {}): string[] => readLandingPage(html, page, headers).links.map(({ url }) => url);

test('recorded pages lead to their PDF and say whose they are', { skip }, () => {
  const read = (name: string, url: string): ReturnType<typeof readLandingPage> =>
    readLandingPage(readFileSync(join(DATA, 'api-fixtures/open/landing', name), 'utf8'), new URL(url));
  const peerj = read('peerj.html', 'https://peerj.com/articles/4886/');
  assert.equal(peerj.links[0]?.url, 'https://peerj.com/articles/4886.pdf');
  assert.equal(peerj.links[0]?.trust, 1);
  assert.equal(peerj.doi, '10.7717/peerj.4886');
  assert.match(peerj.title ?? '', /^Reef fish communities/);
  const plos = read('plos-one.html', 'https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0213978');
  assert.equal(
    plos.links[0]?.url,
    'https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0213978&type=printable',
  );
  assert.equal(plos.doi, '10.1371/journal.pone.0213978');
  const wall = read('cloudflare-challenge-acs.html', 'https://pubs.acs.org/doi/abs/10.1021/acscombsci.5b00087');
  assert.deepEqual([wall.links, wall.refresh, wall.title], [[], null, 'Just a moment...']);
});

test('every way of naming the file is understood', () => {
  for (const [html, expected] of [
    ['<meta name="citation_pdf_url" content="https://f.example/a.pdf?x=1&amp;y=2">', 'https://f.example/a.pdf?x=1&y=2'],
    ['<meta content=/a.pdf name=citation_pdf_url>', 'https://journal.example/a.pdf'],
    ['<META PROPERTY="citation_pdf_url" CONTENT=\'../b.pdf\'/>', 'https://journal.example/article/b.pdf'],
    [
      '<base href="https://cdn.example/x/"><meta name="citation_pdf_url" content="c.pdf">',
      'https://cdn.example/x/c.pdf',
    ],
    ['<meta name="bepress_citation_pdf_url" content="/d.pdf">', 'https://journal.example/d.pdf'],
    ['<link type="application/pdf" href="/e" rel="alternate">', 'https://journal.example/e'],
    ['<link rel=alternate type="text/xml" href="/f.xml">', 'https://journal.example/f.xml'],
    [
      '<script type="application/ld+json">{"@type":"ScholarlyArticle","encoding":[{"contentUrl":"/g.pdf","encodingFormat":"application/pdf"}]}</script>',
      'https://journal.example/g.pdf',
    ],
    [
      '<script type="application/ld+json">{"@graph":[{"@type":["WebPage"]},{"@type":"Article","associatedMedia":{"contentUrl":"/h","fileFormat":"application/pdf"}}]}</script>',
      'https://journal.example/h',
    ],
    ['<embed type="application/pdf" src="/i">', 'https://journal.example/i'],
    ['<object data="/j.pdf"></object>', 'https://journal.example/j.pdf'],
    ['<a class="obj_galley_link pdf" href="/article/view/7/9">PDF</a>', 'https://journal.example/article/download/7/9'],
    [
      '<a href="/bitstreams/01234567-89ab-cdef-0123-456789abcdef/download">Download</a>',
      'https://journal.example/server/api/core/bitstreams/01234567-89ab-cdef-0123-456789abcdef/content',
    ],
    ['<a href="/doi/pdf/10.1000/x">PDF</a>', 'https://journal.example/doi/pdf/10.1000/x'],
    ['<a href="/files/k.pdf" title="Download PDF">full text</a>', 'https://journal.example/files/k.pdf'],
  ] as const) {
    assert.deepEqual(urls(`<html><head>${html}</head></html>`), [expected], html);
  }
  assert.deepEqual(
    urls('', {
      link: '<https://f.example/l.pdf>; rel="item"; type="application/pdf", <https://f.example/m>; rel="cite-as"',
    }),
    ['https://f.example/l.pdf'],
  );
});

test('what merely looks like the file is left out or comes last', () => {
  assert.deepEqual(urls('<a href="/guidelines.pdf">Author guidelines</a><a href="/suppl1.pdf">PDF</a>'), []);
  const both = urls(
    '<a href="/x.pdf">PDF</a><meta name="citation_pdf_url" content="/s.pdf?supplement=1"><meta name="citation_pdf_url" content="/a.pdf">',
  );
  assert.deepEqual(both, ['https://journal.example/a.pdf', 'https://journal.example/x.pdf']);
  assert.deepEqual(urls('<script>document.write(\'<meta name="citation_pdf_url" content="/js.pdf">\')</script>'), []);
  assert.deepEqual(urls('<!-- <meta name="citation_pdf_url" content="/comment.pdf"> -->'), []);
  assert.deepEqual(
    urls('<meta name="citation_pdf_url" content="https://journal.example/article/view/7">'),
    [],
    'the page itself',
  );
});

test('a refresh, a licence and a DOI are read', () => {
  const read = readLandingPage(
    '<meta http-equiv="Refresh" content="0; URL=\'/next?a=1\'"><link rel="license" href="https://creativecommons.org/licenses/by/4.0/"><meta name="citation_doi" content="doi:10.1000/ABC">',
    page,
  );
  assert.equal(read.refresh, 'https://journal.example/next?a=1');
  assert.equal(read.license?.slug, 'cc-by');
  assert.equal(read.doi, '10.1000/abc');
  assert.equal(readLandingPage('<meta http-equiv="refresh" content="35">', page).refresh, null);
  assert.equal(readLandingPage('<meta http-equiv="refresh" content="0;url=javascript:alert(1)">', page).refresh, null);
  assert.equal(readLandingPage('<meta name="dc.rights" content="All rights reserved">', page).license, null);
});

test('the DOI is read wherever pages state it, the most exact statement first', () => {
  for (const [html, doi] of [
    ['<meta name="dc.identifier" content="doi:10.1000/ABC">', '10.1000/abc'],
    [
      '<meta name="DC.Identifier" scheme="publisher-id" content="11327507"><meta name="DC.Identifier" scheme="doi" content="10.1000/ABC">',
      '10.1000/abc',
    ],
    [
      '<meta name="DC.Identifier.DOI" content="10.1000/abc"><meta name="DC.Identifier" content="https://hdl.example/1">',
      '10.1000/abc',
    ],
    [
      '<meta name="dc.identifier" content="10.1000/other"><meta property="citation_doi" content="10.1000/abc">',
      '10.1000/abc',
    ],
    ['<meta name="prism.doi" content="doi:10.1000/abc">', '10.1000/abc'],
    ['<link rel="cite-as" href="https://doi.org/10.1000/abc">', '10.1000/abc'],
    [
      '<script type="application/ld+json">{"@type":"ScholarlyArticle","identifier":{"@type":"PropertyValue","propertyID":"doi","value":"10.1000/abc"}}</script>',
      '10.1000/abc',
    ],
    [
      '<script type="application/ld+json">{"@type":"ScholarlyArticle","sameAs":"https://doi.org/10.1000/abc"}</script>',
      '10.1000/abc',
    ],
    ['<meta name="dc.identifier" content="ISSN 1234-5678">', null],
  ] as const)
    assert.equal(readLandingPage(html, page).doi, doi, html);
});

test('the licence is read wherever pages state it; several that disagree are none', () => {
  const BY = 'https://creativecommons.org/licenses/by/4.0/';
  for (const [html, slug] of [
    [`<meta name="DC.Rights" content="${BY}">`, 'cc-by'],
    [`<meta name="dc.rights" content="© 2020 The authors. Licensed under ${BY}">`, 'cc-by'],
    [`<a href="${BY}">CC BY 4.0</a>`, 'cc-by'],
    [`<a href="${BY}">one</a> <a href="http://creativecommons.org/licenses/by/3.0/">two</a>`, 'cc-by'],
    [`<a href="${BY}">one</a> <a href="https://creativecommons.org/licenses/by-nc/4.0/">two</a>`, null],
    [`<a href="https://creativecommons.org/licenses/by-nc/4.0/">site</a><link rel="license" href="${BY}">`, 'cc-by'],
    [`<script type="application/ld+json">{"@type":"ScholarlyArticle","license":{"@id":"${BY}"}}</script>`, 'cc-by'],
    ['<meta name="dc.Rights" content="© 2008 Informa UK Ltd All rights reserved">', null],
  ] as const)
    assert.equal(readLandingPage(html, page).license?.slug ?? null, slug, html);
});

test('authors and a reservation of mining are read', () => {
  const read = readLandingPage(
    '<meta name="citation_author" content="Lovelace, Ada"><meta name="citation_author" content="Grace Hopper"><meta name="dc.creator" content="Nobody"><meta name="tdm-reservation" content="1">',
    page,
  );
  assert.deepEqual(read.authors, ['Lovelace, Ada', 'Grace Hopper']);
  assert.equal(read.tdmReserved, true);
  assert.deepEqual(readLandingPage('<meta name="citation_authors" content="A. B.; C. D.">', page).authors, [
    'A. B.',
    'C. D.',
  ]);
});

test('a page is told to be the full text by its prose and its sections, an abstract page is none', () => {
  const prose = (words: number): string => `<p>${'lorem '.repeat(words)}</p>`;
  const sections = ['1. Introduction', 'Materials and Methods', 'Results', 'Discussion', 'References'];
  const paper = sections.map((name) => `<h2>${name}</h2>${prose(120).repeat(4)}`).join('');
  const read = (body: string): boolean => readLandingPage(`<body>${body}</body>`, page).isFullText;
  assert.equal(read(paper), true);
  assert.equal(
    read(
      `<h2>Abstract</h2>${prose(250)}<h2>References</h2><ul>${'<li>A. Author, A title of some length, 2020</li>'.repeat(200)}</ul>`,
    ),
    false,
  );
  assert.equal(read(sections.map((name) => `<h2>${name}</h2>${prose(60)}`).join('')), false);
  assert.equal(read(prose(120).repeat(30)), false);
  assert.equal(read(`<script>${paper}</script>`), false);
});

test("the address of Elsevier's file is read from the data of its page", () => {
  const data =
    '{"article":{"pdfDownload":{"isPdfFullText":false,"urlMetadata":{"queryParams":{"md5":"0123456789abcdef0123456789abcdef","pid":"1-s2.0-S1-main.pdf"},"pii":"S1","pdfExtension":"/pdfft","path":"science/article/pii"}}}}';
  assert.deepEqual(urls(`<script type="application/json">${data}</script>`), [
    'https://journal.example/science/article/pii/S1/pdfft?md5=0123456789abcdef0123456789abcdef&pid=1-s2.0-S1-main.pdf',
  ]);
});

test('links in headers are read with commas and quotes in them', () => {
  assert.deepEqual(parseLinkHeader('<a,b>; rel="item alternate"; title="x, y"; type="application/pdf", <c>;rel=next'), [
    { target: 'a,b', rel: ['item', 'alternate'], type: 'application/pdf' },
    { target: 'c', rel: ['next'], type: null },
  ]);
  assert.deepEqual(parseLinkHeader('<unclosed'), []);
  assert.deepEqual(parseLinkHeader(undefined), []);
});

test('pages are read in the charset they are in, and in no dangerous one', () => {
  assert.equal(decodePage(Buffer.from('caf\u00e9', 'latin1'), 'text/html; charset=ISO-8859-1'), 'caf\u00e9');
  assert.equal(
    decodePage(Buffer.from('<meta charset="windows-1251">\xef\xf0', 'latin1'), 'text/html').slice(-2),
    '\u043f\u0440',
  );
  assert.equal(decodePage(Buffer.from('\uFEFFx'), undefined), 'x');
  assert.equal(decodePage(Buffer.from('\x1b$B'), 'text/html; charset=iso-2022-jp'), '\x1b$B');
});

test('every hostile page is read within bounds and yields no dangerous link', { skip }, () => {
  const folder = join(DATA, 'hostile/open/markup');
  for (const name of globSync('h*.html*', { cwd: folder })) {
    const bytes = readFileSync(join(folder, name));
    const html = decodePage(name.endsWith('.gz') ? gunzipSync(bytes).subarray(0, 5_000_000) : bytes, 'text/html');
    const startedAt = process.cpuUsage().user;
    const read = readLandingPage(html, page);
    const seconds = (process.cpuUsage().user - startedAt) / 1e6;
    assert.ok(seconds < 5, `${name}: ${seconds} s`);
    assert.ok(read.links.length <= 20, name);
    for (const { url } of read.links) assert.match(url, /^https?:/, name);
  }
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});
