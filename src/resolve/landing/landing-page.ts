import type { Headers } from '../../http/index.ts';
import type { License } from '../../works/index.ts';
import { normalizeDoi } from '../../works/index.ts';
import { readJsonLd } from './json-ld.ts';
import { parseLinkHeader } from './link-header.ts';
import { isFullText, readProse } from './page-prose.ts';
import { authorsIn, citedAs, doiIn, doiOfAddress, licenseOf, rels, titleIn } from './page-statements.ts';
import type { Tag } from './tags.ts';
import { readTags } from './tags.ts';

/** A full text that a page names; `trust` 1 is what the page states for machines, 3 what merely looks like it. */
export interface LandingLink {
  readonly url: string;
  readonly expect: 'pdf' | 'xml' | 'html';
  readonly trust: 1 | 2 | 3;
}

/** What a landing page says to a reader without JavaScript. */
export interface LandingPage {
  readonly url: URL;
  readonly title: string | null;
  readonly authors: readonly string[];
  /** The DOI the page states for itself: another than the one asked for means another work, or another version of it. */
  readonly doi: string | null;
  /** False where the DOI was only taken from the address of the page, which proves something where it fits and nothing else. */
  readonly isDoiStated: boolean;
  readonly license: License | null;
  readonly links: readonly LandingLink[];
  /** Where the page sends its reader by itself. */
  readonly refresh: string | null;
  /** The page is itself the full text, and not only about it. */
  readonly isFullText: boolean;
  /** It reserves text and data mining, or says where the terms for that are (tdm-reservation, tdm-policy). */
  readonly tdmReserved: boolean;
}

const PDF_METAS = new Set(['citation_pdf_url', 'bepress_citation_pdf_url', 'eprints.document_url', 'wkhealth_pdf_url']);
const XML_METAS = new Set(['citation_xml_url', 'citation_full_xml_url', 'fulltext_xml']);
const HTML_METAS = new Set(['citation_fulltext_html_url', 'citation_full_html_url']);
const MAX_LINKS = 20;
/** A citation_pdf_url of a supplement stands beside the one of the article. */
const SUPPLEMENT = /suppl|appendix|additional[-_]?file|esm\b|[?&]supplement=/i;

/** Reads a page in the order in which its statements are to be trusted; at most twenty links are kept. */
export function readLandingPage(html: string, url: URL, headers: Headers = {}): LandingPage {
  const tags = readTags(html);
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
    ...embedded(tags),
    ...platformLinks(tags),
    ...embeddedData(tags),
    ...metas.filter(({ name }) => HTML_METAS.has(name)).map(({ content }) => link(content, 'html', 2)),
    ...plainLinks(tags),
  ];
  return {
    url,
    title: titleIn(metas) ?? (tags.find(({ name }) => name === 'title')?.text.trim() || null),
    authors: authorsIn(metas),
    doi: stated ?? ofAddress ?? null,
    isDoiStated: stated !== undefined,
    license: licenseOf(tags, metas, linked, headers),
    links: distinct(
      candidates.filter((each) => each.trust === 1 || !isAnothers(each.url, own)),
      base,
      url,
    ),
    refresh: refreshOf(tags, base),
    isFullText: isFullText(readProse(html)),
    tdmReserved: metas.some(({ name, content }) => name === 'tdm-reservation' && content === '1'),
  };
}

/** Lists of related and cited articles lead to files as well: an address that holds another DOI is not this article's. */
function isAnothers(url: string, own: readonly string[]): boolean {
  const text = url.replaceAll(/%2f/gi, '/').toLowerCase();
  const isOwn = own.some((doi) => text.includes(doi.replace(/v\d{1,3}$/, '')));
  return own.length > 0 && !isOwn && /\b10\.\d{4,9}\/\S/.test(text);
}

function link(url: string, expect: LandingLink['expect'], trust: LandingLink['trust']): LandingLink {
  return { url, expect, trust };
}

/** A supplement is a sound PDF and no article: beside the article it is left out. */
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
    const expect = expectationOf(type ?? '');
    return expect !== undefined && (rel.includes('item') || rel.includes('alternate')) ? [link(target, expect, 1)] : [];
  });
}

