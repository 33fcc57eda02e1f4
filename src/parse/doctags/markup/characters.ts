// C0 and C1 controls, soft hyphen, zero-width space, bidi marks and overrides, invisible operators, byte order
// marks, and the tag characters that can hide text from a reader. Joiners (200C, 200D) spell words and stay.
const INVISIBLE =
  /[[\p{Cc}--[\t\n\v\f\r\u0085]]\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF\u{E0000}-\u{E007F}]/v;
const INVISIBLE_ALL = new RegExp(INVISIBLE.source, 'gv');

/** Text without characters that show nothing, and without halves of a pair, so that it is valid wherever it goes. */
export function visibleText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return INVISIBLE.test(whole) ? whole.replace(INVISIBLE_ALL, '') : whole;
}

/** One line: every run of white space is one space, none at the ends. */
export function oneLine(text: string): string {
  return visibleText(text)
    .replace(/[\s\u0085]+/g, ' ')
    .trim();
}

// A letter alone is an exponent or the mark of a note; several are a word (1st, nth) and stay readable.
const RAISED_LETTERS = byCharacter('abcdefghijklmoprstuvwxyz', 'ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ');
const SUPERSCRIPTS = byCharacter('0123456789+-−–=()in', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁱⁿ');

function byCharacter(plain: string, raised: string): ReadonlyMap<string, string> {
  return new Map(Array.from(plain, (character, index) => [character, raised[index] ?? '']));
}

/** An exponent or mark in Unicode superscripts (10⁷, m⁻¹, nᵃ); undefined when it has no such form. */
export function superscript(text: string): string | undefined {
  const letter = RAISED_LETTERS.get(text);
  if (letter !== undefined) return letter;
  let raised = '';
  for (const character of text) {
    const one = SUPERSCRIPTS.get(character);
    if (one === undefined) return undefined;
    raised += one;
  }
  return raised === '' ? undefined : raised;
}

/** Program text: lines and indentation stay, blank lines at both ends and characters that show nothing go. */
export function rawCode(text: string): string {
  return dedent(
    visibleText(text)
      .replace(/\r\n?/g, '\n')
      .replace(/\u00A0/g, ' ')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd(),
  );
}

/** Indentation that every line shares belongs to the file around the code. */
function dedent(text: string): string {
  const lines = text.split('\n');
  const shared = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  return shared > 0 && Number.isFinite(shared) ? lines.map((line) => line.slice(shared)).join('\n') : text;
}
