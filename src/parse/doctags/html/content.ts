import type { MarkupElement, MarkupNode } from '../markup/node.ts';
import { findAll, findFirst } from '../markup/node.ts';

const NEVER = new Set(`nav form button input select textarea label dialog menu head link meta map source`.split(/\s+/));

// Names that site furniture goes by. A name counts alone or as the first part of a compound (share-bar, nav__list).
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

/** Boxes and notes of an article are marked up like the columns beside it. */
function isAsideOfText(aside: MarkupElement): boolean {
  return (
    (aside.attributes['role'] ?? '').startsWith('doc-') ||
    classesOf(aside).some((name) => /note|box|example|callout|tip|warning|ltx_/i.test(name))
  );
}

/** The part of a page that holds the article. */
export function articleRoot(document: MarkupElement): MarkupElement {
  const body = findFirst(document, (element) => element.name === 'body') ?? document;
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

/** The share of an element's text that is links. */
export function linkShare(element: MarkupElement): number {
  const all = textLength(element);
  if (all === 0) return 0;
  return findAll(element, (inner) => inner.name === 'a').reduce((sum, link) => sum + textLength(link), 0) / all;
}

function textLength(node: MarkupNode): number {
  if (typeof node === 'string') return node.trim().length;
  let sum = 0;
  for (const part of node.children) sum += textLength(part);
  return sum;
}

const PROSE = new Set(['p', 'li', 'td', 'dd', 'figcaption', 'pre', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** How much prose an element holds, in characters, site furniture left out. */
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

/** The class names of an element. */
function classesOf(element: MarkupElement): readonly string[] {
  const value = element.attributes['class'];
  return value === undefined || value === '' ? [] : value.split(/\s+/).filter((name) => name !== '');
}

export function hasClass(element: MarkupElement, name: string): boolean {
  const value = element.attributes['class'];
  return value !== undefined && value.includes(name) && classesOf(element).includes(name);
}

/** True when a class name matches. */
export function classMatches(element: MarkupElement, pattern: RegExp): boolean {
  return classesOf(element).some((name) => pattern.test(name));
}
