import type { Font, Glyph, PageContent } from '../page/page-content.ts';
import { isLetters } from './script.ts';
import { countMore, mostFrequent } from '../statistics.ts';
import { widthOf } from '../page/box.ts';

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

export type SymbolEncoding = 'symbol' | 'tex-symbols' | 'tex-italic' | 'tex-roman' | 'tex-extension';

/** The numbering of a font, by its name; the hexadecimal names are 3B2's for TeX's fonts. */
export function symbolEncodingOf(font: string): SymbolEncoding | undefined {
  if (/TeX_CM_Maths_Symbols|AdvP4C4E74$/i.test(font)) return 'tex-symbols';
  if (/TeX_CM_Maths_Italic|AdvP4C4E51$/i.test(font)) return 'tex-italic';
  if (/TeX_CM_Roman|AdvP4C4E59$/i.test(font)) return 'tex-roman';
  if (/TeX_CM_Maths_Extension|AdvP4C4E46$/i.test(font)) return 'tex-extension';
  if (/^(?:Symbol(?:MT|PS|Std|Greek|Neu|Tiger|,|-|$)|AdvPSSym|Adv(?:PS_)?GRT|Euclid ?Symbol)/i.test(font))
    return 'symbol';
  return undefined;
}

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

/** The symbol of a character that the file took for Latin-1. */
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

export interface GlyphType {
  readonly size: number;
  readonly font: Font;
  /** Shares of the glyphs that are not set in a font for formulas. */
  readonly bold: number;
  readonly italic: number;
  /** Shares of all glyphs. */
  readonly math: number;
  readonly monospaced: number;
}

export function typeOf(glyphs: readonly Glyph[], first: Glyph): GlyphType {
  const bySize = new Map<number, number>();
  const byFont = new Map<Font, number>();
  // Neighbours mostly share size and font: runs are counted together.
  for (let from = 0; from < glyphs.length;) {
    const { size, font } = glyphs[from] as Glyph;
    let end = from + 1;
    while (glyphs[end]?.size === size && glyphs[end]?.font === font) end += 1;
    countMore(bySize, Math.round(size * 10) / 10, end - from);
    countMore(byFont, font, end - from);
    from = end;
  }
  const count = glyphs.length;
  const setIn = (test: (font: Font) => boolean): number =>
    [...byFont].reduce((sum, [font, set]) => sum + (test(font) ? set : 0), 0);
  const math = setIn((font) => font.math);
  const words = Math.max(1, count - math);
  return {
    size: mainSize(bySize, count) ?? first.size,
    font: mostFrequent(byFont) ?? first.font,
    bold: setIn((font) => font.bold && !font.math) / words,
    italic: setIn((font) => font.italic && !font.math) / words,
    math: math / count,
    monospaced: setIn((font) => font.monospaced) / count,
  };
}

/** The largest size that at least a quarter of the glyphs have, else the most frequent. */
function mainSize(bySize: ReadonlyMap<number, number>, count: number): number | undefined {
  const common = [...bySize].filter(([, share]) => share >= 0.25 * count).map(([size]) => size);
  return common.length > 0 ? Math.max(...common) : mostFrequent(bySize);
}

/** Where the ink of a glyph lies around the pen's place on the baseline, in ems, y upwards. */
export interface Ink {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
  /**
   * The sign that its outline shows, if that is not the character it is named; U+FFFD if no sign is known that looks
   * so.
   */
  readonly shows?: string;
}

/** How many glyphs of a font follow each other. */
export interface FontRuns {
  glyphs: number;
  runs: number;
  longest: number;
}

/** The runs of each font on some pages. */
export function fontRuns(glyphs: readonly Glyph[]): Map<Font, FontRuns> {
  const found = new Map<Font, FontRuns>();
  for (let from = 0; from < glyphs.length;) {
    const { font } = glyphs[from] as Glyph;
    let end = from + 1;
    while (glyphs[end]?.font === font) end += 1;
    const own = found.get(font) ?? { glyphs: 0, runs: 0, longest: 0 };
    found.set(font, own);
    own.glyphs += end - from;
    own.runs += 1;
    own.longest = Math.max(own.longest, end - from);
    from = end;
  }
  return found;
}

