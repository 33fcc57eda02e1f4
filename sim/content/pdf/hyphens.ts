const VOWELS = /[aeiouyäöüáéíóúàèùâêîôû]/;
// Do not split letters that spell one sound.
const TOGETHER = /^(?:ch|sh|th|ph|ck|gh|wh|qu|st|tr|pr|br|cr|dr|fr|gr|pl|bl|cl|fl|gl)$/;

/** Hyphenation points of a word: before a consonant-vowel pair, at least three letters from either end. */
export function hyphenPoints(word: string): number[] {
  const letters = /^\p{Ll}+(?=[.,;:]?$)/u.exec(word)?.[0];
  if (!letters || letters.length < 7) return [];
  const points: number[] = [];
  for (let index = 3; index <= letters.length - 3; index++) {
    const before = letters.charAt(index - 1);
    const at = letters.charAt(index);
    const after = letters.charAt(index + 1);
    const isOnset = !VOWELS.test(at) && VOWELS.test(after);
    // A silent ending such as "-ned" in "remained" is not a syllable.
    if (/^.e[ds]?$/.test(letters.slice(index))) break;
    if (isOnset && VOWELS.test(letters.slice(0, index)) && !TOGETHER.test(before + at)) points.push(index);
  }
  return points;
}
