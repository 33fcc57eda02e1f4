import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../document.ts';
import { readJats } from './jats.ts';
import { parseXml } from './tree.ts';

const read = (xml: string) => readJats(parseXml(Buffer.from(xml)));
const article = (body: string, back = '', front = ''): string =>
  `<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "x.dtd"><article xmlns:xlink="x" xmlns:mml="m" xml:lang="en"><front><article-meta>${front}</article-meta></front><body>${body}</body><back>${back}</back></article>`;
const shown = (blocks: readonly Block[]): [string, string][] => blocks.map((block) => [block.kind, block.text]);
const body = (xml: string): [string, string][] => shown(read(article(xml)).blocks);

test('title, people, affiliations, notes, abstracts and keywords are read from the front matter', () => {
  const { blocks, metadata } = read(
    article(
      '',
      '',
      `<article-id pub-id-type="doi">10.1234/AbC</article-id>
       <title-group><article-title>On <italic>Anas</italic><xref ref-type="fn">*</xref></article-title><subtitle>a study</subtitle></title-group>
       <contrib-group><contrib contrib-type="author"><name><surname>Duck</surname><given-names>Ada B</given-names><suffix>Jr</suffix></name></contrib>
         <contrib contrib-type="author"><collab>The Pond<contrib-group><contrib><name><surname>X</surname><given-names>Y</given-names></name></contrib></contrib-group></collab></contrib>
         <contrib contrib-type="editor"><name><surname>Fox</surname><given-names>E</given-names></name></contrib></contrib-group>
       <aff id="a1"><label>1</label><institution>Lake</institution><country>Finland</country></aff>
       <author-notes><corresp>* mail</corresp><fn><p>Equal.</p></fn></author-notes>
       <abstract><sec><title>Background</title><p>Ducks swim.</p></sec><sec><title>Results:</title><p>They do.</p></sec></abstract>
       <abstract abstract-type="key-points"><p>One.</p></abstract>
       <trans-abstract xml:lang="fr"><title>Résumé</title><p>Canards.</p></trans-abstract>
       <kwd-group><kwd>ducks</kwd><kwd>lakes</kwd></kwd-group>`,
    ),
  );
  assert.deepEqual(shown(blocks), [
    ['title', 'On Anas: a study'],
    ['text', 'Ada B Duck Jr, The Pond'],
    ['text', '1 Lake Finland'],
    ['text', '* mail'],
    ['text', 'Equal.'],
    ['heading', 'Abstract'],
    ['text', 'Background: Ducks swim.'],
    ['text', 'Results: They do.'],
    ['heading', 'Key points'],
    ['text', 'One.'],
    ['heading', 'Résumé'],
    ['text', 'Canards.'],
    ['text', 'Keywords: ducks, lakes'],
  ]);
  assert.deepEqual(metadata, {
    title: 'On Anas: a study',
    authors: ['Ada B Duck Jr', 'The Pond'],
    people: ['Ada B Duck Jr', 'The Pond'].map((name) => ({ name, institutions: ['Lake'] })),
    abstract: 'Background: Ducks swim. Results: They do.',
    doi: '10.1234/abc',
    imprint: { keywords: ['ducks', 'lakes'] },
    language: 'en',
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
  });
});

test('authors have the ORCID iDs and institutions of the front matter', () => {
  const { metadata } = read(
    `<article><front><article-meta><title-group><article-title>T</article-title></title-group><contrib-group>
       <contrib><contrib-id contrib-id-type="orcid">https://orcid.org/0000-0002-1825-009x</contrib-id><name><surname>Duck</surname><given-names>Ada</given-names></name><xref ref-type="aff" rid="a1 a2"/></contrib>
       <contrib><name><surname>Lake</surname><given-names>Bo</given-names></name><xref ref-type="aff" rid="a2"/></contrib>
       <contrib><name><surname>Reed</surname><given-names>Cy</given-names></name></contrib></contrib-group>
       <aff id="a1"><label>1</label>Department of Birds, University of Pond, Norway</aff>
       <aff id="a2"><institution>Institute of Lakes</institution>, Oslo</aff>
     </article-meta></front><body><p>x</p></body></article>`,
  );
  assert.deepEqual(metadata.people, [
    { name: 'Ada Duck', orcid: '0000-0002-1825-009X', institutions: ['University of Pond', 'Institute of Lakes'] },
    { name: 'Bo Lake', institutions: ['Institute of Lakes'] },
  ]);
});

