import { noteMark } from '../inline.ts';
import { SIMULATED } from '../paper.ts';
import type { BodyBlock, Labels, Paper, Reference, TableFloat } from '../paper.ts';
import { OWN_JOURNAL } from '../references.ts';
import { licenseUrl } from './xml-text.ts';
import { element as tag, escapeXml, splitName, writeInlines } from './xml-text.ts';
import type { InlineTags } from './xml-text.ts';

const HEAD = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.3 20210610//EN" "JATS-archivearticle1-3.dtd">',
].join('\n');

const TARGETS = { table: 'table', figure: 'fig', formula: 'disp-formula' } as const;

const TAGS: InlineTags = {
  italic: (text) => tag('italic', {}, text),
  sub: (text) => tag('sub', {}, text),
  sup: (text) => tag('sup', {}, text),
  cite: (reference) => tag('xref', { 'ref-type': 'bibr', rid: `ref${String(reference)}` }, String(reference)),
  note: (note) => tag('xref', { 'ref-type': 'fn', rid: `fn${String(note + 1)}` }, tag('sup', {}, noteMark(note))),
  pointer: (to, number, text) => tag('xref', { 'ref-type': TARGETS[to], rid: `${to}${String(number)}` }, text),
};

/**
 * The paper as JATS 1.3. Without `body` only the front matter, as archives return it for articles they may not share.
 */
export function renderJats(paper: Paper, options: { readonly body?: boolean } = {}): string {
  const attributes = {
    'xmlns:xlink': 'http://www.w3.org/1999/xlink',
    'xmlns:mml': 'http://www.w3.org/1998/Math/MathML',
    'xmlns:ali': 'http://www.niso.org/schemas/ali/1.0/',
    'article-type': 'research-article',
    'dtd-version': '1.3',
    'xml:lang': paper.language,
  };
  const parts = [front(paper)];
  if (options.body === false) parts.push('<!-- The full text of this article may not be given out in this form. -->');
  else parts.push(tag('body', {}, nest(paper)), back(paper));
  return `${HEAD}\n${tag('article', attributes, parts.join('\n'))}\n`;
}

function front(paper: Paper): string {
  const { spec } = paper;
  const id = (type: string, value: string | undefined): string =>
    value ? tag('article-id', { 'pub-id-type': type }, escapeXml(value)) : '';
  const url = licenseUrl(spec.license);
  const journal = spec.journal ?? OWN_JOURNAL;
  const places = [
    ...new Set(spec.authors.map(({ affiliation }) => affiliation).filter((place) => place !== undefined)),
  ];
  const authors = spec.authors.map(({ name, orcid, affiliation }) => {
    const { given, surname } = splitName(name);
    const place =
      affiliation === undefined
        ? ''
        : tag('xref', { 'ref-type': 'aff', rid: `aff${String(places.indexOf(affiliation) + 1)}` });
    return tag(
      'contrib',
      { 'contrib-type': 'author' },
      (orcid ? tag('contrib-id', { 'contrib-id-type': 'orcid' }, `https://orcid.org/${escapeXml(orcid)}`) : '') +
        tag('name', {}, tag('surname', {}, escapeXml(surname)) + (given && tag('given-names', {}, escapeXml(given)))) +
        place,
    );
  });
  const article = [
    id('publisher-id', spec.workId),
    id('doi', spec.doi),
    id('pmid', spec.pmid),
    id('pmcid', spec.pmcid),
    id('pmcid-ver', spec.pmcid && `${spec.pmcid}.1`),
    tag(
      'article-categories',
      {},
      tag('subj-group', { 'subj-group-type': 'heading' }, tag('subject', {}, escapeXml(spec.topic))),
    ),
    tag('title-group', {}, tag('article-title', {}, escapeXml(spec.title))),
    authors.length > 0 ? tag('contrib-group', {}, authors.join('\n')) : '',
    ...places.map((place, index) => tag('aff', { id: `aff${String(index + 1)}` }, escapeXml(place))),
    tag(
      'pub-date',
      { 'publication-format': 'electronic', 'date-type': 'pub' },
      '<day>15</day><month>01</month>' + tag('year', {}, String(spec.year)),
    ),
    tag('volume', {}, String(paper.volume)),
    tag('fpage', {}, String(paper.firstPage)),
    tag(
      'permissions',
      {},
      tag('copyright-statement', {}, escapeXml(`${SIMULATED}. © ${String(spec.year)} by nobody.`)) +
        tag('copyright-year', {}, String(spec.year)) +
        (url
          ? tag(
              'license',
              { 'license-type': 'open-access', 'xlink:href': url },
              tag('ali:license_ref', {}, url) + tag('license-p', {}, escapeXml(`Distributed under ${url}`)),
            )
          : ''),
    ),
    spec.abstract ? tag('abstract', {}, tag('p', {}, escapeXml(spec.abstract))) : '',
    tag(
      'kwd-group',
      { 'kwd-group-type': 'author' },
      paper.keywords.map((word) => tag('kwd', {}, escapeXml(word))).join(''),
    ),
    tag(
      'custom-meta-group',
      {},
      tag('custom-meta', {}, tag('meta-name', {}, 'origin') + tag('meta-value', {}, SIMULATED)),
    ),
  ];
  return tag(
    'front',
    {},
    `\n${tag('journal-meta', {}, tag('journal-id', { 'journal-id-type': 'publisher-id' }, 'simulated') + tag('journal-title-group', {}, tag('journal-title', {}, escapeXml(journal))) + tag('issn', {}, '0000-0000') + tag('publisher', {}, tag('publisher-name', {}, 'Simulated Press')))}\n${tag('article-meta', {}, `\n${article.filter(Boolean).join('\n')}\n`)}\n`,
  );
}

