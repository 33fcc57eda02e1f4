import type { DocumentBuilder } from '../markup/document-builder.ts';
import { InlineText, type Line } from '../markup/inline-text.ts';
import { child, children, rawText, type MarkupElement } from '../markup/node.ts';
import { addInline, type InlineContext } from './jats-inline.ts';

/** Where the walk is: what it writes to, how inline text is read, how deep the sections are. */
export interface Walk {
  readonly builder: DocumentBuilder;
  readonly inline: InlineContext;
  readonly level: number;
  /** Writes one block-level element. */
  readonly block: (walk: Walk, element: MarkupElement) => void;
}

const BLOCKS = new Set(
  `p sec list def-list disp-formula disp-formula-group disp-quote boxed-text fig fig-group table-wrap table-wrap-
   group table array supplementary-material media code preformat statement speech verse-group chem-struct-wrap
   chem-struct-wrapper graphic fn-group ref-list glossary ack notes app app-group bio question answer explanation
   block-alternatives floats-group table-wrap-foot award-group alternatives`.split(/\s+/),
);

/** True for elements that interrupt a paragraph. */
export function isBlock(element: MarkupElement): boolean {
  if (element.name === 'alternatives')
    return children(element).some((part) => part.name === 'table' || part.name === 'fig');
  return BLOCKS.has(element.name);
}

/** Writes an element's mixed content: runs of inline text become paragraphs, blocks between them are kept. */
export function writeFlow(
  walk: Walk,
  element: MarkupElement,
  emit: (line: Line) => void = (line) => void walk.builder.text(line),
): void {
  const text = new InlineText();
  const flush = (): void => {
    const line = text.take();
    if (line.text !== '') emit(line);
    writeNotes(walk);
  };
  for (const node of element.children) {
    if (typeof node === 'string' || !isBlock(node)) {
      addInline(text, node, walk.inline);
      continue;
    }
    flush();
    walk.block(walk, node);
  }
  flush();
}

/** Footnotes that were met inside a paragraph, printed behind it. */
function writeNotes(walk: Walk): void {
  for (const note of walk.inline.notes.splice(0)) writeNote(walk, note);
}

/** One footnote; `parent` is the table it belongs to. */
export function writeNote(walk: Walk, note: MarkupElement, parent?: number): void {
  walk.builder.footnote(noteLine(walk, note), parent === undefined ? {} : { parent });
}

/** A note as one line, its label in front. */
export function noteLine(walk: Walk, note: MarkupElement): Line {
  const text = new InlineText();
  for (const part of children(note)) {
    text.space();
    part.children.forEach((node, index) => {
      addInline(text, node, walk.inline);
      // A raised mark at the beginning is the note's label.
      if (index === 0 && typeof node !== 'string' && node.name === 'sup') text.space();
    });
  }
  if (children(note).length === 0) text.add(rawText(note));
  return text.take();
}

/** Label and title of a section (a boxed text may carry them in a caption). */
export function headingLine(walk: Walk, section: MarkupElement): Line | undefined {
  const caption = child(section, 'caption');
  const title = child(section, 'title') ?? child(caption, 'title');
  const text = new InlineText();
  for (const part of [child(section, 'label'), title, child(section, 'subtitle')]) {
    if (!part) continue;
    text.space();
    for (const node of part.children) addInline(text, node, walk.inline);
  }
  const line = text.take();
  return line.text === '' ? undefined : line;
}
