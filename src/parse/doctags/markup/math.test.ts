import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseXml } from '../xml/tree.ts';
import { bareLatex, inlineMath, latexOf } from './math.ts';

const math = (inner: string, attributes = '') => parseXml(Buffer.from(`<math ${attributes}>${inner}</math>`));

const CASES: readonly (readonly [mathml: string, latex: string, text: string])[] = [
  ['<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>', '\\frac{a+b}{c}', '(a+b)/c'],
  ['<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>', 'x_{i}^{2}', 'x_i^2'],
  ['<msqrt><mi>n</mi><mo>−</mo><mn>1</mn></msqrt>', '\\sqrt{n-1}', '√(n−1)'],
  ['<mroot><mi>x</mi><mn>3</mn></mroot>', '\\sqrt[3]{x}', '3√x'],
  ['<mi>α</mi><mo>≤</mo><mi>β</mi>', '\\alpha \\leq \\beta', 'α ≤ β'],
  [
    '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>',
    '\\sum _{i=1}^{n}x_{i}',
    '∑_(i = 1)^n x_i',
  ],
  ['<mover><mi>x</mi><mo>^</mo></mover>', '\\hat{x}', 'x̂'],
  ['<mi>sin</mi><mo>⁡</mo><mi>x</mi>', '\\sin x', 'sin x'],
  ['<mi mathvariant="bold">v</mi><mo>∈</mo><mi>ℝ</mi>', '\\mathbf{v}\\in \\mathbb{R}', 'v ∈ ℝ'],
  ['<mtext>if </mtext><mi>rate</mi>', '\\text{if }\\mathrm{rate}', 'if rate'],
  ['<mfenced><mi>a</mi><mi>b</mi></mfenced>', '(a,b)', '(a, b)'],
  [
    '<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>',
    '\\begin{matrix}a & b \\\\ c & d\\end{matrix}',
    'a b; c d',
  ],
  ['<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>', '{}_{6}^{14}C', '_6^14C'],
];

for (const [mathml, latex, text] of CASES)
  test(`${latex} is built from MathML`, () => {
    assert.equal(latexOf(math(mathml)), latex);
    assert.equal(inlineMath(math(mathml)), text);
  });

test('LaTeX of the author is preferred to generated LaTeX', () => {
  assert.equal(
    latexOf(math('<semantics><mi>x</mi><annotation encoding="application/x-tex">\\vec x</annotation></semantics>')),
    '\\vec x',
  );
  assert.equal(latexOf(math('<mi>x</mi>', 'alttext="\\mathbf{x}"')), '\\mathbf{x}');
  assert.equal(
    inlineMath(math('<semantics><mi>x</mi><annotation encoding="application/x-tex">\\vec x</annotation></semantics>')),
    'x',
  );
  assert.equal(inlineMath(math('', 'alttext="\\alpha"')), '\\alpha');
});

test('wrappers that converters add to LaTeX are removed', () => {
  assert.equal(bareLatex('\\documentclass{a}\\begin{document}$$x$$\\end{document}'), 'x');
  assert.equal(bareLatex('\\[ a +%\n b \\]'), 'a + b');
  assert.equal(bareLatex('50\\%\n of'), '50\\% of');
});
