import { isWide } from './letter.ts';

const LINE_END = /(?<!\p{L}\p{M}{0,8})(\p{L}[\p{L}\p{M}]*)[-\u2010\u00ad]$/u;
const LINE_START = /^(\p{Ll}[\p{L}\p{M}]*)/u;

/** Joins lines into one text: with a space, or without when a word was broken at the line's end. */
export function joinTexts(lines: readonly string[], vocabulary: ReadonlySet<string>): string {
  let text = '';
  for (const raw of lines) {
    const line = raw.trim();
    if (line === '') continue;
    text = text === '' ? line : joinTwo(text, line, vocabulary);
  }
  return text;
}

/** Whether a hyphen at the end of a line belongs to the word is decided by the words of the document itself. */
function joinTwo(before: string, after: string, vocabulary: ReadonlySet<string>): string {
  if ('-\u2010\u00ad\u2013\u2014/'.includes(before.at(-1) ?? ' ')) {
    // Only the last word matters, and the text may be long.
    const end = before.slice(-80);
    const head = LINE_END.exec(end)?.[1];
    const tail = LINE_START.exec(after)?.[1];
    if (head !== undefined && tail !== undefined && !keepsHyphen(end, head, tail, vocabulary))
      return before.slice(0, -1) + after;
    // A dash or a slash, or a hyphen before a capital or a number: no space, nothing removed.
    if (/[\p{L}\p{N}.][-\u2010/]$/u.test(end) && /^[\p{L}\p{N}]/u.test(after)) return before + after;
    if (/[\p{L}\p{N}][\u2013\u2014]$/u.test(end)) return before + after;
  }
  // Chinese and Japanese have no spaces between words.
  if (isWide(Array.from(before.slice(-2)).at(-1) ?? '') && isWide(after)) return before + after;
  return `${before} ${after}`;
}

function keepsHyphen(before: string, head: string, tail: string, vocabulary: ReadonlySet<string>): boolean {
  const joined = (head + tail).toLowerCase();
  const hyphenated = `${head}-${tail}`.toLowerCase();
  if (vocabulary.has(joined)) return false;
  if (vocabulary.has(hyphenated)) return true;
  // A chain such as "state-of-the-" keeps its hyphens.
  if (/\p{L}-\p{L}+-$/u.test(before)) return true;
  if (head.length === 1) return true;
  // Two words that the document knows, but not as one: a compound such as "data-driven".
  return head.length > 2 && tail.length > 3 && vocabulary.has(head.toLowerCase()) && vocabulary.has(tail.toLowerCase());
}

/**
 * The words of a document's lines, plain and with inner hyphens. The first word of a line may be the rest of a broken one,
 * and the last its beginning: neither is taken when the line is long enough to do without.
 */
export function collectVocabulary(lines: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const line of lines) {
    const rest = line
      .toLowerCase()
      .trim()
      .replaceAll('\u2010', '-')
      .replace(/^\S+\s/u, '');
    const inner = rest.endsWith('-') ? rest.replace(/(?<!\S)\S+-$/u, '') : rest;
    for (const word of inner.match(/\p{L}[\p{L}\p{M}]*(?:-\p{L}[\p{L}\p{M}]*)*/gu) ?? []) {
      words.add(word);
      if (word.includes('-')) for (const part of word.split('-')) words.add(part);
    }
  }
  return words;
}
