import type { MarkupElement, MarkupNode } from '../markup/node.ts';
import { rawCode, oneLine, findAll, rawText, children, findFirst, lineText, named } from '../markup/node.ts';
import { bareLatex, latexOf } from '../markup/math.ts';
import type { Walk } from './html-walk.ts';
import {
  classMatches,
  hasClass,
  isFurniture,
  linkShare,
  inlineLine,
  inlineText,
  isNote,
  isDisplayMath,
  writeFlow,
  writeNotes,
  isBlock,
} from './html-walk.ts';
import {
  entriesOfParagraph,
  isReferenceHeading,
  isReferenceList,
  isReferenceParagraph,
  writeReference,
  writeReferences,
} from './html-references.ts';
import type { Item } from '../markup/document-builder.ts';
import { bare } from '../markup/document-builder.ts';
import { layOutTable, tableRows } from '../markup/table-grid.ts';

export function writeBlock(walk: Walk, element: MarkupElement): void {
  const { name } = element;
  // Pandoc sets what is below the title as headings, and the heading of the abstract as text.
  if (/^h[1-6]$/.test(name) && classMatches(element, /^(?:subtitle|author|date)$/)) writeFlow(walk, element.children);
  else if (hasClass(element, 'abstract-title')) writeHeading(walk, element, walk.baseLevel);
  else if (/^h[1-6]$/.test(name)) writeHeading(walk, element, Number(name[1]));
  else if (isFormula(element)) writeFormula(walk, element);
  else if (isReferenceList(element, walk.state.inReferences)) {
    writeReferences(walk, element);
    walk.state.hasReferenceList = true;
  } else if (walk.state.inReferences && !walk.state.hasReferenceList && isReferenceParagraph(element))
    for (const entry of entriesOfParagraph(element)) writeReference(walk, entry);
  else if (isNoteBlock(element)) writeNoteBlock(walk, element);
  else if (name === 'pre' || hasClass(element, 'ltx_listing')) writeCode(walk, element);
  else if (isFloat(element)) writeFloat(walk, element);
  else if (name === 'img') writePicture(walk, element);
  else if (name === 'table') writeTable(walk, element);
  else if (name === 'ul' || name === 'ol' || name === 'dl') {
    if (walk.state.started || linkShare(element) < 0.7) writeList(walk, element, 0);
  } else if (name === 'p' && walk.boldHeadings && isBold(element)) writeHeading(walk, element, walk.baseLevel);
  else if (name === 'hr') return;
  else if (hasClass(element, 'ltx_authors')) writeAuthors(walk, element);
  else writeFlow(walk, element.children);
}

const OWN_LEVEL = /^ltx_title_(?:abstract|acknowledgements|bibliography|index|glossary)$/;
const RUN_IN = /^(?:ltx_runin|ltx_title_(?:theorem|proof|keywords|classification))$/;

function writeHeading(walk: Walk, element: MarkupElement, level: number): void {
  const line = inlineLine(element, walk.inline);
  if (classMatches(element, RUN_IN)) walk.state.lead = line.text;
  else if (line.text !== '') {
    walk.state.inReferences = isReferenceHeading(line.text);
    walk.state.hasReferenceList = false;
    // Pages repeat the title for small screens.
    if (!walk.title || line.text !== walk.titleText)
      walk.builder.heading(line, classMatches(element, OWN_LEVEL) ? 1 : level - walk.baseLevel + 1);
  }
  writeNotes(walk);
}

function isBold(paragraph: MarkupElement): boolean {
  const shown = rawText(paragraph).trim();
  if (shown === '' || shown.length > 100 || /[.,;:]$/.test(shown)) return false;
  const bold = findAll(paragraph, named('b', 'strong'));
  return (
    bold
      .map((inner) => rawText(inner))
      .join('')
      .replace(/\s/g, '') === shown.replace(/\s/g, '')
  );
}

function isFormula(element: MarkupElement): boolean {
  return isDisplayMath(element) || classMatches(element, /^ltx_(?:equation|equationgroup|eqn_table|eqn_div)$/);
}

