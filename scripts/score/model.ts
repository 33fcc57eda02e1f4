import type { ParsedDocument } from '../../src/parse/document.ts';

/** A block in the scorer's format. */
export interface ScoredBlock {
  readonly kind: string;
  readonly text: string;
  readonly level?: number;
  readonly ordered?: boolean;
  readonly page?: number;
  readonly table?: { readonly rows: readonly (readonly ScoredCell[])[] };
}

interface ScoredCell {
  readonly text: string;
  readonly rowspan: number;
  readonly colspan: number;
  readonly header: boolean;
}

/** Converts our document to the scorer's model directly, without a text format in between. */
export function toScored(document: ParsedDocument): { blocks: ScoredBlock[]; structured: true } {
  const blocks = document.blocks.map((block): ScoredBlock => {
    const page = block.regions[0]?.page;
    const base = { kind: block.kind, text: block.text, ...(page === undefined ? {} : { page }) };
    if (block.kind === 'heading') return { ...base, level: block.level };
    if (block.kind === 'list_item') return { ...base, ordered: block.ordered };
    if (block.kind !== 'table') return base;
    const rows = Array.from({ length: block.table.rows }, (): ScoredCell[] => []);
    for (const cell of block.table.cells.toSorted((a, b) => a.row - b.row || a.column - b.column))
      rows[cell.row]?.push({
        text: cell.text,
        rowspan: cell.rowSpan,
        colspan: cell.columnSpan,
        header: cell.kind === 'column-header' || cell.kind === 'row-header',
      });
    return {
      ...base,
      text: rows
        .flat()
        .map((cell) => cell.text)
        .join(' '),
      table: { rows },
    };
  });
  return { blocks, structured: true };
}
