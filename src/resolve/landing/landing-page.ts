import type { Headers } from '../../http/index.ts';
import type { License } from '../../works/index.ts';
import { normalizeDoi } from '../../works/index.ts';
import { invitesToSignIn, offersText } from './offers.ts';
import {
  readJsonLd,
  parseLinkHeader,
  authorsIn,
  citedAs,
  doiIn,
  doiOfAddress,
  licenseOf,
  rels,
  titleIn,
} from './page-statements.ts';
import type { ReadPage, Tag } from './read-page.ts';
import { isFullText, readPage } from './read-page.ts';

/** `trust` 1: metadata; 2: the URL form of a known platform; 3: an anchor whose file must prove itself. */
export interface LandingLink {
  readonly url: string;
  readonly expect: 'pdf' | 'xml' | 'html';
  readonly trust: 1 | 2 | 3;
}

/** What a page about an article says. */
export interface LandingPage {
  readonly url: URL;
  readonly title: string | null;
  /** Whether `title` comes from metadata rather than the title bar. */
  readonly isTitleStated: boolean;
  readonly authors: readonly string[];
  /** The page's own DOI; another than the requested one means another work or version. */
  readonly doi: string | null;
  /** False if the DOI comes from the page's URL, which can only confirm. */
  readonly isDoiStated: boolean;
  readonly license: License | null;
  /** In order of trust. */
  readonly links: readonly LandingLink[];
  readonly refresh: string | null;
  readonly embedded: string | null;
  readonly isFullText: boolean;
  /** The page sells the text, says that it shows only its beginning, or has none and asks to sign in. */
  readonly isForSale: boolean;
  /** Its text without references, related works and navigation. */
  readonly text: string;
  /** The page reserves text and data mining (tdm-reservation). */
  readonly tdmReserved: boolean;
}

const PDF_METAS = new Set(['citation_pdf_url', 'bepress_citation_pdf_url', 'eprints.document_url', 'wkhealth_pdf_url']);
const XML_METAS = new Set(['citation_xml_url', 'citation_full_xml_url', 'fulltext_xml']);
const HTML_METAS = new Set(['citation_fulltext_html_url', 'citation_full_html_url']);
const MAX_LINKS = 20;
/** File names of supplements: `mmc2.pdf`, `MOESM1_ESM.pdf`, `ja1_si_001.pdf`, `x-sup-0001.pdf`. */
const SUPPLEMENT =
  /suppl|appendix|additional[-_]?file|esm\b|[?&]supplement=|\/mmc\d|moesm\d|[-_.]si[-_.]?\d{0,4}\.pdf|[-_]sup[-_]\d|[-_]s\d{3}\.pdf|\/media-\d{1,3}\.pdf/i;
const JOURNAL_FILE =
  /(?:authors?|submission|reviewers?)[-_ ]?(?:guide|instruction|kit|template|checklist)|(?:guidelines?|instructions?|guide)[-_ ](?:for|to)[-_ ](?:authors?|reviewers?)|copyright[-_ ]?(?:form|transfer|agreement)|media[-_ ]?kit|order[-_ ]?form/i;
