import { superscript } from '../markup/characters.ts';
import { InlineText, type Line } from '../markup/inline-text.ts';
import { bareLatex, inlineMath } from '../markup/math.ts';
import { children, rawText, type MarkupElement, type MarkupNode } from '../markup/node.ts';
import { classMatches, hasClass, isFurniture } from './content.ts';

/** What inline markup needs to know and where it leaves the notes it meets. */
export interface InlineContext {
  /** Notes set inside the text, to be printed after the paragraph. */
  readonly notes: MarkupElement[];
  /** Labels of the entries of the reference list, by their id. */
  readonly labels: ReadonlyMap<string, string>;
}

const SPACED = new Set(
  `p div li br dd dt td th tr h1 h2 h3 h4 h5 h6 section blockquote ul ol dl table figure figcaption`.split(/\s+/),
);

/** The text of an element as one line. */
export function inlineLine(element: MarkupElement, context: InlineContext): Line {
  const text = new InlineText();
  for (const node of element.children) addInline(text, node, context);
  return text.take();
}

/** Adds one inline node to a line. */
export function addInline(text: InlineText, node: MarkupNode, context: InlineContext): void {
  if (typeof node === 'string') {
    text.add(node);
    return;
  }
  if (isFurniture(node) || node.name === 'img') return;
  const inner = (): void => {
    for (const part of node.children) addInline(text, part, context);
  };
  if (node.name === 'math') {
    text.add(inlineMath(node));
    return;
  }
  if (node.name === 'script') {
    text.add(bareLatex(rawText(node)));
    return;
  }
  if (isNote(node)) {
    context.notes.push(node);
    return;
  }
  if (node.name === 'sup') {
    addRaised(text, node, context);
    return;
  }
  if (node.name === 'a') {
    addAnchor(text, node, inner, context);
    return;
  }
  if (!SPACED.has(node.name) && !hasClass(node, 'ltx_bibblock')) {
    inner();
    return;
  }
  text.space();
  inner();
  text.space();
}

/** A note whose text is where its mark is. */
export function isNote(element: MarkupElement): boolean {
  if (element.name !== 'span' && element.name !== 'aside' && element.name !== 'small') return false;
  return hasClass(element, 'ltx_note') || classMatches(element, /^(?:sidenote|marginnote|footnote-text)$/);
}

/** The text of such a note, without its marks; empty for a mark that only repeats another. */
export function noteLine(note: MarkupElement, context: InlineContext): Line {
  if (hasClass(note, 'ltx_role_footnotemark')) return { text: '', links: [] };
  const text = new InlineText();
  const visit = (element: MarkupElement): void => {
    for (const node of element.children) {
      if (typeof node === 'string') text.add(node);
      else if (node.name === 'sup' && hasClass(node, 'ltx_note_mark')) continue;
      else if (hasClass(node, 'ltx_tag_note') || hasClass(node, 'ltx_note_type')) continue;
      else if (hasClass(node, 'ltx_note_outer') || hasClass(node, 'ltx_note_content')) visit(node);
      else addInline(text, node, { ...context, notes: [] });
    }
  };
  visit(note);
  return text.take();
}

function addAnchor(text: InlineText, anchor: MarkupElement, inner: () => void, context: InlineContext): void {
  const target = anchor.attributes['href'];
  const label = target?.startsWith('#') ? context.labels.get(target.slice(1)) : undefined;
  if (label !== undefined && isCitationKey(rawText(anchor))) {
    // Some citations bring their own brackets, around one key or several.
    text.add(/[([;,]/.test(text.lastVisible) ? label : `[${label}]`);
    return;
  }
  if (target !== undefined && /^https?:\/\/\S{1,2000}$/i.test(target)) text.link(target, inner);
  else inner();
}

/** A key of a bibliography file that a converter left in place of the number (`smith2014deep, `). */
function isCitationKey(text: string): boolean {
  const key = text.replace(/(?<![,;\s])[,;\s]+$/, '').trim();
  return key.length > 3 && !/\s/.test(key) && /\p{L}/u.test(key) && !/^\p{Lu}\p{L}*$/u.test(key);
}

/** Raised citation numbers become bracketed, exponents Unicode superscripts; other raised text stays as it is. */
function addRaised(text: InlineText, node: MarkupElement, context: InlineContext): void {
  const line = inlineLine(node, context);
  if (line.text === '') return;
  const parts = children(node);
  const cites =
    parts.length > 0 && parts.every((part) => part.name === 'a' && (part.attributes['href'] ?? '').startsWith('#'));
  if (cites && /^[\d\s,;–-]+$/.test(line.text)) {
    text.add(` [${line.text}]`);
    return;
  }
  const raised = /[\p{L}\p{N})\]]/u.test(text.lastCharacter) ? superscript(line.text) : undefined;
  text.add(raised ?? line.text);
}
