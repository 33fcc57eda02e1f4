import type { Line, MarkupElement } from '../markup/node.ts';
import { rawCode, children, rawText, child, findAll, without, lineText, named } from '../markup/node.ts';
import { bareLatex, latexOf } from '../markup/math.ts';
import { formulaParts, formulaText, inlineLine, inlineText, linkOf } from './jats-inline.ts';
import { citationIds, citationText } from './jats-citation.ts';
import type { DocumentBuilder, Item } from '../markup/document-builder.ts';
import { bare } from '../markup/document-builder.ts';
import { layOutTable, tableRows } from '../markup/table-grid.ts';

/** Where the walk is: what it writes to, the notes of the current line, how deep the sections are. */
export interface Walk {
  readonly builder: DocumentBuilder;
  readonly notes: MarkupElement[];
  readonly level: number;
}

const BLOCKS = new Set(
  `p sec list def-list disp-formula disp-formula-group disp-quote boxed-text fig fig-group table-wrap table-wrap-
   group table array supplementary-material media code preformat statement speech verse-group chem-struct-wrap
   chem-struct-wrapper graphic fn-group ref-list glossary ack notes app app-group bio question answer explanation
   block-alternatives floats-group table-wrap-foot award-group alternatives`.split(/\s+/),
);

function isBlock(element: MarkupElement): boolean {
  if (element.name === 'alternatives') return children(element).some(named('table', 'fig'));
  return BLOCKS.has(element.name);
}

/** Writes an element's mixed content: runs of inline text become paragraphs, blocks between them are kept. */
export function writeFlow(walk: Walk, element: MarkupElement): void {
  const text = inlineText(walk.notes);
  const flush = (): void => {
    walk.builder.text(text.take());
    writeNotes(walk);
  };
  text.gather(element, (inner) => {
    if (!isBlock(inner)) return 'inline';
    flush();
    writeBlock(walk, inner);
    return 'skip';
  });
  flush();
}

function writeNotes(walk: Walk, parent?: number): void {
  for (const note of walk.notes.splice(0)) writeNote(walk, note, parent);
}

function writeNote(walk: Walk, note: MarkupElement, parent?: number): void {
  walk.builder.plain('footnote', noteLine(walk, note), { parent });
}

export function noteLine(walk: Walk, note: MarkupElement): Line {
  const text = inlineText(walk.notes);
  for (const part of children(note)) {
    text.space();
    part.children.forEach((node, index) => {
      text.add(node);
      // A raised mark at the beginning is the note's label.
      if (index === 0 && typeof node !== 'string' && node.name === 'sup') text.space();
    });
  }
  if (children(note).length === 0) text.add(rawText(note));
  return text.take();
}

/** Label and title of a section (a boxed text may carry them in a caption). */
function headingLine(walk: Walk, section: MarkupElement): Line | undefined {
  const caption = child(section, 'caption');
  const title = child(section, 'title') ?? child(caption, 'title');
  const line = inlineLine(walk.notes, child(section, 'label'), title, child(section, 'subtitle'));
  return line.text === '' ? undefined : line;
}

export function writeBlock(walk: Walk, element: MarkupElement): void {
  switch (element.name) {
    case 'p':
      writeFlow(walk, element);
      return;
    case 'sec':
    case 'app':
    case 'glossary':
    case 'notes':
    case 'bio':
    case 'boxed-text':
    case 'question':
    case 'answer':
    case 'explanation':
      writeSection(walk, element);
      return;
    case 'ack':
      writeSection(walk, element, 'Acknowledgments');
      return;
    case 'list':
    case 'def-list':
      writeList(walk, element, 0);
      return;
    case 'disp-formula':
      walk.builder.formula(displayLatex(element, walk));
      return;
    case 'fig':
    case 'fig-group':
    case 'chem-struct-wrap':
    case 'chem-struct-wrapper':
    case 'graphic':
      writeFigure(walk, element);
      return;
    case 'table-wrap':
    case 'table-wrap-group':
    case 'table':
    case 'array':
      writeTableWrap(walk, element);
      return;
    case 'supplementary-material':
    case 'media':
      writeSupplement(walk, element);
      return;
    case 'code':
    case 'preformat':
      walk.builder.code(rawCode(rawText(element)), element.attributes['language']);
      return;
    case 'statement':
    case 'speech':
      writeLabelled(walk, element);
      return;
    case 'fn-group':
    case 'table-wrap-foot':
      writeNoteGroup(walk, element);
      return;
    case 'ref-list':
      writeReferenceList(walk, element);
      return;
    case 'verse-group':
      for (const line of children(element)) walk.builder.text(inlineLine(walk.notes, line));
      return;
    default:
      writeFlow(walk, element);
  }
}

