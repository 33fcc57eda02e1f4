import { noteMark } from '../inline.ts';
import type { BodyBlock, Paper } from '../paper.ts';
import { referenceText } from '../references.ts';
import { htmlTable, lines, Markup, markup, writeInlines } from './markup.ts';
import type { InlineTags } from './markup.ts';

const TAGS: InlineTags = {
  italic: (text) => markup`<em>${text}</em>`,
  sub: (text) => markup`<sub>${text}</sub>`,
  sup: (text) => markup`<sup>${text}</sup>`,
  cite: (reference) => markup`<a href="#ref${reference}">${reference}</a>`,
  note: (note) => markup`<sup><a href="#fn${note + 1}">${noteMark(note)}</a></sup>`,
  pointer: (to, number, text) => markup`<a href="#${to}${number}">${text}</a>`,
};

/** The article part of a journal page: unnumbered headings, notes and references at the end. */
export function ojsArticle(paper: Paper): Markup {
  const { spec, labels } = paper;
  const authors = spec.authors.map(({ name, affiliation }) => {
    const place = affiliation && markup` <span class="affiliation">${affiliation}</span>`;
    return markup`<li><span class="name">${name}</span>${place}</li>`;
  });
  const sections = paper.sections.map(({ level, id, title, blocks }) => {
    const heading = level === 1 ? markup`<h2 id="${id}">${title}</h2>` : markup`<h3 id="${id}">${title}</h3>`;
    return markup`${heading}${lines(blocks.map((item) => block(item, paper)))}`;
  });
  const notes = paper.notes.map(
    (note, index) => markup`<p class="footnote" id="fn${index + 1}"><sup>${noteMark(index)}</sup> ${note}</p>`,
  );
  const references = paper.references.map((entry) => {
    const text = referenceText(entry);
    const url = entry.doi && `https://doi.org/${entry.doi}`;
    const linked = url && markup`${text.slice(0, -url.length)}<a href="${url}">${url}</a>`;
    return markup`<li id="ref${entry.number}">${linked ?? text}</li>`;
  });
  const doi = spec.doi && `https://doi.org/${spec.doi}`;
  return markup`<article class="obj_article_details">${lines([
    markup`<h1 class="page_title">${spec.title}</h1>`,
    markup`<section class="item authors"><ul class="authors">${authors}</ul></section>`,
    doi && markup`<section class="item doi"><span class="label">DOI:</span> <a href="${doi}">${doi}</a></section>`,
    markup`
      <section class="item keywords"><span class="label">${labels.keywords}:</span>
      ${' '}${paper.keywords.join(', ')}</section>`,
    spec.abstract &&
      markup`<section class="item abstract"><h2 class="label">${labels.abstract}</h2><p>${spec.abstract}</p></section>`,
    markup`<div class="article-fulltext">${lines(sections)}</div>`,
    notes.length > 0 && markup`<section class="footnotes">${lines(notes)}</section>`,
    references.length > 0 &&
      markup`
        <section class="item references"><h2 class="label">${labels.references}</h2>
        <ol class="references-list">${lines(references)}</ol></section>`,
  ])}</article>`;
}

function block(item: BodyBlock, { labels }: Paper): Markup {
  switch (item.kind) {
    case 'paragraph':
      return markup`<p id="${item.id}">${writeInlines(item.inlines, TAGS)}</p>`;
    case 'list': {
      const entries = item.items.map((entry) => markup`<li>${writeInlines(entry, TAGS)}</li>`);
      return item.ordered ? markup`<ol id="${item.id}">${entries}</ol>` : markup`<ul id="${item.id}">${entries}</ul>`;
    }
    case 'formula':
      return markup`
        <div class="formula" id="${item.id}">
        <math xmlns="http://www.w3.org/1998/Math/MathML" display="block">${new Markup(item.mathml)}</math>
        <span class="number">(${item.number})</span></div>`;
    case 'figure':
      return markup`
        <figure id="${item.id}"><img src="${item.id}.png" alt=""/>
        <figcaption><strong>${labels.figure} ${item.number}.</strong> ${item.caption}</figcaption></figure>`;
    case 'table':
      return markup`
        <figure id="${item.id}" class="table">
        <figcaption><strong>${labels.table} ${item.number}.</strong> ${item.caption}</figcaption>
        ${htmlTable(item.table)}</figure>`;
  }
}