test('journal, earliest date and licence URL are read from the front matter', () => {
  const { metadata } = read(
    `<article xmlns:xlink="x"><front><journal-meta><journal-title-group><journal-title>Journal of Ducks</journal-title></journal-title-group><issn>1234-5678</issn><publisher><publisher-name>Pond Press</publisher-name></publisher></journal-meta>
     <article-meta><article-id pub-id-type="pmid">123</article-id><article-id pub-id-type="pmc">45</article-id>
       <pub-date pub-type="collection"><year>2020</year></pub-date><pub-date pub-type="epub"><day>7</day><month>6</month><year>2020</year></pub-date>
       <volume>3</volume><issue>2</issue><fpage>10</fpage><lpage>19</lpage>
       <permissions><license><license-p>Open: <ext-link xlink:href="https://creativecommons.org/licenses/by/4.0/">CC BY</ext-link></license-p></license></permissions>
     </article-meta></front><body><p>x</p></body></article>`,
  );
  assert.deepEqual(metadata.imprint, {
    pmid: '123',
    pmcid: 'PMC45',
    date: '2020-06-07',
    venue: 'Journal of Ducks',
    publisher: 'Pond Press',
    issn: ['1234-5678'],
    volume: '3',
    issue: '2',
    pages: '10-19',
    license: 'https://creativecommons.org/licenses/by/4.0/',
  });
});

test('sections are nested with their labels, and blocks inside a paragraph split it', () => {
  const { blocks } = read(
    article(
      '<sec><label>1</label><title>Methods</title><p>We used<disp-formula id="e"><label>(1)</label><tex-math><![CDATA[\\documentclass{x}\\begin{document}$$a+b$$\\end{document}]]></tex-math></disp-formula>and went on.</p><sec><title>Deep</title><p>Text.</p></sec></sec>',
    ),
  );
  assert.deepEqual(
    blocks.map((block) => [block.kind, block.text, block.kind === 'heading' ? block.level : undefined]),
    [
      ['heading', '1 Methods', 1],
      ['text', 'We used', undefined],
      ['formula', 'a+b', undefined],
      ['text', 'and went on.', undefined],
      ['heading', 'Deep', 2],
      ['text', 'Text.', undefined],
    ],
  );
});

test('exponents, superscript citations, chemical formulas and links are distinguished', () => {
  const { blocks } = read(
    article(
      '<p>About 10<sup>−7</sup> m<sup>2</sup> of H<sub>2</sub>O<sup><xref ref-type="bibr" rid="r1">1</xref>,<xref ref-type="bibr" rid="r2">2</xref></sup> at <ext-link xlink:href="https://example.org/a">this place</ext-link><xref ref-type="bibr" rid="r3"><sup>3</sup></xref> the 1<sup>st</sup> time.</p>',
    ),
  );
  assert.equal(blocks[0]?.text, 'About 10⁻⁷ m² of H2O [1,2] at this place [3] the 1st time.');
  const [link] = blocks[0]?.links ?? [];
  assert.equal(blocks[0]?.text.slice(link?.start, link?.end), 'this place');
});

test('inline mathematics is readable', () => {
  const xml =
    '<p>with <inline-formula><mml:math><mml:msub><mml:mi>d</mml:mi><mml:mi>k</mml:mi></mml:msub><mml:mo>=</mml:mo><mml:mn>64</mml:mn></mml:math></inline-formula> heads</p>';
  assert.deepEqual(body(xml), [['text', 'with d_k = 64 heads']]);
});