/** Nests subsections in the preceding section. */
function nest({ sections, labels }: Paper): string {
  const out: string[] = [];
  let open = '';
  for (const section of sections) {
    const inner =
      tag('title', {}, escapeXml(section.title)) + section.blocks.map((item) => block(item, labels)).join('\n');
    if (section.level === 2) {
      out.push(tag('sec', { id: section.id }, inner));
      continue;
    }
    out.push(open, `<sec id="${section.id}">${inner}`);
    open = '</sec>';
  }
  return out.join('\n') + open;
}

function block(item: BodyBlock, labels: Labels): string {
  switch (item.kind) {
    case 'paragraph':
      return tag('p', { id: item.id }, writeInlines(item.inlines, TAGS));
    case 'list':
      return tag(
        'list',
        { id: item.id, 'list-type': item.ordered ? 'order' : 'bullet' },
        item.items.map((entry) => tag('list-item', {}, tag('p', {}, writeInlines(entry, TAGS)))).join(''),
      );
    case 'formula':
      return tag(
        'disp-formula',
        { id: item.id },
        tag('label', {}, `(${String(item.number)})`) +
          tag(
            'alternatives',
            {},
            tag('tex-math', {}, escapeXml(item.tex)) + `<mml:math display="block">${prefixed(item.mathml)}</mml:math>`,
          ),
      );
    case 'figure':
      return tag(
        'fig',
        { id: item.id },
        tag('label', {}, `${labels.figure} ${String(item.number)}`) +
          tag('caption', {}, tag('p', {}, escapeXml(item.caption))) +
          tag('graphic', { 'xlink:href': `${item.id}.png` }),
      );
    case 'table':
      return tableWrap(item, labels);
  }
}

/** MathML elements with their namespace. */
function prefixed(mathml: string): string {
  return mathml.replaceAll(/<(\/?)(?=[a-z])/g, '<$1mml:');
}

function tableWrap(item: TableFloat, labels: Labels): string {
  const { table } = item;
  const rows = Array.from({ length: table.rows }, (_unused, row) => {
    const cells = table.cells.filter((cell) => cell.row === row);
    const content = cells.map((cell) =>
      tag(
        cell.kind === 'column-header' ? 'th' : 'td',
        {
          rowspan: cell.rowSpan > 1 ? cell.rowSpan : undefined,
          colspan: cell.columnSpan > 1 ? cell.columnSpan : undefined,
          ...(cell.kind === 'column-header' && { align: 'center' }),
        },
        escapeXml(cell.text),
      ),
    );
    return {
      isHead: cells.length > 0 && cells.every((cell) => cell.kind === 'column-header'),
      markup: tag('tr', {}, content.join('')),
    };
  });
  const part = (name: string, isHead: boolean): string =>
    tag(
      name,
      {},
      rows
        .filter((row) => row.isHead === isHead)
        .map((row) => row.markup)
        .join('\n'),
    );
  return tag(
    'table-wrap',
    { id: item.id },
    tag('label', {}, `${labels.table} ${String(item.number)}`) +
      tag('caption', {}, tag('p', {}, escapeXml(item.caption))) +
      tag('table', {}, part('thead', true) + part('tbody', false)),
  );
}

function back(paper: Paper): string {
  const notes = paper.notes.map((note, index) =>
    tag('fn', { id: `fn${String(index + 1)}` }, tag('label', {}, noteMark(index)) + tag('p', {}, escapeXml(note))),
  );
  const list = paper.references.map(reference);
  return tag(
    'back',
    {},
    [
      notes.length > 0 ? tag('fn-group', {}, notes.join('\n')) : '',
      list.length > 0
        ? tag('ref-list', {}, `${tag('title', {}, escapeXml(paper.labels.references))}\n${list.join('\n')}`)
        : '',
    ].join('\n'),
  );
}

function reference(entry: Reference): string {
  const names = entry.authors.map((author) => {
    const { given, surname } = splitName(author);
    return tag(
      'name',
      {},
      tag('surname', {}, escapeXml(surname)) + (given && tag('given-names', {}, escapeXml(given))),
    );
  });
  const citation = [
    names.length > 0 ? tag('person-group', { 'person-group-type': 'author' }, names.join('')) : '',
    tag('article-title', {}, escapeXml(entry.title)),
    tag('source', {}, escapeXml(entry.journal)),
    tag('year', {}, String(entry.year)),
    tag('volume', {}, String(entry.volume)),
    tag('fpage', {}, String(entry.firstPage)),
    tag('lpage', {}, String(entry.lastPage)),
    entry.doi ? tag('pub-id', { 'pub-id-type': 'doi' }, escapeXml(entry.doi)) : '',
  ].join('');
  const number = String(entry.number);
  return tag(
    'ref',
    { id: `ref${number}` },
    tag('label', {}, number) + tag('element-citation', { 'publication-type': 'journal' }, citation),
  );
}
