import type { DefaultTreeAdapterMap } from 'parse5';
import { defaultTreeAdapter, parse } from 'parse5';
import { AppError, findDoi, lettersOf } from '../../../base/index.ts';
import type { MarkupLimits } from '../markup/decode.ts';
import { decodeMarkup, HTML_LIMITS } from '../markup/decode.ts';
import type { MarkupElement, MarkupNode } from '../markup/node.ts';
import { findAll, findFirst, rawText, oneLine, lineText, named } from '../markup/node.ts';
import type { Metadata, ParsedDocument, Person } from '../../document.ts';
import { bare, DocumentBuilder } from '../markup/document-builder.ts';
import type { InlineContext, Walk } from './html-walk.ts';
import { classMatches, hasClass, articleRoot, isFurniture, inlineLine, writeFlow, writeNotes } from './html-walk.ts';
import { writeBlock } from './html-body.ts';
import { referenceLabels } from './html-references.ts';
import { isAbstractHeading } from '../layout/role/section-names.ts';
import { imprintOf, isoDate, namedInstitution, ORCID, pageRange, statedArxivId } from '../markup/imprint.ts';

type ChildNode = DefaultTreeAdapterMap['childNode'];

/** Parses HTML as a browser does, bounded in size, depth and the number of elements that repair can make of it. */
export function parseHtml(bytes: Uint8Array, limits: MarkupLimits = HTML_LIMITS): MarkupElement {
  if (bytes.length > limits.maxBytes)
    throw new AppError('PARSE_TOO_LARGE', `the HTML has ${bytes.length} bytes, more than ${limits.maxBytes}`, {
      hint: 'raise parse.max_file_mb to accept it',
    });
  let depth = 0;
  let nodes = 0;
  const document = parse(decodeMarkup(bytes), {
    sourceCodeLocationInfo: false,
    scriptingEnabled: false,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement: (name, namespace, attributes) => {
        nodes += 1;
        if (nodes > limits.maxNodes)
          throw new AppError('PARSE_TOO_LARGE', `the HTML has more than ${limits.maxNodes} elements`);
        if (attributes.length > limits.maxAttributes) attributes.length = limits.maxAttributes;
        return defaultTreeAdapter.createElement(name, namespace, attributes);
      },
      // Looking for an open element walks the stack, so an endless nest would take quadratic time.
      onItemPush: () => {
        depth += 1;
        if (depth > limits.maxDepth)
          throw new AppError('PARSE_TOO_DEEP', `the HTML is nested deeper than ${limits.maxDepth} elements`);
      },
      onItemPop: () => {
        depth -= 1;
      },
    },
  });
  return { name: '', attributes: {}, children: convert(document.childNodes, limits.maxDepth * 2) };
}

const DROPPED = new Set('style noscript iframe object embed canvas audio video svg template'.split(' '));

function convert(nodes: readonly ChildNode[], depthLeft: number): MarkupNode[] {
  if (depthLeft === 0) throw new AppError('PARSE_TOO_DEEP', 'the HTML is nested too deeply after repair');
  const converted: MarkupNode[] = [];
  for (const node of nodes) {
    if ('value' in node) converted.push(node.value);
    else if ('tagName' in node && !DROPPED.has(node.tagName)) {
      const attributes = Object.create(null) as Record<string, string>;
      for (const { name, value } of node.attrs) attributes[name] = value;
      // Scripts are kept only where they hold TeX.
      if (node.tagName === 'script' && !attributes['type']?.startsWith('math/tex')) continue;
      converted.push({ name: node.tagName, attributes, children: convert(node.childNodes, depthLeft - 1) });
    }
  }
  return converted;
}

/** Writes a fragment of HTML that is inside another document (some JATS files carry their text so). */
export function writeFragment(builder: DocumentBuilder, fragment: MarkupElement): void {
  const walk = createWalk(builder, fragment, { title: undefined, titleText: '', labels: new Map() });
  walk.state.started = true;
  writeFlow(walk, fragment.children);
}

function createWalk(
  builder: DocumentBuilder,
  root: MarkupElement,
  found: Pick<Walk, 'title' | 'titleText'> & Pick<InlineContext, 'labels'>,
): Walk {
  const { title, titleText, labels } = found;
  return {
    builder,
    inline: { notes: [], labels },
    title,
    titleText,
    ...headingsOf(root, title),
    state: { inReferences: false, hasReferenceList: false, lead: '', started: false },
    block: writeBlock,
  };
}

