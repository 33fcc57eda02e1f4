import { crc32, deflateSync } from 'node:zlib';

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** An image, four bytes (red, green, blue, alpha) per pixel, as a PNG file. */
export function encodePng({ width, height, rgba }: Picture): Uint8Array {
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y += 1) {
    let at = y * (width * 3 + 1) + 1;
    for (let x = 0; x < width; x += 1) {
      const from = (y * width + x) * 4;
      rows[at] = rgba[from] ?? 0;
      rows[at + 1] = rgba[from + 1] ?? 0;
      rows[at + 2] = rgba[from + 2] ?? 0;
      at += 3;
    }
  }
  return file(width, height, { depth: 8, type: TRUE_COLOUR, rows });
}

// Colour types of the format.
const GREY = 0;
const TRUE_COLOUR = 2;
const PALETTE = 3;

/** How far the channels of a pixel may lie apart and still be called grey. */
const GREY_SPREAD = 12;
/** Six greys read as well as sixteen and take two thirds of the bytes; they must divide fifteen. */
const PAGE_GREYS = 6;
const CUBE_STEPS = 6;
const GREY_STEPS = 40;

/**
 * The same in few colours, a fraction of the size: six greys for a page in black and white, else six steps of each
 * channel and forty greys. Enough to read a page by, not to keep it.
 */
export function encodeSmallPng({ width, height, rgba }: Picture): Uint8Array {
  const pixels = width * height;
  let isGrey = true;
  for (let at = 0; at < pixels * 4 && isGrey; at += 4) isGrey = spread(rgba, at) <= GREY_SPREAD;
  if (isGrey) {
    const stride = Math.ceil(width / 2) + 1;
    const rows = Buffer.alloc(height * stride);
    const step = 15 / (PAGE_GREYS - 1);
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const value = Math.round((rgba[(y * width + x) * 4 + 1] ?? 0) / 17 / step) * step;
        const at = y * stride + 1 + (x >> 1);
        rows[at] = (rows[at] ?? 0) | (x % 2 === 0 ? value << 4 : value);
      }
    return file(width, height, { depth: 4, type: GREY, rows });
  }
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = paletteIndex(rgba, (y * width + x) * 4);
  return file(width, height, { depth: 8, type: PALETTE, rows, palette: palette() });
}

function spread(rgba: Uint8Array, at: number): number {
  const [red = 0, green = 0, blue = 0] = [rgba[at], rgba[at + 1], rgba[at + 2]];
  return Math.max(red, green, blue) - Math.min(red, green, blue);
}

function paletteIndex(rgba: Uint8Array, at: number): number {
  const step = (value = 0): number => Math.round((value / 255) * (CUBE_STEPS - 1));
  if (spread(rgba, at) <= GREY_SPREAD)
    return CUBE_STEPS ** 3 + Math.round(((rgba[at + 1] ?? 0) / 255) * (GREY_STEPS - 1));
  return (step(rgba[at]) * CUBE_STEPS + step(rgba[at + 1])) * CUBE_STEPS + step(rgba[at + 2]);
}

function palette(): Uint8Array {
  const value = (step: number, steps: number): number => Math.round((step / (steps - 1)) * 255);
  const cube = Array.from({ length: CUBE_STEPS ** 3 }, (_, at) => [
    value(Math.floor(at / CUBE_STEPS ** 2), CUBE_STEPS),
    value(Math.floor(at / CUBE_STEPS) % CUBE_STEPS, CUBE_STEPS),
    value(at % CUBE_STEPS, CUBE_STEPS),
  ]);
  const greys = Array.from({ length: GREY_STEPS }, (_, at) => [0, 1, 2].map(() => value(at, GREY_STEPS)));
  return Uint8Array.from([...cube, ...greys].flat());
}

function file(
  width: number,
  height: number,
  content: { readonly depth: number; readonly type: number; readonly rows: Uint8Array; readonly palette?: Uint8Array },
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Bits per sample and colour type; the rest are the format's only choices.
  header.set([content.depth, content.type, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(content.palette ? [chunk('PLTE', content.palette)] : []),
    chunk('IDAT', deflateSync(content.rows, { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const result = Buffer.alloc(data.byteLength + 12);
  result.writeUInt32BE(data.byteLength, 0);
  result.write(type, 4, 'latin1');
  result.set(data, 8);
  result.writeUInt32BE(crc32(result.subarray(4, 8 + data.byteLength)), 8 + data.byteLength);
  return result;
}
