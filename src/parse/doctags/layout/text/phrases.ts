// Words and names in many languages are data, in JSON files beside what reads them: lists of phrases in lower case by
// language. There `[…]` may be left out, and of `(a|b)` or `[a|b]` one is meant: "discussion[s][ and conclusion[s]]" has
// six spellings.

/** Every spelling of the phrases of all languages. */
export function spellings(byLanguage: Readonly<Record<string, readonly string[]>>): ReadonlySet<string> {
  return new Set(Object.values(byLanguage).flat().flatMap(expanded).map(plainPhrase));
}

/** All that a phrase with optional parts may be. */
export function expanded(phrase: string): string[] {
  let at = 0;
  const choices = (end: string): string[] => {
    const done: string[] = [];
    let open = [''];
    for (; at < phrase.length && phrase[at] !== end; at += 1) {
      const sign = phrase[at] ?? '';
      if (sign === '|') {
        done.push(...open);
        open = [''];
      } else if (sign === '[' || sign === '(') {
        at += 1;
        const inner = choices(sign === '[' ? ']' : ')');
        if (sign === '[') inner.push('');
        open = open.flatMap((text) => inner.map((more) => text + more));
      } else open = open.map((text) => text + sign);
    }
    return [...done, ...open];
  };
  return choices('');
}

/** Lower case, single spaces, and none between characters that are written without. */
export function plainPhrase(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/(?<=[\p{Script=Han}\p{Script=Hangul}]) (?=[\p{Script=Han}\p{Script=Hangul}])/gu, '')
    .trim();
}

/**
 * Finds words of all languages in a text, whatever their case. A word is written as it stands between others; `-` before
 * or behind it says that letters may be there: "-universit-" is in "universities", "-center" in "epicenter".
 */
export function wordFinder(byLanguage: Readonly<Record<string, readonly string[]>>): (text: string) => boolean {
  const words = Object.values(byLanguage)
    .flat()
    .map((word) => ({
      text: word.replaceAll(/^-|-$/g, ''),
      isBeginning: !word.startsWith('-'),
      isEnd: !word.endsWith('-'),
    }));
  return (given) => {
    const lower = given.toLowerCase();
    const isAt = (word: (typeof words)[number], at: number): boolean =>
      !(word.isBeginning && isLetter(lower[at - 1])) && !(word.isEnd && isLetter(lower[at + word.text.length]));
    return words.some((word) => {
      for (let at = lower.indexOf(word.text); at >= 0; at = lower.indexOf(word.text, at + 1))
        if (isAt(word, at)) return true;
      return false;
    });
  };
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
