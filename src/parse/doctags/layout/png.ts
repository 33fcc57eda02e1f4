import { crc32, deflateSync } from 'node:zlib';

/** An image, four bytes (red, green, blue, alpha) per pixel, as a PNG file. */
export function encodePng(image: {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}): Uint8Array {
  const { width, height, rgba } = image;
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
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per sample, red, green and blue; the rest are the format's only choices.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 6 })),
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