export function writeSection(walk: Walk, section: MarkupElement, untitled?: string): void {
  const heading = headingLine(walk, section) ?? (untitled === undefined ? undefined : bare(untitled));
  if (heading) walk.builder.heading(heading, walk.level);
  const inner = heading ? { ...walk, level: walk.level + 1 } : walk;
  writeFlow(inner, without(section, ...HEADING_PARTS));
}

const HEADING_PARTS = 'title label sec-meta caption object-id attrib permissions subtitle'.split(' ');

/** A theorem or a speech: label, title or speaker open the first paragraph. */
function writeLabelled(walk: Walk, element: MarkupElement): void {
  let prefix = inlineLine(walk.notes, ...children(element, 'label', 'title', 'speaker')).text;
  for (const node of children(without(element, 'label', 'title', 'speaker', 'object-id'))) {
    if (node.name !== 'p' || prefix === '') {
      writeBlock(walk, node);
      continue;
    }
    const separated = /[.:]$/.test(prefix) ? `${prefix} ` : `${prefix}. `;
    writeFlow(walk, { ...node, children: [separated, ...node.children] });
    prefix = '';
  }
  if (prefix !== '') walk.builder.text(bare(prefix));
}

function writeNoteGroup(walk: Walk, group: MarkupElement): void {
  // The title of a group of notes names the notes; it opens no section of the text.
  const heading = headingLine(walk, group);
  if (heading) walk.builder.text(heading);
  for (const part of children(group)) {
    if (part.name === 'fn') writeNote(walk, part);
    else if (part.name === 'fn-group') writeNoteGroup(walk, part);
    else if (part.name !== 'title' && part.name !== 'label') writeBlock(walk, part);
  }
}

function displayLatex(element: MarkupElement, walk: Walk): string {
  const { math, tex } = formulaParts(element);
  if (tex) return bareLatex(rawText(tex));
  if (math) return latexOf(math);
  return formulaText(element, walk.notes);
}

const CITATIONS = ['mixed-citation', 'element-citation', 'nlm-citation', 'citation'] as const;

/** The reference list: a heading even where the file leaves it to the style sheet, then one block per entry. */
function writeReferenceList(walk: Walk, list: MarkupElement): void {
  const heading = headingLine(walk, list);
  const entries = children(list, 'ref');
  if (heading) walk.builder.heading(heading, walk.level);
  else if (entries.length > 0) walk.builder.heading(bare('References'), walk.level);
  for (const part of children(list)) {
    if (part.name === 'ref') writeReference(walk, part);
    else if (part.name === 'ref-list') writeReferenceList({ ...walk, level: walk.level + (heading ? 1 : 0) }, part);
    else if (part.name === 'fn') writeNote(walk, part);
    else if (part.name !== 'title' && part.name !== 'label') writeBlock(walk, part);
  }
}

function writeReference(walk: Walk, reference: MarkupElement): void {
  const citations = citationsOf(reference);
  const label = lineText(child(reference, 'label') ?? child(citations[0], 'label'))
    .replace(/^\[/, '')
    .replace(/(?<![\].)])[\].)]+$/, '');
  const texts = citations.map((citation) => citationText(without(citation, 'label')));
  for (const note of children(reference, 'note', 'p')) texts.push(lineText(note));
  const joined = texts.filter((part) => part !== '').join(' ');
  const text = label !== '' && joined.startsWith(`${label}. `) ? joined.slice(label.length + 2) : joined;
  const { doi, arxivId } = citationIds(reference);
  walk.builder.reference({ text, links: linksIn(citations, text) }, { label, doi: doi?.toLowerCase(), arxivId });
}

