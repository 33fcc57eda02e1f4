import { crc32, deflateSync } from 'node:zlib';
import type { PageImage } from '../../engines/pdfium.ts';

export function encodePng(picture: PageImage): Uint8Array {
  return colourPng(picture, (value) => value);
}

/** How far apart the channels of a grey pixel may be. */
const GREY_SPREAD = 12;
/** Six greys are as readable as sixteen and take two thirds of the bytes; the number of steps must divide fifteen. */
const STEPS = 5;

/**
 * The same in few colours, a fraction of the size: six greys for a page in black and white, else six steps of each
 * channel.
 */
export function encodeSmallPng(picture: PageImage): Uint8Array {
  const { width, height, rgba } = picture;
  let isGrey = true;
  for (let at = 0; at < width * height * 4 && isGrey; at += 4) isGrey = spread(rgba, at) <= GREY_SPREAD;
  if (!isGrey) return colourPng(picture, (value) => Math.round((value / 255) * STEPS) * (255 / STEPS));
  const stride = Math.ceil(width / 2) + 1;
  const rows = Buffer.alloc(height * stride);
  const step = 15 / STEPS;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const value = Math.round((rgba[(y * width + x) * 4 + 1] ?? 0) / 17 / step) * step;
      const at = y * stride + 1 + (x >> 1);
      rows[at] = (rows[at] ?? 0) | (x % 2 === 0 ? value << 4 : value);
    }
  return file(width, height, { depth: 4, type: GREY, rows });
}

// Colour types of the format.
const GREY = 0;
const TRUE_COLOUR = 2;

function colourPng({ width, height, rgba }: PageImage, channel: (value: number) => number): Uint8Array {
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y += 1) {
    let at = y * (width * 3 + 1) + 1;
    for (let from = y * width * 4; from < (y + 1) * width * 4; from += 4) {
      for (let offset = 0; offset < 3; offset += 1) rows[at + offset] = channel(rgba[from + offset] ?? 0);
      at += 3;
    }
  }
  return file(width, height, { depth: 8, type: TRUE_COLOUR, rows });
}

function spread(rgba: Uint8Array, at: number): number {
  const [red = 0, green = 0, blue = 0] = [rgba[at], rgba[at + 1], rgba[at + 2]];
  return Math.max(red, green, blue) - Math.min(red, green, blue);
}

function file(
  width: number,
  height: number,
  content: { readonly depth: number; readonly type: number; readonly rows: Uint8Array },
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Bits per sample and colour type; the rest are the format's only choices.
  header.set([content.depth, content.type, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
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
