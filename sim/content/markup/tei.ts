import { noteMark, parseInlines, plainText } from '../inline.ts';
import { SIMULATED } from '../paper.ts';
import type { BodyBlock, Labels, Paper, Reference, TableFloat } from '../paper.ts';
import { licenseUrl } from './license.ts';
import { element as tag, escapeXml, splitName, writeInlines } from './xml-text.ts';
import type { InlineTags } from './xml-text.ts';

const TAGS: InlineTags = {
  italic: (text) => tag('hi', { rend: 'italic' }, text),
  sub: (text) => tag('hi', { rend: 'sub' }, text),
  sup: (text) => tag('hi', { rend: 'sup' }, text),
  cite: (reference) => tag('ref', { type: 'bibr', target: `#b${String(reference - 1)}` }, String(reference)),
  note: (note) => tag('ref', { type: 'foot', target: `#foot_${String(note)}` }, noteMark(note)),
  pointer: (to, number, text) => tag('ref', { type: to, target: `#${to}_${String(number)}` }, text),
};

/** The paper as TEI in GROBID's form: flat sections, tables as figures, references as biblStruct. */
export function renderTei(paper: Paper): string {
  const { spec } = paper;
  const body = paper.sections.map((section) =>
    tag(
      'div',
      {},
      tag('head', { n: section.number }, escapeXml(section.title)) +
        section.blocks.map((item) => block(item, paper.labels)).join('\n'),
    ),
  );
  const notes = paper.notes.map((note, index) =>
    tag('note', { place: 'foot', n: noteMark(index), 'xml:id': `foot_${String(index)}` }, escapeXml(note)),
  );
  const references = tag(
    'div',
    { type: 'references' },
    tag('listBibl', {}, paper.references.map(bibliography).join('\n')),
  );
  const back = paper.references.length > 0 ? tag('back', {}, references) : '';
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    tag(
      'TEI',
      { xmlns: 'http://www.tei-c.org/ns/1.0', 'xml:space': 'preserve' },
      `\n${header(paper)}\n${tag('text', { 'xml:lang': paper.language }, `\n${tag('body', {}, [...body, ...notes].join('\n'))}\n${back}\n`)}\n`,
    ),
    `<!-- ${SIMULATED}, ${escapeXml(spec.workId).replaceAll('--', '—')} -->`,
    '',
  ].join('\n');
}

function header(paper: Paper): string {
  const { spec } = paper;
  const url = licenseUrl(spec.license);
  const authors = spec.authors.map(({ name, orcid, affiliation }) =>
    tag(
      'author',
      {},
      person(name) +
        (orcid ? tag('idno', { type: 'ORCID' }, escapeXml(orcid)) : '') +
        (affiliation ? tag('affiliation', {}, tag('orgName', { type: 'institution' }, escapeXml(affiliation))) : ''),
    ),
  );
  const title = tag('title', { level: 'a', type: 'main' }, escapeXml(spec.title));
  const ids = [
    spec.doi ? tag('idno', { type: 'DOI' }, escapeXml(spec.doi)) : '',
    spec.arxivId ? tag('idno', { type: 'arXiv' }, escapeXml(`arXiv:${spec.arxivId}`)) : '',
  ].join('');
  const date = tag('date', { type: 'published', when: spec.year }, String(spec.year));
  const source = tag(
    'biblStruct',
    {},
    tag('analytic', {}, authors.join('\n') + title) +
      tag(
        'monogr',
        {},
        (spec.journal ? tag('title', { level: 'j', type: 'main' }, escapeXml(spec.journal)) : '') +
          tag('imprint', {}, tag('biblScope', { unit: 'volume' }, String(paper.volume)) + date),
      ) +
      ids,
  );
  const file = tag(
    'fileDesc',
    {},
    tag('titleStmt', {}, title) +
      tag(
        'publicationStmt',
        {},
        tag('publisher', {}, SIMULATED) +
          (url
            ? tag('availability', { status: 'free' }, tag('licence', { target: url }))
            : tag('availability', { status: 'unknown' }, tag('licence', {}))) +
          date,
      ) +
      tag('sourceDesc', {}, source),
  );
  const keywords = tag(
    'textClass',
    {},
    tag('keywords', {}, paper.keywords.map((word) => tag('term', {}, escapeXml(word))).join('')),
  );
  const abstract = spec.abstract
    ? tag('abstract', {}, tag('div', {}, tag('p', {}, escapeXml(spec.abstract))))
    : tag('abstract', {});
  return tag(
    'teiHeader',
    { 'xml:lang': paper.language },
    `${file}\n${tag('encodingDesc', {}, tag('appInfo', {}, tag('application', { version: '0.8.1', ident: 'GROBID' }, tag('desc', {}, `${SIMULATED}; the shape follows GROBID`))))}\n${tag('profileDesc', {}, keywords + abstract)}`,
  );
}

