import { renderPage } from '../../../src/parse/doctags/pdf.ts';
import { bilevelPng } from './png.ts';

const DOTS_PER_POINT = 110 / 72;
/** Darker than this is black. */
const THRESHOLD = 128;

/** Renders a page of a PDF as an image, like a bilevel office scanner; pages are counted from 1. */
export async function rasterPage(pdf: Uint8Array, page: number): Promise<Buffer> {
  const { width, height, rgba } = await renderPage(pdf, page, DOTS_PER_POINT);
  const stride = Math.ceil(width / 8);
  const bits = new Uint8Array(stride * height);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const at = 4 * (row * width + column);
      const grey = 0.3 * (rgba[at] ?? 0) + 0.59 * (rgba[at + 1] ?? 0) + 0.11 * (rgba[at + 2] ?? 0);
      const index = row * stride + (column >> 3);
      if (grey >= THRESHOLD) bits[index] = (bits[index] ?? 0) | (0x80 >> (column & 7));
    }
  return bilevelPng(bits, width);
}
