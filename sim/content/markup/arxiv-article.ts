import { noteMark } from '../inline.ts';
import type { BodyBlock, Paper } from '../paper.ts';
import { referenceText } from '../references.ts';
import { htmlTable } from './html-table.ts';
import { element as tag, escapeXml, writeInlines } from './xml-text.ts';
import type { InlineTags } from './xml-text.ts';

const TAGS: InlineTags = {
  italic: (text) => tag('em', { class: 'ltx_emph ltx_font_italic' }, text),
  sub: (text) => tag('sub', { class: 'ltx_sub' }, text),
  sup: (text) => tag('sup', { class: 'ltx_sup' }, text),
  cite: (reference) => tag('a', { class: 'ltx_ref', href: `#bib.bib${String(reference)}` }, String(reference)),
  note: (note) =>
    tag('sup', { class: 'ltx_note_mark' }, tag('a', { href: `#footnote${String(note + 1)}` }, noteMark(note))),
  pointer: (to, number, text) => tag('a', { class: 'ltx_ref', href: `#${to}${String(number)}` }, text),
};

const space = (markup: string): string => `${markup} `;

/** The article part of arXiv's HTML (LaTeXML): numbered headings, formulas as MathML with LaTeX source. */
export function arxivArticle(paper: Paper): string {
  const { spec, labels } = paper;
  const sections = paper.sections.map((section) => {
    const kind = section.level === 1 ? 'section' : 'subsection';
    const title = tag(
      section.level === 1 ? 'h2' : 'h3',
      { class: `ltx_title ltx_title_${kind}` },
      space(tag('span', { class: `ltx_tag ltx_tag_${kind}` }, section.number)) + escapeXml(section.title),
    );
    return tag(
      'section',
      { class: `ltx_${kind}`, id: section.id },
      title + section.blocks.map((item) => block(item, paper)).join('\n'),
    );
  });
  const notes = paper.notes.map((note, index) =>
    tag(
      'div',
      { class: 'ltx_note ltx_role_footnote', id: `footnote${String(index + 1)}` },
      `${tag('sup', { class: 'ltx_note_mark' }, noteMark(index))} ${escapeXml(note)}`,
    ),
  );
  const references = paper.references.map((entry) =>
    tag(
      'li',
      { class: 'ltx_bibitem', id: `bib.bib${String(entry.number)}` },
      space(tag('span', { class: 'ltx_tag ltx_tag_bibitem' }, `[${String(entry.number)}]`)) +
        tag('span', { class: 'ltx_bibblock' }, escapeXml(referenceText(entry))),
    ),
  );
  return tag(
    'article',
    { class: 'ltx_document ltx_authors_1line' },
    [
      tag('h1', { class: 'ltx_title ltx_title_document' }, escapeXml(spec.title)),
      tag(
        'div',
        { class: 'ltx_authors' },
        spec.authors
          .map(({ name }) =>
            tag(
              'span',
              { class: 'ltx_creator ltx_role_author' },
              tag('span', { class: 'ltx_personname' }, escapeXml(name)),
            ),
          )
          .join(' '),
      ),
      spec.abstract
        ? tag(
            'div',
            { class: 'ltx_abstract' },
            tag('h6', { class: 'ltx_title ltx_title_abstract' }, escapeXml(labels.abstract)) +
              tag('p', { class: 'ltx_p' }, escapeXml(spec.abstract)),
          )
        : '',
      ...sections,
      ...notes,
      references.length > 0
        ? tag(
            'section',
            { class: 'ltx_bibliography', id: 'bib' },
            tag('h2', { class: 'ltx_title ltx_title_bibliography' }, escapeXml(labels.references)) +
              tag('ul', { class: 'ltx_biblist' }, references.join('\n')),
          )
        : '',
    ]
      .filter(Boolean)
      .join('\n'),
  );
}

function block(item: BodyBlock, { labels }: Paper): string {
  const caption = (label: string, text: string): string =>
    tag(
      'figcaption',
      { class: 'ltx_caption' },
      space(tag('span', { class: 'ltx_tag' }, escapeXml(`${label} ${String('number' in item ? item.number : '')}.`))) +
        escapeXml(text),
    );
  switch (item.kind) {
    case 'paragraph':
      return tag(
        'div',
        { class: 'ltx_para', id: item.id },
        tag('p', { class: 'ltx_p' }, writeInlines(item.inlines, TAGS)),
      );
    case 'list': {
      const items = item.items.map((entry, index) => {
        const marker = tag('span', { class: 'ltx_tag ltx_tag_item' }, item.ordered ? `${String(index + 1)}.` : '•');
        return tag(
          'li',
          { class: 'ltx_item', style: 'list-style-type:none;' },
          space(marker) + tag('div', { class: 'ltx_para' }, tag('p', { class: 'ltx_p' }, writeInlines(entry, TAGS))),
        );
      });
      return tag(
        item.ordered ? 'ol' : 'ul',
        { class: item.ordered ? 'ltx_enumerate' : 'ltx_itemize', id: item.id },
        items.join(''),
      );
    }
    case 'formula': {
      const source = `<annotation encoding="application/x-tex">${escapeXml(item.tex)}</annotation>`;
      const math = `<math class="ltx_Math" display="block" alttext="${escapeXml(item.tex)}" xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow>${item.mathml}</mrow>${source}</semantics></math>`;
      return tag(
        'table',
        { class: 'ltx_equation ltx_eqn_table', id: item.id },
        tag(
          'tbody',
          {},
          tag(
            'tr',
            { class: 'ltx_equation ltx_eqn_row' },
            tag('td', { class: 'ltx_eqn_cell' }, math) +
              tag('td', { class: 'ltx_eqn_cell ltx_eqn_eqno' }, `(${String(item.number)})`),
          ),
        ),
      );
    }
    case 'figure':
      return tag(
        'figure',
        { class: 'ltx_figure', id: item.id },
        tag('img', { class: 'ltx_graphics', src: `${item.id}.png`, alt: 'Refer to caption' }) +
          caption(labels.figure, item.caption),
      );
    case 'table':
      return tag(
        'figure',
        { class: 'ltx_table', id: item.id },
        caption(labels.table, item.caption) +
          htmlTable(item.table, { table: 'ltx_tabular ltx_centering', row: 'ltx_tr', cell: 'ltx_td' }),
      );
  }
}
