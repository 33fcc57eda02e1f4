import type { Block, Cell } from '../../parse/index.ts';
import { alternatives } from '../names/alternatives.ts';
import type { EntityKind } from '../schema.ts';
import type { EntityType, Labelled } from '../../tagger/index.ts';
import words from './table-words.json' with { type: 'json' };

// Names in tables. A column holds names of a type if its heading says so ("Compound", "Bacterial strains", "Country") and the
// tagger finds that type in half of its cells. Then each of its cells is such a name, even one that the tagger does not know.

/** A cell of a column whose heading announces names of a type. */
export interface NamingCell {
  readonly block: number;
  readonly cell: Cell;
  readonly type: EntityKind;
  readonly heading: string;
}

/** What the tagger finds in a cell that stands under a heading which announces names; places are those of the cell's text. */
export interface TaggedCell {
  readonly block: number;
  readonly row: number;
  readonly column: number;
  readonly entities: readonly Labelled<EntityType>[];
}

/** A name in a cell; its place is that in the text of the cell. */
export interface NameInCell extends NamingCell {
  readonly start: number;
  readonly end: number;
}

type Table = Block & { readonly kind: 'table' };

const TYPES = Object.entries(words.columns).map(([type, phrases]) => ({
  type: type as EntityKind,
  expression: new RegExp(`^(?:[\\p{L}-]+ ){0,2}?(?:${alternatives(phrases.en)})$`, 'iu'),
}));
const COUNTS = new RegExp(`(?<!\\p{L})(?:${alternatives(words.counts.en)})(?!\\p{L})`, 'iu');
const FILLER = new RegExp(`^(?:${alternatives(words.fillers.en)}|(?:other|total) .{1,60})$`, 'iu');
/** The share of cells in which the tagger must find the type that the heading announces. */
const LEAST_SHARE = 0.5;
const LEAST_SURE = 0.6;
const MOST_CELLS = 300;
const LONGEST_NAME = 80;
const LONGEST_CELL = 600;

/** What a heading says that the cells below it name. */
export function typeOfColumn(heading: string): EntityKind | undefined {
  const bare = heading
    .replaceAll(/[([][^()[\]]{0,80}[)\]]/g, ' ')
    .replaceAll(/\^\S{1,3}|[*†‡§#:]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return COUNTS.test(bare) ? undefined : TYPES.find(({ expression }) => expression.test(bare))?.type;
}

/** The cells of a table that stand below a heading which announces names. */
export function namingCells(table: Table): NamingCell[] {
  const { cells } = table.table;
  const found: NamingCell[] = [];
  for (const column of new Set(cells.map((cell) => cell.column))) {
    const heading = headingOf(table, { column });
    const type = typeOfColumn(heading);
    if (type === undefined) continue;
    for (const cell of cells)
      if (cell.column === column && cell.columnSpan === 1 && isText(cell))
        found.push({ block: table.order, cell, type, heading });
  }
  return found.slice(0, MOST_CELLS);
}

/** What stands last above the cells of a column. */
export function headingOf({ table }: Table, { column }: Pick<Cell, 'column'>): string {
  const headers = table.cells.filter(
    (each) => each.kind === 'column-header' && each.column === column && each.text.trim() !== '',
  );
  return headers.toSorted((a, b) => b.row - a.row)[0]?.text.trim() ?? '';
}

function isText({ kind, text }: Cell): boolean {
  return (kind === 'data' || kind === 'row-header') && /\p{L}{2}/u.test(text) && text.length <= LONGEST_CELL;
}

/** The names in the cells of a table, where the tagger agrees with the heading of their column. */
export function namesInTable(table: Table, tagged: readonly TaggedCell[]): NameInCell[] {
  const byColumn = Map.groupBy(namingCells(table), ({ cell }) => cell.column);
  return [...byColumn.values()].flatMap((column) => {
    const read = column.map((naming) => ({ naming, found: foundIn(naming, tagged) }));
    const agreeing = read.filter(({ found }) => found.length > 0).length;
    return agreeing < 2 || agreeing < column.length * LEAST_SHARE
      ? []
      : read.flatMap(({ naming, found }) => namesOf(naming, found));
  });
}

function foundIn({ block, cell, type }: NamingCell, tagged: readonly TaggedCell[]): TaggedCell['entities'] {
  const same = tagged.find((each) => each.block === block && each.row === cell.row && each.column === cell.column);
  return (same?.entities ?? []).filter(({ label, sure }) => label === type && sure >= LEAST_SURE);
}

/** A list has the names that the tagger finds in it; any other cell is one name. */
function namesOf(naming: NamingCell, found: TaggedCell['entities']): NameInCell[] {
  const { text } = naming.cell;
  if (LIST.test(text)) return found.map(({ start, end }) => ({ ...naming, start, end }));
  const [only] = found;
  // "Escherichia coli ATCC 25922": behind the name is which one it was.
  if (only?.start === 0 && WHICH_ONE.test(text.slice(only.end))) return [{ ...naming, start: 0, end: only.end }];
  const { start, end } = bareName(text);
  const name = text.slice(start, end);
  const isName =
    name.length <= LONGEST_NAME && name.split(' ').length <= MOST_WORDS && !FILLER.test(name) && !COUNTS.test(name);
  return isName && (found.length > 0 || IS_NAME[naming.type]?.test(name) !== false) ? [{ ...naming, start, end }] : [];
}
const WHICH_ONE = /^[\s,]*(?:[([]|\p{Lu}{2,6}[\s-]?\d|(?:strain|isolate|serovar|var\.|cv\.)\s)/u;
const MOST_WORDS = 6;
/** Several names in one cell: "camphor (12), linalool (3)", "toluene; xylene"; not "1,8-cineole". */
const LIST = /[;\n]|, (?!\d)|\p{L} and \p{L}/u;
/** What a name that the tagger does not know looks like at least. */
const IS_NAME: Partial<Readonly<Record<EntityKind, RegExp>>> = {
  organism: /^\p{Lu}\p{Ll}*(?:\. ?| )\p{Ll}{3,}(?: |$)|virus/u,
  place: /^\p{Lu}[\p{L}’'-]+(?: (?:\p{Lu}[\p{L}’'-]+|of|and|de|la|do|da)){0,4}$/u,
  organisation: /^\p{Lu}/u,
  gene: /^(?=.{2,20}$)(?=.*[\p{Lu}\d])[\p{L}\d][\p{L}\d/_.-]*$/u,
  disease: /^\p{L}[\p{L} ’'-]+$/u,
};

/** The name in a cell without marks of notes and what stands in brackets behind it. */
export function bareName(text: string): { readonly start: number; readonly end: number } {
  const start = /^[\s*†‡§¶#•]*/u.exec(text)?.[0].length ?? 0;
  let end = text.length;
  for (let before = -1; before !== end;) {
    before = end;
    end = text.slice(0, end).replace(/(?:\^\S{1,4}|[\s*†‡§¶#:]| [([][^()[\]]{0,60}[)\]])$/u, '').length;
  }
  return { start, end: Math.max(start, end) };
}