const OTHER_LABEL =
  /\bsuppl|\bsupporting (?:information|material)|\badditional files?\b|\bappendi(?:x|ces)\b|\bguidelines?\b|\bguides? (?:for|to)\b|\binstructions? (?:for|to)\b|\b(?:author|reviewer)s?['’]? (?:guide|kit|instructions)|\btemplate\b|\bchecklist\b|\bcopyright\b|\bpolic(?:y|ies)\b|\bpermissions?\b|\b(?:full|whole|complete|entire) issue\b|\btable of contents\b|\b(?:front|back) matter\b|\bcover\b|\bpeer[- ]review (?:file|reports?)\b|\breporting summary\b|\bbrochure\b|\bterms\b|\bprivacy\b|\baccessibility\b|\bnewsletter\b|\bannual report\b|\bmedia kit\b|\border form\b/i;

export function readLandingPage(html: string | ReadPage, url: URL, headers: Headers = {}): LandingPage {
  const { tags, text, notices, prose } = typeof html === 'string' ? readPage(html) : html;
  const base = baseOf(tags, url);
  const metas = tags
    .filter(({ name }) => name === 'meta')
    .map(({ attributes }) => ({
      name: (attributes.get('name') ?? attributes.get('property') ?? '').trim().toLowerCase(),
      content: attributes.get('content')?.trim() ?? '',
    }))
    .filter(({ content }) => content !== '');
  const linked = tags
    .filter(({ name, attributes }) => name === 'script' && /ld\+json/i.test(attributes.get('type') ?? ''))
    .map(({ text }) => readJsonLd(text));
  const stated =
    doiIn(metas) ??
    linked.map((each) => normalizeDoi(each.doi ?? '')).find((each) => each !== undefined) ??
    citedAs(tags, headers);
  const ofAddress = doiOfAddress(tags, metas, url);
  const own = [stated, ofAddress].filter((each) => each !== undefined);
  const anchors = tags.filter((tag) => tag.name === 'a' && mayBeOfArticle(tag, base, url, own));
  const title = titleIn(metas);
  const isWhole = isFullText(prose, title !== undefined);
  // A page without the text that asks to sign in has it for subscribers; one with the text asks everybody.
  const isForSale = notices.some(offersText) || (!isWhole && notices.some(invitesToSignIn));
  const shown = embedded(tags);
  const candidates = [
    ...withoutSupplements(
      metas
        .filter(({ name }) => PDF_METAS.has(name))
        .flatMap(({ content }) => [link(content, 'pdf', 1), ...contentOfBitstream(content)]),
    ),
    ...metas.filter(({ name }) => XML_METAS.has(name)).map(({ content }) => link(content, 'xml', 1)),
    ...alternates(tags),
    ...headerLinks(headers),
    ...linked.flatMap(({ pdfUrls }) => pdfUrls.map((each) => link(each, 'pdf', 2))),
    ...shown,
    ...platformLinks(anchors),
    ...embeddedData(tags),
    ...metas.filter(({ name }) => HTML_METAS.has(name)).map(({ content }) => link(content, 'html', 2)),
    ...plainLinks(anchors),
  ];
  return {
    url,
    title: title ?? (tags.find(({ name }) => name === 'title')?.text.trim() || null),
    isTitleStated: title !== undefined,
    authors: authorsIn(metas),
    doi: stated ?? ofAddress ?? null,
    isDoiStated: stated !== undefined,
    license: licenseOf({ tags, text, metas, linked, headers }),
    links: distinct(
      candidates.filter((each) => each.trust === 1 || !isAnothers(each.url, own)),
      base,
      url,
    ),
    refresh: refreshOf(tags, headers, base),
    embedded: distinct(shown, base, url)[0]?.url ?? null,
    isFullText: isWhole && !isForSale,
    isForSale,
    text,
    tdmReserved: metas.some(({ name, content }) => name === 'tdm-reservation' && content === '1'),
  };
}

/** A URL with another DOI belongs to another article. */
function isAnothers(url: string, own: readonly string[]): boolean {
  return own.length > 0 && !namesOwn(url, own) && /\b10\.\d{4,9}\/\S/.test(url.replaceAll(/%2f/gi, '/'));
}

function namesOwn(url: string, own: readonly string[]): boolean {
  const text = url.replaceAll(/%2f/gi, '/').toLowerCase();
  return own.some((doi) => text.includes(doi.replace(/v\d{1,3}$/, '')));
}

/** Links to another site count only if they contain the article's DOI; lists of other works never count. */
function mayBeOfArticle({ attributes, text, zone }: Tag, base: URL, page: URL, own: readonly string[]): boolean {
  const href = attributes.get('href') ?? '';
  if (zone === 'references' || href === '' || SUPPLEMENT.test(href) || JOURNAL_FILE.test(href)) return false;
  // Button labels are short; a long one may be the article's title.
  const label = `${text} ${attributes.get('title') ?? ''} ${attributes.get('aria-label') ?? ''}`.slice(0, 500);
  if (label.length < 80 && OTHER_LABEL.test(label)) return false;
  const target = URL.parse(href, base.href);
  return target !== null && (siteOf(target) === siteOf(page) || namesOwn(target.href, own));
}

/** The registered domain: the last two labels, or three below registries such as `ac.uk`. */
function siteOf({ hostname }: URL): string {
  const labels = hostname.split('.');
  const isBelowRegistry = /^(?:ac|co|com|edu|gob|go|gov|ne|net|or|org|sci)\.[a-z]{2}$/.test(labels.slice(-2).join('.'));
  return labels.slice(isBelowRegistry ? -3 : -2).join('.');
}

function link(url: string, expect: LandingLink['expect'], trust: LandingLink['trust']): LandingLink {
  return { url, expect, trust };
}

function withoutSupplements(links: readonly LandingLink[]): readonly LandingLink[] {
  const articles = links.filter(({ url }) => !SUPPLEMENT.test(url));
  return articles.length > 0 ? articles : links;
}

function baseOf(tags: readonly Tag[], url: URL): URL {
  const href = tags.find(({ name, attributes }) => name === 'base' && attributes.has('href'))?.attributes.get('href');
  const base = href === undefined ? null : URL.parse(href, url.href);
  return base && (base.protocol === 'http:' || base.protocol === 'https:') ? base : url;
}

function expectationOf(type: string): LandingLink['expect'] | undefined {
  if (type.startsWith('application/pdf')) return 'pdf';
  return /^(?:application|text)\/(?:xml|jats\+xml|vnd\.jats\+xml)/.test(type) ? 'xml' : undefined;
}

function alternates(tags: readonly Tag[]): LandingLink[] {
  return tags.flatMap(({ name, attributes }) => {
    const expect = expectationOf((attributes.get('type') ?? '').trim().toLowerCase());
    const wanted =
      name === 'link' && expect !== undefined && ['alternate', 'item'].some((rel) => rels(attributes).includes(rel));
    return wanted ? [link(attributes.get('href') ?? '', expect, 1)] : [];
  });
}

function headerLinks(headers: Headers): LandingLink[] {
  return parseLinkHeader(headers['link']).flatMap(({ target, rel, type }) => {
    const expect = expectationOf(type ?? (/\.pdf($|\?)/i.test(target) ? 'application/pdf' : ''));
    return expect !== undefined && (rel.includes('item') || rel.includes('alternate')) ? [link(target, expect, 1)] : [];
  });
}

function embedded(tags: readonly Tag[]): LandingLink[] {
  return tags.flatMap(({ name, attributes }) => {
    if (!['embed', 'iframe', 'frame', 'object'].includes(name)) return [];
    const source = attributes.get('src') ?? attributes.get('data') ?? '';
    const viewed = viewedFile(source);
    if (viewed !== undefined) return [link(viewed, 'pdf', 2)];
    const isPdf = /^application\/pdf/i.test(attributes.get('type') ?? '') || /pdf/i.test(source.split(/[?#]/)[0] ?? '');
    return isPdf ? [link(source, 'pdf', 2)] : [];
  });
}

/** The file that a viewer is given: `pdfjs/web/viewer.html?file=…`, `docs.google.com/viewer?url=…`. */
function viewedFile(source: string): string | undefined {
  const [path = '', query = ''] = source.split('?', 2);
  if (!/viewer/i.test(path)) return undefined;
  const parameters = new URLSearchParams(query);
  return ['file', 'url', 'src', 'pdf'].map((name) => parameters.get(name)).find((value) => value) ?? undefined;
}

/** DSpace 7 and later serve an application shell for a file; the bytes are at the API. */
function contentOfBitstream(href: string): LandingLink[] {
  const [, uuid] = /\/bitstreams\/([0-9a-f-]{36})\/download/i.exec(href) ?? [];
  if (uuid === undefined) return [];
  return [link(`/server/api/core/bitstreams/${uuid}/content`, 'pdf', 2)];
}

/** Anchors in the URL form of a platform: OJS, DSpace, EPrints, Atypon, Digital Commons, Invenio, Pure. */
function platformLinks(anchors: readonly Tag[]): LandingLink[] {
  return anchors.flatMap(({ attributes }) => {
    const href = attributes.get('href') ?? '';
    const classes = (attributes.get('class') ?? '').toLowerCase();
    if (/galley[-_]link/.test(classes) && (classes.includes('pdf') || !/\b(html|xml|epub)\b/.test(classes))) {
      return [link(href.replace('/article/view/', '/article/download/'), 'pdf', 2)];
    }
    if (attributes.get('data-download-type') === 'pdf-article') return [link(href, 'pdf', 2)];
    const atInterface = contentOfBitstream(href);
    if (atInterface.length > 0) return atInterface;
    // Atypon's viewer; the file is beside it.
    if (/\/doi\/epdf\/10\./i.test(href))
      return [link(href.replace(/[?#][^]*/, '').replace(/\/doi\/epdf\//i, '/doi/pdf/'), 'pdf', 2)];
    return PLATFORM_FILES.some((form) => form.test(href)) ? [link(href, 'pdf', 2)] : [];
  });
}

const PLATFORM_FILES: readonly RegExp[] = [
  // DSpace, Pure
  /\/bitstream\/\S{0,1000}\.pdf/i,
  /\/ws\/(?:portal)?files\//i,
  // Atypon, and the Cell Press and Lancet journals on it
  /\/doi\/(?:pdf|pdfdirect|pdfplus)\/10\./i,
  /\/action\/showPdf\?/i,
  // Digital Commons (bepress)
  /\/cgi\/viewcontent\.cgi\?/i,
  // Silverchair
  /\/article-pdf\/\S{0,1000}\.pdf/i,
  // OJS without classes
  /\/article\/download\/[\w-]{1,60}\/(?:pdf|\d{1,9})(?:[/?#]|$)/i,
];

/** Elsevier. */
const PDF_DATA =
  /"pdfDownload":\{"isPdfFullText":(?:true|false),"urlMetadata":\{"queryParams":\{"md5":"([0-9a-f]{32})","pid":"([\w.-]{1,200})"\},"pii":"(\w{1,40})","pdfExtension":"(\/\w{1,20})","path":"([\w/]{1,60})"/;

/** IEEE and others use this name, with or without escaped slashes. */
const PDF_URL = /"pdf_?(?:ur[li]|link)"\s{0,4}:\s{0,4}"([^"\s]{1,500})"/i;

function embeddedData(tags: readonly Tag[]): LandingLink[] {
  return tags
    .filter(({ name }) => name === 'script')
    .flatMap(({ text }) => {
      const [, md5, pid, pii, extension, path] = PDF_DATA.exec(text) ?? [];
      if (path !== undefined)
        return [link(`/${path}/${pii ?? ''}${extension ?? ''}?md5=${md5 ?? ''}&pid=${pid ?? ''}`, 'pdf', 2)];
      const named = PDF_URL.exec(text)?.[1]
        ?.replaceAll('\\/', '/')
        .replaceAll(/\\u0026/gi, '&');
      return named === undefined ? [] : [link(named, 'pdf', 2)];
    });
}

const ENDS_IN_PDF = /\.pdf($|[?#])/i;
/** With more of them a page is a list, and only labelled ones are tried. */
const MOST_UNLABELLED = 3;

/** Anchors that end in .pdf and are labelled so, or are among few: labels are in all languages, or icons. */
function plainLinks(anchors: readonly Tag[]): LandingLink[] {
  const isOfFew =
    anchors.filter(({ attributes }) => ENDS_IN_PDF.test(attributes.get('href') ?? '')).length <= MOST_UNLABELLED;
  return anchors.flatMap(({ attributes, text, zone }) => {
    const href = attributes.get('href') ?? '';
    const says = /\bpdf\b|download|full\s?text/i.test(
      `${text} ${attributes.get('class') ?? ''} ${attributes.get('title') ?? ''}`,
    );
    // The URL ends in .pdf, or both URL and label say that it is a file: ".../4996/pdf", "Full Text PDF".
    const isFile =
      /^application\/pdf/i.test(attributes.get('type') ?? '') ||
      ENDS_IN_PDF.test(attributes.get('download') ?? '') ||
      (ENDS_IN_PDF.test(href) && (says || (isOfFew && zone === 'article'))) ||
      (/\bpdf\b/i.test(text) &&
        text.length < 60 &&
        /[/=_]pdf(?:[/?#&]|$)|download|get_?file|\/files?\/|attachment/i.test(href));
    return isFile ? [link(href, 'pdf', 3)] : [];
  });
}

/** A later refresh ends a session. */
const LONGEST_REFRESH_S = 60;

function refreshOf(tags: readonly Tag[], headers: Headers, base: URL): string | null {
  const refresh = tags.find(
    ({ name, attributes }) => name === 'meta' && attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh',
  );
  const [, seconds, target] =
    /^\s*(\d{1,4})(?:\.\d+)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(
      refresh?.attributes.get('content') ?? headers['refresh'] ?? '',
    ) ?? [];
  if (Number(seconds) > LONGEST_REFRESH_S) return null;
  const url = target === undefined ? null : URL.parse(target.trim(), base.href);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : null;
}

function distinct(links: readonly LandingLink[], base: URL, page: URL): LandingLink[] {
  const seen = new Set<string>([page.href]);
  const kept: LandingLink[] = [];
  for (const each of links) {
    if (kept.length >= MAX_LINKS) break;
    // Some pages escape an URL twice.
    const url =
      each.url.length > 2000 || each.url === '' ? null : URL.parse(each.url.replaceAll('&amp;', '&'), base.href);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '') continue;
    url.hash = '';
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    kept.push({ ...each, url: url.href });
  }
  return kept;
}
