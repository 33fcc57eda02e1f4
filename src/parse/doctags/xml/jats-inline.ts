import type { Line, MarkupElement, MarkupNode } from '../markup/node.ts';
import { InlineText, child, children, rawText, named } from '../markup/node.ts';
import { bareLatex, inlineMath } from '../markup/math.ts';
import { citationText } from './jats-citation.ts';

const SILENT = new Set(
  `index-term index-term-range-end object-id alt-text long-desc permissions inline-graphic graphic media target
   milestone-start milestone-end price`.split(/\s+/),
);
const SPACED = new Set(['p', 'title', 'list-item', 'def', 'break', 'sec', 'verse-line', 'subtitle', 'td', 'th', 'tr']);

/** Collects a line. Notes set inside it go into `notes`, to be printed after the paragraph. */
export function inlineText(notes: MarkupElement[]): InlineText {
  return new InlineText((text, element) => addElement(text, element, notes));
}

export function inlineLine(notes: MarkupElement[], ...elements: readonly (MarkupElement | undefined)[]): Line {
  const text = inlineText(notes);
  for (const element of elements) text.addSpaced(element);
  return text.take();
}

function addElement(text: InlineText, node: MarkupElement, notes: MarkupElement[]): void {
  const inner = (): void => text.addAll(node.children);
  switch (node.name) {
    case 'sup':
      addRaised(text, node, notes);
      return;
    case 'xref':
      // Some files raise the number inside the citation instead of the citation.
      if (node.attributes['ref-type'] === 'bibr' && children(node).length > 0 && children(node).every(named('sup')))
        addCitation(text, inlineLine(notes, { ...node, children: node.children.flatMap(unraised) }));
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
    case 'name':
    case 'string-name':
      text.add(citationText(node));
      return;
    default:
      if (SPACED.has(node.name)) text.addSpaced(node);
      else if (!SILENT.has(node.name)) inner();
  }
}

/** The formula inside a wrapper: MathML first, else TeX, else its text. */
export function formulaText(element: MarkupElement, notes: MarkupElement[]): string {
  const { math, tex } = formulaParts(element);
  if (math) return inlineMath(math);
  if (tex) return bareLatex(rawText(tex));
  const form = child(element, 'textual-form') ?? element;
  const text = inlineText(notes);
  text.gather(form, ({ name }) => (name === 'label' ? 'skip' : 'inline'));
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
  const line = inlineLine(notes, node);
  const parts = children(node);
  const cites = parts.every((part) => part.name === 'xref' && part.attributes['ref-type'] === 'bibr');
  if (parts.length > 0 && cites) addCitation(text, line);
  else text.addRaised(line.text);
}
