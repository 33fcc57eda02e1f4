import type { MarkupElement } from './node.ts';
import { oneLine, visibleText, child, children, findFirst, rawText } from './node.ts';

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

/** Presentation MathML as one readable line: d_k, x^2, (a + b)/c, √(n). */
function textFromMathml(element: MarkupElement): string {
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
  return RELATION_SIGNS.has(sign) ? ` ${sign} ` : sign;
}

function grouped(text: string): string {
  return /^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text.trim()})`;
}

function script(sign: '_' | '^', text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  return /^[-−+]?[\p{L}\p{N}.*′†]*$/u.test(trimmed) ? `${sign}${trimmed}` : `${sign}(${trimmed})`;
}

/** Prescripts are written before the base: _6^14C. */
function multiscripts(parts: readonly MarkupElement[]): string {
  const { body, before, after } = scriptsOf(parts);
  const marks = (list: readonly MarkupElement[]): string =>
    list.map((part, index) => script(index % 2 === 0 ? '_' : '^', textFromMathml(part))).join('');
  return `${marks(before)}${body ? textFromMathml(body) : ''}${marks(after)}`;
}

/** The children of `mmultiscripts`: the base, pairs of lower and upper marks after it, then pairs before it. */
function scriptsOf([body, ...scripts]: readonly MarkupElement[]): {
  body: MarkupElement | undefined;
  before: readonly MarkupElement[];
  after: readonly MarkupElement[];
} {
  const split = scripts.findIndex(({ name }) => name === 'mprescripts');
  if (split === -1) return { body, before: [], after: scripts };
  return { body, before: scripts.slice(split + 1), after: scripts.slice(0, split) };
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

/** LaTeX for a tree of presentation MathML. */
function latexFromMathml(element: MarkupElement): string {
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
      return latexOperator(token(element));
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
      return `\\sqrt{${latexSequence(parts)}}`;
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
      return latexMultiscripts(parts);
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
      return latexSequence(parts);
  }
}

function latexSequence(parts: readonly MarkupElement[]): string {
  return parts.map(latexFromMathml).join('');
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

function accented(parts: readonly MarkupElement[], command: 'overset' | 'underset'): string {
  const [body, mark] = parts;
  if (!body) return '';
  if (!mark) return latexFromMathml(body);
  const accent = ACCENTS.get(token(mark));
  if (accent !== undefined && (command === 'overset' || accent === 'underbrace'))
    return `\\${accent}{${latexFromMathml(body)}}`;
  if (accent === 'bar') return `\\underline{${latexFromMathml(body)}}`;
  return `\\${command}{${latexFromMathml(mark)}}{${latexFromMathml(body)}}`;
}

function latexMultiscripts(parts: readonly MarkupElement[]): string {
  const { body, before, after } = scriptsOf(parts);
  const marks = (list: readonly MarkupElement[]): string =>
    list
      .map((part, index) => [index % 2 === 0 ? '_' : '^', latexFromMathml(part)])
      .map(([sign, latex]) => (latex === '' ? '' : `${sign}{${latex}}`))
      .join('');
  return `${before.length > 0 ? `{}${marks(before)}` : ''}${body ? base(latexFromMathml(body)) : ''}${marks(after)}`;
}

function fenced(element: MarkupElement, parts: readonly MarkupElement[]): string {
  const open = latexOperator(element.attributes['open'] ?? '(');
  const close = latexOperator(element.attributes['close'] ?? ')');
  const separators = Array.from((element.attributes['separators'] ?? ',').replace(/\s/g, ''));
  let text = '';
  parts.forEach((part, index) => {
    if (index > 0) text += separators[Math.min(index - 1, separators.length - 1)] ?? '';
    text += latexFromMathml(part);
  });
  return `${open}${text}${close}`;
}
