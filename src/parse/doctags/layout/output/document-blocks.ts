import type { Draft, Findings } from '../draft.ts';
import { draftOf, regionsOf, textOf } from '../draft.ts';
import { buildLines } from '../page/segment.ts';
import { unionBox } from '../page/box.ts';
import type { TurnedLine } from '../page/furniture.ts';
import type { Block, ParsedDocument, Stretch, InternalLink, Link } from '../../../document.ts';
import type { Layout } from '../layout.ts';
import type { FileInformation } from './metadata.ts';
import { describe } from './metadata.ts';
import type { PageContent, Glyph, PageJump, PageLink } from '../page/page-content.ts';
import { referenceIds } from '../role/reference.ts';
import { glyphsText } from '../text/glyph-text.ts';

/** Running heads, feet and stamps as drafts. */
export function pageAsides({
  pages,
  labels,
  text,
  furniture,
}: Pick<Findings, 'pages' | 'labels' | 'text' | 'furniture'>): Draft[] {
  // A label along the edge of every page, as journals print the kind of article.
  const repeated = new Map<string, number>();
  for (const { turned } of labels.values())
    for (const { text } of turned) repeated.set(text.trim(), (repeated.get(text.trim()) ?? 0) + 1);
  return pages.flatMap((page) => [
    ...turnedDrafts(
      page.number,
      (labels.get(page.number)?.turned ?? []).map((line) => ({
        ...line,
        isStamp: line.isStamp || (repeated.get(line.text.trim()) ?? 0) > 1,
      })),
    ),
    ...(text.get(page.number) ?? []).flatMap((segment) => {
      const kind = furniture.get(segment);
      return kind ? [draftOf(kind, buildLines([segment], segment), -1)] : [];
    }),
  ]);
}

/** Stamps are like running heads; other lines that are not upright are together after the text of their page. */
function turnedDrafts(page: number, lines: readonly TurnedLine[]): Draft[] {
  const draft = (kind: 'page_header' | 'text', own: readonly TurnedLine[]): Draft => ({
    kind,
    lines: [],
    page,
    piece: -1,
    box: unionBox(own.map(({ box }) => box)),
    text: own.map(({ text }) => text.trim()).join(' '),
  });
  const others = lines.filter(({ isStamp }) => !isStamp);
  const stamps = lines.filter(({ isStamp }) => isStamp).map((line) => draft('page_header', [line]));
  return others.length === 0 ? stamps : [...stamps, draft('text', others)];
}

/** Puts running heads before and feet after what is on their page. */
export function inPageOrder(drafts: readonly Draft[], aside: readonly Draft[]): Draft[] {
  const result: Draft[] = [];
  const heads = aside
    .filter((draft) => draft.kind === 'page_header')
    .sort((a, b) => a.page - b.page || a.box.top - b.box.top);
  const feet = aside
    .filter((draft) => draft.kind !== 'page_header')
    .sort((a, b) => a.page - b.page || a.box.top - b.box.top);
  const flush = (page: number): void => {
    while ((feet[0]?.page ?? Infinity) < page || (heads[0]?.page ?? Infinity) <= page) {
      const head = heads[0];
      const foot = feet[0];
      if (foot && foot.page < page && (!head || foot.page < head.page)) result.push(...feet.splice(0, 1));
      else if (head && head.page <= page) result.push(...heads.splice(0, 1));
      else break;
    }
  };
  let page = 0;
  for (const draft of drafts) {
    if (draft.page > page) {
      page = draft.page;
      flush(page);
    }
    result.push(draft);
  }
  flush(Infinity);
  return result;
}

/** Writes recognised drafts as the blocks of a document. */
export function writeDocument(
  pages: readonly PageContent[],
  layout: Layout,
  information: FileInformation,
): ParsedDocument {
  const order = new Map<Draft, number>();
  for (const draft of layout.drafts) order.set(draft, order.size);
  const blocks = layout.drafts.map((draft) => blockOf(draft, order, layout));
  return {
    pages: pages.map(({ number, width, height }) => ({ number, width, height })),
    blocks,
    metadata: describe(pages, layout.drafts, blocks, information, layout),
  };
}

function blockOf(draft: Draft, orders: ReadonlyMap<Draft, number>, layout: Layout): Block {
  const parent = draft.owner && orders.get(draft.owner);
  const whole = textOf(draft, layout.vocabulary);
  const text = draft.kind === 'list_item' ? whole.slice(draft.marker?.length ?? 0).trim() : whole;
  const links = linksIn(draft, text, layout.links);
  const jumps = jumpsIn(draft, text, layout.jumps);
  const raised = raisedIn(draft, text);
  const base = {
    order: orders.get(draft) ?? 0,
    ...(parent === undefined ? {} : { parent }),
    regions: regionsOf(draft).map(({ page, box }) => ({ page, box: layout.views.get(page)?.back(box) ?? box })),
    text,
    ...(links.length === 0 ? {} : { links }),
    ...(jumps.length === 0 ? {} : { jumps }),
    ...(raised.length === 0 ? {} : { raised }),
  };
  switch (draft.kind) {
    case 'heading':
      return { ...base, kind: 'heading', level: draft.level ?? 1 };
    case 'list_item':
      return {
        ...base,
        kind: 'list_item',
        ordered: draft.ordered ?? false,
        depth: draft.depth ?? 0,
        ...(draft.marker === undefined ? {} : { marker: draft.marker }),
      };
    case 'table':
      return { ...base, kind: 'table', table: draft.table ?? { rows: 0, columns: 0, cells: [] } };
    case 'reference':
      return { ...base, kind: 'reference', ...referenceIds(base.text, links) };
    case 'code':
      return { ...base, kind: 'code' };
    case 'picture':
      return { ...base, kind: 'picture' };
    case 'title':
    case 'text':
    case 'caption':
    case 'footnote':
    case 'formula':
    case 'page_header':
    case 'page_footer':
    default:
      return { ...base, kind: draft.kind };
  }
}

