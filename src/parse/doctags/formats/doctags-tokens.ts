import { isKnownTag } from './vocabulary.ts';

/** A tag of the vocabulary, or the text between two of them. */
export type DoctagsToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string }
  | { readonly kind: 'close'; readonly name: string };

const TAG = /<(\/?)([A-Za-z_][^<>\s/]{0,40})(\/?)>/g;
// Text that looks like a tag is told from one by a character that shows nothing, set behind its bracket.
const GUARD = '\u200B';

/** Cuts DocTags into tags and text. The vocabulary is closed, so any other bracket is text; code is not looked into. */
export function* doctagsTokens(source: string): Generator<DoctagsToken> {
  let from = 0;
  TAG.lastIndex = 0;
  let inCode = false;
  let atCodeStart = false;
  for (let match = TAG.exec(source); match; match = TAG.exec(source)) {
    const [whole, slash, name = ''] = match;
    const isLanguage = atCodeStart && /^_[^<>\s]{1,24}_$/.test(name);
    if (!isLanguage && !isKnownTag(name)) continue;
    if (inCode && !isLanguage && !closesOrServesCode(name, slash === '/', atCodeStart)) continue;
    const between = source.slice(from, match.index);
    if (between !== '') yield { kind: 'text', text: unguard(between) };
    from = match.index + whole.length;
    if (name === 'code') inCode = slash !== '/';
    atCodeStart = inCode && (name === 'code' || name.startsWith('loc_'));
    yield { kind: slash === '/' ? 'close' : 'open', name };
  }
  if (from < source.length) yield { kind: 'text', text: unguard(source.slice(from)) };
}

function closesOrServesCode(name: string, isClosing: boolean, atStart: boolean): boolean {
  if (name === 'code') return isClosing;
  return name === 'caption' || (atStart && name.startsWith('loc_'));
}

/** Text made safe to stand between tags. */
export function guardText(text: string): string {
  if (!text.includes('<')) return text;
  return text.replace(TAG, (whole: string, _slash: string, name: string) =>
    isKnownTag(name) ? `<${GUARD}${whole.slice(1)}` : whole,
  );
}

function unguard(text: string): string {
  return text.includes(`<${GUARD}`) ? text.replaceAll(`<${GUARD}`, '<') : text;
}
