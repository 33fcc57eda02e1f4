import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Block } from '../../document.ts';
import { readHtml, parseHtml } from './html.ts';

const read = (html: string) => readHtml(parseHtml(Buffer.from(html)));
const shown = (blocks: readonly Block[]): [string, string][] => blocks.map((block) => [block.kind, block.text]);
const PROSE = 'This sentence is long enough to be taken for the prose of an article, and so it opens the text proper.';

test('the article is extracted from the page', () => {
  const { blocks } = read(`<html><body><header><a href="/">Site</a></header><nav><ul><li>Home</li></ul></nav>
    <main><div class="breadcrumb">a &gt; b</div><ul><li><a href="/x">Deutsch</a></li><li><a href="/y">English</a></li></ul>
    <h1>On Ducks</h1><div class="share-bar">Tweet</div><div hidden>no</div><p style="display: none">no</p><p>${PROSE}</p>
    <form><p>Sign up</p></form><aside class="related">Other articles</aside><button>Buy</button><script>evil()</script>
    <section><h2>Results</h2><p>They swim.<span aria-hidden="true">copy</span></p></section></main><footer><p>Imprint</p></footer></body></html>`);
  assert.deepEqual(shown(blocks), [
    ['title', 'On Ducks'],
    ['text', PROSE],
    ['heading', 'Results'],
    ['text', 'They swim.'],
  ]);
});

test('a LaTeXML page has numbered sections, run-in headings, notes, formulas and algorithms', () => {
  const { blocks, metadata } =
    read(`<html lang="en"><body><div class="package-alerts ltx_document"><p>Conversion errors</p></div><article class="ltx_document">
    <h1 class="ltx_title ltx_title_document">Ducks</h1><div class="ltx_authors"><span class="ltx_creator"><span class="ltx_personname">Ada Duck<br>Lake</span></span></div>
    <div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6><p class="ltx_p">Short.</p></div>
    <section class="ltx_section"><h2 class="ltx_title ltx_title_section"><span class="ltx_tag">1 </span>Intro</h2>
    <div class="ltx_para"><p class="ltx_p">As <cite>[<a href="#bib.bib1" class="ltx_ref">lake2020swim, </a>]</cite> shows<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">1</sup><span class="ltx_tag ltx_tag_note">1</span>A note.</span></span></span> it, <math alttext="d_{k}=64" display="inline"><mrow><msub><mi>d</mi><mi>k</mi></msub><mo>=</mo><mn>64</mn></mrow></math>.</p>
    <table class="ltx_equation ltx_eqn_table"><tbody><tr><td><math alttext="a=b" display="block"><mi>a</mi></math></td><td class="ltx_eqn_eqno">(1)</td></tr><tr><td><span>and then</span></td></tr><tr><td><math alttext="c" display="block"><mi>c</mi></math></td></tr></tbody></table></div>
    <div class="ltx_theorem"><h6 class="ltx_title ltx_runin ltx_title_theorem">Theorem 1.</h6><p class="ltx_p">It holds.</p></div>
    <ul class="ltx_itemize"><li class="ltx_item"><span class="ltx_tag ltx_tag_item">•</span><p class="ltx_p">one</p></li></ul>
    <section class="ltx_paragraph"><h5 class="ltx_title ltx_title_paragraph">Deep</h5><p class="ltx_p">x</p></section></section>
    <section class="ltx_bibliography"><h2 class="ltx_title ltx_title_bibliography">References</h2><ul class="ltx_biblist"><li id="bib.bib1" class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">[7]</span><span class="ltx_bibblock">B. Lake.</span><span class="ltx_bibblock">Swimming. arXiv:2101.00001</span></li></ul></section>
    </article></body></html>`);
  assert.deepEqual(
    blocks.map((block) => [
      block.kind,
      block.text,
      block.kind === 'heading' ? block.level : block.kind === 'reference' ? block.label : undefined,
    ]),
    [
      ['title', 'Ducks', undefined],
      ['text', 'Ada Duck Lake', undefined],
      ['heading', 'Abstract', 1],
      ['text', 'Short.', undefined],
      ['heading', '1 Intro', 1],
      ['text', 'As [7] shows it, d_k = 64.', undefined],
      ['footnote', 'A note.', undefined],
      ['formula', 'a=b', undefined],
      ['text', 'and then', undefined],
      ['formula', 'c', undefined],
      ['text', 'Theorem 1. It holds.', undefined],
      ['list_item', 'one', undefined],
      ['heading', 'Deep', 4],
      ['text', 'x', undefined],
      ['heading', 'References', 1],
      ['reference', 'B. Lake. Swimming. arXiv:2101.00001', '7'],
    ],
  );
  assert.deepEqual(
    [metadata.title, metadata.authors, metadata.language, metadata.abstract],
    ['Ducks', ['Ada Duck'], 'en', 'Short.'],
  );
});

