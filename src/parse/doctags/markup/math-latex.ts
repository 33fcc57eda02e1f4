import { visibleText } from './characters.ts';
import { isFunctionName, isLargeOperator, latexAccent, latexSign } from './math-symbols.ts';
import { children, rawText, type MarkupElement } from './node.ts';

/** LaTeX for a tree of presentation MathML. */
export function latexFromMathml(element: MarkupElement): string {
  const parts = children(element);
  const one = (index: number): string => {
    const part = parts[index];
    return part ? latexFromMathml(part) : '';
  };
  switch (element.name) {
    case 'mi':
      return identifier(token(element), element.attributes['mathvariant']);
    case 'mn':
      return token(element);
    case 'mo':
      return operator(token(element));
    case 'mtext':
    case 'ms': {
      const text = visibleText(rawText(element));
      return text.trim() === '' ? (text === '' ? '' : '\\ ') : `\\text{${text}}`;
    }
    case 'mspace':
      return '\\ ';
    case 'mfrac':
      return element.attributes['linethickness'] === '0'
        ? `\\binom{${one(0)}}{${one(1)}}`
        : `\\frac{${one(0)}}{${one(1)}}`;
    case 'msqrt':
      return `\\sqrt{${sequence(parts)}}`;
    case 'mroot':
      return `\\sqrt[${one(1)}]{${one(0)}}`;
    case 'msub':
      return `${base(one(0))}_{${one(1)}}`;
    case 'msup':
      return `${base(one(0))}^{${one(1)}}`;
    case 'msubsup':
      return `${base(one(0))}_{${one(1)}}^{${one(2)}}`;
    case 'munder':
      return isLimit(parts[0]) ? `${one(0)}_{${one(1)}}` : accented(parts, 'underset');
    case 'mover':
      return isLimit(parts[0]) ? `${one(0)}^{${one(1)}}` : accented(parts, 'overset');
    case 'munderover':
      return `${one(0)}_{${one(1)}}^{${one(2)}}`;
    case 'mmultiscripts':
      return multiscripts(parts);
    case 'mfenced':
      return fenced(element, parts);
    case 'mtable':
    case 'matrix':
      return `\\begin{matrix}${parts.map(latexFromMathml).join(' \\\\ ')}\\end{matrix}`;
    case 'mtr':
    case 'mlabeledtr':
      return parts.map(latexFromMathml).join(' & ');
    case 'mphantom':
    case 'annotation':
    case 'annotation-xml':
    case 'none':
    case 'mprescripts':
      return '';
    case 'semantics':
      return one(0);
    default:
      return sequence(parts);
  }
}

function sequence(parts: readonly MarkupElement[]): string {
  let text = '';
  for (const part of parts) text += latexFromMathml(part);
  return text;
}

function token(element: MarkupElement): string {
  return visibleText(rawText(element)).trim();
}

function identifier(name: string, variant: string | undefined): string {
  if (name === '') return '';
  if (Array.from(name).length === 1) {
    const sign = latexSign(name);
    if (variant === 'bold' || variant === 'bold-italic') return `\\mathbf{${sign.trim()}}`;
    if (variant === 'script') return `\\mathcal{${sign.trim()}}`;
    if (variant === 'double-struck') return `\\mathbb{${sign.trim()}}`;
    return sign;
  }
  return isFunctionName(name) ? `\\${name} ` : `\\mathrm{${name}}`;
}

function operator(sign: string): string {
  return isFunctionName(sign) ? `\\${sign} ` : Array.from(sign, latexSign).join('');
}

function base(text: string): string {
  return text === '' ? '{}' : text.length === 1 || /^\\?[A-Za-z]+ ?$/.test(text) ? text : `{${text}}`;
}

function isLimit(element: MarkupElement | undefined): boolean {
  if (!element) return false;
  const sign = token(element);
  return isLargeOperator(sign) || isFunctionName(sign);
}

function accented(parts: readonly MarkupElement[], command: 'overset' | 'underset'): string {
  const [body, mark] = parts;
  if (!body) return '';
  if (!mark) return latexFromMathml(body);
  const accent = latexAccent(token(mark));
  if (accent !== undefined && (command === 'overset' || accent === 'underbrace'))
    return `\\${accent}{${latexFromMathml(body)}}`;
  if (accent === 'bar') return `\\underline{${latexFromMathml(body)}}`;
  return `\\${command}{${latexFromMathml(mark)}}{${latexFromMathml(body)}}`;
}

/** The children are: base, pairs of lower and upper marks behind it, then, after `mprescripts`, pairs before it. */
function multiscripts(parts: readonly MarkupElement[]): string {
  const [body, ...scripts] = parts;
  const split = scripts.findIndex((script) => script.name === 'mprescripts');
  const behind = split === -1 ? scripts : scripts.slice(0, split);
  const before = split === -1 ? [] : scripts.slice(split + 1);
  const marks = (list: readonly MarkupElement[]): string => {
    let text = '';
    for (let index = 0; index < list.length; index += 2) {
      const [lower, upper] = [list[index], list[index + 1]].map((part) => (part ? latexFromMathml(part) : ''));
      if (lower) text += `_{${lower}}`;
      if (upper) text += `^{${upper}}`;
    }
    return text;
  };
  return `${before.length > 0 ? `{}${marks(before)}` : ''}${body ? base(latexFromMathml(body)) : ''}${marks(behind)}`;
}

function fenced(element: MarkupElement, parts: readonly MarkupElement[]): string {
  const open = operator(element.attributes['open'] ?? '(');
  const close = operator(element.attributes['close'] ?? ')');
  const separators = Array.from((element.attributes['separators'] ?? ',').replace(/\s/g, ''));
  let text = '';
  parts.forEach((part, index) => {
    if (index > 0) text += separators[Math.min(index - 1, separators.length - 1)] ?? '';
    text += latexFromMathml(part);
  });
  return `${open}${text}${close}`;
}
