import { oneLine } from './characters.ts';
import { latexFromMathml } from './math-latex.ts';
import { textFromMathml } from './math-text.ts';
import { child, children, findFirst, rawText, type MarkupElement } from './node.ts';

const TEX_ENCODINGS = new Set(['application/x-tex', 'tex', 'latex', 'application/x-latex', 'text/x-tex']);

/** The LaTeX of a `math` element: its author's own where an annotation or `alttext` has it, else built from MathML. */
export function latexOf(math: MarkupElement): string {
  return authorsLatex(math) ?? oneLine(latexFromMathml(math));
}

/** Mathematics of a running text in readable signs (d_k = 64). */
export function inlineMath(math: MarkupElement): string {
  const presentation = presentationOf(math);
  const text = presentation ? oneLine(textFromMathml(presentation)) : '';
  return text === '' ? (authorsLatex(math) ?? '') : text;
}

/** LaTeX without what a converter wrapped around it: a whole document, dollar signs, comments at line ends. */
export function bareLatex(source: string): string {
  let text = source;
  const begin = text.indexOf('\\begin{document}');
  if (begin !== -1) {
    const end = text.indexOf('\\end{document}', begin);
    text = text.slice(begin + '\\begin{document}'.length, end === -1 ? undefined : end);
  }
  // LaTeXML folds long sources with a comment sign at the line end.
  text = text.replace(/(?<!\\)%[ \t]*\r?\n/g, '').trim();
  for (const [open, close] of [
    ['$$', '$$'],
    ['\\[', '\\]'],
    ['\\(', '\\)'],
    ['$', '$'],
  ] as const)
    if (text.startsWith(open) && text.endsWith(close) && text.length >= open.length + close.length) {
      text = text.slice(open.length, -close.length).trim();
      break;
    }
  return oneLine(text);
}

function authorsLatex(math: MarkupElement): string | undefined {
  const annotation = findFirst(
    math,
    (element) =>
      element.name === 'annotation' && TEX_ENCODINGS.has((element.attributes['encoding'] ?? '').toLowerCase()),
  );
  const source = annotation ? rawText(annotation) : math.attributes['alttext'];
  if (source === undefined) return undefined;
  const latex = bareLatex(source);
  return latex === '' ? undefined : latex;
}

function presentationOf(math: MarkupElement): MarkupElement | undefined {
  const semantics = child(math, 'semantics');
  if (!semantics) return math;
  return children(semantics).find((part) => part.name !== 'annotation' && part.name !== 'annotation-xml');
}
