import type { Line } from './line.ts';

const OPERATOR = /[=+\-−×÷<>≤≥≈≡∼∝∑∏∫√∂∇∈∉⊂⊆∪∩∞±∓⟨⟩|‖·∗→←↔∀∃¬∧∨⊕⊗]/u;
const EQUATION_NUMBER = /\(\s*[A-Z]?\.?\d{1,3}(?:[.-]\d{1,3})?[a-z]?\s*\)\s*$/;

/** True for a line of a display formula: set off from the text, made of symbols rather than words. */
export function isFormulaLine(line: Line): boolean {
  const { text } = line;
  const symbols = [...text].filter((character) => !/\s/.test(character)).length;
  if (symbols === 0) return false;
  const words = wordLetters(line);
  const share = words / symbols;
  const numbered = EQUATION_NUMBER.test(text);
  const indent = line.left - line.column.left;
  const width = line.column.right - line.column.left;
  const setOff = indent > 1.2 * line.size || line.right - line.left < 0.5 * width;
  if (!setOff) return share < 0.2 && line.math > (numbered ? 0.2 : 0.3) && OPERATOR.test(text);
  if (line.math > 0.3 && share < 0.3) return true;
  if (numbered && share < 0.4 && line.math > 0.1) return true;
  return share < 0.2 && line.math > 0.12 && OPERATOR.test(text);
}

/** Letters in words of three or more, set in a text font: what a formula has few of. */
function wordLetters(line: Line): number {
  let count = 0;
  for (const match of line.text.matchAll(/\p{L}{3,}/gu)) {
    if (!/^(?:exp|log|sin|cos|tan|max|min|arg|lim|det|sup|inf|mod|var|cov|diag|rank|sgn|Pr|tanh|argmin|argmax)$/i.test(match[0]))
      count += match[0].length;
  }
  let math = 0;
  for (const glyph of line.glyphs) if (glyph.font.math && /\p{L}/u.test(glyph.text)) math += 1;
  return Math.max(0, count - math * 0.5);
}
