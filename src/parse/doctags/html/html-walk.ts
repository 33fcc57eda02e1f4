import type { DocumentBuilder } from '../markup/document-builder.ts';
import { InlineText, type Line } from '../markup/inline-text.ts';
import { findFirst, type MarkupElement, type MarkupNode } from '../markup/node.ts';
import { hasClass, isFurniture } from './content.ts';
import { addInline, isNote, noteLine, type InlineContext } from './html-inline.ts';

export interface Walk {
  readonly builder: DocumentBuilder;
  readonly inline: InlineContext;
  /** The element that is the title; already written. */
  readonly title: MarkupElement | undefined;
  readonly titleText: string;
  /** The level of h1…h6 that opens a section of the first level. */
  readonly baseLevel: number;
  /** The page has no headings, so a short line in bold is one. */
  readonly boldHeadings: boolean;
  readonly state: {
    /** Below the heading of the reference list. */
    inReferences: boolean;
    /** Prose has been met: lists of links before it lead to other pages. */
    started: boolean;
    /** A label that opens the next paragraph ("Theorem 1."). */
    lead: string;
  };
  /** Writes one block-level element. */
  readonly block: (walk: Walk, element: MarkupElement) => void;
}

const PROSE_LENGTH = 80;

const BLOCKS = new Set(
  `address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6
   header hgroup hr html li main ol p pre section summary table ul`.split(/\s+/),
);

/** True for elements that interrupt a line of text. */
export function isBlock(element: MarkupElement): boolean {
  if (BLOCKS.has(element.name)) return true;
  return isDisplayMath(element) || (element.name === 'span' && hasClass(element, 'ltx_equation'));
}

/** A formula set on a separate line. */
export function isDisplayMath(element: MarkupElement): boolean {
  if (element.name === 'math') return element.attributes['display'] === 'block';
  if (element.name === 'script') return /mode=display/.test(element.attributes['type'] ?? '');
  return element.name === 'span' && hasClass(element, 'katex-display');
}

/** Writes mixed content: runs of inline text become paragraphs, blocks between them are kept. */
export function writeFlow(
  walk: Walk,
  nodes: readonly MarkupNode[],
  emit = (line: Line): void => writeText(walk, line),
): void {
  const text = new InlineText();
  const flush = (): void => {
    const line = text.take();
    if (line.text !== '') emit(line);
    writeNotes(walk);
  };
  for (const node of nodes) {
    if (typeof node === 'string') text.add(node);
    else if (isFurniture(node) || node === walk.title) continue;
    else if (node.name === 'img') {
      // An image alone is a picture; one inside a line is a sign or an icon.
      if (text.isEmpty) walk.block(walk, node);
    } else if (isBlock(node) || holdsBlocks(node)) {
      flush();
      walk.block(walk, node);
    } else addInline(text, node, walk.inline);
  }
  flush();
}

/** Inline elements that pages put around blocks (a link around a figure, a span around paragraphs). */
function holdsBlocks(element: MarkupElement): boolean {
  if (isNote(element) || element.children.length === 0) return false;
  return (
    findFirst(
      element,
      (inner) => inner.name === 'p' || inner.name === 'figure' || inner.name === 'table' || inner.name === 'pre',
    ) !== undefined
  );
}

/** A paragraph, behind the label that is waiting for one. */
function writeText(walk: Walk, line: Line): void {
  const { lead } = walk.state;
  walk.state.lead = '';
  if (line.text.length >= PROSE_LENGTH) walk.state.started = true;
  if (lead === '') {
    walk.builder.text(line);
    return;
  }
  const by = lead.length + 1;
  const links = line.links.map((link) => ({ ...link, start: link.start + by, end: link.end + by }));
  walk.builder.text({ text: `${lead} ${line.text}`, links });
}

/** Notes that were met inside a paragraph, printed behind it. */
export function writeNotes(walk: Walk): void {
  for (const note of walk.inline.notes.splice(0)) {
    const line = noteLine(note, walk.inline);
    // LaTeXML sets institutes, thanks and the like as notes of their own role: they belong to the paper's head.
    if (hasClass(note, 'ltx_note') && !hasClass(note, 'ltx_role_footnote') && !hasClass(note, 'ltx_role_endnote'))
      walk.builder.text(line);
    else walk.builder.footnote(line);
  }
}
