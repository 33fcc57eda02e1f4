import { findDoi } from '../../../../base/index.ts';
import type { Block, Metadata, Imprint } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { detectLanguage } from '../text/script.ts';
import type { PageContent } from '../page/page-content.ts';
import { unreadable } from '../page/scan.ts';
import { findAbstract } from './abstract.ts';
import { findByline } from './byline.ts';
import { placeIn } from './place.ts';
import { isHowToCite, isKeywords } from '../role/section-names.ts';
import { imprintOf, isoDate } from '../../markup/imprint.ts';

export interface FileInformation {
  readonly title: string;
  readonly author: string;
  readonly subject?: string;
  readonly keywords?: string;
  /** Where a publisher has put the DOI into the information itself. */
  readonly doi?: string;
}

export function describe(
  pages: readonly PageContent[],
  drafts: readonly Draft[],
  blocks: readonly Block[],
  information: FileInformation,
  { columns, doubtful }: { readonly columns: number; readonly doubtful: number },
): Metadata {
  // Some printers put thin spaces beside spaces; a citation has one.
  const title = blocks.find((block) => block.kind === 'title')?.text.replaceAll(/\s+/g, ' ');
  const abstract = findAbstract(blocks);
  const links = pages[0]?.links.map(({ url }) => url) ?? [];
  const { doi, others } = ownDois(blocks, links, information);
  const flow = blocks.filter((block) => block.kind === 'text' || block.kind === 'list_item').map((block) => block.text);
  const language = detectLanguage(flow.join(' '));
  const glyphs = pages.reduce((sum, page) => sum + page.glyphs.length, 0);
  const unmappedGlyphs = glyphs === 0 ? 0 : pages.reduce((sum, page) => sum + page.unmapped, 0) / glyphs;
  const needsOcr = pages.filter((page) => unreadable(page) !== undefined).map((page) => page.number);
  const confidence =
    1 -
    Math.min(0.6, 4 * unmappedGlyphs) -
    0.7 * (needsOcr.length / Math.max(1, pages.length)) -
    0.3 * doubtful -
    (pages.some((page) => page.truncated) ? 0.2 : 0) -
    (title === undefined ? 0.1 : 0) -
    (blocks.some((block) => block.kind === 'heading') ? 0 : 0.1) -
    (flow.length > 0 ? 0 : 0.3);
  return {
    ...(title === undefined ? {} : { title }),
    authors: findByline(drafts, information.author.trim(), blocks),
    ...(abstract === undefined ? {} : { abstract }),
    ...(doi === undefined ? {} : { doi }),
    ...pdfImprint(blocks, information, { page: pages[0], otherDois: others }),
    ...(language === undefined ? {} : { language }),
    pageCount: pages.length,
    needsOcr,
    quality: { unmappedGlyphs, columns, confidence: Math.round(Math.max(0, Math.min(1, confidence)) * 100) / 100 },
  };
}

const MOST_DOIS = 5;
/** Behind the DOI of a paper: its supplement. */
const SUPPLEMENT = /\/-\/.*$/;
/** A title page has no more. */
const FEW_BLOCKS = 12;

/** DOIs in the file's information, then marked ones on page 1, then bare ones and links; not cited works. */
export function ownDois(
  blocks: readonly Block[],
  links: readonly string[],
  { doi = '', subject = '' }: FileInformation,
): { readonly doi: string | undefined; readonly others: readonly string[] } {
  const cited = new Set(blocks.flatMap((block) => (block.kind === 'reference' ? [block.doi] : [])));
  const titlePage = blocks.find(({ kind }) => kind === 'title')?.regions[0]?.page ?? 1;
  const first = blocks.filter((block) => (block.regions[0]?.page ?? 0) <= titlePage && block.kind !== 'reference');
  for (const { text } of first) if (/^(?:https?:\/\/(?:dx\.)?)?doi\b/i.test(text)) cited.delete(findDoi(text));
  const citing = blocks.filter(({ text }) => isHowToCite(text));
  const alone = first.filter(({ text }) => /^10\.\d{4,9}\/\S+$/.test(text.trim()));
  const marked = [
    ...[...first, ...citing].flatMap(({ text }) => after(text, /\bdoi(?:\.org)?[:/\s]*(?=10\.\d{4,9}\/)/giu)),
    ...alone.map(({ text }) => text.trim()),
  ];
  const bare = first.flatMap(({ text }) => after(text, /(?<![\w/.])(?=10\.\d{4,9}\/)/gu));
  const linked = links.filter((url) => url.includes('doi.org/'));
  const found = (texts: readonly string[]): string[] =>
    texts
      .map((text) => findDoi(text)?.replace(SUPPLEMENT, ''))
      .filter((each) => each !== undefined && !cited.has(each)) as string[];
  const [named, unnamed] = [found([doi, subject, ...marked]), found([...bare, ...linked])];
  const all = [...new Set([...named, ...unnamed])];
  // A line may end inside a DOI: where a longer one is there that continues, that is the whole.
  const whole = all.filter((each) => !all.some((other) => other !== each && other.startsWith(each)));
  // A link on a page full of text may lead to a work that is cited there.
  const isOwn = (each: string): boolean =>
    named.some((name) => each.startsWith(name)) || (first.length < FEW_BLOCKS && found(linked).includes(each));
  const own = whole.find(isOwn);
  const others = whole.filter((each) => each !== own);
  return { doi: own, others: others.slice(0, MOST_DOIS) };
}

