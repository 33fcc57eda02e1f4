import type { MarkupElement, MarkupNode, Line } from '../markup/node.ts';
import { findAll, findFirst, children, rawText, InlineText, named } from '../markup/node.ts';
import { bareLatex, inlineMath } from '../markup/math.ts';
import type { DocumentBuilder } from '../markup/document-builder.ts';
import { bare } from '../markup/document-builder.ts';

const NEVER = new Set(`nav form button input select textarea label dialog menu head link meta map source`.split(/\s+/));

// Class names of site furniture, alone or as the first part of a compound (share-bar, nav__list).
const FURNITURE =
  /^(?:btn|nav|navbar|navigation|navbox|navbox-styles|breadcrumbs?|menu|sidebar|share|sharing|social|toolbar|cookie|cookies|banner|adverts?|advertisement|ads?|promo|recommend(?:ed|ations?)?|related|metrics|altmetric|newsletter|subscribe|subscription|signposts?|paywall|login|signin|search|skip|tooltip|popup|modal|pagination|pager|catlinks|noprint|printfooter|sr-only|visually-hidden|screen-reader-text|hidden|reflinks|references__links|figure-inline-download|mw-editsection|mw-jump-link|mw-indicators|hatnote|ambox|metadata|ltx_page_navbar|ltx_page_header|ltx_page_footer|ltx_page_logo|ltx_pagination|toc$|ltx_TOC|ltx_ERROR|ltx_rule|ltx_listing_data|ltx_note_mark|ltx_note_type|sidenav|site-header|site-footer|page-footer|page-header)(?:$|[-_]{1,2}(?:list|bar|box|links?|items?|wrapper|container|buttons?|icons?|menu|panel|widget|nav|articles?|banner|tools?)$)/i;
const FURNITURE_ROLES = new Set(
  `navigation banner contentinfo search complementary dialog alert menu menubar toolbar`.split(/\s+/),
);

/** True for parts of a page that are not the article: navigation, buttons, hidden copies. */
export function isFurniture(element: MarkupElement): boolean {
  if (NEVER.has(element.name)) return true;
  const { attributes } = element;
  if (attributes['hidden'] !== undefined || attributes['aria-hidden'] === 'true') return true;
  if (attributes['style'] !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes['style']))
    return true;
  if (element.name === 'aside' && !isAsideOfText(element)) return true;
  const role = attributes['role'];
  if (role !== undefined && FURNITURE_ROLES.has(role)) return true;
  return classesOf(element).some((name) => FURNITURE.test(name));
}

/** Boxes and notes of an article are asides too. */
function isAsideOfText(aside: MarkupElement): boolean {
  return (
    (aside.attributes['role'] ?? '').startsWith('doc-') ||
    classesOf(aside).some((name) => /note|box|example|callout|tip|warning|ltx_/i.test(name))
  );
}

export function articleRoot(document: MarkupElement): MarkupElement {
  const body = findFirst(document, named('body')) ?? document;
  // arXiv gives its warnings the same class; the paper is the one with the most text.
  const [latexml] = findAll(body, (element) => hasClass(element, 'ltx_document')).sort((a, b) => weight(b) - weight(a));
  if (latexml) return latexml;
  const whole = weight(body);
  const candidates = [
    ...findAll(body, (element) => element.name === 'article' || element.attributes['itemprop'] === 'articleBody'),
    ...findAll(body, (element) => element.name === 'main' || element.attributes['role'] === 'main'),
    ...findAll(body, (element) =>
      /^(?:content|main|main-content|article|bodyContent)$/i.test(element.attributes['id'] ?? ''),
    ),
  ];
  // Articles first: a `main` often holds the article among lists of others.
  return candidates.find((candidate) => weight(candidate) >= 0.6 * whole) ?? body;
}

export function linkShare(element: MarkupElement): number {
  const all = textLength(element);
  if (all === 0) return 0;
  return findAll(element, named('a')).reduce((sum, link) => sum + textLength(link), 0) / all;
}

function textLength(node: MarkupNode): number {
  if (typeof node === 'string') return node.trim().length;
  let sum = 0;
  for (const part of node.children) sum += textLength(part);
  return sum;
}

