import { AppError, findDoi } from '../../../base/index.ts';
import type { ParsedDocument, Metadata, Person } from '../../document.ts';
import { writeFragment, parseHtml } from '../html/html.ts';
import { bare, DocumentBuilder } from '../markup/document-builder.ts';
import type { MarkupElement, MarkupNode, Line } from '../markup/node.ts';
import { child, children, findFirst, path, rawText, findAll, without, lineText, named } from '../markup/node.ts';
import type { Walk } from './jats-body.ts';
import { noteLine, writeBlock, writeFlow, writeSection } from './jats-body.ts';
import { inlineLine, inlineText } from './jats-inline.ts';
import type { Stated } from '../markup/imprint.ts';
import { imprintOf, joined, namedInstitution, ORCID, pageRange } from '../markup/imprint.ts';
import { citationText, nameParts } from './jats-citation.ts';

/** Reads a JATS (or NLM) article. Reviews, letters and replies printed with it are not it. */
export function readJats(root: MarkupElement): ParsedDocument {
  const article = articleOf(root);
  if (!article) throw new AppError('PARSE_UNSUPPORTED', `the XML is a <${root.name}>, not a JATS article`);
  const walk: Walk = { builder: new DocumentBuilder(), notes: [], level: 1 };
  const metadata = frontMetadata(article, walk);
  walk.notes.splice(0);
  writeArticle(walk, article);
  return walk.builder.document(metadata);
}

/** The article itself, or the first one inside an envelope (OAI-PMH, an article set). */
function articleOf(root: MarkupElement): MarkupElement | undefined {
  const isArticle = (element: MarkupElement): boolean =>
    element.name === 'article' && child(element, 'front', 'body', 'back', 'front-stub') !== undefined;
  return isArticle(root) ? root : findFirst(root, isArticle);
}

function writeArticle(walk: Walk, article: MarkupElement): void {
  const meta = path(article, 'front', 'article-meta') ?? child(article, 'front-stub') ?? child(article, 'front');
  writeFront(walk, meta);
  for (const body of children(article, 'body')) writeBody(walk, body);
  for (const floats of children(article, 'floats-group', 'floats-wrap')) writeFlow(walk, floats);
  for (const back of children(article, 'back'))
    for (const part of children(without(back, 'title', 'label'))) writeBlock(walk, part);
}

/** Some archives put the text as escaped HTML into the body. */
function writeBody(walk: Walk, body: MarkupElement): void {
  const text = children(body).length === 0 ? rawText(body) : '';
  if (/<(?:p|div|font|b|h[1-6])[\s>]/i.test(text)) writeFragment(walk.builder, parseHtml(Buffer.from(text)));
  else writeFlow(walk, body);
}

const ABSTRACT_HEADINGS: Readonly<Record<string, string>> = {
  'executive-summary': 'Executive summary',
  graphical: 'Graphical abstract',
  'key-points': 'Key points',
  'key-results': 'Key results',
  'plain-language-summary': 'Plain language summary',
  summary: 'Summary',
  teaser: 'Teaser',
  toc: 'Summary',
  'web-summary': 'Summary',
  'author-highlights': 'Highlights',
};

function writeFront(walk: Walk, meta: MarkupElement | undefined): void {
  if (!meta) return;
  walk.builder.plain('title', titleLine(walk, meta));
  walk.builder.text(bare(authorNames(meta).join(', ')));
  for (const affiliation of affiliations(meta)) walk.builder.text(spacedLine(walk, affiliation));
  for (const notes of children(meta, 'author-notes')) writeAuthorNotes(walk, notes);
  for (const abstract of children(meta, 'abstract', 'trans-abstract')) {
    const type = abstract.attributes['abstract-type'] ?? '';
    writeSection(walk, runInHeadings(abstract), ABSTRACT_HEADINGS[type] ?? 'Abstract');
  }
  for (const group of children(meta, 'kwd-group')) writeKeywords(walk, group);
}

