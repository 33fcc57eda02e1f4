import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { symbolEncodingOf } from '../layout/text/symbol-font.ts';
import { readDifferences, readFontEncoding, textOfName } from './pdfium-fonts.ts';

/** An INDEX of a CFF font with one-byte offsets. */
function index(entries: readonly (string | readonly number[])[]): number[] {
  if (entries.length === 0) return [0, 0];
  const bytes = entries.map((entry) => (typeof entry === 'string' ? [...Buffer.from(entry, 'latin1')] : [...entry]));
  const offsets = [1];
  for (const entry of bytes) offsets.push((offsets.at(-1) ?? 1) + entry.length);
  return [0, entries.length, 1, ...offsets, ...bytes.flat()];
}

/** A CFF font of two glyphs, named by its own strings, at codes 1 and 3. */
function cffFont(names: readonly [string, string]): Uint8Array {
  const dict = (charset: number, encoding: number, strings: number): number[] =>
    [
      [charset, 15],
      [encoding, 16],
      [strings, 17],
    ].flatMap(([at = 0, operator = 0]) => [28, at >> 8, at & 255, operator]);
  const head = [1, 0, 4, 1, ...index(['Font'])];
  const texts = index([...names]);
  const before = head.length + index([dict(0, 0, 0)]).length + texts.length + 2;
  const charset = [0, 1, 135, 1, 136];
  const encoding = [0, 2, 1, 3];
  const top = index([dict(before, before + charset.length, before + charset.length + encoding.length)]);
  return Uint8Array.from([...head, ...top, ...texts, 0, 0, ...charset, ...encoding, ...index([[14], [14], [14]])]);
}

test('the glyph of a code is read from the font program', () => {
  assert.deepEqual(
    [...readFontEncoding(cffFont(['T_h', 'mu']))],
    [
      [1, 'T_h'],
      [3, 'mu'],
    ],
  );
  const type1 = Buffer.from(
    '%!PS-AdobeFont-1.0\n/Encoding 256 array\ndup 2 /C0 put\ndup 6 /plusminus put\neexec dup 9 /no put',
  );
  assert.deepEqual(
    [...readFontEncoding(type1)],
    [
      [2, 'C0'],
      [6, 'plusminus'],
    ],
  );
});

test('a font with wrong lengths has no glyph names', () => {
  const font = cffFont(['T_h', 'mu']);
  for (let length = 0; length < font.length; length += 1) readFontEncoding(font.slice(0, length));
  for (let at = 0; at < font.length; at += 1) readFontEncoding(font.with(at, 255));
  assert.equal(readFontEncoding(new Uint8Array(0)).size, 0);
});

test('glyph names are read in the forms of Adobe and of typesetting systems', () => {
  assert.equal(textOfName('mu', undefined), 'μ');
  assert.equal(textOfName('T_h', undefined), 'Th');
  assert.equal(textOfName('f_f_i.alt', undefined), 'ffi');
  assert.equal(textOfName('uni03BC', undefined), 'μ');
  assert.equal(textOfName('u1D707', undefined), 'μ');
  assert.equal(textOfName('parenleftbigg', undefined), '(');
  assert.equal(textOfName('eacute', undefined), 'é');
  assert.equal(textOfName('uniE103', undefined), undefined);
  assert.equal(textOfName('g37', undefined), undefined);
  const encoding = symbolEncodingOf('AdvP4C4E74');
  assert.equal(textOfName('C0', encoding), '−');
  assert.equal(textOfName('C6', encoding), '±');
  assert.equal(textOfName('C176', symbolEncodingOf('AdvPSSym')), '°');
});

test('font encodings are found in plain and compressed objects', () => {
  const packed = deflateSync(
    '12 0 13 30 <</Differences[1/C6 3/C14/C2]>> <</Type/Font/BaseFont/ABCDEF+AdvP4C4E74/Encoding 12 0 R>>',
  );
  const file = Buffer.concat([
    Buffer.from('%PDF-1.5\n7 0 obj\n<</Type/Font/BaseFont/Times/Encoding<</Differences[30/fi/fl]>>>>\nendobj\n'),
    Buffer.from('9 0 obj\n<</Type/ObjStm/N 2/First 11/Filter/FlateDecode>>stream\n'),
    packed,
    Buffer.from(
      '\nendstream\nendobj\n10 0 obj\n<</Type/ObjStm/N 2/First 11/Filter/FlateDecode>>stream\nbroken\nendstream endobj',
    ),
  ]);
  const found = readDifferences(file);
  assert.deepEqual(
    [...(found.get('Times') ?? [])],
    [
      [30, 'fi'],
      [31, 'fl'],
    ],
  );
  assert.deepEqual(
    [...(found.get('AdvP4C4E74') ?? [])],
    [
      [1, 'C6'],
      [3, 'C14'],
      [4, 'C2'],
    ],
  );
});
