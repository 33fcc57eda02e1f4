import type { Block } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import type { Line } from '../page/line.ts';

/** Between two parts of a byline: a mark of an affiliation, a footnote sign or a digit was there. */
const MARK = '\u2042';
const SIGNS = /[\p{N}∗*†‡§¶‖#⋆✉✝^_{}[\]\ufffd\p{Co}\p{So}]/u;
const SEPARATORS = /[,;·•|&/\u2042]|(?<=[\s\u2042])(?:and|AND|und|et|y|e|by|with)(?=\s)/u;
const NAME_WORD = /^(?:[dlDL][’'])?\p{Lu}[\p{L}\p{M}’'‘`´¨¸˘˜.‐‑-]*$/u;
const PARTICLE =
  /^(?:[Dd](?:e|el|ella|a|as|o|os|i|u)|van|von|der|den|het|[Ll](?:a|e|os)|el|al|bin|ibn|bint|ter|ten|te|zu|af|av|y|e|d[’']|[’']t)$/;
const SUFFIX = /^(?:Jr\.?|Sr\.?|I{2,3}|IV)$/;
const MOST_NAME_WORDS = 9;
/** Words of addresses, dates and imprints: a part with one of them is no name, and neither is what is beside it. */
const NO_NAME =
  /universit|institut|department|laborator|school|college|cent(?:er|re)\b|academy|faculty|hospital|division|\binc\b|\bltd\b|gmbh|corporation|research|street|avenue|p\.o\.|abstract|received|accepted|published|publisher|revised|draft|version|preprint|correspond|e-?mail|@|https?:|www\.|doi\b|conference|journal|licen[sc]e|copyright|rights|editor|article|access|press\b|volume|issue|foundation|society|association|program|ministry|unit\b|clinic|group\b|consortium|collaborat|behalf|keywords?|summary|resum[eo]|background|introduc|objective|\bcite\b|author|orcid|supplement|original|review\b|letter\b|communication|section|china\b|\busa\b|united states|kingdom/i;
/** Degrees and memberships behind a name: short, with two capitals or more ("PhD", "MSc", "M.D.", "FRACP", "RDH"). */
const DEGREE = /^(?:(?:[A-Z][a-z]{0,2}\.?){2,3}|[A-Z]{2,6}(?:-[A-Z]{1,3})?|Dr\.?|Prof\.?|Pharm\.?D\.?|Jr\.?|Sr\.?)$/;
const INITIALS = /^(?:\p{Lu}\.?[\s‐‑-]?){1,3}$/u;
const TITLES = /^(?:(?:Dr|Prof|Mr|Mrs|Ms|Ing|Sir)\.?\s+)+/;

interface Part {
  readonly text: string;
  readonly isMarked: boolean;
}

/** How many paragraphs below the title a byline begins at most, and how many it has. */
const REACH = 14;

/**
 * The authors under a title, as `Given Family`. A paragraph counts only if all of it is names, marks and degrees; what
 * is uncertain is left out. `known` is what the file's own information says, `blocks` is the text: words that it uses in
 * lower case ("lung", "cancer") do not make a name.
 */
export function findByline(drafts: readonly Draft[], known: string, blocks: readonly Block[]): string[] {
  const isWord = vocabulary(blocks);
  const named = drafts.map((draft) => partsOf(draft));
  for (let from = 0; from < Math.min(drafts.length, REACH); from += 1) {
    const first = named[from] ?? [];
    if (first.length === 0 || first.some(({ text }) => NO_NAME.test(text))) continue;
    // A name may be broken between two paragraphs: the longest run that reads as names is taken.
    for (let to = endOfRun(drafts, named, from); to > from; to -= 1) {
      if ((named[to - 1] ?? []).length === 0) continue;
      const parts = joinedParts(drafts.slice(from, to).filter((_, at) => (named[from + at] ?? []).length > 0));
      const names = namesIn(parts, isWord);
      if (!names || !isEvident(names, parts, known)) continue;
      // A name continues behind the last one that can be read: the rest is unknown.
      const [after] = named.slice(to).filter((own) => own.length > 0);
      const goesOn = after?.filter(({ text, isMarked }) => isMarked && isName(text)).length ?? 0;
      if (after && goesOn > after.length / 2 && !hasDegree(after)) return [];
      const more = named.slice(to).flatMap((own) => (hasDegree(own) ? (namesIn(own, isWord) ?? []) : []));
      return [...new Set(givenFirst([...names, ...more]).map(readable))];
    }
    const lead = leadingNames(drafts[from], isWord);
    if (lead) return givenFirst(lead).map(readable);
  }
  // Many files name the first author only.
  const listed = known === '' ? undefined : namesIn(splitParts(known), isWord);
  const page = drafts.map((draft) => draft.lines.map(({ text }) => text).join(' ')).join(' ');
  return listed && listed.length > 1 && listed.every((name) => page.includes(name.split(/\s+/).at(-1) ?? ''))
    ? givenFirst(listed)
    : [];
}

/** Where a byline that begins at `from` ends at the latest: where its names have marks, a paragraph without one is an address. */
function endOfRun(drafts: readonly Draft[], named: readonly (readonly Part[])[], from: number): number {
  let before = '';
  for (let at = from; at < Math.min(drafts.length, from + REACH); at += 1) {
    if ((named[at] ?? []).length === 0) continue;
    const text = (drafts[at]?.lines ?? []).map(lineText).join(' ').trim();
    const isOpen = /(?:[,;|&]|\band)[\s\u2042]*$/u.test(before) || /^(?:[,;|&]|and\b)/u.test(text);
    if (before.includes(MARK) && !text.includes(MARK) && !isOpen) return at;
    before = text;
  }
  return Math.min(drafts.length, from + REACH);
}

/** Names in the first lines of a paragraph that continues with the text, whose first letter is a large initial of its own. */
function leadingNames(draft: Draft | undefined, isWord: (word: string) => boolean): string[] | undefined {
  const lines = draft?.lines ?? [];
  for (let count = Math.min(lines.length - 1, 6); count > 0; count -= 1) {
    if (!/^\p{Ll}/u.test(lines[count]?.text ?? '')) continue;
    const parts = splitParts(lines.slice(0, count).map(lineText).join(' '));
    const names = namesIn(parts, isWord);
    if (names && names.length > (parts.at(-1)?.isMarked ? 1 : 2)) return names;
  }
  return undefined;
}

/** A degree is behind a name: so do names that alternate with addresses show that they are names. */
function hasDegree(parts: readonly Part[]): boolean {
  return parts.some(({ text }, at) => at > 0 && isDegree(text));
}

/** Two names or more stand for each other; a single one needs a mark, a degree, an initial or the file's own word. */
function isEvident(names: readonly string[], parts: readonly Part[], known: string): boolean {
  const [only = ''] = names;
  return (
    names.length > 1 ||
    hasDegree(parts) ||
    parts.some(({ isMarked }) => isMarked) ||
    /(?:^|\s)\p{Lu}\.(?:\s|$)/u.test(only) ||
    (known !== '' && known.includes(only.split(/\s+/).at(-1) ?? only))
  );
}

/** The names, if there is nothing else. */
function namesIn(parts: readonly Part[], isWord: (word: string) => boolean): string[] | undefined {
  if (parts.some(({ text }) => NO_NAME.test(text))) return undefined;
  const names: string[] = [];
  const rest = parts.map(({ text }) => text.replace(TITLES, ''));
  for (let at = 0; at < rest.length; at += 1) {
    const part = rest[at] ?? '';
    const next = rest[at + 1] ?? '';
    // "Smith, J., Jones, K."
    if (/^\p{Lu}[\p{L}\p{M}’'-]*\p{Ll}$/u.test(part) && INITIALS.test(next) && !isDegree(part)) {
      names.push(`${next} ${part}`);
      at += 1;
    } else if (isName(part) && part.length < 60 && !isPlainWords(part, isWord)) names.push(withoutDegree(part));
    else if (!(names.length > 0 && (isDegree(part) || /^\p{L}$/u.test(part)))) return undefined;
  }
  // Either all names have the family name first or none has: otherwise a name is cut off.
  const cut = names.filter((name) => INITIALS.test(name.split(/\s+/).at(-1) ?? '')).length;
  return names.length > 0 && (cut === 0 || cut === names.length) ? names : undefined;
}

/** Two or more capitalised words with particles before the last, and perhaps "Jr." after it. */
function isName(text: string): boolean {
  const words = text.split(/\s+/);
  if (words.length > 2 && SUFFIX.test(words.at(-1) ?? '')) {
    words.pop();
    words.push(words.pop()?.replace(/,$/, '') ?? '');
  }
  if (words.length < 2 || words.length > MOST_NAME_WORDS || !NAME_WORD.test(words.at(-1) ?? '')) return false;
  return words.slice(0, -1).every((word) => NAME_WORD.test(word) || PARTICLE.test(word));
}

function isDegree(text: string): boolean {
  const joined = text.trimEnd().replaceAll(/\b(Ph|Pharm|M)\.?\sD\b/g, '$1D');
  return joined.split(/\s/).every((word) => DEGREE.test(word));
}

function withoutDegree(name: string): string {
  return name.replace(/\s(?:Ph\.?D|M\.?D|MSc|BSc|MPH|M\.?S)\.?$/u, '').trimEnd();
}

/** Whether all words of a part are words of the text: a topic, not a name. */
function isPlainWords(part: string, isWord: (word: string) => boolean): boolean {
  const words = part.split(/[\s-]+/).filter((word) => word.length > 2);
  return words.length > 0 && words.every((word) => isWord(word.toLowerCase()));
}

/** Words that the text uses in lower case. */
function vocabulary(blocks: readonly Block[]): (word: string) => boolean {
  let words: Set<string> | undefined;
  return (word) => {
    words ??= new Set(
      blocks
        .filter(({ kind }) => kind === 'text' || kind === 'list_item')
        .slice(0, 200)
        .flatMap(({ text }) => text.match(/(?<![\p{L}.@/])\p{Ll}{3,}/gu) ?? []),
    );
    return words.has(word);
  };
}

function partsOf(draft: Draft): Part[] {
  const [first] = draft.lines;
  if (!first || (draft.kind !== 'text' && draft.kind !== 'heading')) return [];
  // A mark in front is that of a note or an address; small print from the margin is longer.
  return /^\s*\u2042{1,4}[^\u2042]/.test(lineText(first)) ? [] : joinedParts([draft]);
}

function joinedParts(drafts: readonly Draft[]): Part[] {
  return splitParts(drafts.flatMap(({ lines }) => lines.map(lineText)).join(' '));
}

function splitParts(text: string): Part[] {
  const parts: Part[] = [];
  let rest = text.replaceAll(/\([^()]*\)/g, MARK);
  for (;;) {
    const found = SEPARATORS.exec(rest);
    const end = found?.index ?? rest.length;
    const part = rest.slice(0, end).replaceAll(/\s+/gu, ' ').trim();
    const isMarked = found?.[0] === MARK;
    if (/\p{L}/u.test(part)) parts.push({ text: part, isMarked });
    if (!found) return parts;
    rest = rest.slice(end + found[0].length);
  }
}

/** A line with a sign for everything that is raised or no letter of a name. */
function lineText(line: Line): string {
  let text = '';
  let right: number | undefined;
  for (const glyph of line.glyphs) {
    const isRaised = glyph.size < 0.9 * line.size && line.baseline - glyph.baseline > 0.1 * line.size;
    if (glyph.spaced || (right !== undefined && glyph.left - right > 0.25 * line.size)) text += ' ';
    text += isRaised || SIGNS.test(glyph.text) ? MARK : glyph.text;
    right = glyph.right;
  }
  // The sign of an ORCID is often written "ID" in the text of the file.
  return text.replaceAll(/\p{Cf}+/gu, '').replaceAll(/(?<=\p{Ll})ID(?![\p{L}])/gu, MARK);
}

/** Names with the family name first ("Gruia AT") are turned around where all of a byline are so. */
function givenFirst(names: readonly string[]): string[] {
  const isInitials = (word: string | undefined): boolean =>
    word !== undefined && /^(?:\p{Lu}\.?[-‐]?){1,3}$/u.test(word);
  const areFamilyFirst = names.every((name) => {
    const words = name.split(/\s+/);
    return isInitials(words.at(-1)) && !isInitials(words[0]) && /\p{Ll}/u.test(name);
  });
  if (!areFamilyFirst) return [...names];
  return names.map((name) => {
    const words = name.split(/\s+/);
    return [words.at(-1), ...words.slice(0, -1)].join(' ');
  });
}

/** A name in capitals is written as names are. */
function readable(name: string): string {
  if (/\p{Ll}/u.test(name)) return name;
  return name.replaceAll(/\p{Lu}[\p{Lu}\p{M}]{2,}/gu, (word) => word.slice(0, 1) + word.slice(1).toLowerCase());
}
