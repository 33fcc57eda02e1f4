/** Letters that no decomposition turns into plain ones, and how they are written without their mark. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
};

/** Most text has nothing to be folded but capitals. */
const PLAIN = /^[\u0020-\u007e]*$/;
const MARKS = /\p{M}+/gu;
const OTHERS = /[^\p{L}\p{N}]+/gu;

/** Text in lower case without accents, ligatures and other forms of one letter. */
export function foldCase(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþıħ]/g, (letter) => FOLDED[letter] ?? letter);
}

/**
 * The letters and digits of a text alone. Two prints of one line differ in spaces, hyphens, quotes and accents, seldom
 * in letters.
 */
export function lettersOf(text: string): string {
  return foldCase(text).replace(OTHERS, '');
}

/** The letters and digits of a text, and where in the text each of them stands. */
export function lettersWithPlaces(text: string): { readonly letters: string; readonly places: Int32Array } {
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const folded = lettersOf(character);
    if (folded !== '') {
      parts.push(folded);
      for (let each = 0; each < folded.length; each += 1) places.push(at);
    }
    at += character.length;
  }
  return { letters: parts.join(''), places: Int32Array.from(places) };
}
