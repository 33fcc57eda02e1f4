import { AppError, fieldsOf, readJsonl } from '../../../base/index.ts';
import type { Block, Box, Cell, Link, Metadata, Page, ParsedDocument, Region, Table } from '../../document.ts';
import { texts } from './sidecar.ts';
import { labelOf } from './doctags.ts';

type Fields = ReturnType<typeof fieldsOf>;

/**
 * The file that the chunk stage reads: JSON lines. The first line describes the file, every further line is one block
 * in reading order. Fields that a block does not have are left out.
 *
 *   {"tag":"document","version":1,"pages":[[1,612,792]]}
 *   {"tag":"section_header","order":3,"level":1,"text":"2 Methods","page":2,"box":[72,90,300,104]}
 *   {"tag":"table","order":4,"text":"…","rows":2,"columns":2,"cells":[[0,0,1,2,"column-header","Dose"],…]}
 *
 * Boxes are points from the page's upper left corner: left, top, right, bottom. `page` and `box` are the first
 * region; `regions` holds all of them, as [page, left, top, right, bottom], when there are several. A cell is row,
 * column, row span, column span, kind, text. A link is start, end, address.
 */
const BLOCK_LINES_VERSION = 1;

/** The document as JSON lines. */
export function writeBlockLines(document: ParsedDocument): string {
  const head = {
    tag: 'document',
    version: BLOCK_LINES_VERSION,
    pages: document.pages.map((page) => [page.number, page.width, page.height]),
  };
  return [head, ...document.blocks.map(blockLine)].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function blockLine(block: Block): Record<string, unknown> {
  const [first] = block.regions;
  return {
    tag: labelOf(block.kind),
    order: block.order,
    ...(block.parent !== undefined && { parent: block.parent }),
    ...(block.kind === 'heading' && { level: block.level }),
    text: block.text,
    ...(first && { page: first.page, box: corners(first.box) }),
    ...(block.regions.length > 1 && { regions: block.regions.map(({ page, box }) => [page, ...corners(box)]) }),
    ...(block.links && { links: block.links.map((link) => [link.start, link.end, link.url]) }),
    ...(block.jumps && { jumps: block.jumps.map(({ start, end, page }) => [start, end, page]) }),
    ...(block.raised && { raised: block.raised.map(({ start, end }) => [start, end]) }),
    ...(block.kind === 'list_item' && { ordered: block.ordered, depth: block.depth, marker: block.marker }),
    ...(block.kind === 'code' && { language: block.language }),
    ...(block.kind === 'picture' && { category: block.category }),
    ...(block.kind === 'reference' && { label: block.label, doi: block.doi, arxiv_id: block.arxivId }),
    ...(block.kind === 'table' && {
      rows: block.table.rows,
      columns: block.table.columns,
      cells: block.table.cells.map((cell) => [
        cell.row,
        cell.column,
        cell.rowSpan,
        cell.columnSpan,
        cell.kind,
        cell.text,
      ]),
    }),
  };
}

function corners(box: Box): number[] {
  return [box.left, box.top, box.right, box.bottom].map((value) => Math.round(value * 100) / 100);
}

/** Reads such a file; metadata is in the sidecar and passed by the caller if needed. */
export async function readBlockLines(path: string, metadata?: Metadata): Promise<ParsedDocument> {
  const blocks: Block[] = [];
  let pages: Page[] | undefined;
  for await (const line of readJsonl(path)) {
    if (line.kind === 'bad') throw broken(path, line.line, line.reason);
    const record = fieldsOf(line.value);
    if (pages === undefined) pages = readHead(path, record);
    else {
      const block = readBlock(record, blocks.length);
      if (!block) throw broken(path, line.line, 'the line is not a block');
      blocks.push(block);
    }
  }
  if (pages === undefined) throw broken(path, 1, 'the file is empty');
  return {
    pages,
    blocks,
    metadata: metadata ?? {
      authors: [],
      ...(pages.length > 0 && { pageCount: pages.length }),
      needsOcr: [],
      quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
    },
  };
}

function broken(path: string, line: number, reason: string): AppError {
  return new AppError('BLOCKS_BROKEN', `${path}, line ${line}: ${reason}`, {
    hint: 'parse the document again with --force',
  });
}

function readHead(path: string, record: Fields): Page[] {
  if (record['tag'] !== 'document' || typeof record['version'] !== 'number')
    throw broken(path, 1, 'the head is missing');
  if (record['version'] > BLOCK_LINES_VERSION)
    throw new AppError('BLOCKS_NEWER', `${path} was written by a newer version`, { hint: 'upgrade docstokg' });
  const pages = Array.isArray(record['pages']) ? record['pages'] : [];
  return pages.filter(isNumbers).map(([number = 0, width = 0, height = 0]) => ({ number, width, height }));
}

function readBlock(record: Fields, order: number): Block | undefined {
  const { tag, text, parent } = record;
  if (typeof text !== 'string' || record['order'] !== order) return undefined;
  const links = rowsOf(record['links'])?.flatMap(([start, end, url]): Link[] =>
    typeof start === 'number' && typeof end === 'number' && typeof url === 'string' ? [{ start, end, url }] : [],
  );
  const jumps = numbersOf(record['jumps'])?.map(([start = 0, end = 0, page = 0]) => ({ start, end, page }));
  const raised = numbersOf(record['raised'])?.map(([start = 0, end = 0]) => ({ start, end }));
  const base = {
    order,
    ...(typeof parent === 'number' && { parent }),
    regions: readRegions(record),
    text,
    ...(links && { links }),
    ...(jumps && { jumps }),
    ...(raised && { raised }),
  };
  switch (tag) {
    case 'section_header':
      return typeof record['level'] === 'number' ? { ...base, kind: 'heading', level: record['level'] } : undefined;
    case 'list_item': {
      const { ordered, depth, marker } = record;
      if (typeof ordered !== 'boolean' || typeof depth !== 'number') return undefined;
      return { ...base, kind: 'list_item', ordered, depth, ...(typeof marker === 'string' && { marker }) };
    }
    case 'code':
      return { ...base, kind: 'code', ...texts(record, ['language']) };
    case 'picture':
      return { ...base, kind: 'picture', ...texts(record, ['category']) };
    case 'reference': {
      const { arxiv_id: arxivId, ...known } = texts(record, ['doi', 'label', 'arxiv_id']);
      return { ...base, kind: 'reference', ...known, ...(arxivId !== undefined && { arxivId }) };
    }
    case 'table': {
      const table = readTable(record);
      return table && { ...base, kind: 'table', table };
    }
    case 'title':
    case 'text':
    case 'caption':
    case 'footnote':
    case 'formula':
    case 'page_header':
    case 'page_footer':
      return { ...base, kind: tag };
    default:
      return undefined;
  }
}

function readRegions(record: Fields): Region[] {
  const { regions, page, box } = record;
  const all = Array.isArray(regions) ? regions : isNumbers(box) && typeof page === 'number' ? [[page, ...box]] : [];
  return all.filter(isNumbers).map(([number = 1, left = 0, top = 0, right = 0, bottom = 0]) => ({
    page: number,
    box: { left, top, right, bottom },
  }));
}

function rowsOf(value: unknown): unknown[][] | undefined {
  return Array.isArray(value) ? value.filter((row) => Array.isArray(row)) : undefined;
}

function numbersOf(value: unknown): number[][] | undefined {
  return rowsOf(value)?.filter(isNumbers);
}

function readTable(record: Fields): Table | undefined {
  const { rows, columns, cells } = record;
  if (typeof rows !== 'number' || typeof columns !== 'number' || !Array.isArray(cells)) return undefined;
  const read: Cell[] = [];
  for (const cell of cells as unknown[]) {
    if (!Array.isArray(cell)) return undefined;
    const [row, column, rowSpan, columnSpan, kind, text] = cell as unknown[];
    if (!isNumbers([row, column, rowSpan, columnSpan]) || typeof text !== 'string' || !isCellKind(kind))
      return undefined;
    read.push({
      row: Number(row),
      column: Number(column),
      rowSpan: Number(rowSpan),
      columnSpan: Number(columnSpan),
      text,
      kind,
    });
  }
  return { rows, columns, cells: read };
}

function isCellKind(value: unknown): value is Cell['kind'] {
  return value === 'data' || value === 'column-header' || value === 'row-header' || value === 'section-row';
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}
