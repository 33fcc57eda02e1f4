import type { Drawing, Font, Glyph, PageContent, Rule } from '../../src/parse/doctags/layout/page/page-content.ts';

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Points per character and per line of a drawing. */
const WIDTH = 5;
const HEIGHT = 12;
const SIZE = 10;

const PLAIN: Font = { name: 'Serif', bold: false, italic: false, monospaced: false, smallCaps: false, math: false };
const BOLD: Font = { ...PLAIN, name: 'Serif-Bold', bold: true };

/**
 * A page drawn as text: letters are glyphs, `───` is a rule, `█` something drawn, `▒` a tint behind a row, text between
 * `«»` is bold, a line that begins with `#` is set twice as large, and `¹` is a small 1 above the foot of its line.
 */
export function drawnPage(drawing: string, number = 1): PageContent {
  const lines = drawing
    .replace(/^\n/, '')
    .replace(/\n\s*$/, '')
    .split('\n');
  const glyphs: Glyph[] = [];
  const rules: Rule[] = [];
  const drawings: Drawing[] = [];
  let font = PLAIN;
  lines.forEach((line, row) => {
    const scale = line.startsWith('#') ? 2 : 1;
    const baseline = (row + 1) * HEIGHT + 30;
    const text = line.startsWith('#') ? ` ${line.slice(1)}` : line;
    for (const [run] of text.matchAll(/─{3,}|█+|▒+/gu)) {
      const at = text.indexOf(run);
      const box = {
        left: 50 + at * WIDTH,
        right: 50 + (at + run.length) * WIDTH,
        top: baseline - 10,
        bottom: baseline + 2,
      };
      if (run.startsWith('─'))
        rules.push({ direction: 'horizontal', box: { ...box, top: baseline - 4, bottom: baseline - 3.5 } });
      else drawings.push({ kind: run.startsWith('█') ? 'path' : 'fill', box, form: -1 });
    }
    let spaced = false;
    let x = 50;
    for (const character of text) {
      if (character === '«') font = BOLD;
      else if (character === '»') font = PLAIN;
      else {
        const digit = RAISED.indexOf(character);
        if (/[^\s─█▒]/u.test(character))
          glyphs.push({
            text: digit < 0 ? character : String(digit),
            left: x,
            right: x + WIDTH * scale,
            top: baseline - 8 * scale,
            bottom: baseline + 2 * scale,
            x,
            baseline: digit < 0 ? baseline : baseline - 4,
            size: SIZE * scale * (digit < 0 ? 1 : 0.6),
            font,
            spaced,
            turn: 0,
            form: -1,
            artifact: false,
          });
        spaced = character === ' ';
        x += WIDTH * (character === ' ' ? 1 : scale);
      }
    }
  });
  return {
    number,
    width: 600,
    height: 800,
    glyphs,
    rules,
    drawings,
    links: [],
    jumps: [],
    unmapped: 0,
    renamed: 0,
    hidden: 0,
    truncated: false,
  };
}
