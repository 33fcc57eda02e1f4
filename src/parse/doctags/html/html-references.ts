import { findDoi } from '../../../base/index.ts';
import type { Line, MarkupElement, MarkupNode } from '../markup/node.ts';
import { children, findAll, findFirst, rawText, lineText, named } from '../markup/node.ts';
import { isReferencesHeading } from '../layout/role/section-names.ts';
import type { Walk } from './html-walk.ts';
import { classMatches, hasClass, inlineText, writeNotes } from './html-walk.ts';

const LIST_CLASS =
  /^(?:ref-?list|references|bibliography|citation-?list|ref-cit-list|bib-?list|ltx_biblist|c-article-references|reference-list|references-list|citations)$/i;
const ENTRY_CLASS =
  /^(?:ref|reference|citation|bib|bibitem|csl-entry|ref-cit|reference-item|citation-item|bib-reference|ltx_bibitem)$/i;
const SERVICE =
  /^\W*(?:view article|view in article|view|google scholar|google|crossref|cross ref|pubmed(?:\/ncbi)?|pubmed central|ncbi|pmc(?: free article)?|free article|article|cas|ads|full text|abstract|medline|web of science(?:®)?|isi|scopus|open ?url|download(?: citation| references)?|export|links?|mathscinet|zbmath|chemport|go to ref(?:erence)?|return to (?:ref )?.{0,40}in article|find (?:this )?article online|search ads|bibtex|ris|doi|pmid)\W*$/i;

export function isReferenceHeading(text: string): boolean {
  return isReferencesHeading(text) || /^notes and references$/i.test(text.trim());
}

/** A list of references: called so, or the list under such a heading. */
export function isReferenceList(element: MarkupElement, underHeading: boolean): boolean {
  const isList = element.name === 'ul' || element.name === 'ol';
  if (isList && underHeading && children(element, 'li').length > 0) return true;
  if (underHeading && (element.name === 'dl' || element.name === 'table'))
    return entriesOf(element).length > 0 && entriesOf(element).every((entry) => labelElement(entry) !== undefined);
  if (!classMatches(element, LIST_CLASS)) return false;
  return (
    isList || (entriesOf(element).length >= 2 && !findFirst(element, ({ name }) => /^(?:h[1-6]|ul|ol)$/.test(name)))
  );
}

/** A paragraph under the heading of the list that is an entry: called so, or with a label, a year or a DOI. */
export function isReferenceParagraph(element: MarkupElement): boolean {
  if (element.name !== 'p' && element.name !== 'div') return false;
  if (classMatches(element, ENTRY_CLASS)) return true;
  return findFirst(element, ({ name }) => SPLIT.has(name) || name === 'table') === undefined && isEntry(element);
}

function isEntry(element: MarkupElement): boolean {
  const marks = /^(?:\[\d{1,3}\]|\d{1,3}\.)\s|(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|(?<!\d)10\.\d{4,9}\//;
  return marks.test(lineText(element));
}

/** The lines of such a paragraph, where each is an entry, or the whole. */
export function entriesOfParagraph(element: MarkupElement): readonly MarkupElement[] {
  const lines: MarkupNode[][] = [[]];
  for (const node of element.children)
    if (typeof node !== 'string' && node.name === 'br') lines.push([]);
    else lines.at(-1)?.push(node);
  const entries = lines.map((nodes) => ({ ...element, children: nodes })).filter((line) => rawText(line).trim() !== '');
  return entries.every(isEntry) ? entries : [element];
}

function entriesOf(list: MarkupElement): MarkupElement[] {
  if (list.name === 'ul' || list.name === 'ol') return children(list, 'li');
  if (list.name === 'table') return findAll(list, named('tr'));
  if (list.name === 'dl') return definedEntries(list);
  return findAll(list, (inner) => classMatches(inner, ENTRY_CLASS) || inner.name === 'p');
}

/** Old pages set labels as terms and entries as what they mean. */
function definedEntries(list: MarkupElement): MarkupElement[] {
  let label: MarkupNode[] = [];
  return children(list).flatMap((part) => {
    if (part.name === 'dt') label = [{ name: 'span', attributes: { class: 'label' }, children: part.children }];
    return part.name === 'dd' ? [{ ...part, children: [...label.splice(0), ...part.children] }] : [];
  });
}

export function writeReferences(walk: Walk, list: MarkupElement): void {
  for (const entry of entriesOf(list)) {
    if (findFirst(entry, (inner) => /^h[1-6]$/.test(inner.name)))
      for (const part of children(entry)) walk.block(walk, part);
    else writeReference(walk, entry);
  }
}

export function writeReference(walk: Walk, entry: MarkupElement): void {
  const tag = labelElement(entry);
  const text = inlineText(walk.inline);
  text.gather(entry, (inner) => {
    if (inner === tag || isService(inner)) return 'skip';
    if (SPLIT.has(inner.name) || hasClass(inner, 'ltx_bibblock')) return 'spaced';
    return inner.name === 'span' || inner.name === 'cite' ? 'inside' : 'inline';
  });
  const line = withoutEmptyBrackets(text.take());
  const label = tag
    ? lineText(tag).replace(/^[[(]|(?<![\]).:,])[\]).:,]+$/g, '')
    : /^\[(\d{1,3})\]\s/.exec(line.text)?.[1];
  // The buttons are not in the text, but one of them may link to the DOI.
  const doi = findDoi(line.text) ?? doiOfLinks(entry);
  walk.builder.reference(line, { label: /\p{L}{3}/u.test(label ?? '') ? undefined : label, doi });
  writeNotes(walk);
}

