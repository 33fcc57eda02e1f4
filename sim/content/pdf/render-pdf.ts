import type { Paper } from '../paper.ts';
import { compose } from './compose.ts';
import type { ComposedPage } from './furniture.ts';
import { collect, openDocument, Painter } from './paint.ts';
import { STYLES } from './style.ts';
import type { Layout, Style } from './style.ts';
import { renderPage } from '../../../src/parse/doctags/pdf.ts';
import { bilevelPng } from './png.ts';

/** Renders a paper in a layout. Deterministic for one version of Node (zlib may differ between versions). */
export async function renderPdf(paper: Paper, layout: Layout): Promise<Uint8Array> {
  const style = STYLES[layout];
  const pages = compose(paper, style);
  const bytes = await renderPages(paper, style, pages);
  if (layout === 'L7') return scan(paper, style, bytes, pages.length);
  return layout === 'L8' ? disguise(bytes) : bytes;
}

async function scan(paper: Paper, style: Style, pdf: Uint8Array, pages: number): Promise<Uint8Array> {
  const document = openDocument(paper);
  const [width, height] = style.page;
  for (let page = 1; page <= pages; page += 1) {
    document.addPage({ size: [width, height], margin: 0 });
    document.image(await rasterPage(pdf, page), 0, 0, { width, height });
  }
  return collect(document);
}

async function renderPages(paper: Paper, style: Style, pages: readonly ComposedPage[]): Promise<Uint8Array> {
  const document = openDocument(paper);
  const painter = new Painter(document, style.spaces);
  for (const { ops, blocks } of pages) {
    painter.page(style.page, ops);
    if (style.columns === 1) continue;
    for (const { draft } of blocks)
      if (draft.kind === 'heading' && draft.level === 1) document.outline.addItem(draft.text);
  }
  return collect(document);
}

/** A stray HTTP header block before the file, about 300 bytes. */
const JUNK = Buffer.from(
  `HTTP/1.1 200 OK\r\nX-Simulated: yes\r\nContent-Type: application/pdf\r\n\r\n${'\u0020'.repeat(240)}\r\n`,
  'latin1',
);

/**
 * Turns a PDF into one that looks linearised, was updated incrementally and has junk before its header. The
 * linearisation dictionary no longer matches, so readers must use the last cross-reference table, and all offsets count
 * from `%PDF-`, not from the first byte.
 */
function disguise(pdf: Uint8Array): Uint8Array {
  const bytes = Buffer.from(pdf);
  const text = bytes.toString('latin1');
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1]);
  const table = /^xref\s+0 (\d+)\s+((?:\d{10} \d{5} [fn]\s+)+)trailer\s+<<([^]*?)>>\s*startxref/.exec(
    text.slice(tableAt),
  );
  if (!table) throw new TypeError('the file has no plain cross-reference table');
  const [, count = '', entries = '', trailer = ''] = table;
  const size = Number(count);
  const headEnd = text.indexOf('\n', text.indexOf('\n') + 1) + 1;
  const dictionary = `${String(size)} 0 obj\n<< /Linearized 1 /L ${String(bytes.length)} /H [0 0] /O ${String(size - 1)} /E 0 /N 1 /T ${String(tableAt)} >>\nendobj\n`;
  const shift = dictionary.length;
  const moved = entries.replaceAll(
    /(\d{10}) (\d{5} n)/g,
    (_whole, offset: string, rest: string) => `${pad(Number(offset) + shift)} ${rest}`,
  );
  const first = [
    text.slice(0, headEnd),
    dictionary,
    text.slice(headEnd, tableAt),
    `xref\n0 ${String(size + 1)}\n${moved.trimEnd()} \n${pad(headEnd)} 00000 n \n`,
    `trailer\n<<${trailer.replace(/\/Size \d+/, `/Size ${String(size + 1)}`)}>>\nstartxref\n${String(tableAt + shift)}\n%%EOF\n`,
  ].join('');
  const added = `${String(size + 1)} 0 obj\n<< /Type /SimulatedRevision >>\nendobj\n`;
  const addedAt = first.length;
  const second = [
    added,
    `xref\n0 0\n${String(size + 1)} 1\n${pad(addedAt)} 00000 n \n`,
    `trailer\n<<${trailer.replace(/\/Size \d+/, `/Size ${String(size + 2)}`)}\n/Prev ${String(tableAt + shift)}\n>>\n`,
    `startxref\n${String(addedAt + added.length)}\n%%EOF\n`,
  ].join('');
  return new Uint8Array(Buffer.concat([JUNK, Buffer.from(first + second, 'latin1')]));
}

function pad(offset: number): string {
  return String(offset).padStart(10, '0');
}

const DOTS_PER_POINT = 110 / 72;
const WHITE = 0xff_ff_ff_ff;
/** Darker than this is black. */
const THRESHOLD = 128;

/** Renders a page of a PDF as an image, like a bilevel office scanner; pages are counted from 1. */
async function rasterPage(pdf: Uint8Array, page: number): Promise<Buffer> {
  const { width, height, rgba } = await renderPage(pdf, page, DOTS_PER_POINT);
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
  const stride = Math.ceil(width / 8);
  const bits = new Uint8Array(stride * height);
  const isLight = (at: number): boolean =>
    0.3 * (rgba[at] ?? 0) + 0.59 * (rgba[at + 1] ?? 0) + 0.11 * (rgba[at + 2] ?? 0) >= THRESHOLD;
  for (let row = 0, at = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1, at += 1)
      if (pixels[at] === WHITE || isLight(4 * at)) bits[row * stride + (column >> 3)]! |= 0x80 >> (column & 7);
  return bilevelPng(bits, width);
}
