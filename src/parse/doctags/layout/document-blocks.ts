import type { Block, ParsedDocument } from '../../document.ts';
import { mirrorBox } from './direction.ts';
import type { Draft } from './draft.ts';
import { regionsOf } from './draft.ts';
import { textOf } from './draft-text.ts';
import type { Layout } from './layout.ts';
import type { PageContent } from './page-content.ts';
import { referenceIds } from './reference.ts';

/** Writes recognised drafts as the blocks of a document. */
export function writeDocument(pages: readonly PageContent[], layout: Layout): ParsedDocument {
  const order = new Map<Draft, number>();
  const blocks: Block[] = [];
  for (const draft of layout.drafts) order.set(draft, order.size);
  const widths = new Map(pages.filter((page) => layout.mirrors.has(page.number)).map((page) => [page.number, page.width]));
  for (const draft of layout.drafts) blocks.push(unmirrored(blockOf(draft, order, layout.vocabulary), widths));
  const glyphs = pages.reduce((sum, page) => sum + page.glyphs.length, 0);
  const unmapped = pages.reduce((sum, page) => sum + page.unmapped, 0);
  const title = blocks.find((block) => block.kind === 'title')?.text;
  return {
    pages: pages.map(({ number, width, height }) => ({ number, width, height })),
    blocks,
    metadata: {
      ...(title === undefined ? {} : { title }),
      authors: [],
      pageCount: pages.length,
      needsOcr: [],
      quality: { unmappedGlyphs: glyphs === 0 ? 0 : unmapped / glyphs, columns: layout.columns, confidence: 1 },
    },
  };
}

function unmirrored(block: Block, widths: ReadonlyMap<number, number>): Block {
  if (widths.size === 0) return block;
  const regions = block.regions.map((region) => {
    const width = widths.get(region.page);
    return width === undefined ? region : { ...region, box: mirrorBox(region.box, width) };
  });
  return { ...block, regions };
}

function blockOf(draft: Draft, orders: ReadonlyMap<Draft, number>, vocabulary: ReadonlySet<string>): Block {
  const parent = draft.owner && orders.get(draft.owner);
  const base = {
    order: orders.get(draft) ?? 0,
    ...(parent === undefined ? {} : { parent }),
    regions: regionsOf(draft),
    text: textOf(draft, vocabulary),
  };
  switch (draft.kind) {
    case 'heading':
      return { ...base, kind: 'heading', level: draft.level ?? 1 };
    case 'list_item':
      return {
        ...base,
        text: base.text.slice(draft.marker?.length ?? 0).trim(),
        kind: 'list_item',
        ordered: draft.ordered ?? false,
        depth: draft.depth ?? 0,
        ...(draft.marker === undefined ? {} : { marker: draft.marker }),
      };
    case 'table':
      return { ...base, kind: 'table', table: draft.table ?? { rows: 0, columns: 0, cells: [] } };
    case 'reference':
      return { ...base, kind: 'reference', ...referenceIds(base.text) };
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
      return { ...base, kind: draft.kind };
  }
}