export function readHtml(document: MarkupElement): ParsedDocument {
  const root = articleRoot(document);
  const meta = pageMetadata(document);
  const title = titleElement(root, meta.title) ?? (meta.title === undefined ? titleElement(document) : undefined);
  const labels = referenceLabels(root);
  const notes: MarkupElement[] = [];
  const titleText = title ? inlineLine(title, { notes, labels }).text : (meta.title ?? '');
  const walk = createWalk(new DocumentBuilder(), root, { title, titleText, labels });
  walk.inline.notes.push(...notes);
  if (titleText !== '') walk.builder.plain('title', bare(titleText));
  writeNotes(walk);
  writeFlow(walk, root.children);
  // A page may consist of links only.
  if (!walk.builder.blocks.some((block) => block.kind !== 'title'))
    writeFlow({ ...walk, state: { ...walk.state, started: true } }, root.children);
  const shown = meta.title ?? (titleText === '' ? pageTitle(document) : titleText);
  return walk.builder.document({
    ...meta,
    ...(shown !== '' && { title: shown }),
    ...abstractOf(walk, meta),
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: confidenceOf(walk, root) },
  });
}

/** The title's heading: LaTeXML marks it; elsewhere the h1 that matches the page's metadata, or the first. */
function titleElement(root: MarkupElement, known?: string): MarkupElement | undefined {
  const latexml = findFirst(root, (element) => hasClass(element, 'ltx_title_document'));
  if (latexml) return latexml;
  const headings = findAll(root, (element) => element.name === 'h1' || isFurniture(element)).filter(
    (element) => element.name === 'h1' && !isFurniture(element) && rawText(element).trim() !== '',
  );
  const start = lettersOf(known ?? '').slice(0, 40);
  return headings.find((heading) => start !== '' && lettersOf(rawText(heading)).startsWith(start)) ?? headings[0];
}

/** Sections of the first level are those with the largest heading besides the title. */
function headingsOf(root: MarkupElement, title: MarkupElement | undefined): Pick<Walk, 'baseLevel' | 'boldHeadings'> {
  let smallest = 7;
  const headings = findAll(root, (element) => /^h[1-6]$/.test(element.name) || isFurniture(element));
  for (const heading of headings) {
    if (
      heading === title ||
      isFurniture(heading) ||
      (title && rawText(heading).trim() === rawText(title).trim()) ||
      classMatches(heading, /^ltx_title_(?:abstract|theorem|proof|keywords|acknowledgements)$|^ltx_runin$/)
    )
      continue;
    smallest = Math.min(smallest, Number(heading.name[1]));
  }
  return { baseLevel: smallest === 7 ? 1 : smallest, boldHeadings: smallest === 7 };
}

function abstractOf(walk: Walk, meta: Pick<Metadata, 'abstract'>): Pick<Metadata, 'abstract'> {
  if (meta.abstract !== undefined) return {};
  const { blocks } = walk.builder;
  const at = blocks.findIndex((block) => block.kind === 'heading' && isAbstractHeading(block.text));
  if (at === -1) return {};
  const texts: string[] = [];
  for (const block of blocks.slice(at + 1)) {
    if (block.kind !== 'text') break;
    texts.push(block.text);
  }
  return texts.length === 0 ? {} : { abstract: texts.join(' ') };
}

/** A paper has sections and some thousand words; an abstract, login or error page has not. */
function confidenceOf(walk: Walk, root: MarkupElement): number {
  const { blocks } = walk.builder;
  const words = blocks.reduce((sum, block) => sum + (block.kind === 'text' ? block.text.split(' ').length : 0), 0);
  const sections = blocks.filter((block) => block.kind === 'heading').length;
  const structure = hasClass(root, 'ltx_document') || root.name === 'article' || root.name === 'main' ? 1 : 0.9;
  return Number((Math.min(1, words / 1_500) * Math.min(1, (sections + 1) / 4) * structure).toFixed(2));
}

const MOST_AUTHORS = 10_000;
const DATES = `citation_publication_date citation_date citation_online_date prism.publicationdate dc.date dcterms.issued
   dcterms.date article:published_time`.split(/\s+/);

/**
 * What a page's head says about the article, in the vocabularies that publishers use (Highwire, Dublin Core, Open
 * Graph).
 */
