import { noteMark } from '../inline.ts';
import type { BodyBlock, Paper } from '../paper.ts';
import { referenceText } from '../references.ts';
import { htmlTable, lines, Markup, markup, writeInlines } from './markup.ts';
import type { InlineTags } from './markup.ts';

const TAGS: InlineTags = {
  italic: (text) => markup`<em class="ltx_emph ltx_font_italic">${text}</em>`,
  sub: (text) => markup`<sub class="ltx_sub">${text}</sub>`,
  sup: (text) => markup`<sup class="ltx_sup">${text}</sup>`,
  cite: (reference) => markup`<a class="ltx_ref" href="#bib.bib${reference}">${reference}</a>`,
  note: (note) => markup`<sup class="ltx_note_mark"><a href="#footnote${note + 1}">${noteMark(note)}</a></sup>`,
  pointer: (to, number, text) => markup`<a class="ltx_ref" href="#${to}${number}">${text}</a>`,
};

/** The article part of arXiv's HTML (LaTeXML): numbered headings, formulas as MathML with LaTeX source. */
export function arxivArticle(paper: Paper): Markup {
  const { spec, labels } = paper;
  const sections = paper.sections.map(({ level, id, number, title, blocks }) => {
    const kind = level === 1 ? 'section' : 'subsection';
    const heading = markup`<span class="ltx_tag ltx_tag_${kind}">${number}</span> ${title}`;
    return markup`
      <section class="ltx_${kind}" id="${id}">
      <h${level + 1} class="ltx_title ltx_title_${kind}">${heading}</h${level + 1}>
      ${lines(blocks.map((item) => block(item, paper)))}</section>`;
  });
  const notes = paper.notes.map(
    (note, index) => markup`
      <div class="ltx_note ltx_role_footnote" id="footnote${index + 1}">
      <sup class="ltx_note_mark">${noteMark(index)}</sup> ${note}</div>`,
  );
  const references = paper.references.map(
    (entry) => markup`
      <li class="ltx_bibitem" id="bib.bib${entry.number}">
      <span class="ltx_tag ltx_tag_bibitem">[${entry.number}]</span>${' '}
      <span class="ltx_bibblock">${referenceText(entry)}</span></li>`,
  );
  const authors = spec.authors.map(
    ({ name }) => markup`<span class="ltx_creator ltx_role_author"><span class="ltx_personname">${name}</span></span>`,
  );
  return markup`<article class="ltx_document ltx_authors_1line">${lines([
    markup`<h1 class="ltx_title ltx_title_document">${spec.title}</h1>`,
    markup`<div class="ltx_authors">${lines(authors, ' ')}</div>`,
    spec.abstract &&
      markup`
        <div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">${labels.abstract}</h6>
        <p class="ltx_p">${spec.abstract}</p></div>`,
    ...sections,
    ...notes,
    references.length > 0 &&
      markup`
        <section class="ltx_bibliography" id="bib">
        <h2 class="ltx_title ltx_title_bibliography">${labels.references}</h2>
        <ul class="ltx_biblist">${lines(references)}</ul></section>`,
  ])}</article>`;
}

function block(item: BodyBlock, { labels }: Paper): Markup {
  const caption = (label: string, number: number, text: string): Markup =>
    markup`<figcaption class="ltx_caption"><span class="ltx_tag">${label} ${number}.</span> ${text}</figcaption>`;
  switch (item.kind) {
    case 'paragraph':
      return markup`
        <div class="ltx_para" id="${item.id}"><p class="ltx_p">${writeInlines(item.inlines, TAGS)}</p></div>`;
    case 'list': {
      const entries = item.items.map(
        (entry, index) => markup`
          <li class="ltx_item" style="list-style-type:none;">
          <span class="ltx_tag ltx_tag_item">${item.ordered ? `${index + 1}.` : '•'}</span>${' '}
          <div class="ltx_para"><p class="ltx_p">${writeInlines(entry, TAGS)}</p></div></li>`,
      );
      return item.ordered
        ? markup`<ol class="ltx_enumerate" id="${item.id}">${entries}</ol>`
        : markup`<ul class="ltx_itemize" id="${item.id}">${entries}</ul>`;
    }
    case 'formula':
      return markup`
        <table class="ltx_equation ltx_eqn_table" id="${item.id}"><tbody><tr class="ltx_equation ltx_eqn_row">
        <td class="ltx_eqn_cell">
        <math class="ltx_Math" display="block" alttext="${item.tex}" xmlns="http://www.w3.org/1998/Math/MathML">
        <semantics><mrow>${new Markup(item.mathml)}</mrow>
        <annotation encoding="application/x-tex">${item.tex}</annotation></semantics></math></td>
        <td class="ltx_eqn_cell ltx_eqn_eqno">(${item.number})</td></tr></tbody></table>`;
    case 'figure':
      return markup`
        <figure class="ltx_figure" id="${item.id}">
        <img class="ltx_graphics" src="${item.id}.png" alt="Refer to caption"/>
        ${caption(labels.figure, item.number, item.caption)}</figure>`;
    case 'table':
      return markup`
        <figure class="ltx_table" id="${item.id}">${caption(labels.table, item.number, item.caption)}
        ${htmlTable(item.table, { table: 'ltx_tabular ltx_centering', row: 'ltx_tr', cell: 'ltx_td' })}</figure>`;
  }
}
