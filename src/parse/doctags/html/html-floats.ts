import { oneLine } from '../markup/characters.ts';
import { findAll, findFirst, type MarkupElement, type MarkupNode } from '../markup/node.ts';
import { layOutTable, tableRows } from '../markup/table-grid.ts';
import { classMatches, hasClass } from './classes.ts';
import { isFurniture } from './content.ts';
import { writeFlow, writeNotes, type Walk } from './html-walk.ts';
import { inlineLine } from './html-inline.ts';

const FLOAT_CLASS =
  /^(?:fig|figure|fig-?wrap|table-?wrap|figure-?wrap(?:per)?|ltx_float|c-article-section__figure|boxed-text-float)$/i;
const CAPTION_CLASS =
  /^(?:caption|fig-?caption|figcaption|figure-?caption|table-?caption|ltx_caption|thumbcaption|caption-text|figure__caption|table__caption)$/i;

/** A figure, or a box that pages use as one. */
export function isFloat(element: MarkupElement): boolean {
  if (element.name === 'figure') return true;
  if (element.name !== 'div' && element.name !== 'section' && element.name !== 'table') return false;
  return element.name !== 'table' && classMatches(element, FLOAT_CLASS) && captionsOf(element).length > 0;
}

function isCaption(element: MarkupElement): boolean {
  return element.name === 'figcaption' || element.name === 'caption' || classMatches(element, CAPTION_CLASS);
}

function isInnerFloat(element: MarkupElement): boolean {
  return element.name === 'figure' || (element.name === 'div' && classMatches(element, FLOAT_CLASS));
}

/** The captions of a float itself, not those of floats inside it. */
function captionsOf(float: MarkupElement): MarkupElement[] {
  return findAll(float, (inner) => isCaption(inner) || isInnerFloat(inner) || inner.name === 'table').filter(isCaption);
}

/** A picture, table or listing with its caption; panels inside a figure are floats of their own. */
export function writeFloat(walk: Walk, float: MarkupElement): void {
  const captions = captionsOf(float);
  const inner = findAll(float, isInnerFloat);
  const tables = findAll(float, (element) => element.name === 'table' && !isEquation(element));
  const before = walk.builder.next;
  if (inner.length > 0) for (const panel of inner) walk.block(walk, panel);
  else if (tables.length > 0) for (const table of tables) writeTable(walk, table);
  else {
    const listing = findFirst(float, (element) => element.name === 'pre' || hasClass(element, 'ltx_listing'));
    if (listing) walk.block(walk, listing);
    else if (classMatches(float, /^ltx_float/)) writeRest(walk, float, captions);
    else writeFigure(walk, float);
  }
  const owner = inner.length > 0 && captions.length > 0 ? pictureFor(walk, before) : ownerSince(walk, before);
  for (const caption of captions) {
    const line = inlineLine(caption, walk.inline);
    walk.builder.caption(line, owner === undefined ? {} : { parent: owner });
    writeNotes(walk);
  }
  const isWritten = inner.length > 0 || classMatches(float, /^ltx_float/);
  if (!isWritten)
    writeRest(walk, float, [
      ...captions,
      ...tables,
      ...findAll(
        float,
        (element) => element.name === 'img' || element.name === 'pre' || hasClass(element, 'ltx_listing'),
      ),
    ]);
}

function writeFigure(walk: Walk, figure: MarkupElement): void {
  const images = findAll(figure, (element) => element.name === 'img');
  walk.builder.picture(images.map((image) => alternativeOf(image)).find((text) => text !== '') ?? '');
}

/** What a float holds besides its captions and contents: notes under a table, the lines of an algorithm. */
function writeRest(walk: Walk, float: MarkupElement, written: readonly MarkupElement[]): void {
  const skip = new Set<MarkupNode>(written);
  const without = (nodes: readonly MarkupNode[]): MarkupNode[] =>
    nodes.flatMap((node): MarkupNode[] => {
      if (skip.has(node)) return [];
      if (typeof node === 'string' || !written.some((element) => contains(node, element))) return [node];
      return [{ ...node, children: without(node.children) }];
    });
  writeFlow(walk, without(float.children));
}

function contains(holder: MarkupElement, sought: MarkupElement): boolean {
  return findFirst(holder, (element) => element === sought) !== undefined;
}

/** The first table, picture or code written since. */
function ownerSince(walk: Walk, order: number): number | undefined {
  return walk.builder.blocks
    .slice(order)
    .find((block) => block.kind === 'table' || block.kind === 'picture' || block.kind === 'code')?.order;
}

/** A figure made of panels: its caption belongs to the whole, which needs a separate block. */
function pictureFor(walk: Walk, before: number): number | undefined {
  const kinds = walk.builder.blocks.slice(before).map((block) => block.kind);
  return kinds.includes('table') && !kinds.includes('picture') ? ownerSince(walk, before) : walk.builder.picture();
}

function isEquation(table: MarkupElement): boolean {
  return classMatches(table, /^ltx_(?:equation|equationgroup|eqn_table)$/);
}

/** A table; one that only lays out a page is read as text. */
export function writeTable(walk: Walk, table: MarkupElement): void {
  const rows = tableRows(table);
  const isLayout =
    table.attributes['role'] === 'presentation' ||
    (rows.length > 0 && rows.every((row) => row.cells.length <= 1) && hasBlocks(table)) ||
    (hasBlocks(table) && findAll(table, (element) => element.name === 'table').some((inner) => !isStack(inner)));
  if (rows.length === 0 || isLayout) {
    for (const row of rows) for (const cell of row.cells) writeFlow(walk, cell.children);
    return;
  }
  const quiet = { ...walk.inline, notes: [] };
  const order = walk.builder.table(layOutTable(rows, (cell) => inlineLine(cell, quiet).text));
  for (const caption of table.children)
    if (typeof caption !== 'string' && caption.name === 'caption')
      walk.builder.caption(inlineLine(caption, walk.inline), { parent: order });
  for (const note of quiet.notes) walk.inline.notes.push(note);
  writeNotes(walk);
}

/** A table of one column inside a cell is how a cell of several lines is set. */
function isStack(table: MarkupElement): boolean {
  return tableRows(table).every((row) => row.cells.length <= 1);
}

function hasBlocks(table: MarkupElement): boolean {
  return (
    findFirst(table, (element) =>
      ['p', 'ul', 'ol', 'h1', 'h2', 'h3', 'h4', 'blockquote', 'pre'].includes(element.name),
    ) !== undefined
  );
}

/** An image that is alone; icons and images without a description say nothing and are left out. */
export function writePicture(walk: Walk, image: MarkupElement): void {
  const text = alternativeOf(image);
  const small = [image.attributes['width'], image.attributes['height']].some(
    (size) => size !== undefined && Number.parseInt(size, 10) < 48,
  );
  if (text !== '' && !small && !isFurniture(image)) walk.builder.picture(text);
}

function alternativeOf(image: MarkupElement): string {
  const text = oneLine(image.attributes['alt'] ?? '');
  return /^(?:refer to caption|thumbnail|figure|image|img|logo|icon)$/i.test(text) ? '' : text.slice(0, 2_000);
}
