import type { Headers } from '../../http/index.ts';
import type { License } from '../../works/index.ts';
import { normalizeDoi, parseLicense } from '../../works/index.ts';
import type { LinkedData } from './json-ld.ts';
import { parseLinkHeader } from './link-header.ts';
import type { Tag } from './read-page.ts';

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
/** In order of trust; identifier fields may hold other ids. */
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
  // Repositories use this for the published version.
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

/** A meta element's name and content. */
export type Meta = { readonly name: string; readonly content: string };

/** The page's own DOI, most specific field first. */
export function doiIn(metas: readonly Meta[]): string | undefined {
  for (const wanted of DOI_METAS) {
    for (const { name, content } of metas) {
      const doi = name === wanted ? normalizeDoi(content) : undefined;
      if (doi !== undefined) return doi;
    }
  }
  return undefined;
}

/** Path segments after a DOI in publishers' URLs. */
const VIEW =
  /(?:\/(?:full|abstract|meta|html|pdf|epdf|fulltext|tables|figures|references|citations|metrics))+\/?$|\.(?:full|abstract|long|short|full-text|html|pdf|xml|article-info)$/i;

/**
 * The DOI in the page's canonical or actual URL: `/doi/full/10.…`, `/article/10.…`, `/content/10.…v1`; else the one
 * in an Altmetric or similar badge.
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

/** Signposting: the page's cite-as link. */
export function citedAs(tags: readonly Tag[], headers: Headers): string | undefined {
  const stated = [
    relHref(tags, 'cite-as'),
    ...parseLinkHeader(headers['link']).flatMap(({ target, rel }) => (rel.includes('cite-as') ? [target] : [])),
  ];
  return stated.map((each) => normalizeDoi(each ?? '')).find((doi) => doi !== undefined);
}

/**
 * The article's licence, in order of trust: metadata, structured data and headers, then links and sentences of the
 * article, then those of the site. If statements of one kind differ, the licence is unknown.
 */
export function licenseOf(page: {
  readonly tags: readonly Tag[];
  readonly text: string;
  readonly metas: readonly Meta[];
  readonly linked: readonly LinkedData[];
  readonly headers: Headers;
}): License | null {
  const { tags, text, metas, linked, headers } = page;
  const links = tags.flatMap((tag): { readonly zone: Tag['zone'] | 'head'; readonly license: License }[] => {
    const href = tag.attributes.get('href') ?? '';
    const isOne =
      (tag.name === 'a' || tag.name === 'link') &&
      (rels(tag.attributes).includes('license') || /creativecommons\.org\/|arxiv\.org\/licenses\//i.test(href));
    const license = isOne ? knownLicense(href) : null;
    if (license === null || (tag.name === 'a' && tag.zone === 'article' && isAboutPart(sentenceAt(text, tag.at))))
      return [];
    return [{ zone: tag.name === 'link' ? 'head' : tag.zone, license }];
  });
  const linkedIn = (zone: Tag['zone'] | 'head'): License[] =>
    links.filter((each) => each.zone === zone).map(({ license }) => license);
  const known = (stated: readonly (string | null)[]): License[] =>
    stated.flatMap((each) => (each === null ? [] : (knownLicense(each) ?? [])));
  for (const licenses of [
    known(metas.filter(({ name }) => LICENSE_METAS.has(name)).map(({ content }) => content)),
    [
      ...linkedIn('head'),
      ...known(parseLinkHeader(headers['link']).map(({ target, rel }) => (rel.includes('license') ? target : null))),
    ],
    known(linked.map(({ license }) => license)),
    [...linkedIn('article'), ...licensesInProse(text)],
    linkedIn('frame'),
  ]) {
    const slugs = new Set(licenses.map(({ slug }) => slug));
    if (slugs.size > 0) return slugs.size === 1 ? (licenses[0] ?? null) : null;
  }
  return null;
}

/** The sentence or line around an offset. */
function sentenceAt(text: string, at: number): string {
  const before =
    text
      .slice(Math.max(0, at - 400), at)
      .split(/\n|[.!?]\s/)
      .at(-1) ?? '';
  const after = text.slice(at, at + 400).split(/\n|[.!?]\s/)[0] ?? '';
  return before + after;
}

/** Things other than the article that a licence may cover. */
const PART =
  /\b(?:(?:meta)?data(?:sets?)?|software|source code|images?|photo(?:graph)?s?|figures?|illustrations?|icons?|comments?|third[- ]party)\b/i;
const WHOLE =
  /\b(?:articles?|papers?|works?|chapters?|preprints?|publications?|manuscripts?|books?|reports?|thesis|documents?)\b/i;

/** Whether a sentence mentions a part of the article, or something beside it, before the article. */
function isAboutPart(sentence: string): boolean {
  const part = sentence.search(PART);
  const whole = sentence.search(WHOLE);
  return part !== -1 && (whole === -1 || part < whole);
}

const GRANT = /\b(?:licen[cs]ed|distributed|published|released|available|reproduced|open[- ]access|terms|deposited)\b/i;
const CONDITION = /\b(?:may|can|choose|options?|either|unless|(?:prior to|before|after|since|until) \d{4})\b/i;
const NAMED_LICENSE = /(?:creative commons|\bcc[ -]?(?:by|0|zero)\b)[^,;()\n]{0,100}/gi;

/** Licences granted in prose without a link. */
function licensesInProse(text: string): License[] {
  if (!/creative commons|\bcc[ -]?(?:by|0|zero)\b/i.test(text)) return [];
  return text.split(/\n|(?<=[.!?])\s/).flatMap((sentence) => {
    if (sentence.length > 1_000 || !GRANT.test(sentence) || !/\b(?:under|licensed on|terms of)\b/i.test(sentence))
      return [];
    // What authors may choose is not what they chose, and what applies to some years may not apply to this one.
    const subject = sentence.split(/creative commons|\bcc[ -]/i)[0] ?? '';
    if (isAboutPart(sentence) || CONDITION.test(subject)) return [];
    return [...sentence.matchAll(NAMED_LICENSE)].flatMap(([phrase]) => {
      // "… License, which permits non-commercial use" describes the licence rather than naming it.
      const license = parseLicense(phrase.split(/\b(?:which|that|permit|allow)/i)[0]);
      return license === null || license.slug === null ? [] : [license];
    });
  });
}

/** The title in the metadata; undefined falls back to `title`. */
export function titleIn(metas: readonly Meta[]): string | undefined {
  return metas.find(({ name }) => TITLE_METAS.has(name))?.content;
}

/** The authors, from one vocabulary only: pages repeat them in several. */
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

/** The relations of a link. */
export function rels(attributes: ReadonlyMap<string, string>): string[] {
  return (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
}

/** A rights statement counts only if it is a licence we know. */
function knownLicense(text: string): License | null {
  const license = parseLicense(
    /(?:https?:\/\/)?(?:www\.)?creativecommons\.org\/[^\s"'<>)]{1,100}/i.exec(text.slice(0, 5000))?.[0] ?? text,
  );
  return license?.slug === null ? null : license;
}
