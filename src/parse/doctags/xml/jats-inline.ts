import type { Line, MarkupElement, MarkupNode } from '../markup/node.ts';
import { superscript, InlineText, child, children, rawText } from '../markup/node.ts';
import { bareLatex, inlineMath } from '../markup/math.ts';
import { citationText } from './jats-citation.ts';

const SILENT = new Set(
  `index-term index-term-range-end object-id alt-text long-desc permissions inline-graphic graphic media target
   milestone-start milestone-end price`.split(/\s+/),
);
const SPACED = new Set(['p', 'title', 'list-item', 'def', 'break', 'sec', 'verse-line', 'subtitle', 'td', 'th', 'tr']);

/** The text of an element as one line. Notes set inside it go into `notes`, to be printed after the paragraph. */
export function inlineLine(element: MarkupElement | undefined, notes: MarkupElement[]): Line {
  const text = new InlineText();
  if (element) for (const node of element.children) addInline(text, node, notes);
  return text.take();
}

/** Adds one inline node to a line. */
export function addInline(text: InlineText, node: MarkupNode, notes: MarkupElement[]): void {
  if (typeof node === 'string') {
    text.add(node);
    return;
  }
  const inner = (): void => {
    for (const part of node.children) addInline(text, part, notes);
  };
  switch (node.name) {
    case 'sup':
      addRaised(text, node, notes);
      return;
    case 'xref':
      // Some files raise the number inside the citation instead of the citation.
      if (
        node.attributes['ref-type'] === 'bibr' &&
        children(node).length > 0 &&
        children(node).every((part) => part.name === 'sup')
      )
        addCitation(text, inlineLine({ ...node, children: node.children.flatMap(unraised) }, notes));
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
      text.add(formulaText(node, notes));
      return;
    case 'fn':
      notes.push(node);
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
export function formulaText(element: MarkupElement, notes: MarkupElement[]): string {
  const { math, tex } = formulaParts(element);
  if (math) return inlineMath(math);
  if (tex) return bareLatex(rawText(tex));
  const form = child(element, 'textual-form') ?? element;
  const text = new InlineText();
  for (const node of form.children) if (typeof node === 'string' || node.name !== 'label') addInline(text, node, notes);
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
function addRaised(text: InlineText, node: MarkupElement, notes: MarkupElement[]): void {
  const line = inlineLine(node, notes);
  const parts = children(node);
  if (parts.length > 0 && parts.every((part) => part.name === 'xref' && part.attributes['ref-type'] === 'bibr')) {
    addCitation(text, line);
    return;
  }
  const raised = /[\p{L}\p{N})\]]/u.test(text.lastCharacter) ? superscript(line.text) : undefined;
  text.add(raised ?? line.text);
}
