import type { Block, ParsedDocument } from '../../parse/index.ts';
import type { TextPlace } from '../contribution.ts';
import type { Stretch } from './sentences.ts';
import { sentencesOf } from './sentences.ts';

/** A block of running text with its sentences and the heading above it. */
export interface ReadBlock {
  readonly block: Block;
  readonly section: string | null;
  readonly sentences: readonly Stretch[];
}

/** A document as extractors read it. */
export class Reading {
  readonly document: ParsedDocument;
  /** What the document's ids begin with. */
  readonly owner: string;
  readonly fileSha256: string | null;
  /** Blocks that speak: paragraphs, list items, captions, notes; without the list of references. */
  readonly prose: readonly ReadBlock[];
  readonly #byOrder: ReadonlyMap<number, ReadBlock>;

  constructor(owner: string, document: ParsedDocument, fileSha256: string | null) {
    this.owner = owner;
    this.document = document;
    this.fileSha256 = fileSha256;
    this.prose = proseOf(document.blocks);
    this.#byOrder = new Map(this.prose.map((read) => [read.block.order, read]));
  }

  /** The sentence of a block in which a place lies. */
  sentenceAt(block: number, at: number): { readonly stretch: Stretch; readonly section: string | null } | undefined {
    const read = this.#byOrder.get(block);
    const stretch = read?.sentences.find(({ start, end }) => at >= start && at < end);
    return read && stretch && { stretch, section: read.section };
  }

  /** A stretch of a block as a place that can be shown. */
  place(order: number, { start, end }: Stretch): TextPlace {
    const block = this.document.blocks[order];
    return {
      kind: 'text',
      fileSha256: this.fileSha256,
      block: order,
      start,
      end,
      quote: (block?.text ?? '').slice(start, end),
      ...placeOnPage(block),
    };
  }
}

/** Page and boxes of a block. */
export function placeOnPage(block: Block | undefined): Pick<TextPlace, 'page' | 'boxes'> {
  const regions = block?.regions ?? [];
  const round = (value: number): number => Math.round(value * 10) / 10;
  return {
    page: regions[0]?.page ?? null,
    boxes: regions.map(({ page, box }) => [page, round(box.left), round(box.top), round(box.right), round(box.bottom)]),
  };
}

const SPEAKING: ReadonlySet<Block['kind']> = new Set(['text', 'list_item', 'caption', 'footnote']);

function proseOf(blocks: readonly Block[]): ReadBlock[] {
  const found: ReadBlock[] = [];
  let section: string | null = null;
  for (const block of blocks) {
    if (block.kind === 'heading') section = block.text;
    if (SPEAKING.has(block.kind) && block.text.length > 3)
      found.push({ block, section, sentences: sentencesOf(block.text) });
  }
  return found;
}
