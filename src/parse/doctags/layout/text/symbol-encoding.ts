/** The characters of Adobe's Symbol font from code 33 on; a space where it has none. */
const SYMBOL_FROM = 0x21;
const SYMBOL = Array.from(
  '!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼                                 €ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…  ↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑           ⟩∫',
);

/** TeX's symbols (cmsy) from code 0 on, which typesetting systems took over with other names. */
const TEX_SYMBOLS = Array.from(
  '−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯°•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽̸↦∀∃¬∅ℜℑ⊤⊥ℵABCDEFGHIJKLMNOPQRSTUVWXYZ∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀√∐∇∫⊔⊓⊑⊒§†‡¶♣♦♥♠',
);

/** TeX's mathematical italic (cmmi). */
const TEX_ITALIC = Array.from(
  'ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυφχψωεϑϖϱςϕ↼↽⇀⇁    0123456789.,</>⋆∂ABCDEFGHIJKLMNOPQRSTUVWXYZ♭♮♯⌣⌢ℓabcdefghijklmnopqrstuvwxyzıȷ℘  ',
);

/** TeX's large signs (cmex): delimiters, sums and roots; pieces of them mean nothing alone. */
const TEX_EXTENSION = Array.from(
  '()[]⌊⌋⌈⌉{}⟨⟩|‖/ ()()[]    {}⟨⟩  ()[]    {}                                      ∑∏∫     ∑∏∫                     √√√√            ',
);

/** TeX's roman (cmr) below the letters: Greek capitals, ligatures, accents. */
const TEX_ROMAN = 'Γ Δ Θ Λ Ξ Π Σ Υ Φ Ψ Ω ff fi fl ffi ffl ı ȷ ` ´ ˇ ˘ ¯ ˚ ¸ ß æ œ ø Æ Œ Ø'.split(' ');

/** What one typesetting system (3B2) put above TeX's own 128 symbols, so that text says "p ¼ 0.05" for "p = 0.05". */
const TEX_SYMBOLS_ABOVE: Readonly<Record<string, string>> = {
  '¼': '=',
  þ: '+',
  ð: '(',
  Þ: ')',
  '½': '[',
  '\u008a': ']',
  Š: ']',
};

/** How a font for symbols numbers its glyphs. */
export type SymbolEncoding = 'symbol' | 'tex-symbols' | 'tex-italic' | 'tex-roman' | 'tex-extension';

/** Which numbering a font uses, told by its name; the hexadecimal ones are 3B2's names of TeX's fonts. */
export function symbolEncodingOf(font: string): SymbolEncoding | undefined {
  if (/TeX_CM_Maths_Symbols|AdvP4C4E74$/i.test(font)) return 'tex-symbols';
  if (/TeX_CM_Maths_Italic|AdvP4C4E51$/i.test(font)) return 'tex-italic';
  if (/TeX_CM_Roman|AdvP4C4E59$/i.test(font)) return 'tex-roman';
  if (/TeX_CM_Maths_Extension|AdvP4C4E46$/i.test(font)) return 'tex-extension';
  if (/^(?:Symbol(?:MT|PS|Std|Greek|Neu|Tiger|,|-|$)|AdvPSSym|Adv(?:PS_)?GRT|Euclid ?Symbol)/i.test(font))
    return 'symbol';
  return undefined;
}

/** The character at a code of such a font; undefined where there is none. */
export function symbolAt(encoding: SymbolEncoding, code: number): string | undefined {
  const found = TABLES[encoding][encoding === 'symbol' ? code - SYMBOL_FROM : code];
  return found === undefined || found === ' ' ? undefined : found;
}

const TABLES: Readonly<Record<SymbolEncoding, readonly string[]>> = {
  symbol: SYMBOL,
  'tex-symbols': TEX_SYMBOLS,
  'tex-italic': TEX_ITALIC,
  'tex-roman': TEX_ROMAN,
  'tex-extension': TEX_EXTENSION,
};

/** What a character stands for that the file took from Latin-1 although its font holds symbols at that code. */
export function misreadSymbol(encoding: SymbolEncoding, character: string): string | undefined {
  if (encoding === 'tex-symbols') {
    const above = TEX_SYMBOLS_ABOVE[character];
    if (above !== undefined) return above;
  }
  const code = character.codePointAt(0) ?? 0;
  // Symbol has no Latin letters: one is the code of a Greek letter that the file did not name.
  if (encoding === 'symbol') return /[A-Za-z]/.test(character) ? symbolAt(encoding, code) : undefined;
  return code < 0x80 ? symbolAt(encoding, code) : undefined;
}
