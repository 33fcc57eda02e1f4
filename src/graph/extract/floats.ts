import type { Block, Cell } from '../../parse/index.ts';
import type { Evidence } from '../contribution.ts';
import { termId } from './facts.ts';
import { findNumbers } from './numbers.ts';
import type { Reading } from './reading.ts';
import { placeOnPage } from './reading.ts';
import type { Statements } from './statements.ts';
import { THIS_WORK } from './statements.ts';
import { readUnit } from './units.ts';

const CAPTION = { name: 'caption', version: 1 };
const POINTER = { name: 'float-callout', version: 1 };
const CELL = { name: 'table-cell', version: 1 };
/** A table with more facts than this is data, not a statement. */
const MOST_CELLS = 400;
const LABEL = /^\W*(?<kind>fig(?:ure)?|tab(?:le)?|abb(?:ildung)?|tabelle)\.?\s*(?<number>S?\d{1,3}|[IVX]{1,5})\b/iu;
const POINTERS = /\b(?<kind>Fig(?:ure)?s?|Tables?)\.?\s?(?<number>S?\d{1,3})/g;

/** Figures and tables with their captions, the sentences that point to them, and what the cells of tables say. */
export function extractFloats(reading: Reading, say: Statements): void {
  const { blocks } = reading.document;
  const byLabel = new Map<string, string>();
  const captions = new Map<number, Block>();
  for (const block of blocks)
    if (block.kind === 'caption' && block.parent !== undefined && !captions.has(block.parent))
      captions.set(block.parent, block);
  for (const block of blocks) {
    const caption = block.kind === 'caption' ? block : captions.get(block.order);
    if (block.kind === 'caption' && block.parent !== undefined) continue;
    const kind = floatKind(block, caption);
    if (!kind || !caption || caption.text === '') continue;
    const label = LABEL.exec(caption.text)?.groups;
    const id = say.node(kind, `${reading.owner}#${block.order}`, caption.text.replace(/\s+/g, ' '), {
      data: { label: label ? `${label['kind']} ${label['number']}` : null },
    });
    if (label) byLabel.set(`${kind}:${label['number']?.toUpperCase() ?? ''}`, id);
    say.edge(
      { source: THIS_WORK, kind: 'contains', target: id },
      { block: caption.order, stretch: { start: 0, end: caption.text.length } },
      CAPTION,
    );
    if (block.kind === 'table') sayCells(reading, say, block, id);
  }
  for (const { block, section, sentences } of reading.prose) {
    if (block.kind === 'caption') continue;
    for (const match of block.text.matchAll(POINTERS)) {
      const kind = match.groups?.['kind']?.startsWith('T') ? 'table' : 'figure';
      const target = byLabel.get(`${kind}:${match.groups?.['number']?.toUpperCase() ?? ''}`);
      const stretch = sentences.find(({ start, end }) => match.index >= start && match.index < end);
      if (target === undefined || !stretch) continue;
      const passage = say.passage(block.order, stretch, section);
      say.edge({ source: passage, kind: 'mentions', target }, { block: block.order, stretch }, POINTER, {
        detail: { at: match.index, printed: match[0] },
      });
    }
  }
}

function floatKind(block: Block, caption: Block | undefined): 'figure' | 'table' | undefined {
  if (block.kind === 'table') return 'table';
  if (block.kind === 'picture') return 'figure';
  const label = block.kind === 'caption' ? LABEL.exec(caption?.text ?? '')?.groups?.['kind'] : undefined;
  return label === undefined ? undefined : /^t/i.test(label) ? 'table' : 'figure';
}

/** Every cell with a number as a fact: what its row and its column are called, its value and unit. */
function sayCells(reading: Reading, say: Statements, block: Block & { readonly kind: 'table' }, table: string): void {
  const { cells } = block.table;
  const headers = cells.filter(({ kind }) => kind === 'column-header');
  const numeric = cells
    .filter((cell) => cell.kind === 'data' && cell.column > 0 && isValue(cell.text))
    .slice(0, MOST_CELLS);
  for (const cell of numeric) {
    const [number] = findNumbers(cell.text);
    if (!number) continue;
    const column = headers
      .filter((each) => covers(each, cell))
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .join(' / ');
    const row =
      cells
        .find((each) => each.row <= cell.row && each.row + each.rowSpan > cell.row && each.column === 0)
        ?.text.trim() ?? '';
    const unit = readUnit(cell.text.slice(number.end).trimStart())?.unit ?? unitIn(column);
    const normal = unit ? Number((number.value * unit.factor + unit.offset).toPrecision(12)) : number.value;
    const target = say.node(
      'quantity',
      `${normal} ${unit?.base ?? ''}|${termId(column)}|${termId(row)}`,
      [column, cell.text.trim(), row].filter((part) => part !== '').join(' · '),
      {
        data: {
          values: [number.value],
          unit: unit?.text ?? null,
          normal: [normal],
          base: unit?.base ?? null,
          property: column || null,
          entity: row || null,
        },
      },
    );
    const evidence: Evidence = {
      place: {
        kind: 'text',
        fileSha256: reading.fileSha256,
        block: block.order,
        start: 0,
        end: cell.text.length,
        quote: cell.text,
        ...placeOnPage(block),
      },
      method: CELL.name,
      version: CELL.version,
      score: 1,
      detail: { row: cell.row, column: cell.column, rowName: row, columnName: column },
    };
    say.edges.push({ source: table, kind: 'measures', target, evidence });
  }
}

function covers(header: Cell, cell: Cell): boolean {
  return header.column <= cell.column && header.column + header.columnSpan > cell.column && header.row < cell.row;
}

/** A value, and not a name with a number in it. */
function isValue(text: string): boolean {
  return /^\s*(?:[<>≤≥~≈±]\s*)?[-−–+]?\d/.test(text) && text.length <= 40;
}

/** A unit in the brackets or behind the comma of a heading: "Dose (mg/kg)", "Depth, m". */
function unitIn(heading: string): ReturnType<typeof unitOf> {
  return unitOf(/[([](?<unit>[^)\]]{1,20})[)\]]\s*$|,\s*(?<last>\S{1,10})$/.exec(heading));
}

function unitOf(match: RegExpExecArray | null): NonNullable<ReturnType<typeof readUnit>>['unit'] | undefined {
  const text = (match?.groups?.['unit'] ?? match?.groups?.['last'] ?? '').trim();
  const read = readUnit(text);
  return read && read.length === text.length ? read.unit : undefined;
}
