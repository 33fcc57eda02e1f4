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
export function latexSign(sign: string): string {
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

/** The LaTeX accent for a sign set over or under something. */
export function latexAccent(sign: string): string | undefined {
  return ACCENTS.get(sign);
}

/** Signs set with space around them: relations and arrows. */
export function isRelation(sign: string): boolean {
  return RELATION_SIGNS.has(sign);
}

/** Sums, integrals and the like, whose limits are written as indices. */
export function isLargeOperator(sign: string): boolean {
  return LARGE_SIGNS.has(sign);
}

/** Names LaTeX has a command for. */
export function isFunctionName(name: string): boolean {
  return FUNCTIONS.has(name);
}
