import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FONT, glyph } from '../../../../../test/support/glyphs.ts';
import { withoutHidden } from '../../engines/pdfium-objects.ts';
import { describeFont } from '../../engines/pdfium-glyphs.ts';
import { composeAccents } from './marks.ts';
import type { Ink } from './symbol-font.ts';
import { unknownText, nameGlyphs } from './symbol-font.ts';
import type { Font, Glyph, PageContent } from '../page/page-content.ts';

const SYMBOLS = describeFont('AdvPS3F4C13', 0);

/** Glyphs of five points each from left to right; a word is given with its font, a gap is a space. */
function row(...words: readonly (readonly [string, Font] | ' ')[]): Glyph[] {
  const glyphs: Glyph[] = [];
  let left = 0;
  for (const word of words) {
    if (word === ' ') {
      left += 4;
      continue;
    }
    for (const text of word[0]) {
      glyphs.push(glyph(text, left, { font: word[1] }));
      left += 5;
    }
  }
  return glyphs;
}

function page(glyphs: readonly Glyph[]): PageContent {
  const nothing = { rules: [], drawings: [], links: [], jumps: [] };
  return {
    number: 1,
    width: 600,
    height: 800,
    glyphs,
    ...nothing,
    unmapped: 0,
    renamed: 0,
    hidden: 0,
    truncated: false,
  };
}

const ink = (bottom: number, top: number, width = 0.5): Ink => ({ left: 0.02, right: 0.02 + width, bottom, top });

function named(glyphs: readonly Glyph[], shapes: ReadonlyMap<Font, ReadonlyMap<string, Ink>>): PageContent | undefined {
  return nameGlyphs([page(glyphs)], shapes)[0];
}

const textOf = (found: PageContent | undefined): string => found?.glyphs.map(({ text }) => text).join('') ?? '';

test('an m that extends below the line is a mu, a flat e is a dash; real letters are unchanged', () => {
  const shapes = new Map([
    [
      SYMBOLS,
      new Map([
        ['m', ink(-0.2, 0.45)],
        ['e', ink(0.28, 0.33, 0.65)],
        ['p', ink(0, 0.45)],
      ]),
    ],
  ]);
  const line = row(
    ['250', FONT],
    ' ',
    ['m', SYMBOLS],
    ['g', FONT],
    ' ',
    ['5', FONT],
    ['e', SYMBOLS],
    ['10', FONT],
    ['p', SYMBOLS],
  );
  const found = named(line, shapes);
  assert.equal(textOf(found), '250μg5–10π');
  assert.equal(found?.renamed, 3);
  const plain = new Map([[SYMBOLS, new Map([['m', ink(0, 0.45, 0.75)]])]]);
  assert.equal(textOf(named(line, plain)), '250mg5e10p', 'an m that looks like an m is unchanged');
});

test('a letter with another name that looks like a mu before a unit is a mu', () => {
  const shapes = new Map([[SYMBOLS, new Map([['l', ink(-0.2, 0.45)]])]]);
  assert.equal(textOf(named(row(['2', FONT], ' ', ['l', SYMBOLS], ['L', FONT]), shapes)), '2μL');
});

test('words of a display font with odd letters are unchanged', () => {
  const shapes = new Map([[SYMBOLS, new Map([['m', ink(-0.2, 0.45)]])]]);
  assert.equal(textOf(named(row(['mammmmals', SYMBOLS]), shapes)), 'mammmmals');
});

test('a glyph without a name is inferred from the words around it, or counted as unmapped', () => {
  const hole = unknownText(0xe103);
  const words = [' ', ['speci', FONT], [hole, SYMBOLS], ['c', FONT], ' ', [hole, SYMBOLS], ['gure', FONT]] as const;
  assert.equal(textOf(named(row(...words), new Map())), 'specificfigure');
  assert.equal(textOf(named(row(['xq', FONT], [hole, SYMBOLS], ['zz', FONT]), new Map())), 'xq\ufffdzz');
  assert.equal(textOf(named(row(['is', FONT], ' ', [hole, SYMBOLS], ' ', ['so', FONT]), new Map())), 'isso');
});

test('a superscript ring before C is a degree, the composition sign of TeX is not', () => {
  const degrees = [glyph('5', 0), glyph('◦', 6, { baseline: 96, size: 7, right: 9 }), glyph('C', 9)];
  assert.equal(textOf(named(degrees, new Map())), '5°C');
  assert.equal(textOf(named([glyph('f', 0), glyph('◦', 6), glyph('g', 12)], new Map())), 'f◦g');
});

test('an accent drawn after the line is matched to its letter by position; a stroke negates a sign', () => {
  const line = row(['Jose', FONT], ' ', ['et', FONT]);
  const accents = composeAccents([...line, glyph('´', 15.5, { right: 19.5 })]);
  assert.equal(accents.map(({ text }) => text).join(''), 'Joséet');
  const signs = composeAccents([glyph('i', 0), glyph('\u0338', 5.5), glyph('=', 5), glyph('j', 10)]);
  assert.equal(signs.map(({ text }) => text).join(''), 'i≠j');
});

test('hidden text and duplicates are removed; the text layer of a scan is kept', () => {
  const line = row(['seen', FONT]);
  const ghost = row(['ghost', FONT]).map((each) => ({ ...each, baseline: 200 }));
  const inks = [...line.map(() => 'plain' as const), ...ghost.map(() => 'none' as const)];
  const text = (glyphs: readonly Glyph[]): string => glyphs.map((each) => each.text).join('');
  const long = Array.from({ length: 6 }, (_, index) =>
    line.map((each) => ({ ...each, baseline: 300 + 20 * index })),
  ).flat();
  assert.equal(
    text(
      withoutHidden(
        [...long, ...ghost],
        [...long.map(() => 'plain' as const), ...ghost.map(() => 'none' as const)],
        [],
        [0],
      ),
    ),
    'seen'.repeat(6),
  );
  assert.equal(
    text(
      withoutHidden(
        ghost,
        ghost.map(() => 'none'),
        [],
        [0],
      ),
    ),
    'ghost',
  );
  assert.equal(
    text(
      withoutHidden([...line, ...line.map((each) => ({ ...each, x: each.x + 0.3 }))], undefined, [], [0, line.length]),
    ),
    'seen',
  );
  const white = inks.map((ink) => (ink === 'none' ? ('white' as const) : ink));
  assert.equal(text(withoutHidden([...line, ...ghost], white, [], [0])), 'seen');
  const tint = { kind: 'fill', box: { left: 0, right: 100, top: 80, bottom: 210 }, form: -1 } as const;
  assert.equal(text(withoutHidden([...line, ...ghost], white, [tint], [0])), 'seenghost', 'white on a tint is visible');
});
