import { sha256 } from '../base/index.ts';

const MOST_BYTES = 120;
const HASH_LENGTH = 12;
/** Ids with canonical case: no other id differs from them only in case. */
const CANONICAL = /^(?:W\d{1,20}|PMC\d{1,20})$/;
/** Device names reserved by Windows, with or without an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)$/i;

/**
 * A file name from an untrusted id: no separators, no control or invisible characters, no leading dot, no device
 * name, at most 120 bytes. Ids that would collide, also on a case-insensitive file system, get a hash.
 */
export function slug(id: string): string {
  const normal = id.normalize('NFC');
  const readable = normal
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[._]+/, '')
    .replace(/(?<![._])[._]+$/, '');
  const cut = cutBytes(readable, MOST_BYTES - HASH_LENGTH - 1);
  // `w123` is another id than `W123`, and must not share its file on a case-insensitive file system.
  const isTold = CANONICAL.test(cut) || (cut === cut.toLowerCase() && !CANONICAL.test(cut.toUpperCase()));
  const faithful = cut === normal && isTold && !RESERVED.test(cut) && cut !== '';
  return faithful ? cut : `${cut === '' ? 'work' : cut}-${sha256(normal).slice(0, HASH_LENGTH)}`;
}

function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let [cut, bytes] = ['', 0];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    cut += character;
  }
  return cut;
}
