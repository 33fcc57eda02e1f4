import type { Block, Cell } from '../../parse/index.ts';
import { sayQuantity } from './facts.ts';
import { findNumbers, readUnit } from './units.ts';
import type { Reading, Statements } from './reading.ts';
import type { Unit } from './units.ts';

const CAPTION = { name: 'caption', version: 1 };
const POINTER = { name: 'float-callout', version: 1 };
const CELL = { name: 'table-cell', version: 4 };
/** The share of cells that were right when some were read. */
const SCORE_OF_CELL = 0.85;
const MOST_CELLS = 400;
const LABEL = /^\W*(?<kind>fig(?:ure)?|tab(?:le)?|abb(?:ildung)?|tabelle)\.?\s*(?<number>S?\d{1,3}|[IVX]{1,5})\b/iu;
const POINTERS = /\b(?<kind>Fig(?:ure)?s?|Tables?)\.?\s?(?<number>S?\d{1,3})/g;

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
    const where = { block: caption.order, stretch: { start: 0, end: caption.text.length } };
    say.edge({ kind: 'contains', target: id }, where, CAPTION);
    if (block.kind === 'table') sayCells(reading, say, block, { id, caption: caption.text });
  }
  for (const { block } of reading.prose) {
    if (block.kind === 'caption') continue;
    for (const match of block.text.matchAll(POINTERS)) {
      const kind = match.groups?.['kind']?.startsWith('T') ? 'table' : 'figure';
      const target = byLabel.get(`${kind}:${match.groups?.['number']?.toUpperCase() ?? ''}`);
      const sentence = reading.sentenceAt(block.order, match.index);
      if (target === undefined || !sentence) continue;
      const source = say.passage(sentence);
      say.edge({ source, kind: 'mentions', target }, sentence, POINTER, { at: match.index, printed: match[0] });
    }
  }
}

function floatKind(block: Block, caption: Block | undefined): 'figure' | 'table' | undefined {
  if (block.kind === 'table') return 'table';
  if (block.kind === 'picture') return 'figure';
  const label = block.kind === 'caption' ? LABEL.exec(caption?.text ?? '')?.groups?.['kind'] : undefined;
  return label === undefined ? undefined : /^t/i.test(label) ? 'table' : 'figure';
}

function sayCells(
  reading: Reading,
  say: Statements,
  block: Block & { readonly kind: 'table' },
  { id: source, caption }: { readonly id: string; readonly caption: string },
): void {
  const { cells } = block.table;
  const headers = cells.filter(({ kind }) => kind === 'column-header');
  const captionUnit = headers.some(({ text }) => unitIn(text)) ? undefined : unitIn(caption);
  const numeric = cells
    .filter((cell) => cell.kind === 'data' && cell.column > 0 && isValue(cell.text))
    .slice(0, MOST_CELLS);
  for (const cell of numeric) {
    const columns = headers
      .filter((each) => covers(each, cell))
      .map(({ text }) => text.trim())
      .filter((text) => text !== '');
    const row = rowName(cells, cell);
    const column = columns.join(' / ');
    if (row === '' && column === '') continue;
    const stretch = { start: 0, end: cell.text.length };
    const place = reading.place({ block: block.order, stretch }, cell.text);
    const detail = { row: cell.row, column: cell.column, rowName: row, columnName: column };
    for (const { value, uncertainty, unit, printed } of valuesIn(cell.text, { columns, row, captionUnit })) {
      const normal = unit ? Number((value * unit.factor + unit.offset).toPrecision(12)) : value;
      const target = sayQuantity(say, {
        values: [value],
        normal: [normal],
        unit,
        ...(uncertainty !== undefined && { uncertainty: [uncertainty] }),
        printed,
        property: column || null,
        entity: row || null,
      });
      say.edge({ source, kind: 'measures', target, score: SCORE_OF_CELL }, place, CELL, detail);
    }
  }
}

/** The first cell of the row; if that is only a number, the first one with words. */
export function rowName(cells: readonly Cell[], { row, column }: Cell): string {
  const before = cells
    .filter((each) => each.row <= row && each.row + each.rowSpan > row && each.column < column)
    .toSorted((a, b) => a.column - b.column);
  const worded = before.find(({ text, kind }) => kind !== 'column-header' && /\p{L}{2}/u.test(text) && !isValue(text));
  const [first] = before.filter((each) => each.column === 0);
  return (/^\d{1,3}[.)]?$/.test(first?.text.trim() ?? '') ? (worded ?? first) : first)?.text.trim() ?? '';
}

