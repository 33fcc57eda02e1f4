// The commonest short words of each language; a text of some length is identified by which of them it uses.
const WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ['the', 'of', 'and', 'to', 'in', 'is', 'that', 'for', 'with', 'are', 'was', 'this', 'by', 'from', 'which'],
  de: ['der', 'die', 'und', 'das', 'ist', 'nicht', 'von', 'den', 'mit', 'für', 'auf', 'eine', 'werden', 'dem', 'sich'],
  fr: ['le', 'la', 'les', 'des', 'et', 'est', 'une', 'dans', 'que', 'pour', 'sur', 'par', 'avec', 'sont', 'qui'],
  es: ['el', 'los', 'las', 'que', 'del', 'una', 'por', 'con', 'para', 'se', 'como', 'es', 'más', 'sus', 'y'],
  pt: ['os', 'que', 'não', 'uma', 'para', 'com', 'dos', 'das', 'por', 'mais', 'são', 'ao', 'pela', 'e', 'do'],
  it: ['il', 'che', 'di', 'della', 'per', 'una', 'con', 'sono', 'dei', 'nel', 'alla', 'gli', 'è', 'delle', 'più'],
  nl: ['het', 'een', 'van', 'en', 'dat', 'voor', 'met', 'zijn', 'niet', 'aan', 'ook', 'door', 'naar', 'werd', 'wordt'],
  sv: ['och', 'att', 'det', 'som', 'för', 'med', 'inte', 'är', 'till', 'ett', 'av', 'den', 'från', 'har', 'kan'],
  pl: ['się', 'nie', 'jest', 'na', 'że', 'do', 'oraz', 'przez', 'dla', 'jak', 'który', 'są', 'przy', 'od', 'tym'],
};

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['ko', /\p{Script=Hangul}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
];

/** The language of a text as a two-letter code, or undefined when it is unknown. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, 60_000);
  const letters = wordsOf(sample).reduce((sum, word) => sum + word.length, 0);
  if (letters < 40) return undefined;
  // In most texts there is next to nothing to count here.
  const foreign = sample.replaceAll(/[\0-\u024f]+/g, '');
  for (const [code, script] of SCRIPTS) if ((foreign.match(script)?.length ?? 0) > 0.3 * letters) return code;
  const counts = new Map<string, number>();
  // Capitals are initials and names: the "E." of an author is no Italian word.
  const all = wordsOf(/\p{Ll}/u.test(sample) ? sample : sample.toLowerCase());
  for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  let best: string | undefined;
  let bestShare = 0.08;
  for (const [code, words] of Object.entries(WORDS)) {
    const share = words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.max(1, all.length);
    if (share > bestShare) {
      best = code;
      bestShare = share;
    }
  }
  return best;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\p{L}+/gu) ?? [];
}
