import { visibleText } from './characters.ts';
import { isRelation } from './math-symbols.ts';
import { children, rawText, type MarkupElement } from './node.ts';

/** Presentation MathML as one readable line: d_k, x^2, (a + b)/c, √(n). */
export function textFromMathml(element: MarkupElement): string {
  const parts = children(element);
  const one = (index: number): string => {
    const part = parts[index];
    return part ? textFromMathml(part) : '';
  };
  switch (element.name) {
    case 'mi':
    case 'mn':
      return token(element);
    case 'mo':
    case 'mtext':
    case 'ms':
      return operator(element);
    case 'mspace':
      return ' ';
    case 'mfrac':
      return `${grouped(one(0))}/${grouped(one(1))}`;
    case 'msqrt':
      return `√${grouped(sequence(parts))}`;
    case 'mroot':
      return `${grouped(one(1))}√${grouped(one(0))}`;
    case 'msub':
    case 'munder':
      return `${one(0)}${script('_', one(1))}`;
    case 'msup':
      return `${one(0)}${script('^', one(1))}`;
    case 'mover':
      return over(parts);
    case 'msubsup':
    case 'munderover':
      return `${one(0)}${script('_', one(1))}${script('^', one(2))}`;
    case 'mmultiscripts':
      return multiscripts(parts);
    case 'mtable':
      return parts.map(textFromMathml).join('; ');
    case 'mtr':
    case 'mlabeledtr':
      return parts.map(textFromMathml).join(' ');
    case 'mfenced':
      return `${element.attributes['open'] ?? '('}${parts.map(textFromMathml).join(', ')}${element.attributes['close'] ?? ')'}`;
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

const WORD_END = /(?<!\p{L})\p{L}+$/u;
// Without a space, what follows an index would read as part of it.
const SCRIPT_END = /[_^][\p{L}\p{N}.]+$/u;
const WORD_START = /^\p{L}+/u;

/** Side by side; words are kept apart (sin x), single letters are not (xy). */
function sequence(parts: readonly MarkupElement[]): string {
  let text = '';
  let last = '';
  for (const part of parts) {
    const next = textFromMathml(part);
    if (next === '') continue;
    const before = WORD_END.exec(last)?.[0].length ?? 0;
    const after = WORD_START.exec(next)?.[0].length ?? 0;
    const behindScript = SCRIPT_END.test(last) && /^[\p{L}\p{N}]/u.test(next);
    if (behindScript || (before > 0 && after > 0 && before + after > 2)) text += ' ';
    text += next;
    last = next;
  }
  return text;
}

function token(element: MarkupElement): string {
  return visibleText(rawText(element)).trim();
}

function operator(element: MarkupElement): string {
  const text = visibleText(rawText(element));
  if (element.name !== 'mo') return text;
  const sign = text.trim();
  return isRelation(sign) ? ` ${sign} ` : sign;
}

function grouped(text: string): string {
  return /^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text.trim()})`;
}

function script(sign: '_' | '^', text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  return /^[-−+]?[\p{L}\p{N}.*′†]*$/u.test(trimmed) ? `${sign}${trimmed}` : `${sign}(${trimmed})`;
}

/** Marks in front of the base are written in front of it: _6^14C. */
function multiscripts(parts: readonly MarkupElement[]): string {
  const [body, ...scripts] = parts;
  const split = scripts.findIndex((part) => part.name === 'mprescripts');
  const marks = (list: readonly MarkupElement[]): string =>
    list.map((part, index) => script(index % 2 === 0 ? '_' : '^', textFromMathml(part))).join('');
  const behind = marks(split === -1 ? scripts : scripts.slice(0, split));
  return `${split === -1 ? '' : marks(scripts.slice(split + 1))}${body ? textFromMathml(body) : ''}${behind}`;
}

// A mark over a letter becomes a combining one, so that the letter stays readable.
const COMBINING: Readonly<Record<string, string>> = {
  '^': '\u0302',
  ˆ: '\u0302',
  '~': '\u0303',
  '˜': '\u0303',
  '¯': '\u0304',
  '‾': '\u0304',
  '→': '\u20D7',
  '˙': '\u0307',
  '¨': '\u0308',
};

function over(parts: readonly MarkupElement[]): string {
  const [body, mark] = parts;
  if (!body) return '';
  const text = textFromMathml(body);
  if (!mark) return text;
  const sign = textFromMathml(mark).trim();
  const combining = COMBINING[sign];
  if (combining !== undefined && Array.from(text).length === 1) return `${text}${combining}`.normalize('NFC');
  return combining === undefined ? `${text}${script('^', sign)}` : text;
}
