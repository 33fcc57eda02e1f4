import type { EntityType, Intent, Labelled, QuantityRole, Tagger } from '../../tagger/index.ts';
import { findQuantities } from './quantities.ts';
import type { Reading } from './reading.ts';
import type { TaggedCell } from './table-names.ts';
import { namingCells } from './table-names.ts';

/** An entity that the tagger found in a block; places are those of the block's text. */
export interface TaggedEntity extends Labelled<EntityType> {
  readonly block: number;
}

/** Why a sentence cites what it cites. */
interface TaggedIntent {
  readonly intent: Intent;
  readonly sure: number;
}

/** What the tagger says of a document, read before the rules extract anything. */
export interface TaggedDocument {
  readonly entities: readonly TaggedEntity[];
  readonly cells: readonly TaggedCell[];
  /** By block and start of the sentence, as `placeKey` writes them. */
  readonly intents: ReadonlyMap<string, TaggedIntent>;
  /** Property, entity and unit of a quantity, by block and start of the quantity; places are those of the block's text. */
  readonly roles: ReadonlyMap<string, readonly Labelled<QuantityRole>[]>;
}

export function placeKey(block: number, start: number): string {
  return `${block}:${start}`;
}

/** Reads the sentences of a document, without its reference list, once more each quantity in them, and cells of names. */
export async function tagDocument(reading: Reading, tagger: Tagger): Promise<TaggedDocument> {
  const entities: TaggedEntity[] = [];
  const intents = new Map<string, TaggedIntent>();
  const roles = new Map<string, readonly Labelled<QuantityRole>[]>();
  for (const { block, sentences } of reading.prose) {
    const quantities = findQuantities(block.text);
    for (const sentence of sentences) {
      const text = block.text.slice(sentence.start, sentence.end);
      const move = <T extends Labelled>(each: T): T => ({
        ...each,
        start: sentence.start + each.start,
        end: sentence.start + each.end,
      });
      const read = await tagger.read(text);
      for (const entity of read.entities) entities.push({ ...move(entity), block: block.order });
      intents.set(placeKey(block.order, sentence.start), read.intent);
      for (const { start, end } of quantities) {
        if (start < sentence.start || end > sentence.end) continue;
        const found = await tagger.rolesOf(text, { start: start - sentence.start, end: end - sentence.start });
        roles.set(placeKey(block.order, start), found.map(move));
      }
    }
  }
  const cells: TaggedCell[] = [];
  for (const block of reading.document.blocks)
    if (block.kind === 'table')
      for (const { cell } of namingCells(block)) {
        const { entities: found } = await tagger.read(cell.text);
        cells.push({ block: block.order, row: cell.row, column: cell.column, entities: found });
      }
  return { entities, cells, intents, roles };
}
