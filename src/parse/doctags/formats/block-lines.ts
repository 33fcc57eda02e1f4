import { AppError, fieldsOf, readJsonl } from '../../../base/index.ts';
import type { Block, Box, Cell, Metadata, Page, ParsedDocument, Region, Table } from '../../document.ts';
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
      cells: block.table.cells.map(({ row, column, rowSpan, columnSpan, kind, text }) => {
        return [row, column, rowSpan, columnSpan, kind, text];
      }),
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
  return rowsOf(record['pages'])
    .filter(isNumbers)
    .map(([number = 0, width = 0, height = 0]) => ({ number, width, height }));
}

/** For each kind of block, the fields that only it has and requires, and the texts that it may have. */
interface OwnFields {
  readonly must?: Readonly<Record<string, 'number' | 'boolean'>>;
  readonly may?: readonly string[];
}

const OWN: Readonly<Record<Block['kind'], OwnFields>> = {
  heading: { must: { level: 'number' } },
  list_item: { must: { ordered: 'boolean', depth: 'number' }, may: ['marker'] },
  code: { may: ['language'] },
  picture: { may: ['category'] },
  reference: { may: ['doi', 'label', 'arxiv_id'] },
  table: {},
  title: {},
  text: {},
  caption: {},
  footnote: {},
  formula: {},
  page_header: {},
  page_footer: {},
};

function readBlock(record: Fields, order: number): Block | undefined {
  const { text, parent } = record;
  const kind = record['tag'] === 'section_header' ? 'heading' : String(record['tag']);
  if (typeof text !== 'string' || record['order'] !== order || !Object.hasOwn(OWN, kind)) return undefined;
  const { must = {}, may = [] } = OWN[kind as Block['kind']];
  const table = kind === 'table' ? readTable(record) : undefined;
  if ((kind === 'table' && !table) || Object.entries(must).some(([name, type]) => typeof record[name] !== type))
    return undefined;
  const { arxiv_id: arxivId, ...own } = texts(record, may);
  const links = rowsOf(record['links'])
    .filter(([start, end, url]) => isNumbers([start, end]) && typeof url === 'string')
    .map(([start, end, url]) => ({ start, end, url }));
  const jumps = rowsOf(record['jumps']).filter(isNumbers);
  const raised = rowsOf(record['raised']).filter(isNumbers);
  return {
    order,
    ...(typeof parent === 'number' && { parent }),
    regions: readRegions(record),
    text,
    ...(record['links'] !== undefined && { links }),
    ...(record['jumps'] !== undefined && { jumps: jumps.map(([start, end, page]) => ({ start, end, page })) }),
    ...(record['raised'] !== undefined && { raised: raised.map(([start, end]) => ({ start, end })) }),
    kind,
    ...Object.fromEntries(Object.keys(must).map((name) => [name, record[name]])),
    ...own,
    ...(arxivId !== undefined && { arxivId }),
    ...(table && { table }),
  } as Block;
}

function readRegions({ regions, page, box }: Fields): Region[] {
  const all = regions === undefined && isNumbers(box) ? [[page, ...box]] : rowsOf(regions);
  return all.filter(isNumbers).map(([number = 1, left = 0, top = 0, right = 0, bottom = 0]) => ({
    page: number,
    box: { left, top, right, bottom },
  }));
}

function rowsOf(value: unknown): unknown[][] {
  return Array.isArray(value) ? value.filter((row) => Array.isArray(row)) : [];
}

function readTable({ rows, columns, cells }: Fields): Table | undefined {
  if (!isNumbers([rows, columns]) || !Array.isArray(cells)) return undefined;
  const read = rowsOf(cells).map(
    ([row, column, rowSpan, columnSpan, kind, text]) => ({ row, column, rowSpan, columnSpan, text, kind }) as Cell,
  );
  const isSound = read.length === cells.length && read.every(isCell);
  return isSound ? ({ rows, columns, cells: read } as Table) : undefined;
}

const CELL_KINDS: ReadonlySet<string> = new Set<Cell['kind']>(['data', 'column-header', 'row-header', 'section-row']);

function isCell({ row, column, rowSpan, columnSpan, text, kind }: Cell): boolean {
  return isNumbers([row, column, rowSpan, columnSpan]) && typeof text === 'string' && CELL_KINDS.has(kind);
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}