/** Symbols are alone or in twos; words are longer. */
const USUAL_RUN = 2.5;
const LONGEST_RUN = 6;

/** Whether a font is used as one of signs is: its glyphs are alone among those of others. */
export function isUsedForSigns({ glyphs, runs, longest }: FontRuns): boolean {
  return glyphs <= USUAL_RUN * runs && longest <= LONGEST_RUN;
}

/** How a symbol font is used: what each of its characters is followed by. */
interface Use extends FontRuns {
  readonly characters: Map<string, { count: number; beforeUnit: number }>;
}

/** A font for reading shows more than this many different characters in a paper. */
const MOST_SYMBOLS = 24;
const DESCENT = -0.12;
const X_HEIGHT = 0.56;

const BELOW_THE_LINE = new Set('gjpqyQ,;_$|()[]{}/\\');
const UNIT_START = /^[glLmMsAVWFJNCK]/;

/** µ named "m", a dash named "e": by shape, as no m reaches below the line and no e is a flat bar. */
function misnamedCharacters(
  shapes: ReadonlyMap<Font, ReadonlyMap<string, Ink>>,
  pages: readonly { readonly glyphs: readonly Glyph[] }[],
): Map<Font, ReadonlyMap<string, string>> {
  const suspects = new Map<Font, Use>();
  for (const [font, inks] of shapes)
    if (inks.size <= MOST_SYMBOLS && [...inks].some(([text, ink]) => contradicts(text, ink)))
      suspects.set(font, { characters: new Map(), glyphs: 0, runs: 0, longest: 0 });
  const misnamed = new Map<Font, ReadonlyMap<string, string>>();
  if (suspects.size === 0) return misnamed;
  for (const page of pages) countUses(page.glyphs, suspects);
  for (const [font, use] of suspects) {
    const inks = shapes.get(font);
    if (!inks || !isUsedForSigns(use)) continue;
    const texts = new Map<string, string>();
    for (const [text, ink] of inks) {
      const meant = meaningOf(text, ink, use);
      if (meant !== undefined && meant !== text) texts.set(text, meant);
    }
    if (texts.size > 0) misnamed.set(font, texts);
  }
  return misnamed;
}

function countUses(glyphs: readonly Glyph[], suspects: ReadonlyMap<Font, Use>): void {
  let before: Font | undefined;
  let run = 0;
  glyphs.forEach((glyph, index) => {
    const use = suspects.get(glyph.font);
    run = before === glyph.font ? run + 1 : 1;
    if (use) {
      use.longest = Math.max(use.longest, run);
      const next = glyphs[index + 1];
      const known = use.characters.get(glyph.text) ?? { count: 0, beforeUnit: 0 };
      use.characters.set(glyph.text, known);
      known.count += 1;
      if (next && next.font !== glyph.font && isTouching(glyph, next) && UNIT_START.test(next.text))
        known.beforeUnit += 1;
      use.glyphs += 1;
      if (before !== glyph.font) use.runs += 1;
    }
    before = glyph.font;
  });
}

function isTouching(a: Glyph, b: Glyph): boolean {
  return Math.abs(a.baseline - b.baseline) < 0.1 * a.size && Math.abs(b.left - a.right) < 0.12 * a.size;
}

/** Whether ink lies where the letter that the file names has none, or is missing where it must be. */
function contradicts(text: string, ink: Ink): boolean {
  if (ink.shows !== undefined) return true;
  if (!/^[A-Za-z0-9$\\]$/.test(text)) return false;
  if (isBar(ink) || isDot(ink) || isWave(ink)) return true;
  if (!BELOW_THE_LINE.has(text) && !'fzJ'.includes(text) && ink.bottom < DESCENT) return true;
  return 'pqgy'.includes(text) && ink.bottom > -0.05;
}