function pageMetadata(document: MarkupElement): Omit<Metadata, 'needsOcr' | 'quality'> {
  const metas = new Map<string, string[]>();
  const people: { name: string; orcid?: string; institutions: string[] }[] = [];
  for (const meta of findAll(document, named('meta'))) {
    const name = (meta.attributes['name'] ?? meta.attributes['property'])?.toLowerCase();
    const content = oneLine(meta.attributes['content'] ?? '');
    if (name === undefined || content === '') continue;
    const values = metas.get(name);
    if (!values) metas.set(name, [content]);
    else if (values.length < MOST_AUTHORS) values.push(content);
    // Highwire: what follows an author belongs to that author.
    const person = people.at(-1);
    const orcid = ORCID.exec(content)?.[0].toUpperCase();
    if (name === 'citation_author') people.push({ name: givenFirst(content), institutions: [] });
    else if (name === 'citation_author_institution') person?.institutions.push(namedInstitution(content) || content);
    else if (name === 'citation_author_orcid' && person && orcid !== undefined) person.orcid = orcid;
  }
  const known: readonly Person[] = people.filter(
    ({ orcid, institutions }) => orcid !== undefined || institutions.length > 0,
  );
  const all = (...names: string[]): string[] => names.flatMap((name) => metas.get(name) ?? []);
  const first = (...names: string[]): string | undefined => all(...names)[0];
  const authors =
    metas.get('citation_author') ??
    metas.get('dc.creator') ??
    metas.get('dcterms.creator') ??
    splitAuthors(first('citation_authors')) ??
    pageAuthors(document, metas.get('author') ?? []);
  const doi = all('citation_doi', 'prism.doi', 'dc.identifier', 'dcterms.identifier', 'bepress_citation_doi')
    .map(findDoi)
    .find((value) => value !== undefined);
  const title = first('citation_title', 'dc.title', 'dcterms.title');
  const abstract = first('citation_abstract', 'dcterms.abstract', 'dc.description');
  const html = findFirst(document, named('html'));
  const language = first('citation_language', 'dc.language') ?? html?.attributes['lang'];
  return {
    ...(title !== undefined && { title }),
    authors: authors.map(givenFirst),
    ...(known.length > 0 && { people: known.slice(0, MOST_AUTHORS) }),
    ...(abstract !== undefined && { abstract: plainAbstract(abstract) }),
    ...(doi !== undefined && { doi }),
    ...imprintOf({
      arxivId: statedArxivId(first('citation_arxiv_id')),
      pmid: first('citation_pmid'),
      pmcid: first('citation_pmcid'),
      date: isoDate(first(...DATES) ?? ''),
      venue: first('citation_journal_title', 'citation_conference_title', 'prism.publicationname', 'dc.source'),
      publisher: first('citation_publisher', 'dc.publisher'),
      issn: metas.get('citation_issn') ?? metas.get('prism.issn'),
      volume: first('citation_volume', 'prism.volume'),
      issue: first('citation_issue', 'prism.number'),
      pages: pageRange(
        first('citation_firstpage', 'prism.startingpage'),
        first('citation_lastpage', 'prism.endingpage'),
      ),
      license: licenseLink(document) ?? first('dc.rights', 'dcterms.license'),
      keywords: (metas.get('citation_keywords') ?? metas.get('citation_keyword'))?.flatMap((list) =>
        list.split(/[;,]/),
      ),
    }),
    ...(language !== undefined &&
      /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/.test(language) && { language: language.toLowerCase() }),
  };
}

function licenseLink(document: MarkupElement): string | undefined {
  return findFirst(
    document,
    ({ name, attributes }) =>
      (name === 'link' || name === 'a') && (attributes['rel'] ?? '').toLowerCase().split(/\s+/).includes('license'),
  )?.attributes['href'];
}

/** The page's own title, for pages that mark none. */
function pageTitle(document: MarkupElement): string {
  return lineText(findFirst(document, named('title')));
}

function splitAuthors(list: string | undefined): string[] | undefined {
  return list
    ?.split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Authors `stated` in the head count if the page names them too: many sites state themselves. */
function pageAuthors(document: MarkupElement, stated: readonly string[]): string[] {
  const printed = findAll(document, named('body')).map((body) => oneLine(rawText(body).slice(0, 20_000)));
  const names = stated.filter((name) => /\p{L}\s\S*\p{L}/u.test(name) && printed.some((text) => text.includes(name)));
  if (names.length > 0) return names;
  return findAll(document, (element) => hasClass(element, 'ltx_personname'))
    .map((person) => {
      let name = '';
      for (const node of person.children) {
        if (typeof node !== 'string' && (node.name === 'br' || hasClass(node, 'ltx_note'))) {
          if (name.trim() !== '') break;
          continue;
        }
        if (typeof node !== 'string' && (node.name === 'sup' || hasClass(node, 'ltx_ERROR'))) continue;
        name += rawText(node);
      }
      return oneLine(name.split('\n\n')[0] ?? '').replace(/(?<![,;&\s])[,;&\s]+$/, '');
    })
    .filter((name) => name !== '' && name.length <= 100);
}

/** `Surname, Given` becomes `Given Surname`. */
function givenFirst(name: string): string {
  const parts = name.split(',').map((part) => part.trim());
  return parts.length === 2 && parts[0] !== '' && parts[1] !== '' ? `${parts[1]} ${parts[0]}` : name;
}

function plainAbstract(text: string): string {
  return oneLine(text.replace(/<[^<>]{0,200}>/g, ' '));
}
