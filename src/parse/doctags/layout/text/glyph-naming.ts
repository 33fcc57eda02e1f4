import type { Ink } from './letter-shape.ts';
import { misnamedCharacters } from './letter-shape.ts';
import type { Font, Glyph, PageContent } from '../page/page-content.ts';
import { isUnknown } from './glyph-text.ts';
import { isLetters } from './letter.ts';

/** The pages with the right text for glyphs that the file names wrongly or not at all: told by shape, and by the words around. */
export function nameGlyphs(
  pages: readonly PageContent[],
  shapes: ReadonlyMap<Font, ReadonlyMap<string, Ink>>,
): readonly PageContent[] {
  const misnamed = misnamedCharacters(shapes, pages);
  const unknown = nameUnknownGlyphs(pages);
  return pages.map((page) => {
    if (misnamed.size === 0 && unknown.size === 0 && !page.glyphs.some((glyph) => isRing(glyph.text))) return page;
    let { unmapped, renamed } = page;
    const glyphs = page.glyphs.map((glyph, index): Glyph => {
      if (isRing(glyph.text)) return isDegree(page.glyphs, index) ? { ...glyph, text: '°' } : glyph;
      const found = unknown.get(glyph);
      if (found !== undefined && found !== '' && found !== '\ufffd') unmapped -= 1;
      const text = found ?? misnamed.get(glyph.font)?.get(glyph.text);
      if (text !== undefined && text !== '' && text !== '\ufffd') renamed += 1;
      return text === undefined ? glyph : { ...glyph, text };
    });
    return { ...page, glyphs, unmapped, renamed };
  });
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

/**
 * Names glyphs that neither the file nor the font can tell by the words they are in: "speci_c", "_gures" and "de_ned"
 * want "fi". What no word tells becomes U+FFFD inside a word, and nothing elsewhere.
 */
function nameUnknownGlyphs(pages: readonly { readonly glyphs: readonly Glyph[] }[]): Map<Glyph, string> {
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
  for (const ofFont of byGlyph.values())
    for (const { glyphs, words } of ofFont.values()) {
      const ligature = ligatureFor(words);
      glyphs.forEach((glyph, index) => {
        const isInWord = /\p{L}_|_\p{L}/u.test(words[index] ?? '');
        names.set(glyph, ligature ?? (isInWord ? '\ufffd' : ''));
      });
    }
  return names;
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
  return Math.abs(a.baseline - b.baseline) < 0.1 * a.size && Math.abs(b.left - a.right) < 0.12 * a.size && !b.spaced;
}

function ligatureFor(words: readonly string[]): string | undefined {
  const inWords = words.filter((word) => word.length > 2);
  let best: string | undefined;
  let most = 0;
  for (const [ligature, pattern] of Object.entries(LIGATURES)) {
    const right = inWords.filter((word) => pattern.test(ligature === 'Th' ? word : word.toLowerCase())).length;
    if (right > most) {
      best = ligature;
      most = right;
    }
  }
  return most >= Math.max(1, 0.4 * inWords.length) ? best : undefined;
}
