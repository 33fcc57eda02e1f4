import type { Work } from '../works/index.ts';
import type { Reason } from './reasons.ts';

/** What the inside of a document tells. */
export interface DocumentFacts {
  /** Null where pages mean nothing. */
  readonly pages: number | null;
  readonly isEncrypted: boolean;
  readonly isReadable: boolean;
  /** The beginning of its text; empty for scans. */
  readonly text: string;
  /** A closer look may find text that this one has not. */
  readonly isQuick: boolean;
}

/** How much of a document is read: `quick` the engine's words of the first page, `close` three pages glyph by glyph. */
export type Look = 'quick' | 'close';

/** Looks inside a file that is kept aside: given by whoever has an engine for it. */
export type InspectDocument = (
  path: string,
  kind: 'pdf' | 'jats' | 'tei' | 'html',
  look: Look,
  signal?: AbortSignal,
) => Promise<DocumentFacts>;

/** A look-inside has a page or two and says so. */
const PREVIEW_PAGES = 2;
/** As publishers mark one; papers of two pages speak of previews and of looking inside too. */
const PREVIEW =
  /\bthis is a preview\b|\bpreview of (?:the first page|subscription content|(?:the|this) (?:article|chapter|paper))\b|\blook inside (?:the|this) (?:article|chapter|paper|book)\b|\bfirst pages? (?:only|preview)\b/i;

/** A title of fewer words is too common to prove anything, and its absence too. */
const FEWEST_WORDS = 3;
/** Letters and digits below which a text is that of a scan: a stamp, a page number. */
const LEAST_TEXT = 200;
/**
 * Share of a title's neighbouring words that must stand together in one place of the text: line breaks, hyphens and accents
 * cost a few, while a paper on the same subject has the words but not the pairs, or has them here and there.
 */
const ENOUGH_PAIRS = 0.6;
/** A place is so many times as long as the title: numbers of lines and marks of footnotes may come between. */
const PLACE = 3;
/** So many of them may stand anywhere: a catalogue's title may have a footnote in it, which a page has at its foot. */
const NEARLY_ALL_PAIRS = 0.85;

/**
 * Why a document is not the work's full text, looked at as closely as that needs; undefined when it is. With `mustProve`
 * its text must show that it is: a scan, or a work without a title and a DOI, proves nothing.
 */
export async function faultOf(
  work: Work,
  lookAt: (look: Look) => Promise<DocumentFacts>,
  mustProve = false,
): Promise<Reason | undefined> {
  const quick = await lookAt('quick');
  // Whether a file is another work's is never said after a quick look: fonts that name their letters wrong need a close one.
  const facts = quick.isQuick && belongsTo(work, quick.text) !== 'yes' ? await lookAt('close') : quick;
  if (facts.isEncrypted) return 'encrypted';
  if (!facts.isReadable || facts.pages === 0) return 'unreadable';
  if (facts.pages !== null && facts.pages <= PREVIEW_PAGES && PREVIEW.test(quick.text)) return 'preview-only';
  const verdict = belongsTo(work, facts.text);
  return verdict === 'no' || (mustProve && verdict !== 'yes') ? 'identity-mismatch' : undefined;
}

/**
 * Whether a text belongs to a work: its DOI or its title stands in it. 'unknown' where neither can be looked for, because
 * the text is a scan or the work has neither.
 */
export function belongsTo(work: Work, text: string): 'yes' | 'no' | 'unknown' {
  const plain = squeeze(text);
  if (work.ids.doi !== null && plain.includes(squeeze(work.ids.doi))) return 'yes';
  const words = work.title === null ? [] : wordsOf(work.title);
  if (words.length > 0 && plain.includes(words.join(''))) {
    // "Memory" is in many papers; with the name of an author it is this one.
    return words.length >= FEWEST_WORDS || hasAuthor(work, plain) ? 'yes' : 'unknown';
  }
  // What is not there proves nothing where there is next to nothing.
  if (plain.length < LEAST_TEXT) return 'unknown';
  if (words.length === 0) return work.ids.doi === null ? 'unknown' : 'no';
  if (words.length < FEWEST_WORDS) return 'unknown';
  const pairs = words.slice(1).map((word, at) => `${words[at] ?? ''}${word}`);
  const found = pairs.filter((pair) => plain.includes(pair));
  if (found.length >= NEARLY_ALL_PAIRS * pairs.length) return 'yes';
  return found.length >= ENOUGH_PAIRS * pairs.length && standTogether(found, ENOUGH_PAIRS * pairs.length, plain, words)
    ? 'yes'
    : 'no';
}

/** Whether the family name of an author, the longest word of a name, is in the text. */
function hasAuthor({ authors }: Work, plain: string): boolean {
  return authors.some((name) => {
    const longest = wordsOf(name).toSorted((a, b) => b.length - a.length)[0] ?? '';
    return longest.length > 2 && plain.includes(longest);
  });
}

/** Whether that many of the pairs stand in one place. */
function standTogether(pairs: readonly string[], enough: number, plain: string, words: readonly string[]): boolean {
  const { length } = words.join('');
  for (let at = 0; at < plain.length; at += length) {
    const place = plain.slice(at, at + PLACE * length);
    if (pairs.filter((pair) => place.includes(pair)).length >= enough) return true;
  }
  return false;
}

/** Letters and digits only, in lower case and without accents: what layout and encoding cannot change. */
function squeeze(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function wordsOf(title: string): string[] {
  return title
    .split(/\s+/)
    .map(squeeze)
    .filter((word) => word !== '');
}