/** The lines of a display are joined as rows; words between them (\intertext) interrupt it. */
function writeFormula(walk: Walk, element: MarkupElement): void {
  const rows = element.name === 'table' ? findAll(element, named('tr')) : [];
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) walk.builder.formula(lines.join(' \\\\ '));
    lines = [];
  };
  for (const row of rows.length > 0 ? rows : [element]) {
    const latex = mathOf(row);
    if (latex !== '') lines.push(latex);
    else {
      const words = inlineLine(
        { ...row, children: row.children.filter((node) => !isEquationNumber(node)) },
        walk.inline,
      );
      if (words.text === '') continue;
      flush();
      walk.builder.text(words);
    }
  }
  flush();
  for (const note of findAll(element, isNote)) if (!walk.inline.notes.includes(note)) walk.inline.notes.push(note);
  writeNotes(walk);
}

function isEquationNumber(node: MarkupNode): boolean {
  return (
    typeof node !== 'string' &&
    classMatches(node, /^ltx_(?:eqn_eqno|tag_equation|eqn_center_padleft|eqn_center_padright)$/)
  );
}

function mathOf(element: MarkupElement): string {
  if (element.name === 'math') return latexOf(element);
  if (element.name === 'script') return bareLatex(rawText(element));
  return findAll(element, named('math', 'script'))
    .map(mathOf)
    .filter((latex) => latex !== '')
    .join(' ');
}

function isNoteBlock(element: MarkupElement): boolean {
  const role = element.attributes['role'];
  if (role === 'doc-footnote' || role === 'doc-endnotes') return true;
  return classMatches(element, /^(?:footnotes?|endnotes?|fn|fn-group|foot-?notes?-list)$/i);
}

/** Notes at the end of a page: each item or paragraph is one. */
function writeNoteBlock(walk: Walk, element: MarkupElement): void {
  const items = findAll(
    element,
    (inner) => inner.name === 'li' || /^(?:fn|footnote)$/.test(inner.attributes['class'] ?? ''),
  );
  const notes = items.length > 0 ? items : [element];
  for (const heading of findAll(element, (inner) => /^h[1-6]$/.test(inner.name)))
    walk.builder.text(inlineLine(heading, walk.inline));
  for (const note of notes) {
    const text = inlineText(walk.inline);
    text.gather(note, ({ name }) => (/^h[1-6]$/.test(name) ? 'skip' : 'inline'));
    const line = text.take();
    walk.builder.plain('footnote', {
      text: line.text.replace(/[↩↵⏎]\uFE0E?$/u, '').trimEnd(),
      links: line.links.filter((link) => link.end <= line.text.length - 2),
    });
  }
}

function writeCode(walk: Walk, element: MarkupElement): void {
  const lines = findAll(element, (inner) => hasClass(inner, 'ltx_listingline'));
  const text =
    lines.length > 0 ? lines.map((line) => codeText(line).replace(/\n/g, '').trimEnd()).join('\n') : codeText(element);
  walk.builder.code(rawCode(text), languageOf(element));
}

function codeText(node: MarkupNode): string {
  if (typeof node === 'string') return node;
  if (node.name === 'br') return '\n';
  if (isFurniture(node)) return '';
  return node.children.map(codeText).join('');
}