test('lists keep nesting, order, labels and the blocks inside an item', () => {
  const { blocks } = read(
    article(
      '<list list-type="order"><list-item><p>one</p><p>more</p><list list-type="bullet"><list-item><p>inner</p></list-item></list><p>after</p></list-item><list-item><label>b)</label><p>two</p></list-item></list><def-list><def-item><term>Duck</term><def><p>a bird</p></def></def-item></def-list>',
    ),
  );
  assert.deepEqual(
    blocks.map((block) => [
      block.text,
      block.kind === 'list_item' ? [block.ordered, block.depth, block.marker] : undefined,
      block.parent,
    ]),
    [
      ['one more', [true, 0, '1.'], undefined],
      ['inner', [false, 1, undefined], 0],
      ['after', undefined, 0],
      ['two', [true, 0, 'b)'], undefined],
      ['Duck: a bird', [false, 0, undefined], undefined],
    ],
  );
});

test('a table has spans, headers, a caption and notes', () => {
  const { blocks } = read(
    article(
      `<table-wrap><label>Table 1</label><caption><title>Doses.</title><p>By day.</p></caption><alternatives><graphic xlink:href="t"/><table>
       <thead><tr><th rowspan="2">Drug</th><th colspan="2">Dose</th></tr><tr><th>low</th><th>high</th></tr></thead>
       <tbody><tr><td colspan="3">Mice</td></tr><tr><th>A</th><td>1</td><td>2<sup>a</sup></td></tr><tr><td></td><td/><td> </td></tr></tbody></table></alternatives>
       <table-wrap-foot><fn><label>a</label><p>once</p></fn><p>n = 3</p></table-wrap-foot></table-wrap>`,
    ),
  );
  const [table] = blocks;
  assert.ok(table?.kind === 'table');
  assert.deepEqual(
    table.table.cells.map(({ row, column, rowSpan, columnSpan, text, kind }) => [
      row,
      column,
      rowSpan,
      columnSpan,
      text,
      kind,
    ]),
    [
      [0, 0, 2, 1, 'Drug', 'column-header'],
      [0, 1, 1, 2, 'Dose', 'column-header'],
      [1, 1, 1, 1, 'low', 'column-header'],
      [1, 2, 1, 1, 'high', 'column-header'],
      [2, 0, 1, 3, 'Mice', 'section-row'],
      [3, 0, 1, 1, 'A', 'row-header'],
      [3, 1, 1, 1, '1', 'data'],
      [3, 2, 1, 1, '2ᵃ', 'data'],
    ],
  );
  assert.equal(table.table.rows, 4);
  assert.deepEqual(
    blocks.slice(1).map((block) => [block.kind, block.text, block.parent]),
    [
      ['caption', 'Table 1 Doses. By day.', 0],
      ['footnote', 'a once', 0],
      ['footnote', 'n = 3', 0],
    ],
  );
});

test('an OASIS table is read by its column names', () => {
  const { blocks } = read(
    article(`<table-wrap><label>Table 1</label><oasis:table xmlns:oasis="http://docs.oasis-open.org/ns/oasis-exchange/table"><oasis:tgroup cols="3">
    <oasis:colspec colname="a"/><oasis:colspec colname="b"/><oasis:colspec colname="c"/>
    <oasis:thead><oasis:row><oasis:entry morerows="1">Bird</oasis:entry><oasis:entry namest="b" nameend="c">Size</oasis:entry></oasis:row><oasis:row><oasis:entry colname="b">cm</oasis:entry><oasis:entry colname="c">in</oasis:entry></oasis:row></oasis:thead>
    <oasis:tbody><oasis:row><oasis:entry>Duck</oasis:entry><oasis:entry>50</oasis:entry><oasis:entry>20</oasis:entry></oasis:row></oasis:tbody></oasis:tgroup></oasis:table></table-wrap>`),
  );
  const table = blocks.find((block) => block.kind === 'table');
  assert.deepEqual(
    table?.table.cells.map((cell) => [cell.row, cell.column, cell.rowSpan, cell.columnSpan, cell.kind, cell.text]),
    [
      [0, 0, 2, 1, 'column-header', 'Bird'],
      [0, 1, 1, 2, 'column-header', 'Size'],
      [1, 1, 1, 1, 'column-header', 'cm'],
      [1, 2, 1, 1, 'column-header', 'in'],
      [2, 0, 1, 1, 'data', 'Duck'],
      [2, 1, 1, 1, 'data', '50'],
      [2, 2, 1, 1, 'data', '20'],
    ],
  );
});

