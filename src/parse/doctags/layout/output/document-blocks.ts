import type { Block, ParsedDocument, Stretch } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { regionsOf } from '../draft.ts';
import { textOf } from './draft-text.ts';
import type { Layout } from '../layout.ts';
import { jumpsIn, linksIn, placeIn } from './link.ts';
import type { FileInformation } from './metadata.ts';
import { describe } from './metadata.ts';
import type { PageContent, Glyph } from '../page/page-content.ts';
import { referenceIds } from '../role/reference.ts';
import { glyphsText } from '../text/segment-text.ts';

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