/** A raised number is set clearly smaller than its line and is clearly above its foot. */
const LARGEST = 0.87;
const LEAST_RISE = 0.12;
const NUMBERS = /^[\s,;]*\d[\d\s,;–—−‐-]*$/u;

/** The raised numbers on a draft's lines, by offsets into its text: plain text alone cannot tell "day 4" with note 13 from 4.13. */
export function raisedIn(draft: Draft, text: string): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  for (const line of draft.lines) {
    const isRaised = (glyph: Glyph): boolean =>
      glyph.size < LARGEST * line.size && line.baseline - glyph.baseline > LEAST_RISE * line.size;
    for (let first = 0; first < line.glyphs.length; first += 1) {
      if (!isRaised(line.glyphs[first] as Glyph)) continue;
      let end = first + 1;
      while (end < line.glyphs.length && isRaised(line.glyphs[end] as Glyph)) end += 1;
      const shown = glyphsText(line.glyphs.slice(first, end), line.size, line.baseline).trim();
      if (NUMBERS.test(shown)) {
        const prefix = glyphsText(line.glyphs.slice(0, first), line.size, line.baseline);
        const start = placeIn(text, prefix, shown, from);
        if (start !== undefined) found.push({ start, end: start + shown.length });
        from = start ?? from;
      }
      first = end - 1;
    }
  }
  return found;
}

/** The links that lie on a draft's lines, by offsets into its text. */
function linksIn(draft: Draft, text: string, byPage: ReadonlyMap<number, readonly PageLink[]>): Link[] {
  const links: Link[] = [];
  let from = 0;
  for (const line of draft.lines) {
    for (const link of byPage.get(line.page) ?? []) {
      const covered = coveredBy(link, line);
      if (covered.length === 0) continue;
      const shown = glyphsText(covered, line.size, line.baseline);
      const plain = text.indexOf(shown, from);
      // At a line's end the hyphen of a broken word is gone from the text.
      const start = plain >= 0 ? plain : text.indexOf(shown.replace(/-$/u, ''), from);
      if (start < 0) continue;
      const end = Math.min(text.length, start + shown.length);
      links.push({ start, end, url: link.url });
      from = start;
    }
  }
  return links.sort((a, b) => a.start - b.start);
}

/** The text before a link identifies it among equal texts: a digit alone is ambiguous. */
const CONTEXTS = [24, 10, 4];

/** The links to other pages that lie on a draft's lines, by offsets into its text; one that continues in the next line is one. */
function jumpsIn(draft: Draft, text: string, byPage: ReadonlyMap<number, readonly PageJump[]>): InternalLink[] {
  const jumps: InternalLink[] = [];
  let [from, open] = [0, undefined as InternalLink | undefined];
  for (const line of draft.lines) {
    const onLine = (byPage.get(line.page) ?? [])
      .map((jump) => ({ jump, covered: coveredBy(jump, line) }))
      .filter(({ covered }) => covered.length > 0)
      .toSorted((a, b) => a.jump.box.left - b.jump.box.left);
    let next: InternalLink | undefined;
    for (const { jump, covered } of onLine) {
      const first = line.glyphs.indexOf(covered[0] as Glyph);
      const prefix = glyphsText(line.glyphs.slice(0, first), line.size, line.baseline);
      const shown = glyphsText(covered, line.size, line.baseline).trim();
      const start = placeIn(text, prefix, shown, from);
      if (start === undefined) continue;
      from = start;
      const found = { start, end: start + shown.length, page: jump.page };
      const goesOn =
        open !== undefined && first === 0 && open.page === jump.page && /^\s?$/u.test(text.slice(open.end, start));
      if (goesOn && open) jumps.splice(jumps.indexOf(open), 1, { ...found, start: open.start });
      else jumps.push(found);
      if (covered.at(-1) === line.glyphs.at(-1)) next = jumps.at(-1);
    }
    open = next;
  }
  return jumps;
}

/** The position of `shown` in a block: the first from `from` on that follows the end of `prefix`, which precedes it on its line. */
function placeIn(text: string, prefix: string, shown: string, from: number): number | undefined {
  for (const length of CONTEXTS) {
    const before = prefix.slice(-length);
    for (const joint of prefix === '' ? [''] : ['', ' ']) {
      const at = text.indexOf(`${before.trimEnd()}${joint}${shown}`, Math.max(0, from - length));
      if (at >= 0) return at + before.trimEnd().length + joint.length;
    }
  }
  return undefined;
}

/** The glyphs of a line that lie under a link. */
function coveredBy({ box }: Pick<PageJump, 'box'>, line: Draft['lines'][number]): Glyph[] {
  const middle = (box.top + box.bottom) / 2;
  if (middle < line.top || middle > line.bottom) return [];
  return line.glyphs.filter((glyph) => {
    const x = (glyph.left + glyph.right) / 2;
    return x >= box.left - 0.5 && x <= box.right + 0.5;
  });
}
