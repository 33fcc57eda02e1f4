const LETTER = /\p{L}/u;
const LETTERS = /^\p{L}+$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

// Nearly every text asked about is one character of ASCII, of which the code tells at once.

/** Whether there is a letter in a text. */
export function hasLetter(text: string): boolean {
  return isAscii(text) ? isAsciiLetter(text.charCodeAt(0)) : LETTER.test(text);
}

/** Whether a text is letters only, at least one. */
export function isLetters(text: string): boolean {
  return isAscii(text) ? isAsciiLetter(text.charCodeAt(0)) : LETTERS.test(text);
}

/** Whether there is a letter or a digit in a text. */
export function hasLetterOrDigit(text: string): boolean {
  return isAscii(text) ? isAsciiLetter(text.charCodeAt(0)) || isDigit(text) : LETTER_OR_DIGIT.test(text);
}

/** Whether a text is one digit of ours. */
export function isDigit(text: string): boolean {
  const code = text.charCodeAt(0);
  return text.length === 1 && code >= 0x30 && code <= 0x39;
}

const WIDE = /^[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\u{20000}-\u{323af}]/u;

/** Whether a text begins with a character of Chinese or Japanese, set in a square; words of these have no spaces between them. */
export function isWide(text: string): boolean {
  return (text.codePointAt(0) ?? 0) >= 0x3000 && WIDE.test(text);
}

function isAscii(text: string): boolean {
  return text.length === 1 && text.charCodeAt(0) < 0x80;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}
