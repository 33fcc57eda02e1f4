import assert from 'node:assert/strict';
import { test } from 'node:test';

import { glyph } from '../../../../../test/support/glyphs.ts';
import { composeAccents } from './marks.ts';
import type { Glyph } from '../page/page-content.ts';

test('an accent printed over a letter becomes part of it', () => {
  const before = composeAccents([glyph('¨', 0), glyph('u', 0), glyph('b', 5)]);
  assert.deepEqual(
    before.map((each) => each.text),
    ['ü', 'b'],
  );
  const dotless = composeAccents([glyph('´', 1), glyph('ı', 0)]);
  assert.deepEqual(
    dotless.map((each) => each.text),
    ['í'],
  );
  const apart = composeAccents([glyph('¨', 0), glyph('u', 40)]);
  assert.deepEqual(
    apart.map((each) => each.text),
    ['¨', 'u'],
  );
});

test('marks of Arabic letters are theirs, two on one letter and one high above a ligature', () => {
  const raised = (text: string, left: number, baseline: number): Glyph => glyph(text, left, { baseline });
  const line = [glyph('م', 0), glyph('لا', 5), glyph('ن', 10)];
  const above = { baseline: 86 };
  const marked = composeAccents([
    glyph('ه', 5, above),
    ...line,
    raised('ّ', 1, 98),
    raised('ُ', 1, 95),
    raised('ً', 5, 91.5),
  ]);
  assert.deepEqual(
    marked.map(({ text }) => text),
    ['ه', 'مُّ'.normalize('NFC'), 'لاً', 'ن'],
  );
});