const PROSE = new Set(['p', 'li', 'td', 'dd', 'figcaption', 'pre', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

function weight(element: MarkupElement): number {
  let sum = 0;
  const visit = (node: MarkupNode, inProse: boolean): void => {
    if (typeof node === 'string') {
      if (inProse) sum += node.trim().length;
      return;
    }
    if (isFurniture(node) || node.name === 'footer') return;
    for (const part of node.children) visit(part, inProse || PROSE.has(node.name));
  };
  for (const node of element.children) visit(node, PROSE.has(element.name));
  return sum;
}

function classesOf(element: MarkupElement): readonly string[] {
  const value = element.attributes['class'];
  return value === undefined || value === '' ? [] : value.split(/\s+/).filter((name) => name !== '');
}

export function hasClass(element: MarkupElement, name: string): boolean {
  const value = element.attributes['class'];
  return value !== undefined && value.includes(name) && classesOf(element).includes(name);
}

export function classMatches(element: MarkupElement, pattern: RegExp): boolean {
  return classesOf(element).some((name) => pattern.test(name));
}

export interface InlineContext {
  /** Notes set inside the text, to be printed after the paragraph. */
  readonly notes: MarkupElement[];
  /** Labels of the entries of the reference list, by their id. */
  readonly labels: ReadonlyMap<string, string>;
}

const SPACED = new Set(
  `p div li br dd dt td th tr h1 h2 h3 h4 h5 h6 section blockquote ul ol dl table figure figcaption`.split(/\s+/),
);

export function inlineText(context: InlineContext): InlineText {
  return new InlineText((text, element) => addElement(text, element, context));
}

export function inlineLine(element: MarkupElement, context: InlineContext): Line {
  const text = inlineText(context);
  text.addAll(element.children);
  return text.take();
}

function addElement(text: InlineText, node: MarkupElement, context: InlineContext): void {
  if (isFurniture(node) || node.name === 'img') return;
  if (node.name === 'math') text.add(inlineMath(node));
  else if (node.name === 'script') text.add(bareLatex(rawText(node)));
  else if (isNote(node)) context.notes.push(node);
  else if (node.name === 'sup') addRaised(text, node, context);
  else if (node.name === 'a') addAnchor(text, node, context);
  else if (SPACED.has(node.name) || hasClass(node, 'ltx_bibblock')) text.addSpaced(node);
  else text.addAll(node.children);
}

/** A note whose text is where its mark is. */
export function isNote(element: MarkupElement): boolean {
  if (element.name !== 'span' && element.name !== 'aside' && element.name !== 'small') return false;
  return hasClass(element, 'ltx_note') || classMatches(element, /^(?:sidenote|marginnote|footnote-text)$/);
}

/** The text of such a note, without its marks; empty for a mark that only repeats another. */
function noteLine(note: MarkupElement, context: InlineContext): Line {
  if (hasClass(note, 'ltx_role_footnotemark')) return bare('');
  const text = inlineText({ ...context, notes: [] });
  text.gather(note, (inner) => {
    if (classMatches(inner, /^ltx_(?:note_mark|tag_note|note_type)$/)) return 'skip';
    return classMatches(inner, /^ltx_note_(?:outer|content)$/) ? 'inside' : 'inline';
  });
  return text.take();
}

function addAnchor(text: InlineText, anchor: MarkupElement, context: InlineContext): void {
  const target = anchor.attributes['href'];
  const label = target?.startsWith('#') ? context.labels.get(target.slice(1)) : undefined;
  if (label !== undefined && isCitationKey(rawText(anchor))) {
    // Some citations bring their own brackets, around one key or several.
    text.add(/[([;,]/.test(text.lastVisible) ? label : `[${label}]`);
    return;
  }
  const inner = (): void => text.addAll(anchor.children);
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
  const parts = children(node);
  const cites =
    parts.length > 0 && parts.every((part) => part.name === 'a' && (part.attributes['href'] ?? '').startsWith('#'));
  if (cites && /^[\d\s,;–-]+$/.test(line.text)) text.add(` [${line.text}]`);
  else text.addRaised(line.text);
}

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
    inReferences: boolean;
    /** That list was one: paragraphs after it are no entries. */
    hasReferenceList: boolean;
    /** Prose has been found; link lists before it are navigation. */
    started: boolean;
    /** A label that opens the next paragraph ("Theorem 1."). */
    lead: string;
  };
  readonly block: (walk: Walk, element: MarkupElement) => void;
}

const PROSE_LENGTH = 80;

const BLOCKS = new Set(
  `address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6
   header hgroup hr html li main ol p pre section summary table ul`.split(/\s+/),
);

export function isBlock(element: MarkupElement): boolean {
  if (BLOCKS.has(element.name)) return true;
  return isDisplayMath(element) || (element.name === 'span' && hasClass(element, 'ltx_equation'));
}

export function isDisplayMath(element: MarkupElement): boolean {
  if (element.name === 'math') return element.attributes['display'] === 'block';
  if (element.name === 'script') return /mode=display/.test(element.attributes['type'] ?? '');
  return element.name === 'span' && hasClass(element, 'katex-display');
}

/** Writes mixed content: runs of inline text become paragraphs, blocks between them are kept. */
export function writeFlow(walk: Walk, nodes: readonly MarkupNode[]): void {
  const text = inlineText(walk.inline);
  const flush = (): void => {
    const line = text.take();
    if (line.text !== '') writeText(walk, line);
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
    } else text.add(node);
  }
  flush();
}

/** Inline elements that pages put around blocks (a link around a figure, a span around paragraphs). */
function holdsBlocks(element: MarkupElement): boolean {
  if (isNote(element) || element.children.length === 0) return false;
  return findFirst(element, named('p', 'figure', 'table', 'pre')) !== undefined;
}

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

export function writeNotes(walk: Walk): void {
  for (const note of walk.inline.notes.splice(0)) {
    const line = noteLine(note, walk.inline);
    // LaTeXML sets institutes, thanks and the like as notes of their own role: they belong to the paper's head.
    if (hasClass(note, 'ltx_note') && !hasClass(note, 'ltx_role_footnote') && !hasClass(note, 'ltx_role_endnote'))
      walk.builder.text(line);
    else walk.builder.plain('footnote', line);
  }
}