test('figures and tables have their captions, and cells their spans', () => {
  const { blocks } = read(`<article><h1>T</h1><p>${PROSE}</p>
    <figure><img src="a" alt="A duck on water"><figcaption><b>Figure 1:</b> A duck.</figcaption></figure>
    <div class="table-wrap"><div class="caption">Table 1</div><table><thead><tr><th colspan="2">Size</th></tr></thead><tbody><tr><th scope="row">big</th><td>2<br>3</td></tr></tbody></table></div>
    <table><caption>Table 2</caption><tr><td>a</td><td>b</td></tr></table>
    <figure><figure><img alt="x"><figcaption>(a)</figcaption></figure><figcaption>Both</figcaption></figure></article>`);
  assert.deepEqual(
    blocks.slice(2).map((block) => [block.kind, block.text, block.parent]),
    [
      ['picture', 'A duck on water', undefined],
      ['caption', 'Figure 1: A duck.', 2],
      ['table', 'Size big 2 3', undefined],
      ['caption', 'Table 1', 4],
      ['table', 'a b', undefined],
      ['caption', 'Table 2', 6],
      ['picture', 'x', undefined],
      ['caption', '(a)', 8],
      ['picture', '', undefined],
      ['caption', 'Both', 10],
    ],
  );
  assert.deepEqual(blocks[4]?.kind === 'table' && blocks[4].table.cells.map((cell) => [cell.kind, cell.columnSpan]), [
    ['column-header', 2],
    ['row-header', 1],
    ['data', 1],
  ]);
});

test('lists, definitions, code and layout tables are recognised', () => {
  const { blocks } =
    read(`<article><h1>T</h1><p>${PROSE}</p><ol start="3"><li>three<ul><li>inner</li></ul></li><ul><li>loose</li></ul></ol>
    <dl><dt>Duck</dt><dd>a bird</dd></dl><pre><code class="language-python">    def f():
        return 1
</code></pre><table role="presentation"><tr><td><p>laid out</p></td></tr></table></article>`);
  assert.deepEqual(
    blocks
      .slice(2)
      .map((block) => [
        block.kind,
        block.text,
        block.parent,
        block.kind === 'list_item' ? block.marker : block.kind === 'code' ? block.language : undefined,
      ]),
    [
      ['list_item', 'three', undefined, '3.'],
      ['list_item', 'inner', 2, undefined],
      ['list_item', 'loose', 2, undefined],
      ['list_item', 'Duck: a bird', undefined, undefined],
      ['code', 'def f():\n    return 1', undefined, 'python'],
      ['text', 'laid out', undefined, undefined],
    ],
  );
});

test('references lose the buttons after them and keep their links', () => {
  const { blocks } = read(`<article><h1>T</h1><p>${PROSE}</p><h2>References</h2><ol>
    <li><span class="order">1. </span>Lake B. Swimming. <a href="https://doi.org/10.1234/AbC%28d%29">Link</a><ul class="reflinks"><li><a href="#">View Article</a></li><li><a>Google Scholar</a></li></ul></li>
    <li>Fox E. Hunting. [<a href="x">CrossRef</a>] [<a href="y">PubMed</a>] <a href="#back">↵</a></li></ol><h2>Notes</h2><ul><li>not one</li></ul></article>`);
  assert.deepEqual(
    blocks
      .slice(3)
      .map((block) => [block.kind, block.text, block.kind === 'reference' ? [block.label, block.doi] : undefined]),
    [
      ['reference', 'Lake B. Swimming.', ['1', '10.1234/abc(d)']],
      ['reference', 'Fox E. Hunting.', [undefined, undefined]],
      ['heading', 'Notes', undefined],
      ['list_item', 'not one', undefined],
    ],
  );
});

test('metadata is read from the head of the page', () => {
  const { metadata } = read(
    `<html><head><meta name="citation_title" content="On Ducks"><meta name="citation_author" content="Duck, Ada"><meta name="citation_author_institution" content="Department of Birds, University of Pond"><meta name="citation_author_orcid" content="https://orcid.org/0000-0002-1825-0097"><meta name="citation_author" content="Bo Lake"><meta name="citation_doi" content="doi:10.1234/X"><meta name="citation_language" content="en"><meta name="dc.description" content="<p>Short</p>"></head><body><p>${PROSE}</p></body></html>`,
  );
  assert.deepEqual(
    [metadata.title, metadata.authors, metadata.doi, metadata.language, metadata.abstract],
    ['On Ducks', ['Ada Duck', 'Bo Lake'], '10.1234/x', 'en', 'Short'],
  );
  assert.deepEqual(metadata.people, [
    { name: 'Ada Duck', orcid: '0000-0002-1825-0097', institutions: ['University of Pond'] },
  ]);
  assert.ok(metadata.quality.confidence < 0.1);
});

