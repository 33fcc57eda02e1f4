import { parseJson } from '../../base/index.ts';
import type { Headers } from '../../http/index.ts';
import type { License } from '../../works/index.ts';
import { decoded, normalizeDoi, parseLicense } from '../../works/index.ts';
import type { Tag } from './read-page.ts';

const LICENSE_METAS = new Set(
  (
    'citation_license dc.rights dc.rights.uri dc.rights.license dc.rights.licence dc.rightsholder.license dc.license ' +
    'dcterms.license dcterms.rights dcterms.rights.uri license og:license eprints.rights eprints.license ' +
    'prism.copyright copyright'
  ).split(' '),
);
/** In order of trust; identifier fields may hold other ids. */
const DOI_METAS = [
  ...'citation_doi bepress_citation_doi prism.doi dc.identifier.doi dcterms.identifier.doi'.split(' '),
  ...'dc.identifier dcterms.identifier dc.identifier.uri dcterms.identifier.uri'.split(' '),
  ...'eprints.id_number eprints.doi doi'.split(' '),
  // Repositories use this for the published version.
  ...'dc.relation.isversionof dc.relation.doi eprints.official_url'.split(' '),
];
const TITLE_METAS = new Set(['citation_title', 'bepress_citation_title', 'dc.title', 'dcterms.title', 'eprints.title']);
const AUTHOR_METAS = new Set(
  'citation_author citation_authors bepress_citation_author dc.creator dcterms.creator eprints.creators_name'.split(
    ' ',
  ),
);
const MAX_AUTHORS = 20;

type Meta = { readonly name: string; readonly content: string };

export function doiIn(metas: readonly Meta[]): string | undefined {
  return DOI_METAS.flatMap((wanted) => metas.filter(({ name }) => name === wanted))
    .map(({ content }) => normalizeDoi(content))
    .find((doi) => doi !== undefined);
}

/** Follows a DOI in publishers' URLs. */
const VIEW =
  /(?:\/(?:full|abstract|meta|html|pdf|epdf|fulltext|tables|figures|references|citations|metrics))+\/?$|\.(?:full|abstract|long|short|full-text|html|pdf|xml|article-info)$/i;

/** From its canonical or actual URL (`/doi/full/10.…`, `/content/10.…v1`), else from an Altmetric badge. */
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

/** Signposting: the page's cite-as link. */
export function citedAs(tags: readonly Tag[], headers: Headers): string | undefined {
  const stated = [
    relHref(tags, 'cite-as'),
    ...parseLinkHeader(headers['link']).flatMap(({ target, rel }) => (rel.includes('cite-as') ? [target] : [])),
  ];
  return stated.map((each) => normalizeDoi(each ?? '')).find((doi) => doi !== undefined);
}

