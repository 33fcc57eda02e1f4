import { oneLine } from '../markup/characters.ts';
import { InlineText, type Line } from '../markup/inline-text.ts';
import { child, children, rawText, type MarkupElement } from '../markup/node.ts';
import { layOutTable, tableRows } from '../markup/table-grid.ts';
import { isBlock, writeNote, type Walk } from './jats-walk.ts';
import { addInline, inlineLine, linkOf } from './jats-inline.ts';

const FIGURES = new Set(['fig', 'fig-group', 'supplementary-material', 'media', 'table-wrap']);

const SUPPLEMENTS = new Set(['supplementary-material', 'media']);

/** A figure: a picture, its caption, and the figures and files that hang on it. */
export function writeFigure(walk: Walk, figure: MarkupElement): void {
  const parts = children(figure);
  if (figure.name !== 'fig-group' || child(figure, 'graphic')) {
    const picture = walk.builder.picture(alternativeText(figure));
    writeCaption(walk, figure, picture);
  } else writeCaption(walk, figure, undefined);
  // What hangs on a figure is published beside the paper only: figure supplements, source data.
  if (figure.name !== 'fig-group') return;
  for (const part of parts) {
    if (FIGURES.has(part.name)) walk.block(walk, part);
    else if (part.name === 'p')
      for (const inner of children(part)) if (FIGURES.has(inner.name)) walk.block(walk, inner);
  }
}

/** Caption of a float, followed by the blocks that were set inside it. */
function writeCaption(walk: Walk, float: MarkupElement, parent: number | undefined): void {
  const inside: MarkupElement[] = [];
  const line = captionLine(walk, float, inside);
  walk.builder.caption(line, parent === undefined ? {} : { parent });
  for (const note of walk.inline.notes.splice(0)) writeNote(walk, note, parent);
  for (const block of inside) if (!SUPPLEMENTS.has(block.name)) walk.block(walk, block);
}

/** Label, title and paragraphs of a caption as one line; blocks other than paragraphs go into `inside`. */
function captionLine(walk: Walk, float: MarkupElement, inside: MarkupElement[]): Line {
  const text = new InlineText();
  const visit = (element: MarkupElement): void => {
    for (const node of element.children) {
      if (typeof node === 'string' || !isBlock(node)) addInline(text, node, walk.inline);
      else if (node.name === 'p' || node.name === 'disp-quote') {
        text.space();
        visit(node);
        text.space();
      } else if (node.name === 'disp-formula') {
        text.space();
        addInline(text, node, walk.inline);
        text.space();
      } else inside.push(node);
    }
  };
  const label = child(float, 'label');
  if (label) visit(label);
  text.space();
  for (const caption of children(float, 'caption')) visit(caption);
  for (const loose of children(float, 'title', 'attrib')) {
    text.space();
    visit(loose);
  }
  return text.take();
}

function alternativeText(float: MarkupElement): string {
  const graphic = child(float, 'graphic') ?? child(child(float, 'alternatives'), 'graphic');
  return oneLine(rawText(child(float, 'alt-text') ?? child(graphic, 'alt-text')));
}

/** A table with its caption and notes; one that is only an image becomes a picture. */
export function writeTableWrap(walk: Walk, wrap: MarkupElement): void {
  if (wrap.name === 'table-wrap-group') {
    writeCaption(walk, wrap, undefined);
    for (const part of children(wrap, 'table-wrap')) writeTableWrap(walk, part);
    return;
  }
  const tables = wrap.name === 'table' || wrap.name === 'array' ? [wrap] : tablesOf(wrap);
  let first: number | undefined;
  for (const table of tables) {
    const rows = tableRows(table.name === 'array' ? (child(table, 'tbody') ?? table) : table);
    if (rows.length === 0) continue;
    const order = walk.builder.table(layOutTable(rows, (cell) => inlineLine(cell, walk.inline).text));
    first ??= order;
  }
  if (wrap.name === 'table' || wrap.name === 'array') return;
  first ??= hasImage(wrap) ? walk.builder.picture(alternativeText(wrap), 'table') : undefined;
  writeCaption(walk, wrap, first);
  for (const foot of children(wrap, 'table-wrap-foot', 'fn-group', 'fn')) writeTableFoot(walk, foot, first);
  for (const part of children(wrap))
    if (['list', 'def-list', 'p', 'disp-formula', 'supplementary-material', 'preformat', 'code'].includes(part.name))
      walk.block(walk, part);
}

function tablesOf(wrap: MarkupElement): MarkupElement[] {
  return [wrap, ...children(wrap, 'alternatives')].flatMap((holder) => children(holder, 'table', 'array'));
}

function hasImage(wrap: MarkupElement): boolean {
  return [wrap, ...children(wrap, 'alternatives')].some((holder) => children(holder, 'graphic', 'media').length > 0);
}

function writeTableFoot(walk: Walk, foot: MarkupElement, parent: number | undefined): void {
  if (foot.name === 'fn') {
    writeNote(walk, foot, parent);
    return;
  }
  for (const part of children(foot)) {
    if (part.name === 'fn') writeNote(walk, part, parent);
    else if (part.name === 'fn-group') writeTableFoot(walk, part, parent);
    else walk.builder.footnote(inlineLine(part, walk.inline), parent === undefined ? {} : { parent });
  }
}

/** A file that comes with the article: what it is called and what its caption says. */
export function writeSupplement(walk: Walk, supplement: MarkupElement): void {
  const inside: MarkupElement[] = [];
  const line = captionLine(walk, supplement, inside);
  const url = linkOf(supplement);
  const links =
    url === undefined || line.text === '' ? line.links : [...line.links, { start: 0, end: line.text.length, url }];
  walk.builder.text({ text: line.text, links });
  for (const note of walk.inline.notes.splice(0)) writeNote(walk, note);
  for (const block of inside) walk.block(walk, block);
  for (const part of children(supplement))
    // A file's own caption ("click here for the file") is of use only where the supplement has none.
    if (part.name === 'p' || (FIGURES.has(part.name) && !(part.name === 'media' && line.text !== '')))
      walk.block(walk, part);
}
