import type { Block, ParsedDocument } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { regionsOf } from '../draft.ts';
import { textOf } from './draft-text.ts';
import type { Layout } from '../layout.ts';
import { jumpsIn, linksIn } from './link.ts';
import type { FileInformation } from './metadata.ts';
import { describe } from './metadata.ts';
import type { PageContent } from '../page/page-content.ts';
import { raisedIn } from './raised.ts';
import { referenceIds } from '../role/reference.ts';

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
