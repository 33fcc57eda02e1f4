import { inflateSync } from 'node:zlib';

/** Tables of a TrueType font that a PDF needs; layout tables are dropped because text is shaped before writing. */
const KEPT = new Set(['cvt ', 'fpgm', 'prep', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp']);

/** Extracts the TrueType font from a WOFF 1.0 file, complete or reduced to these tables. */
export function trueTypeOf(woff: Buffer, tablesKept: 'all' | 'for-pdf'): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new TypeError('not a WOFF 1.0 file');
  const tables: { tag: string; data: Buffer; checksum: number }[] = [];
  for (let index = 0, entry = 44; index < woff.readUInt16BE(12); index++, entry += 20) {
    const tag = woff.toString('latin1', entry, entry + 4);
    if (tablesKept === 'for-pdf' && !KEPT.has(tag)) continue;
    const offset = woff.readUInt32BE(entry + 4);
    const packed = woff.subarray(offset, offset + woff.readUInt32BE(entry + 8));
    const length = woff.readUInt32BE(entry + 12);
    tables.push({
      tag,
      data: packed.length < length ? inflateSync(packed) : packed,
      checksum: woff.readUInt32BE(entry + 16),
    });
  }
  const power = 2 ** Math.floor(Math.log2(tables.length));
  const head = Buffer.alloc(12 + 16 * tables.length);
  head.writeUInt32BE(woff.readUInt32BE(4), 0);
  head.writeUInt16BE(tables.length, 4);
  head.writeUInt16BE(power * 16, 6);
  head.writeUInt16BE(Math.log2(power), 8);
  head.writeUInt16BE((tables.length - power) * 16, 10);
  const parts: Buffer[] = [head];
  let offset = head.length;
  tables.forEach(({ tag, data, checksum }, index) => {
    const entry = 12 + index * 16;
    head.write(tag, entry, 'latin1');
    head.writeUInt32BE(checksum, entry + 4);
    head.writeUInt32BE(offset, entry + 8);
    head.writeUInt32BE(data.length, entry + 12);
    const padding = (4 - (data.length % 4)) % 4;
    parts.push(data, Buffer.alloc(padding));
    offset += data.length + padding;
  });
  return Buffer.concat(parts);
}