/** Of the same citation in several markups, marked as alternatives or not, the one that is meant for readers. */
function citationsOf(reference: MarkupElement): MarkupElement[] {
  const alternatives = child(reference, 'citation-alternatives');
  const found = CITATIONS.map((name) => children(alternatives ?? reference, name)).find((own) => own.length > 0) ?? [];
  return alternatives ? found.slice(0, 1) : found;
}

function linksIn(citations: readonly MarkupElement[], text: string): Line['links'] {
  const links: { start: number; end: number; url: string }[] = [];
  for (const citation of citations)
    for (const link of findAll(citation, named('ext-link', 'uri'))) {
      const shown = lineText(link);
      const url = link.attributes['href'] ?? shown;
      const start = shown === '' ? -1 : text.indexOf(shown);
      if (start !== -1 && /^https?:\/\//i.test(url)) links.push({ start, end: start + shown.length, url });
    }
  return links;
}

function writeList(walk: Walk, list: MarkupElement, depth: number, parent?: number): void {
  const title = child(list, 'title');
  if (title) walk.builder.text(inlineLine(walk.notes, title));
  if (list.name === 'def-list') {
    writeDefinitions(walk, list, depth, parent);
    return;
  }
  const type = list.attributes['list-type'] ?? 'bullet';
  const ordered = !/^(?:bullet|simple|unordered|none)$/i.test(type);
  children(list, 'list-item').forEach((item, index) => {
    const label = inlineLine(walk.notes, child(item, 'label')).text;
    const marker = label === '' && ordered ? `${index + 1}.` : label;
    writeItem(walk, item, { ordered: ordered || /\w/.test(label), depth, marker, parent });
  });
}

function writeItem(walk: Walk, item: MarkupElement, description: Item, lead = ''): void {
  const text = inlineText(walk.notes);
  text.add(lead);
  walk.builder.item(item, text, description, {
    sort(inner) {
      const { name } = inner;
      if (name === 'label' || name === 'title') return 'skip';
      if (name === 'p' || name === 'def') return 'spaced';
      return isBlock(inner) ? 'block' : 'inline';
    },
    block(inner, order) {
      if (inner.name === 'list' || inner.name === 'def-list') writeList(walk, inner, description.depth + 1, order);
      else writeBlock(walk, inner);
    },
  });
}

function writeDefinitions(walk: Walk, list: MarkupElement, depth: number, parent: number | undefined): void {
  for (const item of children(list, 'def-item')) {
    const term = inlineLine(walk.notes, child(item, 'term')).text;
    const lead = term === '' || /[:.;,]$/.test(term) ? term : `${term}:`;
    const definitions = children(item, 'def');
    const description = { ordered: false, depth, parent };
    if (definitions.length === 0) walk.builder.listItem(bare(term), description);
    else writeItem(walk, { ...item, children: definitions }, description, lead);
  }
  for (const nested of children(list, 'def-list')) writeDefinitions(walk, nested, depth + 1, parent);
}

const FIGURES = new Set(['fig', 'fig-group', 'supplementary-material', 'media', 'table-wrap']);

const SUPPLEMENTS = new Set(['supplementary-material', 'media']);

function writeFigure(walk: Walk, figure: MarkupElement): void {
  const isGroup = figure.name === 'fig-group';
  const hasPicture = !isGroup || child(figure, 'graphic') !== undefined;
  writeCaption(walk, figure, hasPicture ? walk.builder.picture(alternativeText(figure)) : undefined);
  // What hangs on a single figure is published beside the paper only: figure supplements, source data.
  const parts = children(figure).flatMap((part) => (part.name === 'p' ? children(part) : [part]));
  if (isGroup) for (const part of parts) if (FIGURES.has(part.name)) writeBlock(walk, part);
}

function writeCaption(walk: Walk, float: MarkupElement, parent: number | undefined): void {
  const inside: MarkupElement[] = [];
  walk.builder.plain('caption', captionLine(walk, float, inside), { parent });
  writeNotes(walk, parent);
  for (const block of inside) if (!SUPPLEMENTS.has(block.name)) writeBlock(walk, block);
}

/** Label, title and paragraphs of a caption as one line; blocks other than paragraphs go into `inside`. */
function captionLine(walk: Walk, float: MarkupElement, inside: MarkupElement[]): Line {
  const text = inlineText(walk.notes);
  const parts = [...children(float, 'label'), ...children(float, 'caption'), ...children(float, 'title', 'attrib')];
  for (const part of parts) {
    text.gather(part, (inner) => {
      if (!isBlock(inner)) return 'inline';
      if (inner.name === 'p' || inner.name === 'disp-quote') return 'spaced';
      if (inner.name === 'disp-formula') {
        text.space();
        text.add(inner);
        text.space();
      } else inside.push(inner);
      return 'skip';
    });
    text.space();
  }
  return text.take();
}

function alternativeText(float: MarkupElement): string {
  const graphic = child(float, 'graphic') ?? child(child(float, 'alternatives'), 'graphic');
  return lineText(child(float, 'alt-text') ?? child(graphic, 'alt-text'));
}

/** A table with its caption and notes; one that is only an image becomes a picture. */
function writeTableWrap(walk: Walk, wrap: MarkupElement): void {
  if (wrap.name === 'table-wrap-group') {
    writeCaption(walk, wrap, undefined);
    for (const part of children(wrap, 'table-wrap')) writeTableWrap(walk, part);
    return;
  }
  const tables = wrap.name === 'table' || wrap.name === 'array' ? [wrap] : tablesOf(wrap);
  const orders = tables
    .map((table) => tableRows(table.name === 'array' ? (child(table, 'tbody') ?? table) : table))
    .filter((rows) => rows.length > 0)
    .map((rows) => walk.builder.table(layOutTable(rows, (cell) => inlineLine(walk.notes, cell).text)));
  if (wrap.name === 'table' || wrap.name === 'array') return;
  const first = orders[0] ?? (hasImage(wrap) ? walk.builder.picture(alternativeText(wrap), 'table') : undefined);
  writeCaption(walk, wrap, first);
  for (const foot of children(wrap, 'table-wrap-foot', 'fn-group', 'fn')) writeTableFoot(walk, foot, first);
  for (const part of children(wrap))
    if (['list', 'def-list', 'p', 'disp-formula', 'supplementary-material', 'preformat', 'code'].includes(part.name))
      writeBlock(walk, part);
}

function tablesOf(wrap: MarkupElement): MarkupElement[] {
  return [wrap, ...children(wrap, 'alternatives')].flatMap((holder) => children(holder, 'table', 'array'));
}

function hasImage(wrap: MarkupElement): boolean {
  return [wrap, ...children(wrap, 'alternatives')].some((holder) => children(holder, 'graphic', 'media').length > 0);
}

function writeTableFoot(walk: Walk, foot: MarkupElement, parent: number | undefined): void {
  for (const part of foot.name === 'fn' ? [foot] : children(foot))
    if (part.name === 'fn') writeNote(walk, part, parent);
    else if (part.name === 'fn-group') writeTableFoot(walk, part, parent);
    else walk.builder.plain('footnote', inlineLine(walk.notes, part), { parent });
}

/** A file that comes with the article: what it is called and what its caption says. */
function writeSupplement(walk: Walk, supplement: MarkupElement): void {
  const inside: MarkupElement[] = [];
  const line = captionLine(walk, supplement, inside);
  const url = linkOf(supplement);
  const links =
    url === undefined || line.text === '' ? line.links : [...line.links, { start: 0, end: line.text.length, url }];
  walk.builder.text({ text: line.text, links });
  writeNotes(walk);
  for (const block of inside) writeBlock(walk, block);
  for (const part of children(supplement))
    // A file's own caption ("click here for the file") is of use only where the supplement has none.
    if (part.name === 'p' || (FIGURES.has(part.name) && !(part.name === 'media' && line.text !== '')))
      writeBlock(walk, part);
}