/** Removes brackets left empty by removed buttons. */
function withoutEmptyBrackets(line: Line): Line {
  let text = line.text.trimEnd();
  while (text.endsWith(']') && text.slice(0, -1).trimEnd().endsWith('['))
    text = text.slice(0, -1).trimEnd().slice(0, -1).trimEnd();
  return { text, links: line.links.filter((link) => link.end <= text.length) };
}

function doiOfLinks(entry: MarkupElement): string | undefined {
  for (const link of findAll(entry, named('a'))) {
    const target = link.attributes['href'] ?? '';
    const doi = /^https?:\/\/(?:dx\.)?doi\.org\//i.test(target) ? findDoi(target) : undefined;
    if (doi !== undefined) return doi;
  }
  return undefined;
}

const SPLIT = new Set(['p', 'div', 'li', 'ol', 'ul', 'dd', 'dt', 'section']);

/** Buttons behind an entry: links to catalogues, lists of them, the arrow back to the text. */
function isService(element: MarkupElement): boolean {
  if (element.name === 'script' || element.name === 'button') return true;
  if (
    hasClass(element, 'ltx_bib_cited') ||
    classMatches(
      element,
      /^(?:mw-cite-backlink|reflinks|ref-links?|c-article-references__links|citation-links|links|pub-id-type|Z3988)$/,
    )
  )
    return true;
  if (!['a', 'ul', 'p', 'span', 'div', 'sup', 'li'].includes(element.name)) return false;
  const links = element.name === 'a' ? [element] : findAll(element, named('a'));
  if (links.length === 0) return false;
  const shown = lineText(element);
  if (/^[\s↑↵↩⏎^*]*$/u.test(shown) || SERVICE.test(shown)) return true;
  return (
    element.name !== 'a' &&
    links.every((link) => SERVICE.test(lineText(link))) &&
    shown.length <= links.reduce((sum, link) => sum + lineText(link).length + 4, 0)
  );
}

function labelElement(entry: MarkupElement): MarkupElement | undefined {
  const first = findFirst(
    entry,
    (inner) =>
      hasClass(inner, 'ltx_tag_bibitem') ||
      classMatches(inner, /^(?:order|label|ref-label|citation-label|reference-num|refnumber|num|csl-left-margin)$/i),
  );
  if (first) return first;
  const [lead] = children(entry);
  return lead && ['span', 'b', 'sup', 'td'].includes(lead.name) && /^\[?\d{1,3}[\].]*$/.test(lineText(lead))
    ? lead
    : undefined;
}

/** The labels that a page's reference list gives to its entries, by the ids that citations point to. */
export function referenceLabels(root: MarkupElement): Map<string, string> {
  const labels = new Map<string, string>();
  for (const entry of findAll(root, (element) => hasClass(element, 'ltx_bibitem'))) {
    const id = entry.attributes['id'];
    const tag = findFirst(entry, (inner) => hasClass(inner, 'ltx_tag_bibitem'));
    if (id !== undefined && tag) labels.set(id, lineText(tag).replace(/^[[(]|[\])]$/g, ''));
  }
  return labels;
}
