import type { Metadata, Person } from '../../document.ts';
import { oneLine } from '../markup/characters.ts';
import { normalizeDoi } from '../markup/identifiers.ts';
import { imprintOf, isoDate, namedInstitution, ORCID, pageRange, statedArxivId } from '../markup/imprint.ts';
import { findAll, findFirst, rawText, type MarkupElement } from '../markup/node.ts';
import { hasClass } from './classes.ts';

const MOST_AUTHORS = 10_000;

/** What a page's head says about the article, in the vocabularies that publishers use (Highwire, Dublin Core, Open Graph). */
export function pageMetadata(document: MarkupElement): Omit<Metadata, 'needsOcr' | 'quality'> {
  const metas = new Map<string, string[]>();
  const people: { name: string; orcid?: string; institutions: string[] }[] = [];
  for (const meta of findAll(document, (element) => element.name === 'meta')) {
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
  const first = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = metas.get(name)?.[0];
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const authors =
    metas.get('citation_author') ??
    metas.get('dc.creator') ??
    metas.get('dcterms.creator') ??
    splitAuthors(first('citation_authors')) ??
    pageAuthors(document);
  const doi = [
    first('citation_doi'),
    first('prism.doi'),
    ...(metas.get('dc.identifier') ?? []),
    first('dcterms.identifier'),
    first('bepress_citation_doi'),
  ]
    .map((value) => (value === undefined ? undefined : normalizeDoi(value)))
    .find((value) => value !== undefined);
  const title = first('citation_title', 'dc.title', 'dcterms.title');
  const abstract = first('citation_abstract', 'dcterms.abstract', 'dc.description');
  const html = findFirst(document, (element) => element.name === 'html');
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
      date: isoDate(
        first(
          'citation_publication_date',
          'citation_date',
          'citation_online_date',
          'prism.publicationdate',
          'dc.date',
          'dcterms.issued',
          'article:published_time',
        ) ?? '',
      ),
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

/** Where a page says that its licence is: `<link rel="license">` in its head or a link of that kind in its text. */
function licenseLink(document: MarkupElement): string | undefined {
  return findFirst(
    document,
    ({ name, attributes }) =>
      (name === 'link' || name === 'a') && (attributes['rel'] ?? '').toLowerCase().split(/\s+/).includes('license'),
  )?.attributes['href'];
}

/** The page's own title, for pages that mark none. */
export function pageTitle(document: MarkupElement): string {
  return oneLine(rawText(findFirst(document, (element) => element.name === 'title')));
}

function splitAuthors(list: string | undefined): string[] | undefined {
  return list
    ?.split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** LaTeXML prints authors in the page: a name runs up to the first line break or note. */
function pageAuthors(document: MarkupElement): string[] {
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
