import { inflateSync } from 'node:zlib';

/** By font name without its subset prefix: the glyph names of codes, from `/Differences` in the file. */
export type FontDifferences = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** Object streams are small; larger ones are not unpacked. */
const MAX_UNPACKED = 16_000_000;
const MAX_TOTAL_UNPACKED = 64_000_000;
/** Font dictionaries and encodings are shorter. */
const MAX_OBJECT = 20_000;

/**
 * Reads the encodings of a PDF's simple fonts from its objects. The engine does not expose them, and a code without a
 * Unicode value can be identified only by its glyph's name. Encrypted and broken objects are skipped.
 */
export function readDifferences(file: Uint8Array): FontDifferences {
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const objects = new Map<number, string>();
  let unpacked = 0;
  for (let at = text.indexOf(' obj'); at >= 0; at = text.indexOf(' obj', at + 4)) {
    const number = objectNumber(text, at);
    if (number === undefined) continue;
    const stop = Math.min(text.length, at + 4 + MAX_OBJECT);
    const end = text.subarray(at + 4, stop).indexOf('endobj');
    const head = text.toString('latin1', at + 4, end < 0 ? stop : at + 4 + end);
    if (/\/Type\s*\/ObjStm/.test(head.slice(0, 600))) {
      const stream = unpackStream(text, at + 4, head);
      unpacked += stream.length;
      if (unpacked > MAX_TOTAL_UNPACKED) break;
      addPacked(stream, head, objects);
    } else if (isWanted(head)) objects.set(number, head);
  }
  return collect(objects);
}

function isWanted(object: string): boolean {
  return object.includes('/Differences') || object.includes('/BaseFont') || /^\s*\[\s*\d{1,3}\s*\//.test(object);
}

/** The number before `0 obj`. */
function objectNumber(text: Buffer, at: number): number | undefined {
  const match = /(\d{1,8})\s+\d{1,5}$/.exec(text.toString('latin1', Math.max(0, at - 16), at));
  return match ? Number(match[1]) : undefined;
}

function unpackStream(text: Buffer, from: number, head: string): string {
  const start = text.indexOf('stream', from);
  if (start < 0 || start > from + 2_000 || !head.includes('/FlateDecode')) return '';
  const first = text[start + 6] === 0x0d ? start + 8 : start + 7;
  const end = text.indexOf('endstream', first);
  if (end < 0) return '';
  try {
    return inflateSync(text.subarray(first, end), { maxOutputLength: MAX_UNPACKED }).toString('latin1');
  } catch {
    // Encrypted, with a predictor, or broken: the fonts inside stay unknown.
    return '';
  }
}

function addPacked(stream: string, head: string, objects: Map<number, string>): void {
  const first = Number(/\/First\s+(\d+)/.exec(head)?.[1] ?? 0);
  const numbers = stream.slice(0, first).trim().split(/\s+/).map(Number);
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const from = first + (numbers[index + 1] ?? 0);
    const to = index + 3 < numbers.length ? first + (numbers[index + 3] ?? 0) : stream.length;
    const object = stream.slice(from, Math.min(to, from + MAX_OBJECT));
    if (isWanted(object)) objects.set(numbers[index] ?? 0, object);
  }
}

function collect(objects: ReadonlyMap<number, string>): FontDifferences {
  const found = new Map<string, ReadonlyMap<number, string>>();
  for (const object of objects.values()) {
    const base = /\/BaseFont\s*\/([^\s/[\]<>()]+)/.exec(object)?.[1];
    if (base === undefined) continue;
    const name = base.replace(/^[A-Z]{6}\+/, '');
    const direct = object.includes('/Differences') ? object : undefined;
    const reference = /\/Encoding\s+(\d+)\s+\d+\s+R/.exec(object)?.[1];
    const encoding = direct ?? (reference === undefined ? undefined : objects.get(Number(reference)));
    const differences = encoding === undefined ? new Map<number, string>() : readArray(encoding, objects);
    if (differences.size === 0) continue;
    // Two subsets with the same name but different codes cannot be distinguished: neither is used.
    const known = found.get(name);
    found.set(name, known && !agree(known, differences) ? new Map() : differences);
  }
  return found;
}

function agree(a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>): boolean {
  return [...a].every(([code, name]) => (b.get(code) ?? name) === name);
}

function readArray(encoding: string, objects: ReadonlyMap<number, string>): Map<number, string> {
  const at = encoding.indexOf('/Differences');
  const reference = /^\/Differences\s+(\d+)\s+\d+\s+R/.exec(encoding.slice(at, at + 60))?.[1];
  const array = reference === undefined ? encoding.slice(at) : (objects.get(Number(reference)) ?? '');
  const open = array.indexOf('[');
  const close = array.indexOf(']', open);
  const differences = new Map<number, string>();
  let code = 0;
  for (const [token] of array.slice(open + 1, close < 0 ? undefined : close).matchAll(/\/[^\s/[\]<>()]*|\d+/g)) {
    if (!token.startsWith('/')) code = Number(token);
    else {
      differences.set(
        code,
        token.slice(1).replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      );
      code += 1;
    }
  }
  return differences;
}