function isBar(ink: Ink): boolean {
  return ink.top - ink.bottom < 0.1 && widthOf(ink) > 0.3 && isMiddle(ink);
}

function isDot(ink: Ink): boolean {
  return ink.top - ink.bottom < 0.2 && widthOf(ink) < 0.25 && isMiddle(ink);
}

/** A swung dash. */
function isWave(ink: Ink): boolean {
  return ink.top - ink.bottom >= 0.1 && ink.top - ink.bottom < 0.25 && widthOf(ink) > 0.35 && isMiddle(ink);
}

function isMiddle(ink: Ink): boolean {
  const middle = (ink.top + ink.bottom) / 2;
  return middle > 0.14 && middle < 0.45;
}

function meaningOf(text: string, ink: Ink, use: Use): string | undefined {
  if (!/^[A-Za-z0-9$\\]$/.test(text)) return ink.shows;
  if (isBar(ink)) return '–';
  if (isDot(ink)) return '·';
  if (isWave(ink)) return '~';
  const { count = 0, beforeUnit = 0 } = use.characters.get(text) ?? {};
  const isMuShaped = ink.bottom < DESCENT && ink.top < X_HEIGHT && widthOf(ink) < 0.68;
  if (isMuShaped && (text === 'm' || beforeUnit > 0.5 * count)) return 'μ';
  // Other Greek letters sit where Symbol has them, if the shape agrees.
  const greek = /^[A-Za-z]$/.test(text) ? symbolAt('symbol', text.charCodeAt(0)) : undefined;
  if (ink.shows !== undefined && ink.shows !== '\ufffd') return ink.shows;
  return greek !== undefined && hasShapeOf(greek, ink) ? greek : ink.shows;
}

const GREEK_BELOW = new Set('βγζημξρςφϕχψ');
const GREEK_TALL = new Set('βδζθϑλξφϕψ');

/** Whether the ink fits a small Greek letter; capitals are too ambiguous. */
function hasShapeOf(greek: string, ink: Ink): boolean {
  if (!/^[α-ω]$/u.test(greek)) return false;
  return GREEK_BELOW.has(greek) === ink.bottom < DESCENT && GREEK_TALL.has(greek) === ink.top > X_HEIGHT;
}

/** The pages with corrected text for glyphs that the file names wrongly or not at all, by shape and context. */
export function nameGlyphs(
  pages: readonly PageContent[],
  shapes: ReadonlyMap<Font, ReadonlyMap<string, Ink>>,
): readonly PageContent[] {
  const misnamed = misnamedCharacters(shapes, pages);
  const { names: unknown, texFonts } = nameUnknownGlyphs(pages);
  return pages.map((page) => {
    if (misnamed.size === 0 && unknown.size === 0 && !page.glyphs.some((glyph) => isRing(glyph.text))) return page;
    let { unmapped, renamed } = page;
    const glyphs = page.glyphs.map((glyph, index): Glyph => {
      if (isRing(glyph.text)) return isDegree(page.glyphs, index) ? { ...glyph, text: '°' } : glyph;
      const found = unknown.get(glyph);
      if (found !== undefined && found !== '' && found !== '\ufffd') unmapped -= 1;
      const sign = texFonts.has(glyph.font) ? TEX_SIGNS.get(glyph.text) : undefined;
      const shown = misnamed.get(glyph.font)?.get(glyph.text);
      // What is alone is an ornament, such as the mark of a publisher at the foot of a page.
      const meant = shown === '\ufffd' && !isAmongText(page.glyphs, index) ? '' : shown;
      if (meant === '\ufffd') unmapped += 1;
      const text = found ?? meant ?? sign;
      if (text !== undefined && text !== '' && text !== '\ufffd') renamed += 1;
      return text === undefined ? glyph : { ...glyph, text };
    });
    return { ...page, glyphs, unmapped, renamed };
  });
}

