import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readTei } from './tei.ts';
import { parseXml } from './tree.ts';

const TEI = `<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader xml:lang="en"><fileDesc>
<titleStmt><title level="a" type="main">On Ducks</title></titleStmt>
<sourceDesc><biblStruct><analytic><author><persName><forename type="first">Ada</forename><surname>Duck</surname></persName><affiliation>Lake</affiliation></author></analytic><idno type="DOI">10.1234/Duck</idno></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract><div><p>They swim.</p></div></abstract><textClass><keywords><term>ducks</term></keywords></textClass></profileDesc></teiHeader>
<text><body>
<div><head n="1">Introduction</head><p>As shown <ref type="bibr" target="#b0">[1]</ref> at 10<hi rend="superscript">7</hi>.<note place="foot" n="2">A note.</note></p></div>
<div><head n="1.1">Setup</head><formula xml:id="f">E = mc 2<label>(1)</label></formula><list type="ordered"><item>one<list><item>inner</item></list></item></list></div>
<figure xml:id="fig_0"><head>Figure 1:</head><label>1</label><figDesc>A duck.</figDesc></figure>
<figure type="table"><head>Table 1:</head><figDesc>Sizes.</figDesc><table><row role="label"><cell>Bird</cell><cell cols="2">Size</cell></row><row><cell>Duck</cell><cell>1</cell><cell>2</cell></row></table></figure>
</body><back><div type="acknowledgement"><div><p>Thanks.</p></div></div><div type="references"><listBibl>
<biblStruct xml:id="b0"><analytic><title level="a">Swimming</title><author><persName><forename>Bo</forename><surname>Lake</surname></persName></author><idno type="DOI">10.1234/x</idno></analytic><monogr><title level="j">J. Ducks</title><imprint><biblScope unit="volume">3</biblScope><biblScope unit="page" from="7" to="9"/><date type="published" when="2020-01"/></imprint></monogr></biblStruct>
<biblStruct xml:id="b1"><monogr><title>Book</title></monogr><note type="raw_reference">Fox, E. Book. arXiv:2101.00001.</note></biblStruct>
</listBibl></div></back></text></TEI>`;

test('title, text, formulas, floats, notes and references of a GROBID file are read', () => {
  const { blocks, metadata } = readTei(parseXml(Buffer.from(TEI)));
  assert.deepEqual(
    blocks.map((block) => [block.kind, block.text, block.parent]),
    [
      ['title', 'On Ducks', undefined],
      ['text', 'Ada Duck', undefined],
      ['heading', 'Abstract', undefined],
      ['text', 'They swim.', undefined],
      ['text', 'Keywords: ducks', undefined],
      ['heading', '1 Introduction', undefined],
      ['text', 'As shown [1] at 10⁷.', undefined],
      ['footnote', '2 A note.', undefined],
      ['heading', '1.1 Setup', undefined],
      ['formula', 'E = mc 2', undefined],
      ['list_item', 'one', undefined],
      ['list_item', 'inner', 10],
      ['picture', '', undefined],
      ['caption', 'Figure 1: A duck.', 12],
      ['table', 'Bird Size Duck 1 2', undefined],
      ['caption', 'Table 1: Sizes.', 14],
      ['heading', 'Acknowledgements', undefined],
      ['text', 'Thanks.', undefined],
      ['heading', 'References', undefined],
      ['reference', 'Lake, B. (2020). Swimming. J. Ducks, 3, 7–9. https://doi.org/10.1234/x', undefined],
      ['reference', 'Fox, E. Book. arXiv:2101.00001.', undefined],
    ],
  );
  assert.equal(blocks[8]?.kind === 'heading' && blocks[8].level, 2);
  assert.equal(blocks[19]?.kind === 'reference' && blocks[19].doi, '10.1234/x');
  assert.equal(blocks[20]?.kind === 'reference' && blocks[20].arxivId, '2101.00001');
  assert.deepEqual(
    [metadata.title, metadata.authors, metadata.doi, metadata.language, metadata.abstract],
    ['On Ducks', ['Ada Duck'], '10.1234/duck', 'en', 'They swim.'],
  );
});

test('front matter, verse, quotations, definition lists and printed references of hand-written TEI are read', () => {
  const { blocks } = readTei(
    parseXml(
      Buffer.from(`<TEI><teiHeader><fileDesc><titleStmt><title>Letters</title></titleStmt></fileDesc></teiHeader><text>
      <front><div><head>Preface</head><p>Before.</p></div></front>
      <body><div><head>One</head><lg><l>Line one</l><l>Line two</l></lg><quote>Quoted.</quote><list><label>Load</label><item>the mass</item></list></div></body>
      <back><div type="bibliography"><listBibl><bibl n="1">Lake 2000. Rivers.</bibl></listBibl></div></back></text></TEI>`),
    ),
  );
  assert.deepEqual(
    blocks.map(({ kind, text }) => [kind, text]),
    [
      ['title', 'Letters'],
      ['heading', 'Preface'],
      ['text', 'Before.'],
      ['heading', 'One'],
      ['text', 'Line one Line two'],
      ['text', 'Quoted.'],
      ['list_item', 'Load: the mass'],
      ['heading', 'References'],
      ['reference', 'Lake 2000. Rivers.'],
    ],
  );
});

test('another vocabulary is refused', () => {
  assert.throws(() => readTei(parseXml(Buffer.from('<TEI><p/></TEI>'))), { code: 'PARSE_UNSUPPORTED' });
});