function languageOf(element: MarkupElement): string | undefined {
  const marked = [element, ...findAll(element, named('code'))];
  for (const candidate of marked) {
    const found = /(?:^|\s)(?:language|lang|brush:|highlight|ltx_lst_language)[-_: ]+([\w+#]{1,20})/i.exec(
      candidate.attributes['class'] ?? '',
    );
    if (found?.[1]) return found[1];
    if (candidate.attributes['data-lang']) return candidate.attributes['data-lang'];
  }
  return undefined;
}

/** Authors as the page prints them, one block each. */
function writeAuthors(walk: Walk, element: MarkupElement): void {
  const authors = findAll(element, (inner) => hasClass(inner, 'ltx_creator'));
  const quiet = { ...walk.inline, notes: [] };
  for (const author of authors.length > 0 ? authors : [element]) walk.builder.text(inlineLine(author, quiet));
}

function writeList(walk: Walk, list: MarkupElement, depth: number, parent?: number): void {
  if (list.name === 'dl') {
    writeDefinitions(walk, list, depth, parent);
    return;
  }
  const ordered = list.name === 'ol';
  let number = Number.parseInt(list.attributes['start'] ?? '1', 10) || 1;
  let last = parent;
  for (const part of children(list)) {
    if (part.name !== 'li') {
      // A list directly inside a list is how many pages nest them.
      if (part.name === 'ul' || part.name === 'ol') writeList(walk, part, depth + 1, last);
      continue;
    }
    if (isFurniture(part)) continue;
    const tag = children(part).find((inner) => hasClass(inner, 'ltx_tag'));
    const marker = tag ? lineText(tag) : ordered ? `${number}.` : undefined;
    number += 1;
    last =
      writeItem(walk, part, {
        ordered: ordered || (marker !== undefined && /[\p{L}\p{N}]/u.test(marker)),
        depth,
        marker,
        parent,
      }) ?? parent;
  }
}

function writeItem(walk: Walk, item: MarkupElement, description: Item, lead = ''): number | undefined {
  const text = inlineText(walk.inline);
  text.add(lead);
  const order = walk.builder.item(item, text, description, {
    sort(inner) {
      if (isFurniture(inner) || hasClass(inner, 'ltx_tag_item')) return 'skip';
      if (!isBlock(inner)) return 'inline';
      return ['p', 'div', 'section', 'header'].includes(inner.name) ? 'spaced' : 'block';
    },
    block(inner, parent) {
      if (['ul', 'ol', 'dl'].includes(inner.name)) writeList(walk, inner, description.depth + 1, parent);
      else walk.block(walk, inner);
    },
  });
  writeNotes(walk);
  return order;
}

/** Terms open the definition that follows them; pages may wrap the pairs. */
function writeDefinitions(walk: Walk, list: MarkupElement, depth: number, parent: number | undefined): void {
  let term = '';
  const item = { ordered: false, depth, parent };
  const flush = (): void => {
    if (term !== '') walk.builder.listItem(bare(term), item);
    term = '';
  };
  const visit = (element: MarkupElement): void => {
    for (const part of children(element)) {
      if (part.name === 'dt') {
        flush();
        term = inlineLine(part, walk.inline).text;
      } else if (part.name === 'dd') {
        const lead = term === '' || /[:.;,?!]$/.test(term) ? term : `${term}:`;
        term = '';
        writeItem(walk, part, item, lead === '' ? '' : `${lead} `);
      } else visit(part);
    }
  };
  visit(list);
  flush();
}

const FLOAT_CLASS =
  /^(?:fig|figure|fig-?wrap|table-?wrap|figure-?wrap(?:per)?|ltx_float|c-article-section__figure|boxed-text-float)$/i;
const CAPTION_CLASS =
  /^(?:caption|fig-?caption|figcaption|figure-?caption|table-?caption|ltx_caption|thumbcaption|caption-text|figure__caption|table__caption)$/i;

function isFloat(element: MarkupElement): boolean {
  if (element.name === 'figure') return true;
  if (element.name !== 'div' && element.name !== 'section') return false;
  return classMatches(element, FLOAT_CLASS) && captionsOf(element).length > 0;
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
function writeFloat(walk: Walk, float: MarkupElement): void {
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
    walk.builder.plain('caption', line, { parent: owner });
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
  const images = findAll(figure, named('img'));
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
function writeTable(walk: Walk, table: MarkupElement): void {
  const rows = tableRows(table);
  const isLayout =
    table.attributes['role'] === 'presentation' ||
    (rows.length > 0 && rows.every((row) => row.cells.length <= 1) && hasBlocks(table)) ||
    (hasBlocks(table) && findAll(table, named('table')).some((inner) => !isStack(inner)));
  if (rows.length === 0 || isLayout) {
    for (const row of rows) for (const cell of row.cells) writeFlow(walk, cell.children);
    return;
  }
  const quiet = { ...walk.inline, notes: [] };
  const order = walk.builder.table(layOutTable(rows, (cell) => inlineLine(cell, quiet).text));
  for (const caption of table.children)
    if (typeof caption !== 'string' && caption.name === 'caption')
      walk.builder.plain('caption', inlineLine(caption, walk.inline), { parent: order });
  for (const note of quiet.notes) walk.inline.notes.push(note);
  writeNotes(walk);
}

/** A table of one column inside a cell is how a cell of several lines is set. */
function isStack(table: MarkupElement): boolean {
  return tableRows(table).every((row) => row.cells.length <= 1);
}

function hasBlocks(table: MarkupElement): boolean {
  return findFirst(table, named('p', 'ul', 'ol', 'h1', 'h2', 'h3', 'h4', 'blockquote', 'pre')) !== undefined;
}

/** An image that is alone; icons and images without a description say nothing and are left out. */
function writePicture(walk: Walk, image: MarkupElement): void {
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