/** How far apart, in ems, words of a line are at most. */
const BESIDE = 3;

/** Whether a glyph has a neighbour on its line that is set in another font. */
function isAmongText(glyphs: readonly Glyph[], index: number): boolean {
  const glyph = glyphs[index];
  return [glyphs[index - 1], glyphs[index + 1]].some(
    (other) =>
      glyph !== undefined &&
      other !== undefined &&
      other.font !== glyph.font &&
      Math.abs(other.baseline - glyph.baseline) < 0.5 * glyph.size &&
      Math.max(other.left - glyph.right, glyph.left - other.right) < BESIDE * glyph.size,
  );
}

function isRing(text: string): boolean {
  return text === '◦' || text === '∘';
}

/** TeX has no degree sign: a raised ring before C, F or after a number is one. */
function isDegree(glyphs: readonly Glyph[], index: number): boolean {
  const [before, ring, after] = [glyphs[index - 1], glyphs[index], glyphs[index + 1]];
  if (!ring) return false;
  const isRaised = (other: Glyph): boolean => {
    const rise = other.baseline - ring.baseline;
    return rise > 0.15 * other.size && rise < 0.6 * other.size && ring.size < 0.9 * other.size;
  };
  if (after && isRaised(after) && /^[CFKNSEW]$/.test(after.text) && after.left - ring.right < 0.4 * after.size)
    return true;
  return (
    before !== undefined && isRaised(before) && /^\d$/.test(before.text) && ring.left - before.right < 0.3 * before.size
  );
}

// What is around a ligature in common words: the letters before it and after it.
const LIGATURES: Readonly<Record<string, RegExp>> = {
  Th: /^_(?:e|is|at|ese|ose|us|en|an|ere|ey|eir|ree|rough|ough|ird|ermal|eor)/,
  ffi: /(?:e_c|su_c|di_c|coe_c|o_c|a_n|gra_t|tra_c)/,
  ffl: /(?:shu_e|ba_e|a_u|mu_e)/,
  ff: /(?:e_[eo]|di_e|di_u|o_$|o_[es]|a_e|su_e|sta_|sti_|co_ee|bu_e|cuto_|e_usi|a_ord|tra_ic)/,
  fi: /(?:_r[sme]|_nd|_el|_gu|de_n|de_c|con_[rdng]|ti_[ce]|si_[ce]|gni_c|gni_e|eci_[ce]|odi_[ce]|uri_[ce]|ro_[lct]|re_n|bene_|_na|_ll|_x|_t|_ve|_lm|_b[er]|_sh|ssi_|arti_|veri_|ampli_|rati_|suf_|ef_c|of_c|dif_c)/,
  fl: /(?:in_[uae]|re_[ue]|_o[wo]|_u[oixc]|_at|_ex|_ig|_y|_o[ra]|_av|con_ic|_as|_ake)/,
  ft: /(?:a_er|shi_|so_|le_$|o_en|dra_|li_|gra_|cra_|ra_)/,
  tt: /(?:a_[eain]|be_e|se_i|ma_e|pa_e|li_l|commi_|sca_e|bu_|cu_i|wri_e|omi_e|mi_e|admi_)/,
  ti: /(?:ac_[vo]|a_o|c_o|_on|_m[e]|mul_|s_c|en_[at]|en_f|ini_|par_c|ar_[cf])/,
  tf: /(?:pla_orm|ou_it|por_olio)/,
  fj: /(?:_ord|ord_)/,
};

interface Holes {
  readonly glyphs: Glyph[];
  readonly words: string[];
}

