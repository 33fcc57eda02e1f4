import { visibleText } from '../../../base/index.ts';
import { combiningMark } from '../layout/text/marks.ts';
import type { MarkupElement } from './node.ts';
import { oneLine, child, children, findFirst, rawText, named } from './node.ts';

const TEX_ENCODINGS = new Set(['application/x-tex', 'tex', 'latex', 'application/x-latex', 'text/x-tex']);

/** The LaTeX of a `math` element: its author's own where an annotation or `alttext` has it, else built from MathML. */
export function latexOf(math: MarkupElement): string {
  return authorsLatex(math) ?? oneLine(render(math, LATEX));
}

/** Mathematics of a running text in readable signs (d_k = 64). */
export function inlineMath(math: MarkupElement): string {
  const presentation = presentationOf(math);
  const text = presentation ? oneLine(render(presentation, READABLE)) : '';
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

/** How the parts of presentation MathML are written; they are given as they are written themselves. */
interface Style {
  /** Identifiers, numbers, operators, text and space. */
  leaf(element: MarkupElement): string;
  sequence(parts: readonly string[]): string;
  fraction(above: string, below: string, element: MarkupElement): string;
  root(body: string, degree?: string): string;
  scripts(body: string, lower: string | undefined, upper: string | undefined): string;
  mark(place: '_' | '^', parts: readonly MarkupElement[], shown: readonly string[]): string;
  limits(body: string, lower: string, upper: string): string;
  /** Pairs of lower and upper scripts before and after the body. */
  multiscripts(before: readonly string[], body: string, after: readonly string[]): string;
  table(rows: readonly string[]): string;
  row(cells: readonly string[]): string;
  fenced(parts: readonly string[], attributes: MarkupElement['attributes']): string;
}

function render(element: MarkupElement, style: Style): string {
  const parts = children(element);
  const shown = parts.map((part) => render(part, style));
  const [first = '', second = '', third = ''] = shown;
  switch (element.name) {
    case 'mi':
    case 'mn':
    case 'mo':
    case 'mtext':
    case 'ms':
    case 'mspace':
      return style.leaf(element);
    case 'mfrac':
      return style.fraction(first, second, element);
    case 'msqrt':
      return style.root(style.sequence(shown));
    case 'mroot':
      return style.root(first, second);
    case 'msub':
      return style.scripts(first, second, undefined);
    case 'msup':
      return style.scripts(first, undefined, second);
    case 'msubsup':
      return style.scripts(first, second, third);
    case 'munder':
      return style.mark('_', parts, shown);
    case 'mover':
      return style.mark('^', parts, shown);
    case 'munderover':
      return style.limits(first, second, third);
    case 'mmultiscripts': {
      const split = parts.findIndex(named('mprescripts'));
      const end = split === -1 ? shown.length : split;
      return style.multiscripts(shown.slice(end + 1), first, shown.slice(1, end));
    }
    case 'mtable':
      return style.table(shown);
    case 'mtr':
    case 'mlabeledtr':
      return style.row(shown);
    case 'mfenced':
      return style.fenced(shown, element.attributes);
    case 'mphantom':
    case 'annotation':
    case 'annotation-xml':
    case 'none':
    case 'mprescripts':
      return '';
    case 'semantics':
      return first;
    default:
      return style.sequence(shown);
  }
}

/** One readable line: d_k, x^2, (a + b)/c, √(n). */
const READABLE: Style = {
  leaf(element) {
    if (element.name === 'mspace') return ' ';
    const text = visibleText(rawText(element));
    if (element.name === 'mtext' || element.name === 'ms') return text;
    const sign = text.trim();
    return element.name === 'mo' && RELATION_SIGNS.has(sign) ? ` ${sign} ` : sign;
  },
  sequence,
  fraction: (above, below) => `${grouped(above)}/${grouped(below)}`,
  root: (body, degree = '') => `${degree === '' ? '' : grouped(degree)}√${grouped(body)}`,
  scripts: (body, lower = '', upper = '') => `${body}${script('_', lower)}${script('^', upper)}`,
  mark(place, _parts, [body = '', mark = '']) {
    const sign = mark.trim();
    const combining = place === '^' ? (combiningMark(sign) ?? COMBINING[sign]) : undefined;
    // A mark over a letter becomes a combining one, so that the letter stays readable.
    if (combining !== undefined && Array.from(body).length === 1) return `${body}${combining}`.normalize('NFC');
    return combining === undefined ? `${body}${script(place, mark)}` : body;
  },
  limits: (body, lower, upper) => `${body}${script('_', lower)}${script('^', upper)}`,
  // Prescripts are written before the base: _6^14C.
  multiscripts: (before, body, after) => `${pairsOf(before, script)}${body}${pairsOf(after, script)}`,
  table: (rows) => rows.join('; '),
  row: (cells) => cells.join(' '),
  fenced: (parts, { open = '(', close = ')' }) => `${open}${parts.join(', ')}${close}`,
};

function pairsOf(scripts: readonly string[], write: (sign: '_' | '^', text: string) => string): string {
  return scripts.map((text, index) => write(index % 2 === 0 ? '_' : '^', text)).join('');
}

const WORD_END = /(?<!\p{L})\p{L}+$/u;
// Without a space, what follows an index would read as part of it.
const SCRIPT_END = /[_^][\p{L}\p{N}.]+$/u;
const WORD_START = /^\p{L}+/u;

/** Side by side; words are kept apart (sin x), single letters are not (xy). */
function sequence(parts: readonly string[]): string {
  let text = '';
  let last = '';
  for (const next of parts) {
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

function grouped(text: string): string {
  return /^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text.trim()})`;
}

function script(sign: '_' | '^', text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  return /^[-−+]?[\p{L}\p{N}.*′†]*$/u.test(trimmed) ? `${sign}${trimmed}` : `${sign}(${trimmed})`;
}

/** Marks of formulas that no text sets over a letter. */
const COMBINING: Readonly<Record<string, string>> = { '‾': '\u0304', '→': '\u20D7' };

const GREEK =
  'α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon ϕ phi φ varphi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega';
const RELATIONS =
  '≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ≃ simeq ≅ cong ∝ propto ≪ ll ≫ gg ∈ in ∉ notin ∋ ni ⊂ subset ⊆ subseteq ⊃ supset ⊇ supseteq ≺ prec ≻ succ ⊥ perp ∣ mid ∥ parallel ⊢ vdash ⊨ models ≜ triangleq ≲ lesssim ≳ gtrsim';
const OPERATORS =
  '± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∗ ast ⋆ star ∘ circ • bullet ∪ cup ∩ cap ∖ setminus ∧ wedge ∨ vee ⊕ oplus ⊗ otimes ⊖ ominus ⊙ odot † dagger ‡ ddagger ⊎ uplus ⊔ sqcup ⊓ sqcap ¬ neg';
const LARGE =
  '∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap ⨁ bigoplus ⨂ bigotimes ⋁ bigvee ⋀ bigwedge';
const ARROWS =
  '→ to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow ↓ downarrow ⟶ longrightarrow ⟵ longleftarrow ⟹ Longrightarrow ⟺ Longleftrightarrow ↪ hookrightarrow ⇀ rightharpoonup ↗ nearrow ↘ searrow';
const OTHERS =
  '∞ infty ∂ partial ∇ nabla ∀ forall ∃ exists ∅ emptyset ℓ ell ℏ hbar ℜ Re ℑ Im ℵ aleph … ldots ⋯ cdots ⋮ vdots ⋱ ddots ⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ‖ Vert ∠ angle △ triangle □ square ◇ diamond ′ prime ° circ √ surd';
const DOUBLE = 'ℝ R ℂ C ℕ N ℤ Z ℚ Q ℙ P ℍ H 𝔼 E 𝟙 1';

function pairs(table: string): [string, string][] {
  const words = table.split(' ');
  return words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? ''] as [string, string]] : []));
}

const COMMANDS = new Map([GREEK, RELATIONS, OPERATORS, LARGE, ARROWS, OTHERS].flatMap(pairs));
const BLACKBOARD = new Map(pairs(DOUBLE));
const ACCENTS = new Map(
  pairs(
    '^ hat ˆ hat ~ tilde ˜ tilde ∼ tilde ¯ bar ‾ bar ― bar _ bar → vec ⃗ vec ˙ dot . dot ¨ ddot ˇ check ˘ breve ` grave ´ acute ⏞ overbrace ⏟ underbrace ̂ hat ̃ tilde ̄ bar ̇ dot ̈ ddot',
  ),
);
const RELATION_SIGNS = new Set([
  '=',
  '<',
  '>',
  ':=',
  ...pairs(RELATIONS).map(([sign]) => sign),
  ...pairs(ARROWS).map(([sign]) => sign),
]);
const LARGE_SIGNS = new Set(pairs(LARGE).map(([sign]) => sign));