test('a table that is only an image is a picture of a table', () => {
  const { blocks } = read(
    article(
      '<table-wrap><label>Table 2</label><graphic xlink:href="t2"><alt-text>numbers</alt-text></graphic></table-wrap>',
    ),
  );
  assert.deepEqual(
    blocks.map((block) => [block.kind, block.text, block.kind === 'picture' ? block.category : undefined]),
    [
      ['picture', 'numbers', 'table'],
      ['caption', 'Table 2', undefined],
    ],
  );
});

test('figures have captions; supplements of a figure are left out', () => {
  const xml = `<fig-group><caption><title>Both</title></caption><fig><label>Figure 1.</label><caption><title>A duck.</title><p>On water.<supplementary-material><label>Data 1.</label></supplementary-material></p></caption><graphic/><p><fig specific-use="child-fig"><label>Figure 1—supplement</label><caption><p>Closer.</p></caption></fig></p></fig></fig-group>`;
  assert.deepEqual(body(xml), [
    ['caption', 'Both'],
    ['picture', ''],
    ['caption', 'Figure 1. A duck. On water.'],
  ]);
});

test('boxes, quotations, theorems, speech, verse, code and supplements are read', () => {
  assert.deepEqual(
    body(
      `<boxed-text><caption><title>Box 1</title></caption><p>inside</p></boxed-text><disp-quote><p>quoted</p></disp-quote>
       <statement><label>Theorem 1</label><p>It holds.</p></statement><speech><speaker>Ada:</speaker><p>Quack.</p></speech>
       <verse-group><verse-line>one</verse-line><verse-line>two</verse-line></verse-group><code language="python">\n  a = 1\n  b\n</code>
       <supplementary-material xlink:href="s1.doc"><label>S1</label><caption><p>Raw data.</p></caption><media><caption><p>Click here for file</p></caption></media></supplementary-material>
       <disp-formula><graphic/></disp-formula>`,
    ),
    [
      ['heading', 'Box 1'],
      ['text', 'inside'],
      ['text', 'quoted'],
      ['text', 'Theorem 1. It holds.'],
      ['text', 'Ada: Quack.'],
      ['text', 'one'],
      ['text', 'two'],
      ['code', 'a = 1\nb'],
      ['text', 'S1 Raw data.'],
      ['formula', ''],
    ],
  );
});

test('inline notes follow their paragraph, groups of notes are at the end', () => {
  const { blocks } = read(
    article(
      '<p>One<fn><label>1</label><p>a note</p></fn> two.</p>',
      '<fn-group><title>Notes</title><fn><p><sup>b</sup>last</p></fn></fn-group><ack><p>Thanks.</p></ack>',
    ),
  );
  assert.deepEqual(shown(blocks), [
    ['text', 'One two.'],
    ['footnote', '1 a note'],
    ['text', 'Notes'],
    ['footnote', 'b last'],
    ['heading', 'Acknowledgments'],
    ['text', 'Thanks.'],
  ]);
});