/** "speci_c" and "_gures" need "fi". Other unknown glyphs become U+FFFD in words, and nothing elsewhere. */
function nameUnknownGlyphs(pages: readonly { readonly glyphs: readonly Glyph[] }[]): {
  readonly names: ReadonlyMap<Glyph, string>;
  readonly texFonts: ReadonlySet<Font>;
} {
  const byGlyph = new Map<Font, Map<string, Holes>>();
  for (const { glyphs } of pages)
    glyphs.forEach((glyph, index) => {
      if (glyph.text === '' || !isUnknown(glyph.text)) return;
      const ofFont = byGlyph.get(glyph.font) ?? new Map<string, Holes>();
      byGlyph.set(glyph.font, ofFont);
      const holes = ofFont.get(glyph.text) ?? { glyphs: [], words: [] };
      ofFont.set(glyph.text, holes);
      holes.glyphs.push(glyph);
      holes.words.push(wordAround(glyphs, index));
    });
  const names = new Map<Glyph, string>();
  const texFonts = new Set<Font>();
  for (const [font, ofFont] of byGlyph) {
    const ligatures = new Map([...ofFont].map(([text, { words }]) => [text, ligatureFor(words)]));
    if ([...ligatures].some(([text, found]) => found !== undefined && found === TEX_LIGATURES.get(text)))
      texFonts.add(font);
    for (const [text, { glyphs, words }] of ofFont) {
      const ligature = ligatures.get(text) ?? (texFonts.has(font) ? TEX_LIGATURES.get(text) : undefined);
      glyphs.forEach((glyph, index) => {
        const isInWord = /\p{L}_|_\p{L}/u.test(words[index] ?? '');
        names.set(glyph, ligature ?? (isInWord ? '\ufffd' : ''));
      });
    }
  }
  return { names, texFonts };
}

/** The letters before and after a glyph without a gap, the glyph itself as a line. */
function wordAround(glyphs: readonly Glyph[], index: number): string {
  const reach = 7;
  let word = '_';
  for (let at = index; at > index - reach; at -= 1) {
    const [before, after] = [glyphs[at - 1], glyphs[at]];
    if (!before || !after || !isJoined(before, after) || !isLetters(before.text)) break;
    word = before.text + word;
  }
  for (let at = index; at < index + reach; at += 1) {
    const [before, after] = [glyphs[at], glyphs[at + 1]];
    if (!before || !after || !isJoined(before, after) || !isLetters(after.text)) break;
    word += after.text;
  }
  return word;
}

function isJoined(a: Glyph, b: Glyph): boolean {
  return isTouching(a, b) && !b.spaced;
}

function ligatureFor(words: readonly string[]): string | undefined {
  const inWords = words.filter((word) => word.length > 2);
  const fits = new Map(
    Object.entries(LIGATURES).map(([ligature, pattern]) => {
      const right = inWords.filter((word) => pattern.test(ligature === 'Th' ? word : word.toLowerCase()));
      return [ligature, right.length];
    }),
  );
  const best = mostFrequent(fits) ?? '';
  return (fits.get(best) ?? 0) >= Math.max(1, 0.4 * inWords.length) ? best : undefined;
}

/**
 * Glyphs of unknown meaning are distinguished by characters from here on, until the words around them have been read.
 */
const FIRST_UNKNOWN = 0x100000;

export function unknownText(code: number): string {
  return String.fromCodePoint(FIRST_UNKNOWN + (code & 0xffff));
}

export function isUnknown(text: string): boolean {
  return (text.codePointAt(0) ?? 0) >= FIRST_UNKNOWN;
}

/**
 * What TeX's text fonts have at codes where other fonts have no letter, or another sign. Bitmap fonts have no names.
 */
const TEX_LIGATURES: ReadonlyMap<string, string> = new Map(
  ['ff', 'fi', 'fl', 'ffi', 'ffl'].map((text, index) => [unknownText(11 + index), text]),
);
const TEX_SIGNS: ReadonlyMap<string, string> = new Map([
  ['{', '–'],
  ['|', '—'],
  ['\\', '“'],
  ['"', '”'],
  ["'", '’'],
  ['`', '‘'],
]);