/** Headings of values without a unit, whatever row and caption say: counts, tests, ratios, indices. */
const DIMENSIONLESS =
  /^(?:n|no\.?|number|count|#|p|p[\s-]?values?.*|df|f|t|z|w|r2?|r²|χ2|χ²|wald.*|or|hr|rr|ri|ki|rt|lri|β|ref\.?|references?|ratio|rank|score|index|sex|gender)$/iu;
/** "n (%)": a count, and its share in brackets. */
const COUNT_AND_SHARE = /(?:^|[\s,(/])(?:n|no\.?|number|cases|patients|frequency)[\s,]{0,2}[([]?\s?%\s?[)\]]?/iu;

/** The values of a cell: "28 ± 2" is one, "45 (32%)" under "n (%)" two. The unit is that of the cell, column, row or caption. */
function valuesIn(
  text: string,
  names: { readonly columns: readonly string[]; readonly row: string; readonly captionUnit: Unit | undefined },
) {
  const [first, second] = findNumbers(text);
  if (!first) return [];
  const { columns, row, captionUnit } = names;
  const own = ownUnit(text.slice(first.end));
  const share = second && /^\s?[([]\s?$/.test(text.slice(first.end, second.start)) ? second : undefined;
  const isShare = share !== undefined && /^\s?%/.test(text.slice(share.end));
  if ((isShare || [...columns, row].some((name) => COUNT_AND_SHARE.test(name))) && own === undefined) {
    const percent = readUnit('%')?.unit;
    const printed = text.slice(first.start, first.end);
    return [
      { value: first.value, uncertainty: undefined, unit: undefined, printed },
      ...(share
        ? [
            {
              value: share.value,
              uncertainty: undefined,
              unit: percent,
              printed: `${text.slice(share.start, share.end)}%`,
            },
          ]
        : []),
    ];
  }
  const isTolerance = second && /^\s?(?:±|\+\/[-−])\s?$/.test(text.slice(first.end, second.start));
  const uncertainty = isTolerance ? second.value : undefined;
  const behind = isTolerance ? ownUnit(text.slice(second.end)) : undefined;
  const bare = DIMENSIONLESS.test(columns.at(-1) ?? '');
  const unit =
    own ??
    behind ??
    (bare ? undefined : (columns.toReversed().map(unitIn).find(Boolean) ?? unitIn(row) ?? captionUnit));
  return [{ value: first.value, uncertainty, unit, printed: text.trim() }];
}

/** The unit behind a number in its cell. A letter glued to it, or one of a to f, marks a footnote. */
function ownUnit(behind: string): Unit | undefined {
  const read = readUnit(behind.trimStart());
  const isMark = read?.length === 1 && (/^\p{L}/u.test(behind) || /^[a-f]$/.test(read.unit.text));
  return isMark ? undefined : read?.unit;
}

function covers(header: Cell, cell: Cell): boolean {
  return header.column <= cell.column && header.column + header.columnSpan > cell.column && header.row < cell.row;
}

/** A value, and not a name with a number in it. */
function isValue(text: string): boolean {
  return /^\s*(?:[<>≤≥~≈±]\s*)?[-−–+]?\d/.test(text) && text.length <= 40;
}

/** What a heading speaks of when a single capital letter in it is a unit. */
const LETTER_UNITS: Readonly<Record<string, RegExp>> = {
  A: /current|amp/i,
  C: /charge|coulomb|temp/i,
  F: /capacitance|farad|temp/i,
  H: /inductance|henry/i,
  J: /energy|work|heat|enthalpy|joule/i,
  K: /temp|heat|kelvin/i,
  M: /conc|molar|dose/i,
  N: /force|load|strength|weight|newton/i,
  S: /conductance|siemens/i,
  T: /field|flux|tesla/i,
  U: /activity|enzyme|unit/i,
  V: /volt|potential|bias/i,
  W: /power|watt|heat/i,
};

/** A unit in brackets, behind a comma or a slash, or standing alone: "Dose (mg/kg)", "Depth, m", "ΔG/kJ mol−1", "% of mortality". */
function unitIn(heading: string): Unit | undefined {
  const bracketed = [...heading.matchAll(/[([](?<unit>[^()[\]]{1,24})[)\]]/gu)].map(
    ({ groups }) => groups?.['unit'] ?? '',
  );
  const behind = /(?:,\s*|\bin\s|(?<=[^\s/]\s?)\/)(?<last>[^\s,()][^,()]{0,14})$/u.exec(heading);
  // The slash of "mg/ml" is inside a unit; that of "ΔG/kJ" comes before one.
  const inUnit =
    behind?.[0].startsWith('/') === true &&
    readUnit(/(?<!\S)\S{1,12}$/u.exec(heading.slice(0, behind.index))?.[0] ?? '');
  const last = /(?:^|\s)(?<last>(?:\S{1,5}\s)?\S{0,6}[/⁻−]\S{1,6})$/u.exec(heading)?.groups?.['last'] ?? '';
  const percent = /^%|(?<=[\p{L}\s])%$|^percent/iu.test(heading.trim()) ? '%' : '';
  for (const part of [...bracketed.toReversed(), inUnit ? '' : (behind?.groups?.['last'] ?? ''), last, percent]) {
    const text = part.trim().replace(/^in\s/u, '');
    const read = readUnit(text);
    // "(% w/w)", "(mg/kg of seed oil)": what follows says of what.
    const rest = text.slice(read?.length ?? 0);
    // "Cohort (C)" names a group, "Charge (C)" a unit.
    const isLabel = /^[A-Z]$/.test(part.trim()) && !LETTER_UNITS[part.trim()]?.test(heading);
    if (read && !isLabel && (rest === '' || /^\s(?:of\s|\(?[wv]\/[wv])/u.test(rest))) return read.unit;
  }
  return undefined;
}
