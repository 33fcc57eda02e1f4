import { inflateSync } from 'node:zlib';

import type { PdfDictionary, PdfValue } from './object-reader.ts';
import { isCount, isDictionary } from './object-reader.ts';

/**
 * The bytes of a stream: as they are, or deflated, with rows in the manner of PNG where its form says so. Undefined for any
 * other filter, for what is broken, and for more than `maxBytes`.
 */
export function unpack(
  packed: Buffer,
  filters: readonly PdfValue[],
  [form]: readonly PdfValue[],
  maxBytes: number,
): Buffer | undefined {
  if (filters.length === 0) return packed;
  if (filters.length > 1 || filters[0] !== '/FlateDecode' || maxBytes <= 0) return undefined;
  let bytes: Buffer;
  try {
    bytes = inflateSync(packed, { maxOutputLength: maxBytes });
  } catch {
    // Whatever it is, it is not for a plain look.
    return undefined;
  }
  return form === undefined ? bytes : isDictionary(form) ? undoRows(bytes, form) : undefined;
}

/** Rows that tell how they differ from the row above, as cross-references do: the first byte of each says how. */
function undoRows(bytes: Buffer, form: PdfDictionary): Buffer | undefined {
  const predictor = form.get('/Predictor') ?? 1;
  const [columns, colors, bits] = [
    form.get('/Columns') ?? 1,
    form.get('/Colors') ?? 1,
    form.get('/BitsPerComponent') ?? 8,
  ];
  if (predictor === 1) return bytes;
  if (Number(predictor) < 10 || !isCount(columns) || columns === 0 || colors !== 1 || bits !== 8) return undefined;
  const rows = Math.floor(bytes.length / (columns + 1));
  const out = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const kind = bytes[row * (columns + 1)];
    // Others than "as it is" and "as above" are for pictures.
    if (kind !== 0 && kind !== 2) return undefined;
    for (let column = 0; column < columns; column += 1) {
      const at = row * columns + column;
      const above = kind === 2 && row > 0 ? (out[at - columns] as number) : 0;
      out[at] = (bytes[row * (columns + 1) + 1 + column] as number) + above;
    }
  }
  return out;
}
