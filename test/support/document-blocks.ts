import type { Block, ParsedDocument } from '../../src/parse/document.ts';

/** The blocks of a kind, in order. */
export function ofKind<K extends Block['kind']>(document: ParsedDocument, kind: K): (Block & { kind: K })[] {
  return document.blocks.filter((block): block is Block & { kind: K } => block.kind === kind);
}

/** Their texts. */
export function textsOf(document: ParsedDocument, kind: Block['kind']): string[] {
  return ofKind(document, kind).map((block) => block.text);
}