/** The parts of a structured abstract are labels that open a paragraph ("Background: …"), not sections of the text. */
function runInHeadings(abstract: MarkupElement): MarkupElement {
  const inner = abstract.children.flatMap((node): MarkupNode[] => {
    if (typeof node === 'string' || node.name !== 'sec') return [node];
    const title = child(node, 'title');
    const label = lineText(title);
    const lead = label === '' ? '' : /[:.?!]$/.test(label) ? `${label} ` : `${label}: `;
    const parts = node.children.filter((part) => part !== title);
    const first = parts.findIndex((part) => typeof part !== 'string' && part.name === 'p');
    const paragraph = parts[first];
    if (paragraph === undefined || typeof paragraph === 'string') return [node];
    parts[first] = { ...paragraph, children: [lead, ...paragraph.children] };
    return parts;
  });
  return { ...abstract, children: inner };
}

function titleLine(walk: Walk, meta: MarkupElement): Line {
  const group = child(meta, 'title-group');
  const text = inlineText(walk.notes);
  const title = child(group, 'article-title');
  // Notes on the title (acknowledged funders and the like) are not part of it.
  if (title) text.gather(title, ({ name }) => (name === 'xref' ? 'skip' : 'inline'));
  for (const subtitle of children(group, 'subtitle')) {
    if (!/[:?!.–—-]$/.test(text.lastCharacter)) text.add(':');
    text.addSpaced(subtitle);
  }
  return text.take();
}

function authorNames(meta: MarkupElement): string[] {
  return authorElements(meta).map(({ name }) => name);
}

function authorElements(meta: MarkupElement): { readonly name: string; readonly element: MarkupElement }[] {
  return children(meta, 'contrib-group')
    .flatMap((group) => children(group, 'contrib'))
    .filter((element) => (element.attributes['contrib-type'] ?? 'author') === 'author')
    .flatMap((element) => {
      const holder = child(element, 'name-alternatives') ?? element;
      const name = child(holder, 'name', 'string-name') ?? child(element, 'collab', 'on-behalf-of');
      const text = name ? givenFirst(name) : '';
      return text === '' ? [] : [{ name: text, element }];
    });
}

/**
 * ORCID and institutions of the authors. An affiliation belongs to an author by reference, by place, or to all of them.
 */
function authorPeople(meta: MarkupElement): Person[] {
  const all = affiliations(meta);
  const byId = new Map(all.map((affiliation) => [affiliation.attributes['id'] ?? '', affiliation]));
  return authorElements(meta).flatMap(({ name, element }) => {
    const id = children(element, 'contrib-id').find(({ attributes }) => attributes['contrib-id-type'] === 'orcid');
    const orcid = ORCID.exec(rawText(id))?.[0].toUpperCase();
    const references = findAll(element, (each) => each.name === 'xref' && each.attributes['ref-type'] === 'aff');
    const referred = references
      .flatMap((each) => (each.attributes['rid'] ?? '').split(/\s+/))
      .flatMap((rid) => byId.get(rid) ?? []);
    const own = findAll(element, named('aff'));
    const shared = references.length === 0 && own.length === 0 && all.length === 1 ? all : [];
    const institutions = [...new Set([...referred, ...own, ...shared].map(institutionName))].filter(
      (each) => each !== '',
    );
    return orcid === undefined && institutions.length === 0
      ? []
      : [{ name, ...(orcid !== undefined && { orcid }), institutions }];
  });
}

/** The institution that an affiliation marks, or else the part of the address that names one. */
function institutionName(affiliation: MarkupElement): string {
  const marked = findAll(affiliation, named('institution')).map(lineText);
  if (marked.length > 0) return namedInstitution(marked.join(', ')) || (marked[0] ?? '');
  return namedInstitution(lineText(without(affiliation, 'label', 'sup')));
}

function givenFirst(name: MarkupElement): string {
  if (name.name === 'collab') return lineText(without(name, 'contrib-group', 'xref'));
  const { surname, given, suffix } = nameParts(name);
  if (surname === '' || given === '') return citationText(name);
  const ordered = name.attributes['name-style'] === 'eastern' ? [surname, given] : [given, surname];
  return [...ordered, suffix].filter((part) => part !== '').join(' ');
}

function affiliations(meta: MarkupElement): MarkupElement[] {
  const authorGroups = children(meta, 'contrib-group').filter((group) =>
    children(group, 'contrib').some((contributor) => (contributor.attributes['contrib-type'] ?? 'author') === 'author'),
  );
  return [
    ...children(meta, 'aff', 'aff-alternatives'),
    ...authorGroups.flatMap((group) => findAll(group, named('aff'))),
  ];
}

