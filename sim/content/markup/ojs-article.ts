import { noteMark } from '../inline.ts';
import type { BodyBlock, Paper } from '../paper.ts';
import { referenceText } from '../references.ts';
import { htmlTable } from './html-table.ts';
import { element as tag, escapeXml, writeInlines } from './xml-text.ts';
import type { InlineTags } from './xml-text.ts';

const TAGS: InlineTags = {
  italic: (text) => tag('em', {}, text),
  sub: (text) => tag('sub', {}, text),
  sup: (text) => tag('sup', {}, text),
  cite: (reference) => tag('a', { href: `#ref${String(reference)}` }, String(reference)),
  note: (note) => tag('sup', {}, tag('a', { href: `#fn${String(note + 1)}` }, noteMark(note))),
  pointer: (to, number, text) => tag('a', { href: `#${to}${String(number)}` }, text),
};

/** The article part of a journal page: unnumbered headings, notes and references at the end. */
export function ojsArticle(paper: Paper): string {
  const { spec, labels } = paper;
  const sections = paper.sections.map(
    (section) =>
      tag(section.level === 1 ? 'h2' : 'h3', { id: section.id }, escapeXml(section.title)) +
      section.blocks.map((item) => block(item, paper)).join('\n'),
  );
  const notes = paper.notes.map((note, index) =>
    tag(
      'p',
      { class: 'footnote', id: `fn${String(index + 1)}` },
      `${tag('sup', {}, noteMark(index))} ${escapeXml(note)}`,
    ),
  );
  const references = paper.references.map((entry) => {
    const text = escapeXml(referenceText(entry));
    const url = entry.doi ? escapeXml(`https://doi.org/${entry.doi}`) : undefined;
    return tag(
      'li',
      { id: `ref${String(entry.number)}` },
      url ? text.replace(url, () => `<a href="${url}">${url}</a>`) : text,
    );
  });
  return tag(
    'article',
    { class: 'obj_article_details' },
    [
      tag('h1', { class: 'page_title' }, escapeXml(spec.title)),
      tag(
        'section',
        { class: 'item authors' },
        tag(
          'ul',
          { class: 'authors' },
          spec.authors
            .map(({ name, affiliation }) =>
              tag(
                'li',
                {},
                tag('span', { class: 'name' }, escapeXml(name)) +
                  (affiliation ? ` ${tag('span', { class: 'affiliation' }, escapeXml(affiliation))}` : ''),
              ),
            )
            .join(''),
        ),
      ),
      spec.doi
        ? tag(
            'section',
            { class: 'item doi' },
            tag('span', { class: 'label' }, 'DOI:') +
              ` ${tag('a', { href: `https://doi.org/${spec.doi}` }, escapeXml(`https://doi.org/${spec.doi}`))}`,
          )
        : '',
      tag(
        'section',
        { class: 'item keywords' },
        tag('span', { class: 'label' }, escapeXml(`${labels.keywords}:`)) + ` ${escapeXml(paper.keywords.join(', '))}`,
      ),
      spec.abstract
        ? tag(
            'section',
            { class: 'item abstract' },
            tag('h2', { class: 'label' }, escapeXml(labels.abstract)) + tag('p', {}, escapeXml(spec.abstract)),
          )
        : '',
      tag('div', { class: 'article-fulltext' }, sections.join('\n')),
      notes.length > 0 ? tag('section', { class: 'footnotes' }, notes.join('\n')) : '',
      references.length > 0
        ? tag(
            'section',
            { class: 'item references' },
            tag('h2', { class: 'label' }, escapeXml(labels.references)) +
              tag('ol', { class: 'references-list' }, references.join('\n')),
          )
        : '',
    ]
      .filter(Boolean)
      .join('\n'),
  );
}

function block(item: BodyBlock, { labels }: Paper): string {
  switch (item.kind) {
    case 'paragraph':
      return tag('p', { id: item.id }, writeInlines(item.inlines, TAGS));
    case 'list':
      return tag(
        item.ordered ? 'ol' : 'ul',
        { id: item.id },
        item.items.map((entry) => tag('li', {}, writeInlines(entry, TAGS))).join(''),
      );
    case 'formula':
      return tag(
        'div',
        { class: 'formula', id: item.id },
        `<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">${item.mathml}</math>${tag('span', { class: 'number' }, `(${String(item.number)})`)}`,
      );
    case 'figure':
      return tag(
        'figure',
        { id: item.id },
        tag('img', { src: `${item.id}.png`, alt: '' }) +
          tag(
            'figcaption',
            {},
            `${tag('strong', {}, escapeXml(`${labels.figure} ${String(item.number)}.`))} ${escapeXml(item.caption)}`,
          ),
      );
    case 'table':
      return tag(
        'figure',
        { id: item.id, class: 'table' },
        tag(
          'figcaption',
          {},
          `${tag('strong', {}, escapeXml(`${labels.table} ${String(item.number)}.`))} ${escapeXml(item.caption)}`,
        ) + htmlTable(item.table),
      );
  }
}
