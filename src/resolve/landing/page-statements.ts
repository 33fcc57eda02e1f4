import type { Headers } from '../../http/index.ts';
import type { License } from '../../works/index.ts';
import { normalizeDoi, parseLicense } from '../../works/index.ts';
import type { LinkedData } from './json-ld.ts';
import { parseLinkHeader } from './link-header.ts';
import type { Tag } from './tags.ts';

const LICENSE_METAS = new Set([
  'citation_license',
  'dc.rights',
  'dc.rights.uri',
  'dc.rights.license',
  'dc.rightsholder.license',
  'dcterms.license',
  'dcterms.rights',
  'dcterms.rights.uri',
  'dc.rights.licence',
  'dc.license',
  'license',
  'og:license',
  'eprints.rights',
  'eprints.license',
  'prism.copyright',
  'copyright',
]);
/** In the order in which they are to be trusted; a field for identifiers holds others besides DOIs. */
const DOI_METAS = [
  'citation_doi',
  'bepress_citation_doi',
  'prism.doi',
  'dc.identifier.doi',
  'dcterms.identifier.doi',
  'dc.identifier',
  'dcterms.identifier',
  'dc.identifier.uri',
  'dcterms.identifier.uri',
  'eprints.id_number',
  'eprints.doi',
  'doi',
  // Repositories name the published version so.
  'dc.relation.isversionof',
  'dc.relation.doi',
  'eprints.official_url',
];
const TITLE_METAS = new Set(['citation_title', 'bepress_citation_title', 'dc.title', 'dcterms.title', 'eprints.title']);
const AUTHOR_METAS = new Set([
  'citation_author',
  'citation_authors',
  'bepress_citation_author',
  'dc.creator',
  'dcterms.creator',
  'eprints.creators_name',
]);
const MAX_AUTHORS = 20;

/** A name and a content that a page states for machines. */
export type Meta = { readonly name: string; readonly content: string };

/** The DOI a page states for itself, the most exact field first. */
export function doiIn(metas: readonly Meta[]): string | undefined {
  for (const wanted of DOI_METAS) {
    for (const { name, content } of metas) {
      const doi = name === wanted ? normalizeDoi(content) : undefined;
      if (doi !== undefined) return doi;
    }
  }
  return undefined;
}

/** What stands behind a DOI in the addresses of publishers' pages. */
const VIEW =
  /(?:\/(?:full|abstract|meta|html|pdf|epdf|fulltext|tables|figures|references|citations|metrics))+\/?$|\.(?:full|abstract|long|short|full-text|html|pdf|xml|article-info)$/i;

/**
 * The DOI in the address that a page calls its own, or stands at: `/doi/full/10.…`, `/article/10.…`, `/content/10.…v1`.
 * Else the one that a badge of the page is about.
 */
export function doiOfAddress(tags: readonly Tag[], metas: readonly Meta[], url: URL): string | undefined {
  const own = [relHref(tags, 'canonical'), metas.find(({ name }) => name === 'og:url')?.content, url.href];
  for (const each of own) {
    const path = decoded(URL.parse(each ?? '', url.href)?.pathname ?? '');
    const [, found] =
      /\/(?:doi|articles?|chapter|book|content|abs|journals?|insight\/content\/doi)\/(?:[a-z]{1,12}\/){0,2}(10\.\d{4,9}\/[^?#]{1,200})$/i.exec(
        path,
      ) ?? [];
    const doi = found === undefined ? undefined : normalizeDoi(found.replace(VIEW, ''));
    if (doi !== undefined) return doi;
  }
  const badges = new Set(tags.flatMap(({ attributes }) => normalizeDoi(attributes.get('data-doi') ?? '') ?? []));
  return badges.size === 1 ? [...badges][0] : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Signposting: where a page says how it is to be cited. */
export function citedAs(tags: readonly Tag[], headers: Headers): string | undefined {
  const stated = [
    relHref(tags, 'cite-as'),
    ...parseLinkHeader(headers['link']).flatMap(({ target, rel }) => (rel.includes('cite-as') ? [target] : [])),
  ];
  return stated.map((each) => normalizeDoi(each ?? '')).find((doi) => doi !== undefined);
}

/**
 * What the page says about the licence, in the order of trust: metadata, `rel="license"`, structured data, and the
 * one Creative Commons licence that it links to. Where it links to several, it is not known which is the article's.
 */
export function licenseOf(
  tags: readonly Tag[],
  metas: readonly Meta[],
  linked: readonly LinkedData[],
  headers: Headers,
): License | null {
  const stated = [
    ...metas.filter(({ name }) => LICENSE_METAS.has(name)).map(({ content }) => content),
    relHref(tags, 'license'),
    ...parseLinkHeader(headers['link']).flatMap(({ target, rel }) => (rel.includes('license') ? [target] : [])),
    ...linked.map(({ license }) => license),
  ];
  for (const text of stated) {
    const license = text === null ? null : knownLicense(text);
    if (license) return license;
  }
  const named = new Map<string, License>();
  for (const { name, attributes } of tags) {
    const href = attributes.get('href') ?? '';
    const isOne = (name === 'a' || name === 'link') && /creativecommons\.org\/|arxiv\.org\/licenses\//i.test(href);
    const license = isOne ? knownLicense(href) : null;
    if (license?.slug) named.set(license.slug, license);
  }
  return named.size === 1 ? ([...named.values()][0] ?? null) : null;
}

/** The title a page states; undefined leaves it to its `title` element. */
export function titleIn(metas: readonly Meta[]): string | undefined {
  return metas.find(({ name }) => TITLE_METAS.has(name))?.content;
}

/** The authors a page states, from one vocabulary only: pages state them in several. */
export function authorsIn(metas: readonly Meta[]): string[] {
  const names = (of: readonly Meta[]): string[] =>
    of
      .flatMap(({ content }) => content.split(';'))
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .slice(0, MAX_AUTHORS);
  const stated = metas.filter(({ name }) => AUTHOR_METAS.has(name));
  const cited = names(stated.filter(({ name }) => name.includes('citation_author')));
  return cited.length > 0 ? cited : names(stated);
}

function relHref(tags: readonly Tag[], rel: string): string | null {
  const found = tags.find(
    ({ name, attributes }) => (name === 'link' || name === 'a') && rels(attributes).includes(rel),
  );
  return found?.attributes.get('href') ?? null;
}

/** The relations that a link names. */
export function rels(attributes: ReadonlyMap<string, string>): string[] {
  return (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
}

/** A rights statement counts as a licence only when it is one we have a word for. */
function knownLicense(text: string): License | null {
  const license = parseLicense(
    /(?:https?:\/\/)?(?:www\.)?creativecommons\.org\/[^\s"'<>)]{1,100}/i.exec(text.slice(0, 5000))?.[0] ?? text,
  );
  return license?.slug === null ? null : license;
}