test('references have label, text and identifiers in every markup', () => {
  const { blocks } = read(
    article(
      '',
      `<ref-list>
        <ref><label>[1]</label><mixed-citation><name><surname>Weil</surname><given-names>GJ</given-names></name>, <name><surname>Li</surname><given-names>P</given-names></name>. <article-title>Ducks</article-title>. <year>2020</year>. <pub-id pub-id-type="doi">10.1/AB</pub-id></mixed-citation></ref>
        <ref><mixed-citation><name><surname>Avery</surname><given-names>SV</given-names></name><article-title>Cells</article-title><source>Nat Rev</source><year>2006</year><volume>4</volume><issue>2</issue><fpage>577</fpage><lpage>587</lpage><pub-id pub-id-type="pmid">168</pub-id></mixed-citation></ref>
        <ref><element-citation><person-group person-group-type="author"><name><surname>Kluyver</surname><given-names>Thomas B</given-names></name><name><surname>Perez</surname><given-names>F</given-names></name></person-group><person-group person-group-type="editor"><name><surname>Lo</surname><given-names>Jean-Paul</given-names></name></person-group><year>2016</year><article-title>Notebooks</article-title><source>Proc</source><volume>3</volume><issue>1</issue><fpage>7</fpage><lpage>9</lpage><pub-id pub-id-type="doi">10.3233/X</pub-id></element-citation></ref>
        <ref><citation-alternatives><element-citation><source>no</source></element-citation><mixed-citation>Yes, arXiv:2101.00001v2.</mixed-citation></citation-alternatives></ref>
        <ref><label>5</label><mixed-citation>5. Coot B. Geese. Pond J. 2002.</mixed-citation><element-citation><name><surname>Coot</surname></name><source>Pond J</source><pub-id pub-id-type="doi">10.1/geese</pub-id></element-citation></ref>
        <ref-list><title>Data</title><ref><citation>Plain one</citation></ref></ref-list>
      </ref-list>`,
    ),
  );
  assert.deepEqual(
    blocks.map((block) => [
      block.kind,
      block.text,
      ...(block.kind === 'reference' ? [block.label, block.doi, block.arxivId] : []),
    ]),
    [
      ['heading', 'References'],
      ['reference', 'Weil GJ, Li P. Ducks. 2020. 10.1/AB', '1', '10.1/ab', undefined],
      ['reference', 'Avery SV. Cells. Nat Rev. 2006;4(2):577–587. 168', undefined, undefined, undefined],
      [
        'reference',
        'Kluyver, T. B., & Perez, F. (2016). Notebooks. In Lo, J.-P. (Eds.). Proc, 3(1), 7–9. https://doi.org/10.3233/X',
        undefined,
        '10.3233/x',
        undefined,
      ],
      ['reference', 'Yes, arXiv:2101.00001v2.', undefined, undefined, '2101.00001'],
      ['reference', 'Coot B. Geese. Pond J. 2002.', '5', '10.1/geese', undefined],
      ['heading', 'Data'],
      ['reference', 'Plain one', undefined, undefined, undefined],
    ],
  );
});

test('floats at the end, appendices and glossaries are read; reviews are not', () => {
  const xml = `<article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta></front><body><p>b</p></body><back><app-group><app><title>Appendix</title><p>a</p></app></app-group><glossary><title>Words</title><def-list><def-item><term>x</term><def><p>y</p></def></def-item></def-list></glossary></back><floats-group><fig><label>F</label><graphic/></fig></floats-group><sub-article article-type="decision-letter"><front-stub><title-group><article-title>Letter</article-title></title-group></front-stub><body><p>Dear authors</p></body></sub-article></article>`;
  assert.deepEqual(
    shown(read(xml).blocks).map(([, text]) => text),
    ['T', 'b', '', 'F', 'Appendix', 'a', 'Words', 'x: y'],
  );
});

test('an article inside a wrapper is found, another vocabulary is refused', () => {
  assert.equal(
    read('<OAI-PMH><record><article><front/><body><p>x</p></body></article></record></OAI-PMH>').blocks.length,
    1,
  );
  assert.throws(() => read('<recipe><p>x</p></recipe>'), { code: 'PARSE_UNSUPPORTED' });
});

test('a body with escaped HTML is read as HTML', () => {
  const { blocks } = read(
    article('<![CDATA[<p align="left"><font size="3"><b>INTRODUCCI&Oacute;N</b></font></p><p>Texto.</p>]]>'),
  );
  assert.deepEqual(shown(blocks), [
    ['heading', 'INTRODUCCIÓN'],
    ['text', 'Texto.'],
  ]);
});
