const VOWELS = /[aeiouyäöüáéíóúàèùâêîôû]/;
// Letters that one sound is spelt with are not torn apart.
const TOGETHER = /^(?:ch|sh|th|ph|ck|gh|wh|qu|st|tr|pr|br|cr|dr|fr|gr|pl|bl|cl|fl|gl)$/;

/** Where a word may be divided at the end of a line: before a consonant and its vowel, at least three letters from either end. */
export function hyphenPoints(word: string): number[] {
  const letters = /^\p{Ll}+(?=[.,;:]?$)/u.exec(word)?.[0];
  if (!letters || letters.length < 7) return [];
  const points: number[] = [];
  for (let index = 3; index <= letters.length - 3; index++) {
    const before = letters.charAt(index - 1);
    const at = letters.charAt(index);
    const after = letters.charAt(index + 1);
    const isOnset = !VOWELS.test(at) && VOWELS.test(after);
    // "remai-ned": an ending that is not spoken makes no syllable of its own.
    if (/^.e[ds]?$/.test(letters.slice(index))) break;
    if (isOnset && VOWELS.test(letters.slice(0, index)) && !TOGETHER.test(before + at)) points.push(index);
  }
  return points;
}