/** By metadata, structured data and headers, then the article, then the site; null if statements differ. */
export function licenseOf(page: {
  readonly tags: readonly Tag[];
  readonly text: string;
  readonly metas: readonly Meta[];
  readonly linked: readonly LinkedData[];
  readonly headers: Headers;
}): License | null {
  const { tags, text, metas, linked, headers } = page;
  const year = yearIn(metas);
  const links = tags.flatMap((tag): { readonly zone: Tag['zone'] | 'head'; readonly license: License }[] => {
    const href = tag.attributes.get('href') ?? '';
    const isOne =
      (tag.name === 'a' || tag.name === 'link') &&
      (rels(tag.attributes).includes('license') || /creativecommons\.org\/|arxiv\.org\/licenses\//i.test(href));
    const license = isOne ? knownLicense(href) : null;
    if (license === null || (tag.name === 'a' && tag.zone === 'article' && isAboutPart(sentenceAt(text, tag.at))))
      return [];
    if (tag.name === 'a' && isOfOtherYears(tag.before, year)) return [];
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

const YEAR_METAS = new Set(
  (
    'citation_publication_date citation_date citation_year citation_online_date dc.date dc.date.issued ' +
    'dcterms.issued dcterms.date prism.publicationdate bepress_citation_date eprints.date article:published_time'
  ).split(' '),
);

function yearIn(metas: readonly Meta[]): number | null {
  const stated = metas.find(({ name, content }) => YEAR_METAS.has(name) && /\b\d{4}\b/.test(content));
  return stated === undefined ? null : Number(/\b\d{4}\b/.exec(stated.content)?.[0]);
}

/** Whether a licence is for works of other years: "Materials prior to 2016 are licensed under …". */
function isOfOtherYears(before: string, year: number | null): boolean {
  const sentence = before.split(/[.!?]\s/).at(-1) ?? '';
  const [, word, stated] = YEARS.exec(sentence) ?? [];
  if (word === undefined || year === null) return false;
  const limit = Number(stated);
  switch (word.toLowerCase()) {
    case 'prior to':
    case 'before':
      return year >= limit;
    case 'until':
    case 'through':
    case 'up to':
      return year > limit;
    case 'after':
      return year <= limit;
    default:
      return year < limit;
  }
}

const YEARS =
  /\b(prior to|before|until|through|up to|in or after|after|since|from|as of) (?:january |the year )?(\d{4})\b/i;

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

type LinkedData = ReturnType<typeof readJsonLd>;

const MAX_NODES = 5_000;
const ARTICLE = /article|scholarly|report|thesis|chapter|book|creativework|publicationissue/i;
/** Types of deposits: their statements count, but their files are not papers. */
const DEPOSIT = /dataset|digitaldocument|softwaresourcecode|collection|imageobject|mediaobject|learningresource/i;

export function readJsonLd(text: string) {
  const pdfUrls: string[] = [];
  let license: string | null = null;
  let doi: string | null = null;
  const waiting: unknown[] = [parseJson(text)];
  for (let seen = 0; waiting.length > 0 && seen < MAX_NODES; seen += 1) {
    // In page order: the main entity comes before related ones.
    const node = waiting.pop();
    if (Array.isArray(node)) waiting.push(...(node as unknown[]).slice(0, 200).toReversed());
    else if (node !== null && typeof node === 'object') {
      const fields = new Map(Object.entries(node));
      if (Array.isArray(fields.get('@graph'))) waiting.push(fields.get('@graph'));
      const type = [fields.get('@type')].flat().map(String).join(' ');
      const isArticle = ARTICLE.test(type);
      if (!isArticle && !DEPOSIT.test(type)) {
        waiting.push(fields.get('mainEntity'));
        continue;
      }
      for (const name of isArticle ? ['encoding', 'associatedMedia', 'distribution'] : [])
        pdfUrls.push(...mediaUrls(fields.get(name)));
      for (const said of texts(fields.get('license'))) license ??= said;
      for (const name of ['identifier', '@id', 'sameAs', 'url'])
        doi ??= texts(fields.get(name)).find((said) => /(?:^|doi[.:/ ]|org\/)10\.\d{4,9}\//i.test(said)) ?? null;
      const url = fields.get('contentUrl');
      if (typeof url === 'string' && /\.pdf($|\?)/i.test(url)) pdfUrls.push(url);
      waiting.push(fields.get('mainEntity'));
    }
  }
  return { pdfUrls: [...new Set(pdfUrls)], license, doi };
}

/** The strings in a value: a string, a list, or an object with `value`, `url` or `@id`. */
function texts(value: unknown): string[] {
  return [value]
    .flat()
    .slice(0, 50)
    .flatMap((each: unknown): string[] => {
      if (typeof each === 'string') return [each];
      if (each === null || typeof each !== 'object') return [];
      const { value: inner, url, '@id': id } = each as Record<string, unknown>;
      return [inner, url, id].filter((text) => typeof text === 'string');
    });
}

function mediaUrls(media: unknown): string[] {
  return [media]
    .flat()
    .slice(0, 50)
    .flatMap((each: unknown): string[] => {
      if (each === null || typeof each !== 'object') return [];
      const { contentUrl, encodingFormat, fileFormat } = each as Record<string, unknown>;
      if (typeof contentUrl !== 'string') return [];
      const format = [encodingFormat, fileFormat].filter((said) => typeof said === 'string').join(' ');
      return /pdf/i.test(format) || /\.pdf($|\?)/i.test(contentUrl) ? [contentUrl] : [];
    });
}

/** RFC 8288. */
interface WebLink {
  readonly target: string;
  readonly rel: readonly string[];
  readonly type: string | null;
}

const MAX_LINKS = 200;

/** Not split at commas, which may be inside a target or a quoted value. */
export function parseLinkHeader(header: string | undefined): WebLink[] {
  const links: WebLink[] = [];
  const text = header ?? '';
  let at = 0;
  while (links.length < MAX_LINKS) {
    const open = text.indexOf('<', at);
    const close = open === -1 ? -1 : text.indexOf('>', open);
    if (close === -1) break;
    const target = text.slice(open + 1, close).trim();
    const parameters = new Map<string, string>();
    at = close + 1;
    for (;;) {
      const parameter = /\s*;\s*([a-zA-Z*_-]{1,40})\s*(?:=\s*(?:"([^"]*)"|([^\s;,"]*)))?/y;
      parameter.lastIndex = at;
      const match = parameter.exec(text);
      if (!match) break;
      const name = (match[1] ?? '').toLowerCase();
      if (!parameters.has(name)) parameters.set(name, match[2] ?? match[3] ?? '');
      at = parameter.lastIndex;
    }
    links.push({
      target,
      rel: (parameters.get('rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean),
      type: parameters.get('type')?.toLowerCase() ?? null,
    });
  }
  return links;
}