test('TeX in a script and its rendering give one formula', () => {
  const { blocks } = read(
    `<article><h1>T</h1><p>${PROSE}</p><p>With <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x</span></span> and <script type="math/tex">y^2</script>:</p><script type="math/tex; mode=display">E=mc^2</script></article>`,
  );
  assert.deepEqual(shown(blocks).slice(2), [
    ['text', 'With x and y^2:'],
    ['formula', 'E=mc^2'],
  ]);
});

const FIXTURES = join(import.meta.dirname, '../../../../../shared/data/api-fixtures/open/landing');
test(
  'sections and references of publisher pages are read',
  { skip: existsSync(FIXTURES) ? false : `${FIXTURES} is absent` },
  () => {
    const page = (name: string) => readHtml(parseHtml(readFileSync(join(FIXTURES, name))));
    const peerj = page('peerj.html');
    const headings = peerj.blocks
      .filter((block) => block.kind === 'heading' && block.level === 1)
      .map((block) => block.text);
    for (const heading of ['Abstract', 'Introduction', 'Methods', 'Results', 'Discussion', 'References'])
      assert.ok(headings.includes(heading), heading);
    const references = peerj.blocks.filter((block) => block.kind === 'reference');
    assert.equal(references.length, 55);
    assert.ok(references.filter((block) => block.kind === 'reference' && block.doi !== undefined).length >= 40);
    assert.equal(peerj.metadata.doi, '10.7717/peerj.4886');
    const plos = page('plos-one.html');
    assert.equal(plos.metadata.authors.length, 11);
    assert.ok(
      plos.blocks.some(
        (block) => block.kind === 'heading' && block.level === 1 && block.text === 'Materials and methods',
      ),
    );
    assert.ok(!plos.blocks.some((block) => /Download PDF|Advertisement|View Article/.test(block.text)));
  },
);

test('references may be paragraphs, lines, definitions, rows or lists', () => {
  const references = (html: string): unknown[] =>
    read(
      `<html><body><h1>Ducks</h1><h2>Intro</h2><p>${PROSE}</p>${html}<h2>Appendix</h2><p>Seen in 1999.</p></body></html>`,
    )
      .blocks.filter((block) => block.kind === 'reference')
      .map(({ text, label, doi }) => [text, label, doi]);
  const both = [
    ['Lake B. (2020). Swimming.', '1', undefined],
    ['Reed C. (2021). Diving.', '2', undefined],
  ];
  assert.deepEqual(
    references(
      '<h2>References</h2><p>What we cite.</p><p>[1] Lake B. (2020). Swimming. doi:10.1234/ab</p><div>Reed C. (2021).</div>',
    ),
    [
      ['[1] Lake B. (2020). Swimming. doi:10.1234/ab', '1', '10.1234/ab'],
      ['Reed C. (2021).', undefined, undefined],
    ],
  );
  assert.deepEqual(references('<h2>Literatur</h2><p>Lake B. (2020).<br>Reed C. (2021).</p>'), [
    ['Lake B. (2020).', undefined, undefined],
    ['Reed C. (2021).', undefined, undefined],
  ]);
  assert.deepEqual(
    references(
      '<h2>Références</h2><dl><dt>[1]</dt><dd>Lake B. (2020). Swimming.</dd><dt>[2]</dt><dd>Reed C. (2021). Diving.</dd></dl>',
    ),
    both,
  );
  assert.deepEqual(
    references(
      '<h2>Список литературы</h2><table><tr><td>[1]</td><td>Lake B. (2020). Swimming.</td></tr><tr><td>[2]</td><td>Reed C. (2021). Diving.</td></tr></table>',
    ),
    both,
  );
  assert.deepEqual(
    references('<h2>References</h2><ol><li>Lake B. (2020).</li></ol><p>© 2020 The Authors</p>').length,
    1,
  );
});

test('authors, date, abstract and references of a pandoc page are read', () => {
  const { blocks, metadata } =
    read(`<html lang="en"><head><meta name="author" content="Ada Duck" /><meta name="author" content="Example Press" /><meta name="dcterms.date" content="2024-03-12" /></head>
    <body><header id="title-block-header"><h1 class="title">Ducks</h1><h2 class="author">Ada Duck</h2><div class="abstract"><div class="abstract-title">Abstract</div><p>Short.</p></div></header>
    <h1>Intro</h1><p>${PROSE}</p><h1>References</h1><div id="refs" class="references csl-bib-body"><div id="ref-a" class="csl-entry"><div class="csl-left-margin">1. </div><div class="csl-right-inline">Lake B. Swimming. 2020.</div></div></div></body></html>`);
  assert.deepEqual(metadata.authors, ['Ada Duck']);
  assert.equal(metadata.imprint?.date, '2024-03-12');
  assert.equal(metadata.abstract, 'Short.');
  assert.deepEqual(shown(blocks).slice(1, 3), [
    ['text', 'Ada Duck'],
    ['heading', 'Abstract'],
  ]);
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'reference').map((block) => [block.text, 'label' in block && block.label]),
    [['Lake B. Swimming. 2020.', '1']],
  );
});
