import type { Line, MarkupElement, MarkupNode } from '../markup/node.ts';
import { superscript, InlineText, child, children, rawText } from '../markup/node.ts';
import { bareLatex, inlineMath } from '../markup/math.ts';
import { citationText } from './jats-citation.ts';
import type { DocumentBuilder } from '../markup/document-builder.ts';

const SILENT = new Set(
  `index-term index-term-range-end object-id alt-text long-desc permissions inline-graphic graphic media target
   milestone-start milestone-end price`.split(/\s+/),
);
const SPACED = new Set(['p', 'title', 'list-item', 'def', 'break', 'sec', 'verse-line', 'subtitle', 'td', 'th', 'tr']);

/** Citation labels, and the notes found inside a line. */
interface InlineContext {
  /** Notes set inside the text, to be printed after the paragraph. */
  readonly notes: MarkupElement[];
}

/** The text of an element as one line. */
export function inlineLine(element: MarkupElement | undefined, context: InlineContext): Line {
  const text = new InlineText();
  if (element) for (const node of element.children) addInline(text, node, context);
  return text.take();
}

/** Adds one inline node to a line. */
export function addInline(text: InlineText, node: MarkupNode, context: InlineContext): void {
  if (typeof node === 'string') {
    text.add(node);
    return;
  }
  const inner = (): void => {
    for (const part of node.children) addInline(text, part, context);
  };
  switch (node.name) {
    case 'sup':
      addRaised(text, node, context);
      return;
    case 'xref':
      // Some files raise the number inside the citation instead of the citation.
      if (
        node.attributes['ref-type'] === 'bibr' &&
        children(node).length > 0 &&
        children(node).every((part) => part.name === 'sup')
      )
        addCitation(text, inlineLine({ ...node, children: node.children.flatMap(unraised) }, context));
      else inner();
      return;
    case 'ext-link':
    case 'uri':
    case 'inline-supplementary-material':
    case 'email': {
      const url = linkOf(node);
      if (url === undefined) inner();
      else text.link(url, inner);
      return;
    }
    case 'inline-formula':
    case 'disp-formula':
    case 'math':
    case 'tex-math':
    case 'alternatives':
      text.add(formulaText(node, context));
      return;
    case 'fn':
      context.notes.push(node);
      return;
    case 'element-citation':
    case 'mixed-citation':
    case 'nlm-citation':
    case 'citation':
      text.add(citationText(node));
      return;
    case 'name':
    case 'string-name':
      text.add(citationText(node));
      return;
    default:
      if (SILENT.has(node.name)) return;
      if (!SPACED.has(node.name)) {
        inner();
        return;
      }
      text.space();
      inner();
      text.space();
  }
}

/** The formula inside a wrapper: MathML first, else TeX, else its text. */
export function formulaText(element: MarkupElement, context: InlineContext): string {
  const { math, tex } = formulaParts(element);
  if (math) return inlineMath(math);
  if (tex) return bareLatex(rawText(tex));
  const form = child(element, 'textual-form') ?? element;
  const text = new InlineText();
  for (const node of form.children)
    if (typeof node === 'string' || node.name !== 'label') addInline(text, node, context);
  return text.take().text;
}

/** The MathML and TeX forms of a formula, wherever `alternatives` put them. */
export function formulaParts(element: MarkupElement): { math?: MarkupElement; tex?: MarkupElement } {
  if (element.name === 'math') return { math: element };
  if (element.name === 'tex-math') return { tex: element };
  const holders = [element, ...children(element, 'alternatives')];
  const math = holders.map((holder) => child(holder, 'math')).find((found) => found !== undefined);
  const tex = holders.map((holder) => child(holder, 'tex-math')).find((found) => found !== undefined);
  return { ...(math && { math }), ...(tex && { tex }) };
}

/** Where a link leads, when that is somewhere on the web. */
export function linkOf(element: MarkupElement): string | undefined {
  const target = element.attributes['href'] ?? (element.name === 'uri' ? rawText(element).trim() : undefined);
  if (target === undefined) return undefined;
  if (/^https?:\/\/\S+$/i.test(target)) return target;
  return element.attributes['ext-link-type'] === 'doi' && target.startsWith('10.')
    ? `https://doi.org/${target}`
    : undefined;
}

function addCitation(text: InlineText, line: Line): void {
  text.add(/^\[.*\]$/.test(line.text) ? ` ${line.text}` : ` [${line.text}]`);
}

function unraised(node: MarkupNode): readonly MarkupNode[] {
  return typeof node === 'string' ? [node] : node.children;
}

/** Raised citation numbers become bracketed, exponents Unicode superscripts; other raised text stays as it is. */
function addRaised(text: InlineText, node: MarkupElement, context: InlineContext): void {
  const line = inlineLine(node, context);
  const parts = children(node);
  if (parts.length > 0 && parts.every((part) => part.name === 'xref' && part.attributes['ref-type'] === 'bibr')) {
    addCitation(text, line);
    return;
  }
  const raised = /[\p{L}\p{N})\]]/u.test(text.lastCharacter) ? superscript(line.text) : undefined;
  text.add(raised ?? line.text);
}

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

/** Writes the footnotes found inside a paragraph after it. */
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
