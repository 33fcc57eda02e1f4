import type { Cell } from '../../../src/parse/index.ts';
import { noteMark } from '../inline.ts';
import { SIMULATED } from '../paper.ts';
import type { BodyBlock, Labels, Paper, Reference } from '../paper.ts';
import { OWN_JOURNAL } from '../references.ts';
import { licenseUrl, lines, Markup, markup, spans, tableRows, writeInlines } from './markup.ts';
import type { InlineTags } from './markup.ts';

const HEAD = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.3 20210610//EN" "JATS-archivearticle1-3.dtd">',
].join('\n');

const TARGETS = { table: 'table', figure: 'fig', formula: 'disp-formula' } as const;

const TAGS: InlineTags = {
  italic: (text) => markup`<italic>${text}</italic>`,
  sub: (text) => markup`<sub>${text}</sub>`,
  sup: (text) => markup`<sup>${text}</sup>`,
  cite: (reference) => markup`<xref ref-type="bibr" rid="ref${reference}">${reference}</xref>`,
  note: (note) => markup`<xref ref-type="fn" rid="fn${note + 1}"><sup>${noteMark(note)}</sup></xref>`,
  pointer: (to, number, text) => markup`<xref ref-type="${TARGETS[to]}" rid="${to}${number}">${text}</xref>`,
};

/**
 * The paper as JATS 1.3. Without `body` only the front matter, as archives return it for articles they may not share.
 */
export function renderJats(paper: Paper, options: { readonly body?: boolean } = {}): string {
  const open = markup`
    <article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML"
    ${' '}xmlns:ali="http://www.niso.org/schemas/ali/1.0/" article-type="research-article" dtd-version="1.3"
    ${' '}xml:lang="${paper.language}">`;
  const text =
    options.body === false
      ? [markup`<!-- The full text of this article may not be given out in this form. -->`]
      : [markup`<body>${nest(paper)}</body>`, back(paper)];
  return `${HEAD}\n${open.text}${lines([front(paper), ...text]).text}</article>\n`;
}