function person(name: string): string {
  const { given, surname } = splitName(name);
  const first = given.split(' ').filter(Boolean);
  return tag(
    'persName',
    {},
    first.map((part, index) => tag('forename', { type: index === 0 ? 'first' : 'middle' }, escapeXml(part))).join('') +
      tag('surname', {}, escapeXml(surname)),
  );
}

function block(item: BodyBlock, labels: Labels): string {
  switch (item.kind) {
    case 'paragraph':
      return tag('p', {}, writeInlines(item.inlines, TAGS));
    case 'list':
      return tag(
        'list',
        { type: item.ordered ? 'ordered' : 'bulleted' },
        item.items.map((entry) => tag('item', {}, writeInlines(entry, TAGS))).join(''),
      );
    case 'formula':
      return tag(
        'formula',
        { 'xml:id': `formula_${String(item.number)}` },
        `${escapeXml(plainText(parseInlines(item.plain)))}${tag('label', {}, `(${String(item.number)})`)}`,
      );
    case 'figure':
      return tag(
        'figure',
        { 'xml:id': `figure_${String(item.number)}` },
        tag('head', {}, `${labels.figure} ${String(item.number)}`) +
          tag('label', {}, String(item.number)) +
          tag('figDesc', {}, escapeXml(item.caption)) +
          tag('graphic', { url: `${item.id}.png`, type: 'bitmap' }),
      );
    case 'table':
      return table(item, labels);
  }
}

function table(item: TableFloat, labels: Labels): string {
  const rows = Array.from({ length: item.table.rows }, (_unused, row) => {
    const cells = item.table.cells.filter((cell) => cell.row === row);
    const role = cells.every((cell) => cell.kind === 'column-header') ? 'label' : undefined;
    return tag(
      'row',
      { role },
      cells
        .map((cell) =>
          tag(
            'cell',
            {
              rows: cell.rowSpan > 1 ? cell.rowSpan : undefined,
              cols: cell.columnSpan > 1 ? cell.columnSpan : undefined,
            },
            escapeXml(cell.text),
          ),
        )
        .join(''),
    );
  });
  return tag(
    'figure',
    { type: 'table', 'xml:id': `table_${String(item.number)}` },
    tag('head', {}, `${labels.table} ${String(item.number)}`) +
      tag('label', {}, String(item.number)) +
      tag('figDesc', {}, escapeXml(item.caption)) +
      tag('table', {}, rows.join('')),
  );
}

function bibliography(entry: Reference): string {
  return tag(
    'biblStruct',
    { 'xml:id': `b${String(entry.number - 1)}` },
    tag(
      'analytic',
      {},
      tag('title', { level: 'a', type: 'main' }, escapeXml(entry.title)) +
        entry.authors.map((author) => tag('author', {}, person(author))).join('') +
        (entry.doi ? tag('idno', { type: 'DOI' }, escapeXml(entry.doi)) : ''),
    ) +
      tag(
        'monogr',
        {},
        tag('title', { level: 'j' }, escapeXml(entry.journal)) +
          tag(
            'imprint',
            {},
            tag('biblScope', { unit: 'volume' }, String(entry.volume)) +
              tag('biblScope', { unit: 'page', from: entry.firstPage, to: entry.lastPage }) +
              tag('date', { type: 'published', when: entry.year }, String(entry.year)),
          ),
      ),
  );
}
