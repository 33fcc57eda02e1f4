import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Greyscale, one byte per pixel. */
export function greyPng(pixels: Uint8Array, columns: number): Buffer {
  return png(pixels, columns, columns, 8);
}

/** Bilevel, eight pixels per byte, 1 is white. */
export function bilevelPng(bits: Uint8Array, columns: number): Buffer {
  return png(bits, columns, Math.ceil(columns / 8), 1);
}

function png(data: Uint8Array, columns: number, stride: number, depth: number): Buffer {
  const rows = data.length / stride;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(columns, 0);
  head.writeUInt32BE(rows, 4);
  head[8] = depth;
  // Each row starts with its filter type; 0 is none.
  const filtered = Buffer.alloc((stride + 1) * rows);
  for (let row = 0; row < rows; row++)
    filtered.set(data.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(filtered, { level: depth === 1 ? 3 : 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