const FUNCTIONS = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan exp log ln lg det dim ker max min sup inf lim limsup liminf arg deg gcd hom Pr'.split(
    ' ',
  ),
);

/** The LaTeX spelling of a sign, with the space a command needs behind it. */
function latexSign(sign: string): string {
  const command = COMMANDS.get(sign);
  if (command !== undefined) return `\\${command} `;
  const blackboard = BLACKBOARD.get(sign);
  if (blackboard !== undefined) return `\\mathbb{${blackboard}}`;
  if (sign === '{' || sign === '}' || sign === '%' || sign === '#' || sign === '&' || sign === '_' || sign === '$')
    return `\\${sign}`;
  if (sign === '\\') return '\\backslash ';
  if (sign === '−') return '-';
  return sign;
}

const LATEX: Style = {
  leaf(element) {
    const text = visibleText(rawText(element));
    switch (element.name) {
      case 'mi':
        return identifier(text.trim(), element.attributes['mathvariant']);
      case 'mo':
        return latexOperator(text.trim());
      case 'mn':
        return text.trim();
      case 'mspace':
        return '\\ ';
      default:
        return text.trim() === '' ? (text === '' ? '' : '\\ ') : `\\text{${text}}`;
    }
  },
  sequence: (parts) => parts.join(''),
  fraction: (above, below, { attributes }) =>
    `\\${attributes['linethickness'] === '0' ? 'binom' : 'frac'}{${above}}{${below}}`,
  root: (body, degree) => `\\sqrt${degree === undefined ? '' : `[${degree}]`}{${body}}`,
  scripts: (body, lower, upper) =>
    `${base(body)}${lower === undefined ? '' : `_{${lower}}`}${upper === undefined ? '' : `^{${upper}}`}`,
  mark(place, [body, mark], [text = '', sign = '']) {
    if (isLimit(body)) return `${text}${place}{${sign}}`;
    if (!mark) return text;
    const accent = ACCENTS.get(token(mark));
    if (accent !== undefined && (place === '^' || accent === 'underbrace')) return `\\${accent}{${text}}`;
    if (accent === 'bar') return `\\underline{${text}}`;
    return `\\${place === '^' ? 'overset' : 'underset'}{${sign}}{${text}}`;
  },
  limits: (body, lower, upper) => `${body}_{${lower}}^{${upper}}`,
  multiscripts(before, body, after) {
    const write = (sign: string, text: string): string => (text === '' ? '' : `${sign}{${text}}`);
    return `${before.length > 0 ? `{}${pairsOf(before, write)}` : ''}${base(body)}${pairsOf(after, write)}`;
  },
  table: (rows) => `\\begin{matrix}${rows.join(' \\\\ ')}\\end{matrix}`,
  row: (cells) => cells.join(' & '),
  fenced(parts, { open = '(', close = ')', separators = ',' }) {
    const signs = Array.from(separators.replace(/\s/g, ''));
    const inner = parts.map((part, index) => (index === 0 ? part : `${signs[index - 1] ?? signs.at(-1) ?? ''}${part}`));
    return `${latexOperator(open)}${inner.join('')}${latexOperator(close)}`;
  },
};

function identifier(name: string, variant: string | undefined): string {
  if (name === '') return '';
  if (Array.from(name).length === 1) {
    const sign = latexSign(name);
    if (variant === 'bold' || variant === 'bold-italic') return `\\mathbf{${sign.trim()}}`;
    if (variant === 'script') return `\\mathcal{${sign.trim()}}`;
    if (variant === 'double-struck') return `\\mathbb{${sign.trim()}}`;
    return sign;
  }
  return FUNCTIONS.has(name) ? `\\${name} ` : `\\mathrm{${name}}`;
}

function latexOperator(sign: string): string {
  return FUNCTIONS.has(sign) ? `\\${sign} ` : Array.from(sign, latexSign).join('');
}

function base(text: string): string {
  return text === '' ? '{}' : text.length === 1 || /^\\?[A-Za-z]+ ?$/.test(text) ? text : `{${text}}`;
}

function isLimit(element: MarkupElement | undefined): boolean {
  if (!element) return false;
  const sign = token(element);
  return LARGE_SIGNS.has(sign) || FUNCTIONS.has(sign);
}
