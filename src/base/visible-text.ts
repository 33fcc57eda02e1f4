/** Scripts in which a zero-width joiner or non-joiner changes a word. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u;

/**
 * The text without invisible characters: zero width, direction marks, tags, variation selectors, control characters.
 * Joiners stay where a script needs them.
 */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll(
      /[\p{Default_Ignorable_Code_Point}\p{Cc}\u{FFF9}-\u{FFFB}]/gu,
      (character, at: number, whole: string) => {
        if (character === '\n' || character === '\t') return character;
        const isJoiner = character === '\u200C' || character === '\u200D';
        return isJoiner && JOINED.test(whole[at - 1] ?? '') && JOINED.test(whole[at + 1] ?? '') ? character : '';
      },
    );
}
