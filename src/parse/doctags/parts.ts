import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/index.ts';
import type { Block, Box, ParsedDocument, Region, Table } from '../document.ts';
import type { ParseFileOptions } from './convert.ts';
import { parseFile, loadPdfReader } from './convert.ts';
import type { PageImage } from './engines/pdfium.ts';
import { encodePng } from './layout/output/png.ts';
import { tableTexts } from './formats/structure.ts';
import { unpack } from './markup/decode.ts';

export interface DocumentPart {
  readonly file: string;
  readonly kind: 'figure' | 'table' | 'equation' | 'code';
  /** The order of its block in the document. */
  readonly order: number;
  readonly page?: number;
  readonly caption?: string;
  /** The number an equation is printed with. */
  readonly number?: string;
  /** What could be read of an equation or a listing. */
  readonly text?: string;
}

/** Dots per point of the pictures: 216 per inch. */
const SCALE = 3;
/** White around what is cut out, in points. */
const MARGIN = 4;
/** A document with more is broken into pieces. */
const MOST_PARTS = 2_000;

/** Writes figures and equations as PNG, tables as CSV and listings as text into a folder, described by `parts.json`. */
export async function writeParts(
  path: string,
  folder: string,
  options: ParseFileOptions = {},
  signal?: AbortSignal,
): Promise<readonly DocumentPart[]> {
  const { document, kind } = await parseFile(path, options, signal);
  const cutter = kind === 'pdf' ? await openCutter(path, document) : undefined;
  await mkdir(folder, { recursive: true });
  const captions = new Map(
    document.blocks.flatMap((block) =>
      block.kind === 'caption' && block.parent !== undefined ? [[block.parent, block.text]] : [],
    ),
  );
  const parts: DocumentPart[] = [];
  const counts = new Map<string, number>();
  for (const block of document.blocks) {
    signal?.throwIfAborted();
    const part = partOf(block);
    if (!part || parts.length >= MOST_PARTS) continue;
    const [region] = block.regions;
    const picture = part.ending === 'png' && region && cutter ? await cutter(region) : undefined;
    if (part.ending === 'png' && !picture) continue;
    const number = (counts.get(part.kind) ?? 0) + 1;
    counts.set(part.kind, number);
    const file = `${part.kind}-${number}.${part.ending}`;
    await writeFileAtomic(join(folder, file), picture ?? part.content);
    const caption = captions.get(block.order);
    parts.push({
      file,
      kind: part.kind,
      order: block.order,
      ...(region && { page: region.page }),
      ...(caption !== undefined && { caption }),
      ...part.more,
    });
  }
  await writeFileAtomic(join(folder, 'parts.json'), `${JSON.stringify(parts, undefined, 2)}\n`);
  return parts;
}

interface Part {
  readonly kind: DocumentPart['kind'];
  readonly ending: 'png' | 'csv' | 'txt';
  readonly content: string;
  readonly more: Pick<DocumentPart, 'number' | 'text'>;
}

function partOf(block: Block): Part | undefined {
  if (block.kind === 'picture') return { kind: 'figure', ending: 'png', content: '', more: {} };
  if (block.kind === 'table') return { kind: 'table', ending: 'csv', content: writeTableCsv(block.table), more: {} };
  if (block.kind === 'code')
    return { kind: 'code', ending: 'txt', content: `${block.text}\n`, more: { text: block.text } };
  if (block.kind !== 'formula') return undefined;
  const number = /\(([A-Z]?[.\d-]{1,8}[a-z]?)\)$/.exec(block.text.slice(-12))?.[1];
  return { kind: 'equation', ending: 'png', content: '', more: { text: block.text, ...(number && { number }) } };
}

/** Cuts regions out of the pages of a PDF; a page is drawn once for all its regions in a row. */
async function openCutter(
  path: string,
  document: ParsedDocument,
): Promise<(region: Region) => Promise<Uint8Array | undefined>> {
  const { renderPage } = await loadPdfReader();
  const bytes = unpack(await readFile(path));
  let drawn: { readonly page: number; readonly raster: PageImage } | undefined;
  return async ({ page, box }) => {
    const size = document.pages.find(({ number }) => number === page);
    if (!size) return undefined;
    if (drawn?.page !== page) drawn = { page, raster: await renderPage(bytes, page, SCALE) };
    const cut = crop(drawn.raster, box, drawn.raster.width / size.width);
    return cut && encodePng(cut);
  };
}

function crop(raster: PageImage, box: Box, scale: number): PageImage | undefined {
  const left = Math.max(0, Math.floor((box.left - MARGIN) * scale));
  const top = Math.max(0, Math.floor((box.top - MARGIN) * scale));
  const right = Math.min(raster.width, Math.ceil((box.right + MARGIN) * scale));
  const bottom = Math.min(raster.height, Math.ceil((box.bottom + MARGIN) * scale));
  const [width, height] = [right - left, bottom - top];
  if (width <= 0 || height <= 0) return undefined;
  const rgba = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row += 1) {
    const from = ((top + row) * raster.width + left) * 4;
    rgba.set(raster.rgba.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, rgba };
}

/** A table as CSV (RFC 4180): a cell that spans several places is written in the first of them. */
export function writeTableCsv(table: Table): string {
  return tableTexts(table)
    .map((row) => `${row.map(field).join(',')}\r\n`)
    .join('');
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
