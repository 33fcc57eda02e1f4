import type { Block, Cell, Table } from '../../document.ts';

/** The captions of tables, pictures and listings, by the order of what they belong to. */
export function ownedCaptions(blocks: readonly Block[]): ReadonlyMap<number, readonly Block[]> {
  const owners = new Set(blocks.filter(ownsCaptions).map(({ order }) => order));
  return Map.groupBy(
    blocks.filter(({ kind, parent = -1 }) => kind === 'caption' && owners.has(parent)),
    ({ parent = -1 }) => parent,
  );
}

function ownsCaptions({ kind }: Block): boolean {
  return kind === 'table' || kind === 'picture' || kind === 'code';
}

export class ListTags {
  readonly #tags: { readonly ordered: string; readonly unordered: string };
  readonly #write: (tag: string) => void;
  /** Open lists, outermost first. */
  readonly #open: string[] = [];

  constructor(tags: { readonly ordered: string; readonly unordered: string }, write: (tag: string) => void) {
    this.#tags = tags;
    this.#write = write;
  }

  /** Opens and closes lists so that a block can follow. */
  fit(block: Block): void {
    if (block.kind !== 'list_item') {
      this.close(0);
      return;
    }
    const tag = block.ordered ? this.#tags.ordered : this.#tags.unordered;
    const depth = Math.max(0, block.depth) + 1;
    this.close(this.#open.length >= depth && this.#open[depth - 1] !== tag ? depth - 1 : depth);
    while (this.#open.length < depth) {
      this.#open.push(tag);
      this.#write(`<${tag}>`);
    }
  }

  close(depth: number): void {
    for (const tag of this.#open.splice(depth).toReversed()) this.#write(`</${tag}>`);
  }
}

/** The table as rows of positions; a position inside a span holds the cell that covers it. */
export function tableGrid(table: Table): (Cell | undefined)[][] {
  const grid: (Cell | undefined)[][] = Array.from({ length: table.rows }, () => Array.from({ length: table.columns }));
  for (const cell of table.cells)
    for (let row = cell.row; row < Math.min(table.rows, cell.row + cell.rowSpan); row += 1)
      for (let column = cell.column; column < Math.min(table.columns, cell.column + cell.columnSpan); column += 1) {
        const line = grid[row];
        if (line && line[column] === undefined) line[column] = cell;
      }
  return grid;
}

/** The texts of a table by position: formats without spans have the text of a cell where it begins. */
export function tableTexts(table: Table): string[][] {
  return tableGrid(table).map((line, row) =>
    line.map((cell, column) => (cell?.row === row && cell.column === column ? cell.text : '')),
  );
}

export function headerRows({ rows, cells }: Table): number {
  const heads = new Set(cells.filter(({ kind }) => kind === 'column-header').map(({ row }) => row));
  let count = 0;
  while (count < rows && heads.has(count)) count += 1;
  return count;
}