/** Parts of an affiliation come with their own punctuation, with line breaks, or with nothing between them. */
function spacedLine(walk: Walk, element: MarkupElement): Line {
  const text = inlineText(walk.notes);
  text.gather(element, ({ name }) => {
    if (name === 'institution-id') return 'skip';
    text.space();
    return ['institution-wrap', 'addr-line', 'aff'].includes(name) ? 'inside' : 'inline';
  });
  const line = text.take();
  return bare(line.text.replace(/(?<! ) +([,;.])/g, '$1').replace(/^[,;.\s]+/, ''));
}

/** Notes on the authors belong to the head of the paper, not to its footnotes. */
function writeAuthorNotes(walk: Walk, notes: MarkupElement): void {
  for (const part of children(without(notes, 'title', 'label'))) {
    if (part.name === 'fn') walk.builder.text(noteLine(walk, part));
    else if (part.name === 'corresp' || part.name === 'p') walk.builder.text(inlineLine(walk.notes, part));
    else writeFlow(walk, part);
  }
}

function writeKeywords(walk: Walk, group: MarkupElement): void {
  const words = findAll(group, named('kwd', 'compound-kwd')).map((keyword) => inlineLine(walk.notes, keyword).text);
  if (words.length === 0) return;
  const title = inlineLine(walk.notes, child(group, 'title')).text || 'Keywords';
  walk.builder.text(bare(`${title.replace(/:$/, '')}: ${words.join(', ')}`));
}

function frontMetadata(article: MarkupElement, walk: Walk): Metadata {
  const meta = path(article, 'front', 'article-meta') ?? child(article, 'front-stub', 'front');
  const title = meta ? titleLine(walk, meta).text : '';
  const doi = children(meta, 'article-id')
    .filter((id) => id.attributes['pub-id-type'] === 'doi')
    .map((id) => findDoi(rawText(id).trim()))[0];
  const abstract = children(meta, 'abstract').find((candidate) => candidate.attributes['abstract-type'] === undefined);
  const abstractText = abstract ? inlineLine([], without(runInHeadings(abstract), 'title')).text : '';
  const language = article.attributes['lang'];
  const people = meta ? authorPeople(meta) : [];
  return {
    ...(title !== '' && { title }),
    authors: meta ? authorNames(meta) : [],
    ...(people.length > 0 && { people }),
    ...(abstractText !== '' && { abstract: abstractText }),
    ...(doi !== undefined && { doi }),
    ...imprintOf(statedImprint(article, meta)),
    ...(language !== undefined && language !== '' && { language: language.toLowerCase() }),
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
  };
}

function statedImprint(article: MarkupElement, meta: MarkupElement | undefined): Stated {
  const journal = path(article, 'front', 'journal-meta');
  const text = (holder: MarkupElement | undefined, ...names: string[]): string => lineText(child(holder, ...names));
  const id = (...types: string[]): string | undefined =>
    children(meta, 'article-id')
      .filter((each) => types.includes(each.attributes['pub-id-type'] ?? ''))
      .map(lineText)[0];
  // Printed and electronic dates are side by side: a work is as old as the first of them.
  const dates = children(meta, 'pub-date')
    .map((date) => joined(text(date, 'year'), text(date, 'month'), text(date, 'day')))
    .filter((date) => date !== undefined);
  const license = child(child(meta, 'permissions'), 'license');
  const reference = findFirst(license, named('license_ref'));
  const linked = findAll(license, named('ext-link', 'uri'))
    .map(({ attributes }) => attributes['href'] ?? '')
    .find((url) => url.includes('creativecommons.org'));
  return {
    pmid: id('pmid'),
    pmcid: id('pmcid', 'pmc')?.replace(/^(?=\d)/, 'PMC'),
    arxivId: id('arxiv'),
    date: dates.toSorted((a, b) => (`${a}-99` < `${b}-99` ? -1 : 1))[0],
    venue: text(child(journal, 'journal-title-group') ?? journal, 'journal-title'),
    publisher: text(child(journal, 'publisher'), 'publisher-name'),
    issn: children(journal, 'issn').map(lineText),
    volume: text(meta, 'volume'),
    issue: text(meta, 'issue'),
    pages: pageRange(text(meta, 'fpage'), text(meta, 'lpage')) ?? text(meta, 'elocation-id'),
    license: license?.attributes['href'] ?? (reference ? lineText(reference) : linked),
    keywords: children(meta, 'kwd-group').flatMap((group) => children(group, 'kwd').map(lineText)),
  };
}
