import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { decodePage, readLandingPage } from '../index.ts';
import { parseLinkHeader } from './page-statements.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const skip = existsSync(DATA) ? false : `${DATA} is absent`;
const page = new URL('https://journal.example/article/view/7');

const urls = (html: string, headers = {}): string[] => readLandingPage(html, page, headers).links.map(({ url }) => url);

test('recorded pages link to their PDF and identify their work', { skip }, () => {
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

test('every kind of link to the file is found', () => {
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
    ['<frameset><frame src="/menu.html"><frame src="/j2.pdf"></frameset>', 'https://journal.example/j2.pdf'],
    [
      '<iframe src="/stampPDF/getPDF.jsp?arnumber=1"></iframe>',
      'https://journal.example/stampPDF/getPDF.jsp?arnumber=1',
    ],
    ['<iframe src="/pdfjs/web/viewer.html?file=%2Fget%2F12%3Fx%3D1"></iframe>', 'https://journal.example/get/12?x=1'],
    [
      '<iframe src="https://docs.google.com/viewer?url=https%3A%2F%2Fj.example%2Fp.pdf&amp;embedded=true"></iframe>',
      'https://j.example/p.pdf',
    ],
    ['<meta name="citation_pdf_url" content="/get?a=1&amp;amp;b=2">', 'https://journal.example/get?a=1&b=2'],
    ['<a href="/files/12/download">Download full text (PDF)</a>', 'https://journal.example/files/12/download'],
    ['<a href="/get/12" download="paper.pdf">Article</a>', 'https://journal.example/get/12'],
    ['<a href="/get/12" type="application/pdf">Article</a>', 'https://journal.example/get/12'],
    ['<a href="/12.pdf"><img src="/pdf.gif"></a>', 'https://journal.example/12.pdf'],
    ['<a href="/12.pdf">Télécharger</a>', 'https://journal.example/12.pdf'],
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
  assert.deepEqual(urls('', { link: '<https://f.example/l.pdf>; rel="item", <https://f.example/m>; rel="item"' }), [
    'https://f.example/l.pdf',
  ]);
});

test('links that only look like the file are dropped or come last', () => {
  assert.deepEqual(urls('<a href="/guidelines.pdf">Author guidelines</a><a href="/suppl1.pdf">PDF</a>'), []);
  const many = [1, 2, 3, 4].map((at) => `<a href="/${at}.pdf">Artikel ${at}</a>`).join('');
  assert.deepEqual(urls(`<body>${many}</body>`), [], 'a list');
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

test('files of cited and related works are not files of the article', () => {
  const own = '<a href="/article/7.pdf">Download PDF</a>';
  for (const list of [
    '<h2>References</h2><ol><li>A. Berg. <a href="/old/cited.pdf">PDF</a></li></ol>',
    '<h3>Notes and References</h3><div><p>Berg, 2001. <a href="/old/cited.pdf">[Full Text PDF]</a></p></div>',
    '<p><b>Bibliography</b></p><p>Berg <a href="/old/cited.pdf">download pdf</a></p>',
    '<div class="article-references"><div>Berg <a href="/old/cited.pdf">PDF</a></div></div>',
    '<ol><li id="ref12">Berg <a href="/old/cited.pdf">PDF</a></li></ol>',
    '<section id="ref-list"><a href="/article/download/3/4">PDF</a></section>',
    '<h2>Cited by</h2><a href="/bitstream/1/2/other.pdf">PDF</a>',
    '<div><h2>Related articles</h2></div><ul><li><a class="galley-link pdf" href="/article/view/8/9">PDF</a></li></ul>',
    '<h2>Literatur</h2><p><a href="/alt/zitiert.pdf">PDF</a></p>',
  ]) {
    assert.deepEqual(
      urls(`<body><h1>A study</h1>${own}${list}</body>`),
      ['https://journal.example/article/7.pdf'],
      list,
    );
    assert.deepEqual(urls(`<body><h1>A study</h1>${list}</body>`), [], list);
  }
  // A menu entry with the list's name does not start the list, and the list ends with its section.
  for (const html of [
    `<ul><li><a href="#r">References</a></li></ul>${own}`,
    `<section><h2>References</h2><ol><li>Berg</li></ol></section><div>${own}</div>`,
    `<div class="refs"><h2>References</h2><div><p>Berg</p></div></div>${own}`,
    `<h2>References</h2><p>Berg</p><h2>Download</h2>${own}`,
  ])
    assert.deepEqual(urls(`<body>${html}</body>`), ['https://journal.example/article/7.pdf'], html);
});

test('a link to another site is not a file of the article unless its URL contains the DOI', () => {
  const doi = '<meta name="citation_doi" content="10.1000/abc">';
  assert.deepEqual(urls(`${doi}<a href="https://elsewhere.example/x.pdf">PDF</a>`), []);
  assert.deepEqual(urls(`${doi}<a href="https://elsewhere.example/bitstream/1/x.pdf">PDF</a>`), []);
  assert.deepEqual(urls(`${doi}<a href="https://elsewhere.example/doi/pdf/10.1000/abc">PDF</a>`), [
    'https://elsewhere.example/doi/pdf/10.1000/abc',
  ]);
  assert.deepEqual(urls(`${doi}<a href="https://files.journal.example/x.pdf">PDF</a>`), [
    'https://files.journal.example/x.pdf',
  ]);
  const british = readLandingPage('<a href="https://other.ac.uk/x.pdf">PDF</a>', new URL('https://www.one.ac.uk/a'));
  assert.deepEqual(british.links, []);
});

test('supplements, author guides and whole issues are not the article', () => {
  for (const html of [
    '<a href="/content/mmc2.pdf">Download PDF</a>',
    '<a href="/s41586_2020_1_MOESM3_ESM.pdf">PDF</a>',
    '<a href="/files/x-sup-0001.pdf">Download PDF</a>',
    '<a href="/ja123_si_001.pdf">PDF</a>',
    '<a href="/files/1.pdf">Supporting information (PDF)</a>',
    '<a href="/files/1.pdf">Download the guide for authors (PDF)</a>',
    '<a href="/files/1.pdf">Instructions to authors (PDF)</a>',
    '<a href="/author_guidelines.pdf">PDF</a>',
    '<a href="/files/1.pdf">Copyright form (PDF)</a>',
    '<a href="/files/1.pdf">Download full issue PDF</a>',
    '<a href="/files/1.pdf" title="Peer review file">PDF</a>',
  ])
    assert.deepEqual(urls(html), [], html);
  // Words in a title are not a reason.
  assert.deepEqual(urls('<a href="/guidelines-for-stroke-care.pdf">PDF</a>'), [
    'https://journal.example/guidelines-for-stroke-care.pdf',
  ]);
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
  for (const [html, headers] of [
    ['<meta http-equiv="refresh" content="2; /next">', {}],
    ['', { refresh: '1; url=/next' }],
  ] as const)
    assert.equal(readLandingPage(html, page, headers).refresh, 'https://journal.example/next', html);
  const expiry = '<meta http-equiv="refresh" content="1800; url=/session-timeout">';
  assert.equal(readLandingPage(expiry, page).refresh, null);
  assert.equal(readLandingPage('<meta http-equiv="refresh" content="0;url=javascript:alert(1)">', page).refresh, null);
  assert.equal(readLandingPage('<meta name="dc.rights" content="All rights reserved">', page).license, null);
});

test('the DOI is read from every place, the most specific first', () => {
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

test('the licence is read from every place; conflicting ones give none', () => {
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
    // As below every paper in the ACL Anthology.
    [
      '<footer><p>Materials prior to 2016 here are licensed under the <a rel="license" href="https://creativecommons.org/licenses/by-nc-sa/3.0/">CC BY-NC-SA 3.0</a>. Materials published in or after 2016 are licensed on a <a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</p></footer>',
      null,
    ],
    ...(
      [
        [2021, 'cc-by'],
        [2016, 'cc-by'],
        [2015, null],
      ] as const
    ).map(
      ([year, slug]) =>
        [
          `<meta name="citation_publication_date" content="${year}/6"><footer><a rel="license" href="${BY}"><img></a><p>Materials prior to 2016 here are licensed under the <a href="https://creativecommons.org/licenses/by-nc-sa/3.0/">CC BY-NC-SA 3.0</a>. Materials published in or after 2016 are licensed on a <a href="${BY}">CC BY 4.0</a>.</p></footer>`,
          slug,
        ] as const,
    ),
    [
      `<meta name="dc.date" content="1999"><p>Articles until 2005 are licensed under <a href="https://creativecommons.org/licenses/by-nc/4.0/">CC BY-NC</a>. Articles since 2006 under <a href="${BY}">CC BY</a>.</p>`,
      'cc-by-nc',
    ],
    // As on BMC's pages.
    [
      `<p>This article is distributed under the terms of the <a href="${BY}">licence</a>. The public domain waiver (<a href="https://creativecommons.org/publicdomain/zero/1.0/">zero</a>) applies to the data made available in this article.</p>`,
      'cc-by',
    ],
    [
      `<article><a href="${BY}">CC BY</a></article><footer>Site: <a href="https://creativecommons.org/licenses/by-nc/4.0/">x</a></footer>`,
      'cc-by',
    ],
    [
      '<p>This is an open access article distributed under the terms of the Creative Commons Attribution License, which permits reuse.</p>',
      'cc-by',
    ],
    ['<p>© The Authors. Published under a CC BY-NC-ND 4.0 license.</p>', 'cc-by-nc-nd'],
    [
      '<p>This work is licensed under a Creative Commons Attribution-NonCommercial 4.0 International License.</p>',
      'cc-by-nc',
    ],
    ['<p>Authors may choose CC BY or CC BY-NC.</p>', null],
    ['<p>The photographs are licensed under CC BY-SA 3.0 by their makers.</p>', null],
    ['<h2>References</h2><p>Berg, A. This article is licensed under CC BY 4.0</p>', null],
  ] as const)
    assert.equal(readLandingPage(html, page).license?.slug ?? null, slug, html);
});

test('authors and a text mining reservation are read', () => {
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

test('a full text page is recognised by its prose and sections, an abstract page is not one', () => {
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
  // A short communication has all sections of a paper; a preview shows the beginning of each.
  assert.equal(read(sections.map((name) => `<h2>${name}</h2>${prose(90).repeat(3)}`).join('')), true);
  assert.equal(read(sections.map((name) => `<h2>${name}</h2>${prose(270)}`).join('')), false);
  // Essays, law reviews and the humanities have other headings, or none.
  assert.equal(read(`<h1>On seeing</h1>${prose(120).repeat(30)}`), true);
  assert.equal(read(`<h2>The gaze</h2>${prose(90).repeat(12)}<h2>The mirror</h2>${prose(90).repeat(12)}`), true);
  assert.equal(read(`<font>${`${'lorem '.repeat(100)}<br><br>`.repeat(25)}</font>`), true, 'paragraphs of old pages');
  // News has links to other news in between, and no abstract.
  const news = `${prose(70).repeat(4)}<p><a href="/x">Other news</a></p>`.repeat(3);
  const stated = '<meta name="citation_title" content="News">';
  assert.equal(read(stated + news), true);
  assert.equal(read(news), false, 'not about a work');
  assert.equal(read(`${stated}<h2>Abstract</h2>${news}`), false, 'a long abstract');
  assert.equal(read(`${stated}${`<p><a href="/x">Other news</a></p>${prose(70)}`.repeat(12)}`), false, 'teasers');
  // A list of abstracts, each with a heading, also has many words.
  assert.equal(read(`<h2>A paper</h2>${prose(200)}`.repeat(30)), false);
  assert.equal(read(`<ul>${`<li><a href="/x">A paper</a>${prose(200)}</li>`.repeat(30)}</ul>`), false);
  assert.equal(read(`<h2>Comments</h2>${prose(200)}<h2>References</h2>${prose(50).repeat(60)}`), false);
  assert.equal(read(`<script>${paper}</script>`), false);
});

test('the file URL of Elsevier is read from the page data', () => {
  const data =
    '{"article":{"pdfDownload":{"isPdfFullText":false,"urlMetadata":{"queryParams":{"md5":"0123456789abcdef0123456789abcdef","pid":"1-s2.0-S1-main.pdf"},"pii":"S1","pdfExtension":"/pdfft","path":"science/article/pii"}}}}';
  assert.deepEqual(urls(`<script type="application/json">${data}</script>`), [
    'https://journal.example/science/article/pii/S1/pdfft?md5=0123456789abcdef0123456789abcdef&pid=1-s2.0-S1-main.pdf',
  ]);
});

test('Link headers with commas and quotes are parsed', () => {
  assert.deepEqual(parseLinkHeader('<a,b>; rel="item alternate"; title="x, y"; type="application/pdf", <c>;rel=next'), [
    { target: 'a,b', rel: ['item', 'alternate'], type: 'application/pdf' },
    { target: 'c', rel: ['next'], type: null },
  ]);
  assert.deepEqual(parseLinkHeader('<unclosed'), []);
  assert.deepEqual(parseLinkHeader(undefined), []);
});

test('pages are decoded in their charset, except dangerous ones', () => {
  assert.equal(decodePage(Buffer.from('\ufeffé', 'utf16le'), undefined), 'é');
  assert.equal(decodePage(Buffer.from('caf\u00e9', 'latin1'), 'text/html; charset=ISO-8859-1'), 'caf\u00e9');
  assert.equal(
    decodePage(Buffer.from('<meta charset="windows-1251">\xef\xf0', 'latin1'), 'text/html').slice(-2),
    '\u043f\u0440',
  );
  assert.equal(decodePage(Buffer.from('\uFEFFx'), undefined), 'x');
  assert.equal(decodePage(Buffer.from('\x1b$B'), 'text/html; charset=iso-2022-jp'), '\x1b$B');
});

test('every hostile page is parsed within limits and gives no dangerous link', { skip }, () => {
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
