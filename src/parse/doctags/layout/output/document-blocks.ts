import type { Draft } from '../draft.ts';
import { draftOf, regionsOf, textOf } from '../draft.ts';
import type { Line } from '../page/segment.ts';
import { buildLines } from '../page/segment.ts';
import { unionBox } from '../page/box.ts';
import type { TurnedLine } from '../page/furniture.ts';
import type { Block, Box, ParsedDocument, Stretch, InternalLink, Link } from '../../../document.ts';
import type { Findings, Layout } from '../findings.ts';
import type { FileInformation } from './metadata.ts';
import { describe } from './metadata.ts';
import type { PageContent, Glyph } from '../page/page-content.ts';
import { referenceIds } from '../role/reference.ts';
import { glyphsText } from '../text/glyph-text.ts';
import { countBy } from '../statistics.ts';

export function pageAsides({
  pages,
  labels,
  text,
  furniture,
}: Pick<Findings, 'pages' | 'labels' | 'text' | 'furniture'>): Draft[] {
  // A label along the edge of every page, as journals print the kind of article.
  const repeated = countBy(
    [...labels.values()].flatMap(({ turned }) => turned),
    (line) => line.text.trim(),
  );
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
  let page = 0;
  const flow = drafts.map((draft) => {
    page = Math.max(page, draft.page);
    return { draft, page, rank: 1 };
  });
  const around = aside
    .map((draft) => ({ draft, page: draft.page, rank: draft.kind === 'page_header' ? 0 : 2 }))
    .sort((a, b) => a.draft.box.top - b.draft.box.top);
  return [...flow, ...around].sort((a, b) => a.page - b.page || a.rank - b.rank).map(({ draft }) => draft);
}

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
  const links = linksIn(draft, text, layout);
  const jumps = jumpsIn(draft, text, layout);
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
  const { kind, marker } = draft;
  if (kind === 'heading') return { ...base, kind, level: draft.level ?? 1 };
  if (kind === 'table') return { ...base, kind, table: draft.table ?? { rows: 0, columns: 0, cells: [] } };
  if (kind === 'reference') return { ...base, kind, ...referenceIds(text, links) };
  if (kind !== 'list_item') return { ...base, kind };
  const { ordered = false, depth = 0 } = draft;
  return { ...base, kind, ordered, depth, ...(marker !== undefined && { marker }) };
}

/** Some glyphs of a line, and what they are. */
interface Run<T> {
  readonly first: number;
  readonly end: number;
  readonly of: T;
}

/** Such glyphs by their offsets into the text of the draft, in order. */
function placesOf<T>(
  draft: Draft,
  text: string,
  find: (line: Line) => readonly Run<T>[],
): (Stretch & { readonly of: T; readonly startsLine: boolean; readonly endsLine: boolean })[] {
  let from = 0;
  return draft.lines.flatMap((line) =>
    find(line).flatMap(({ first, end, of }) => {
      const prefix = glyphsText(line.glyphs.slice(0, first), line.size, line.baseline);
      const shown = shownBy(line, first, end);
      // At a line's end the hyphen of a broken word is gone from the text.
      const start = placeIn(text, prefix, shown, from) ?? placeIn(text, prefix, shown.replace(/(?<=.)-$/u, ''), from);
      if (start === undefined) return [];
      from = start;
      const [startsLine, endsLine] = [first === 0, end === line.glyphs.length];
      return [{ start, end: Math.min(text.length, start + shown.length), of, startsLine, endsLine }];
    }),
  );
}

function shownBy(line: Line, first: number, end: number): string {
  return glyphsText(line.glyphs.slice(first, end), line.size, line.baseline).trim();
}

/** The text before a link or number identifies it among equal texts: a digit alone is ambiguous. */
const CONTEXTS = [24, 10, 4];

/**
 * The position of `shown` in a block: the first from `from` on that follows the end of `prefix`, which precedes it on
 * its line.
 */
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

/** A raised number is set clearly smaller than its line and is clearly above its foot. */
const LARGEST = 0.87;
const LEAST_RISE = 0.12;
const NUMBERS = /^[\s,;]*\d[\d\s,;–—−‐-]*$/u;

/**
 * The raised numbers on a draft's lines, by offsets into its text: plain text alone cannot tell "day 4" with note 13
 * from 4.13.
 */
export function raisedIn(draft: Draft, text: string): Stretch[] {
  return placesOf(draft, text, (line) => {
    const runs: Run<undefined>[] = [];
    line.glyphs.forEach(({ size, baseline }, at) => {
      if (size >= LARGEST * line.size || line.baseline - baseline <= LEAST_RISE * line.size) return;
      const first = runs.at(-1)?.end === at ? (runs.pop()?.first ?? at) : at;
      runs.push({ first, end: at + 1, of: undefined });
    });
    return runs.filter(({ first, end }) => NUMBERS.test(shownBy(line, first, end)));
  }).map(({ start, end }) => ({ start, end }));
}

function linksIn(draft: Draft, text: string, { views }: Layout): Link[] {
  return placesOf(draft, text, (line) => coveredBy(views.get(line.page)?.page.links ?? [], line)).map(
    ({ start, end, of: { url } }) => ({ start, end, url }),
  );
}

/** A link that continues in the next line is one. */
function jumpsIn(draft: Draft, text: string, { views }: Layout): InternalLink[] {
  const places = placesOf(draft, text, (line) => coveredBy(views.get(line.page)?.page.jumps ?? [], line));
  const jumps: InternalLink[] = [];
  places.forEach(({ start, end, of: { page }, startsLine }, at) => {
    const [before, last] = [places[at - 1], jumps.at(-1)];
    const goesOn = startsLine && before?.endsLine === true && before.of.page === page;
    if (goesOn && last && /^\s?$/u.test(text.slice(last.end, start))) jumps[jumps.length - 1] = { ...last, end };
    else jumps.push({ start, end, page });
  });
  return jumps;
}

function coveredBy<T extends { readonly box: Box }>(links: readonly T[], line: Line): Run<T>[] {
  return links
    .flatMap((link): Run<T>[] => {
      const { left, right, top, bottom } = link.box;
      const middle = (top + bottom) / 2;
      if (middle < line.top || middle > line.bottom) return [];
      const isUnder = (glyph: Glyph): boolean => {
        const x = (glyph.left + glyph.right) / 2;
        return x >= left - 0.5 && x <= right + 0.5;
      };
      const first = line.glyphs.findIndex(isUnder);
      return first < 0 ? [] : [{ first, end: line.glyphs.findLastIndex(isUnder) + 1, of: link }];
    })
    .sort((a, b) => a.first - b.first);
}
