import { join } from 'node:path';

import { fileInside } from '../../base/index.ts';
import type { Block, Page } from '../../parse/index.ts';
import { DOCTAGS_FOLDER, readBlockLines } from '../../parse/index.ts';
import { documentLinks } from '../library/library.ts';
import { captionsOf, hasDocument, isDocumentName, readSidecar, tableRows } from '../library/read-document.ts';

/** Text of a document that is shown at once; the rest follows from where it was cut. */
const MOST_CHARACTERS = 2_000_000;
const MOST_TABLE_ROWS = 500;

/** A piece of a document as a reader sees it. Places are points from the page's upper left corner. */
export interface ShownBlock {
  readonly order: number;
  /** `title`, `heading`, `text`, `table`, `picture`, … */
  readonly tag: Block['kind'];
  readonly level: number | null;
  readonly text: string;
  readonly regions: readonly (Block['regions'][number]['box'] & { readonly page: number })[];
  readonly rows: readonly (readonly string[])[] | null;
  /** Of a table or a picture. */
  readonly caption: string | null;
}

/** A document with its structure. */
export interface ShownDocument {
  readonly kind: string | null;
  readonly title: string | null;
  readonly pages: readonly Page[];
  readonly blocks: readonly ShownBlock[];
  /** The order from which it continues; null where this is the rest. */
  readonly next: number | null;
}

/** Where the documents of a corpus are; an id is looked up before it is taken for the name of a file. */
export interface DocumentPlace {
  readonly folder: string;
  readonly dataRoot: string;
}

/** Reads a parsed document, from a block on; undefined where there is none. */
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
    // One block is shown however long it is, cut to what there is room for.
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

/** The downloaded file of a document, if it lies in the corpus. */
export function keptFile(place: DocumentPlace, id: string): string | undefined {
  const link = isDocumentName(id) ? documentLinks(place.folder, place.dataRoot)(id) : undefined;
  return link === undefined ? undefined : fileInside(place.folder, link);
}

/** The PDF that a document's pages can be drawn from, if it lies in the corpus. */
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