function front(paper: Paper): Markup {
  const { spec } = paper;
  const id = (type: string, value: string | undefined): Markup | undefined =>
    value ? markup`<article-id pub-id-type="${type}">${value}</article-id>` : undefined;
  const url = licenseUrl(spec.license);
  const places = [
    ...new Set(spec.authors.map(({ affiliation }) => affiliation).filter((place) => place !== undefined)),
  ];
  const authors = spec.authors.map(
    ({ name, orcid, affiliation }) => markup`
      <contrib contrib-type="author">
      ${orcid && markup`<contrib-id contrib-id-type="orcid">https://orcid.org/${orcid}</contrib-id>`}
      ${nameOf(name)}
      ${affiliation !== undefined && markup`<xref ref-type="aff" rid="aff${places.indexOf(affiliation) + 1}"></xref>`}
      </contrib>`,
  );
  const article = lines([
    id('publisher-id', spec.workId),
    id('doi', spec.doi),
    id('pmid', spec.pmid),
    id('pmcid', spec.pmcid),
    id('pmcid-ver', spec.pmcid && `${spec.pmcid}.1`),
    markup`
      <article-categories><subj-group subj-group-type="heading"><subject>${spec.topic}</subject></subj-group>
      </article-categories>`,
    markup`<title-group><article-title>${spec.title}</article-title></title-group>`,
    authors.length > 0 && markup`<contrib-group>${lines(authors)}</contrib-group>`,
    ...places.map((place, index) => markup`<aff id="aff${index + 1}">${place}</aff>`),
    markup`
      <pub-date publication-format="electronic" date-type="pub">
      <day>15</day><month>01</month><year>${spec.year}</year></pub-date>`,
    markup`<volume>${paper.volume}</volume>`,
    markup`<fpage>${paper.firstPage}</fpage>`,
    markup`
      <permissions><copyright-statement>${SIMULATED}. © ${spec.year} by nobody.</copyright-statement>
      <copyright-year>${spec.year}</copyright-year>
      ${
        url &&
        markup`
          <license license-type="open-access" xlink:href="${url}"><ali:license_ref>${url}</ali:license_ref>
          <license-p>Distributed under ${url}</license-p></license>`
      }</permissions>`,
    spec.abstract && markup`<abstract><p>${spec.abstract}</p></abstract>`,
    markup`<kwd-group kwd-group-type="author">${paper.keywords.map((word) => markup`<kwd>${word}</kwd>`)}</kwd-group>`,
    markup`
      <custom-meta-group><custom-meta><meta-name>origin</meta-name><meta-value>${SIMULATED}</meta-value>
      </custom-meta></custom-meta-group>`,
  ]);
  return lines([
    markup`<front>`,
    markup`
      <journal-meta><journal-id journal-id-type="publisher-id">simulated</journal-id>
      <journal-title-group><journal-title>${spec.journal ?? OWN_JOURNAL}</journal-title></journal-title-group>
      <issn>0000-0000</issn><publisher><publisher-name>Simulated Press</publisher-name></publisher></journal-meta>`,
    markup`<article-meta>`,
    article,
    markup`</article-meta>`,
    markup`</front>`,
  ]);
}

/** As most catalogues do: the last word is the surname. */
function nameOf(name: string): Markup {
  const words = name.split(' ');
  const surname = words.pop();
  const given = words.join(' ');
  return markup`<name><surname>${surname}</surname>${given && markup`<given-names>${given}</given-names>`}</name>`;
}

/** Nests subsections in the preceding section. */
function nest({ sections, labels }: Paper): Markup {
  const out: Markup[] = [];
  for (const { level, id, title, blocks } of sections) {
    const inner = markup`<title>${title}</title>${lines(blocks.map((item) => block(item, labels)))}`;
    if (level === 1 && out.length > 0) out.push(markup`</sec>`);
    out.push(level === 1 ? markup`<sec id="${id}">${inner}` : markup`<sec id="${id}">${inner}</sec>`);
  }
  return markup`${'\n'}${lines(out)}</sec>`;
}

function block(item: BodyBlock, labels: Labels): Markup {
  switch (item.kind) {
    case 'paragraph':
      return markup`<p id="${item.id}">${writeInlines(item.inlines, TAGS)}</p>`;
    case 'list': {
      const entries = item.items.map((entry) => markup`<list-item><p>${writeInlines(entry, TAGS)}</p></list-item>`);
      return markup`<list id="${item.id}" list-type="${item.ordered ? 'order' : 'bullet'}">${entries}</list>`;
    }
    case 'formula':
      return markup`
        <disp-formula id="${item.id}"><label>(${item.number})</label><alternatives><tex-math>${item.tex}</tex-math>
        <mml:math display="block">${prefixed(item.mathml)}</mml:math></alternatives></disp-formula>`;
    case 'figure':
      return markup`
        <fig id="${item.id}"><label>${labels.figure} ${item.number}</label>
        <caption><p>${item.caption}</p></caption><graphic xlink:href="${item.id}.png"/></fig>`;
    case 'table':
      return markup`
        <table-wrap id="${item.id}"><label>${labels.table} ${item.number}</label>
        <caption><p>${item.caption}</p></caption><table>${tableRows(item.table, tableCell)}</table></table-wrap>`;
  }
}

function tableCell(cell: Cell): Markup {
  return cell.kind === 'column-header'
    ? markup`<th${spans(cell)} align="center">${cell.text}</th>`
    : markup`<td${spans(cell)}>${cell.text}</td>`;
}

/** MathML elements with their namespace. */
function prefixed(mathml: string): Markup {
  return new Markup(mathml.replaceAll(/<(\/?)(?=[a-z])/g, '<$1mml:'));
}

function back(paper: Paper): Markup {
  const notes = paper.notes.map(
    (note, index) => markup`<fn id="fn${index + 1}"><label>${noteMark(index)}</label><p>${note}</p></fn>`,
  );
  const references = paper.references.map(reference);
  const title = markup`<title>${paper.labels.references}</title>`;
  return markup`
    <back>${notes.length > 0 && markup`<fn-group>${lines(notes)}</fn-group>`}${'\n'}
    ${references.length > 0 && markup`<ref-list>${lines([title, ...references])}</ref-list>`}</back>`;
}

function reference(entry: Reference): Markup {
  const { number, authors } = entry;
  return markup`
    <ref id="ref${number}"><label>${number}</label><element-citation publication-type="journal">
    ${authors.length > 0 && markup`<person-group person-group-type="author">${authors.map(nameOf)}</person-group>`}
    <article-title>${entry.title}</article-title><source>${entry.journal}</source>
    <year>${entry.year}</year><volume>${entry.volume}</volume>
    <fpage>${entry.firstPage}</fpage><lpage>${entry.lastPage}</lpage>
    ${entry.doi && markup`<pub-id pub-id-type="doi">${entry.doi}</pub-id>`}</element-citation></ref>`;
}