function embedded(tags: readonly Tag[]): LandingLink[] {
  return tags.flatMap(({ name, attributes }) => {
    if (!['embed', 'iframe', 'object'].includes(name)) return [];
    const source = attributes.get('src') ?? attributes.get('data') ?? '';
    const isPdf = /^application\/pdf/i.test(attributes.get('type') ?? '') || /\.pdf($|[?#])/i.test(source);
    return isPdf ? [link(source, 'pdf', 2)] : [];
  });
}

/** DSpace 7 and later answer for a file with the shell of an application; its bytes are at the interface. */
function contentOfBitstream(href: string): LandingLink[] {
  const [, uuid] = /\/bitstreams\/([0-9a-f-]{36})\/download/i.exec(href) ?? [];
  if (uuid === undefined) return [];
  return [link(`/server/api/core/bitstreams/${uuid}/content`, 'pdf', 2)];
}

/** Anchors whose form tells the platform: OJS galleys, DSpace and EPrints files, Atypon, Digital Commons, Invenio, Pure. */
function platformLinks(tags: readonly Tag[]): LandingLink[] {
  return tags.flatMap(({ name, attributes }) => {
    if (name !== 'a') return [];
    const href = attributes.get('href') ?? '';
    const classes = (attributes.get('class') ?? '').toLowerCase();
    if (/galley[-_]link/.test(classes) && (classes.includes('pdf') || !/\b(html|xml|epub)\b/.test(classes))) {
      return [link(href.replace('/article/view/', '/article/download/'), 'pdf', 2)];
    }
    if (attributes.get('data-download-type') === 'pdf-article') return [link(href, 'pdf', 2)];
    const atInterface = contentOfBitstream(href);
    if (atInterface.length > 0) return atInterface;
    // A viewer of Atypon's, whose file is beside it.
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

/** Elsevier's pages keep the address of the file in the data that their scripts read. */
const PDF_DATA =
  /"pdfDownload":\{"isPdfFullText":(?:true|false),"urlMetadata":\{"queryParams":\{"md5":"([0-9a-f]{32})","pid":"([\w.-]{1,200})"\},"pii":"(\w{1,40})","pdfExtension":"(\/\w{1,20})","path":"([\w/]{1,60})"/;

/** IEEE and others keep it under this name, with its slashes escaped or not. */
const PDF_URL = /"pdf_?ur[li]"\s{0,4}:\s{0,4}"([^"\s]{1,500})"/i;

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

/** Anchors that end in .pdf and call themselves so: last, since they lead to guidelines and supplements as well. */
function plainLinks(tags: readonly Tag[]): LandingLink[] {
  return tags
    .filter(({ name }) => name === 'a')
    .flatMap(({ attributes, text }) => {
      const href = attributes.get('href') ?? '';
      const says = /\bpdf\b|download|full\s?text/i.test(
        `${text} ${attributes.get('class') ?? ''} ${attributes.get('title') ?? ''}`,
      );
      // A name that ends so, or an address and a label that both say it: ".../4996/pdf", "Full Text PDF".
      const isFile =
        (/\.pdf($|[?#])/i.test(href) && says) ||
        (/\bpdf\b/i.test(text) && text.length < 60 && /[/=_]pdf(?:[/?#&]|$)/i.test(href));
      return isFile && !SUPPLEMENT.test(href) ? [link(href, 'pdf', 3)] : [];
    });
}

function refreshOf(tags: readonly Tag[], base: URL): string | null {
  const refresh = tags.find(
    ({ name, attributes }) => name === 'meta' && attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh',
  );
  const target = /^\s*\d{1,4}(?:\.\d+)?\s*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(
    refresh?.attributes.get('content') ?? '',
  )?.[1];
  const url = target === undefined ? null : URL.parse(target.trim(), base.href);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : null;
}

function distinct(links: readonly LandingLink[], base: URL, page: URL): LandingLink[] {
  const seen = new Set<string>([page.href]);
  const kept: LandingLink[] = [];
  for (const each of links) {
    if (kept.length >= MAX_LINKS) break;
    const url = each.url.length > 2000 || each.url === '' ? null : URL.parse(each.url, base.href);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '') continue;
    url.hash = '';
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    kept.push({ ...each, url: url.href });
  }
  return kept;
}