/** The texts behind every place where a mark ends. */
function after(text: string, mark: RegExp): string[] {
  return Array.from(text.slice(0, 5_000).matchAll(mark), ({ index, 0: found }) =>
    text.slice(index + found.length, index + found.length + 300),
  );
}

/** What a PDF says of its publication: in the file's information, in arXiv's stamp and on its first page. */
export function pdfImprint(
  blocks: readonly Block[],
  information: FileInformation,
  { page, otherDois }: { readonly page: PageContent | undefined; readonly otherDois: readonly string[] },
): { readonly imprint?: Imprint } {
  const first = blocks.filter((block) => block.regions[0]?.page === 1 && block.kind !== 'reference');
  const texts = first.map(({ text }) => text.slice(0, 2_000));
  const margins = first.filter(({ kind }) => kind === 'page_header' || kind === 'page_footer').map(({ text }) => text);
  const notes = [
    ...margins,
    ...first
      .filter(({ kind, text }) => kind === 'footnote' || /^\d{1,3}(?:st|nd|rd|th)\s/.test(text))
      .map(({ text }) => text),
  ];
  const keywords = first.find(({ text }) => isKeywords(text))?.text.replace(/^[^:.—–-]*[:.—–-]\s*/u, '');
  const stamp = STAMP.exec((page?.glyphs ?? []).map(({ text }) => text.trim()).join(''));
  const { venue, volume, date } = inSubject(information.subject ?? '');
  const place = [...margins, ...texts].map(placeIn).find((each) => each !== undefined);
  return imprintOf({
    arxivId: stamp?.[1],
    date:
      date ??
      (stamp ? isoDate(`${stamp[2]} ${stamp[3]} ${stamp[4]}`) : undefined) ??
      dateAfter(PUBLISHED, texts) ??
      found(CITED_YEAR, margins) ??
      found(MARGIN_YEAR, margins) ??
      found(COPYRIGHT_YEAR, texts) ??
      found(CONFERENCE_YEAR, notes) ??
      dateLine(texts) ??
      found(CITED_YEAR, texts) ??
      dateAfter(ACCEPTED, texts),
    venue: venue ?? place?.venue,
    volume: volume ?? place?.volume,
    issue: place?.issue,
    pages: place?.pages,
    keywords: (keywords ?? information.keywords ?? '').slice(0, 2_000).split(/[;,·•|]/),
    license: found(LICENSE, texts) ?? found(NAMED_LICENSE, texts),
    otherDois,
  });
}

/** `arXiv:1706.03762v7 [cs.CL] 2 Aug 2023` without blanks; an id without class and date is a citation. */
const STAMP =
  /arXiv:(\d{4}\.\d{4,5}|[a-z-]{2,16}(?:\.[A-Z]{2})?\/\d{7})(?:v\d{1,3})?\[[\w.-]{2,20}\](\d{1,2})([A-Z][a-z]{2})((?:19|20)\d\d)/;
