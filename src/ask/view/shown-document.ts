import { join } from 'node:path';

import { fileInside } from '../../base/index.ts';
import type { Block, Page } from '../../parse/index.ts';
import { DOCTAGS_FOLDER, readBlockLines } from '../../parse/index.ts';
import type { DocumentPlace } from '../corpus-works.ts';
import { documentLinks } from '../corpus-works.ts';
import { captionsOf, hasDocument, isDocumentName, readSidecar, tableRows } from '../library/read-document.ts';

/** Most characters of a document shown at once; `next` says where to continue. */
const MOST_CHARACTERS = 2_000_000;
const MOST_TABLE_ROWS = 500;

/** A block of a document as shown. Boxes are points from the page's upper left corner. */
export interface ShownBlock {
  readonly order: number;
  /** `title`, `heading`, `text`, `table`, `picture`, … */
  readonly tag: Block['kind'];
  readonly level: number | null;
  readonly text: string;
  readonly regions: readonly (Block['regions'][number]['box'] & { readonly page: number })[];
  readonly rows: readonly (readonly string[])[] | null;
  /** Caption of a table or a picture. */
  readonly caption: string | null;
}

/** A document with its structure. */
export interface ShownDocument {
  readonly kind: string | null;
  readonly title: string | null;
  readonly pages: readonly Page[];
  readonly blocks: readonly ShownBlock[];
  /** The order of the next block; null at the end. */
  readonly next: number | null;
}

/** Reads a parsed document, from a block on; undefined if there is none. */
export async function readShownDocument(
  place: DocumentPlace,
  id: string,
  from = 0,
): Promise<ShownDocument | undefined> {
  if (!hasDocument(place.dataRoot, id)) return undefined;
  const document = await readBlockLines(join(place.dataRoot, DOCTAGS_FOLDER, `${id}.jsonl`));
  const captions = captionsOf(document.blocks);
  const blocks: ShownBlock[] = [];
  let room = MOST_CHARACTERS;
  let next: number | null = null;
  for (const block of document.blocks) {
    if (block.order < from) continue;
    const caption = captions.get(block.order)?.map(({ text }) => text);
    const shown = shownBlock(block, caption?.join(' ') ?? null);
    room -= shown.text.length + (shown.rows?.reduce((sum, row) => sum + row.join('').length, 0) ?? 0) + 100;
    // The first block is always shown, cut to the limit.
    if (room < 0 && blocks.length > 0) {
      next = block.order;
      break;
    }
    blocks.push(shown);
  }
  const about = await readSidecar(place.dataRoot, id);
  const text = (name: string): string | null => (typeof about[name] === 'string' ? about[name] : null);
  const title = document.metadata.title ?? text('title');
  return { kind: text('source_kind'), title, pages: document.pages, blocks, next };
}

/** The downloaded file of a document, if it is inside the corpus. */
export function keptFile(place: DocumentPlace, id: string): string | undefined {
  const link = isDocumentName(id) ? documentLinks(place.folder, place.dataRoot)(id) : undefined;
  return link === undefined ? undefined : fileInside(place.folder, link);
}

/** The PDF of a document for drawing pages, if it is inside the corpus. */
export function sourcePdf(place: DocumentPlace, id: string): string | undefined {
  const path = keptFile(place, id);
  return path !== undefined && /\.pdf$/i.test(path) ? path : undefined;
}

function shownBlock(block: Block, caption: string | null): ShownBlock {
  return {
    order: block.order,
    tag: block.kind,
    level: block.kind === 'heading' ? block.level : block.kind === 'list_item' ? block.depth : null,
    text: block.text.slice(0, MOST_CHARACTERS),
    regions: block.regions.map(({ page, box }) => ({ page, ...box })),
    rows: block.kind === 'table' ? tableRows(block.table, MOST_TABLE_ROWS) : null,
    caption,
  };
}
