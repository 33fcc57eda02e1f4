import { isLetters } from '../text/letter.ts';
import type { Line } from '../page/line.ts';

const OPERATOR = /[=+\-−×÷<>≤≥≈≡∼∝∑∏∫√∂∇∈∉⊂⊆∪∩∞±∓⟨⟩|‖·∗→←↔∀∃¬∧∨⊕⊗]/u;
const EQUATION_NUMBER = /\(\s*[A-Z]?\.?\d{1,3}(?:[.-]\d{1,3})?[a-z]?\s*\)\s*$/;

/** True for a line of a display formula: set off from the text, made of symbols rather than words. */
export function isFormulaLine(line: Line): boolean {
  const { text } = line;
  const symbols = text.replace(/\s/gu, '').length;
  if (symbols === 0) return false;
  const words = wordLetters(line);
  const share = words / symbols;
  const numbered = EQUATION_NUMBER.test(text);
  const indent = line.left - line.column.left;
  const width = line.column.right - line.column.left;
  const setOff = indent > 1.2 * line.size || line.right - line.left < 0.5 * width;
  // Hardly a word and an equation's sign: a formula in whatever font.
  if (share < 0.08 && /[=≤≥≈≡∝]/u.test(text) && symbols > 5) return true;
  if (!setOff) return OPERATOR.test(text) && line.math > (numbered ? 0.15 : 0.3) && share < (numbered ? 0.3 : 0.2);
  if (line.math > 0.3 && share < 0.3) return true;
  if (numbered && share < 0.4 && line.math > 0.1) return true;
  // Simple papers set formulas in the italic of the text; the number in the margin tells them.
  if (numbered && share < 0.4 && /[=≤≥≈≡∝]/u.test(text)) return true;
  return share < 0.2 && line.math > 0.12 && OPERATOR.test(text);
}

const FUNCTIONS =
  /^(?:exp|log|sin|cos|tan|max|min|arg|lim|det|sup|inf|mod|var|cov|diag|rank|sgn|tanh|sinh|cosh|argmin|argmax|erf|tr|if|otherwise)$/i;

/** Letters in words of three or more, set in a text font at full size: what a formula has few of. */
function wordLetters(line: Line): number {
  let count = 0;
  let word = '';
  let right = -Infinity;
  const close = (): void => {
    if (word.length >= 3 && !FUNCTIONS.test(word)) count += word.length;
    word = '';
  };
  for (const glyph of line.glyphs) {
    const letter = isLetters(glyph.text) && !glyph.font.math && glyph.size > 0.87 * line.size;
    if (!letter || glyph.left - right > 0.15 * line.size) close();
    if (letter) word += glyph.text;
    right = glyph.right;
  }
  close();
  return count;
}