const LICENSE = /https?:\/\/creativecommons\.org\/(?:licenses|publicdomain)\/[\w./-]{2,40}/i;
const NAMED_LICENSE =
  /(?<=\b(?:under|licen[cs]ed?|terms of)\b[^.]{0,40})(?:creative commons attribution(?:[\s\u2010-\u2015-]{1,3}(?:non[\s\u2010-]?commercial|share[\s\u2010-]?alike|no[\s\u2010-]?deriv[a-z]{1,8}))*(?:\s(?:licen[cs]e\s)?\d\.\d)?|cc[\s-]by(?:-(?:nc|sa|nd)){0,2}(?:\s\d\.\d)?)/i;

/** A line that is only a date, as LaTeX sets it below the authors, or the date of a draft. */
const DATE_LINE =
  /^\(?(?:(?:Dated:|Draft(?: version)?|[Tt]his version:?|Version(?: of)?|Compiled(?: on)?|(?:Last )?[Uu]pdated:?) )?((?:\d{1,2}(?:st|nd|rd|th)? )?[A-Z][a-z]{2,8}\.?(?: \d{1,2}(?:st|nd|rd|th)?,)? (?:19|20)\d\d)\)?$/;

/** Publishers write where a paper appeared into its subject: `Cell, 12 (2020) 345. doi:10.…`, `Nature, doi:10.…`. */
function inSubject(subject: string): { readonly venue?: string; readonly volume?: string; readonly date?: string } {
  if (findDoi(subject) === undefined) return {};
  // In small letters it is a code of the house, not a name.
  const venue = /^\p{Lu}[^,\d]{1,120}(?=,)/u.exec(subject)?.[0].trim();
  if (venue === undefined || /\bdoi\b/i.test(venue)) return {};
  const place = /^,\s?(?:Volume\s)?(\d{1,5})[\s,]{1,2}\(((?:19|20)\d\d)\)/.exec(subject.slice(venue.length));
  return place ? { venue, volume: place[1] ?? '', date: place[2] ?? '' } : { venue };
}

const PUBLISHED =
  /(?:\b(?:Published|PUBLISHED|ePublished)(?:\s(?:[Oo]nline|[Oo]n|[Dd]ate))?|published online|this version posted):?\s(?=[\dA-Z])|\bpublished\s(?=\d{1,2}\s[A-Z])/;
/**
 * "31st Conference on Neural Information Processing Systems (NIPS 2017)", "Proceedings of … 2019" at the foot of the
 * first page.
 */
const CONFERENCE_YEAR =
  /(?<=\b(?:conference|proceedings|workshop|symposium|congress)\b[^\n]{0,160}?)(?:19|20)\d\d(?!\d)/i;
const ACCEPTED = /\b(?:accepted|approved|angenommen|accepté|aceptado|aprovado|принята)\b[:\s]{1,3}/i;
const COPYRIGHT_YEAR = /(?<=(?:©|\(c\)|copyright)[^\d]{0,60})(?:19|20)\d\d(?!\d)/i;
/** The year beside volume and pages: `2015;28(1):71`, `(2017) 14 (1)`, `Vol. 53(4) 2023`, `84 (2008)`. */
const CITED_YEAR =
  /(?<![\d./-])(?:19|20)\d\d(?=\)?[\s;,]{1,3}\d{1,4}\s?[(:])|(?<=\b(?:vol|volume|issue|no)\b[^\n]{1,40}[\s(])(?:19|20)\d\d(?!\d)|(?<![\d./-])(?:19|20)\d\d(?=\W{1,3}vol(?:ume)?\b)|(?<=\s\d{1,4} \()(?:19|20)\d\d(?=\))/i;
/** `2020, 59, 3718`: in the text this is a citation. */
const MARGIN_YEAR = /(?<![\d./-])(?:19|20)\d\d(?=, \d{1,4}, \d)/;

function dateLine(texts: readonly string[]): string | undefined {
  const line = texts.map((text) => DATE_LINE.exec(text)?.[1]).find((date) => date !== undefined);
  return line === undefined ? undefined : isoDate(line);
}

function dateAfter(mark: RegExp, texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const at = mark.exec(text);
    const date = at && isoDate(text.slice(at.index + at[0].length, at.index + at[0].length + 20));
    if (date !== null && date !== undefined) return date;
  }
  return undefined;
}

function found(what: RegExp, texts: readonly string[]): string | undefined {
  return texts.map((text) => what.exec(text)?.[0]).find((each) => each !== undefined);
}
