import { lettersOf } from '../base/index.ts';
import type { Work } from '../works/index.ts';
import { plainText } from '../works/index.ts';
import type { Reason } from './reasons.ts';

export interface DocumentFacts {
  /** Null for formats without pages. */
  readonly pages: number | null;
  readonly isEncrypted: boolean;
  readonly isReadable: boolean;
  /** The start of its text; empty for scans. */
  readonly text: string;
  /** A close look may find more text. */
  readonly isQuick: boolean;
  /** An article in XML whose body has no text to speak of. */
  readonly isStub?: boolean;
}

/** How much is read: `quick` the first page, `close` three. */
export type Look = 'quick' | 'close';

export type InspectDocument = (
  path: string,
  kind: 'pdf' | 'xml',
  look: Look,
  signal?: AbortSignal,
) => Promise<DocumentFacts>;

/** A preview has one or two pages and says so. */
const PREVIEW_PAGES = 2;
/** How publishers mark a preview; short papers mention previews too. */
const PREVIEW =
  /\bthis is a preview\b|\bpreview of (?:the first page|subscription content|(?:the|this) (?:article|chapter|paper))\b|\blook inside (?:the|this) (?:article|chapter|paper|book)\b|\bfirst pages? (?:only|preview)\b/i;

/** Fewer title words prove nothing, present or absent. */
const FEWEST_WORDS = 3;
/** A text with fewer letters and digits is a scan's: a stamp, a page number. */
const LEAST_TEXT = 200;
/** Share of a title's word pairs that one place must have; a paper on the same subject has them scattered. */
const ENOUGH_PAIRS = 0.6;
/** How many times as long as the title a place is: line numbers and footnote marks may come between. */
const PLACE = 3;
/** With this share the pairs may be anywhere: a catalogue's title may include a footnote. */
const NEARLY_ALL_PAIRS = 0.85;

/** Undefined if a document is the work's full text. With `mustProve` its text must show that it is. */
export async function faultOf(
  work: Work,
  lookAt: (look: Look) => Promise<DocumentFacts>,
  mustProve = false,
): Promise<Reason | undefined> {
  const quick = await lookAt('quick');
  // A quick look never decides that a file is another work's: the title may be behind a cover sheet.
  const facts = quick.isQuick && belongsTo(work, quick.text) !== 'yes' ? await lookAt('close') : quick;
  if (facts.isEncrypted) return 'encrypted';
  if (!facts.isReadable || facts.pages === 0) return 'unreadable';
  if (facts.isStub) return 'wrong-kind';
  if (facts.pages !== null && facts.pages <= PREVIEW_PAGES && PREVIEW.test(quick.text)) return 'preview-only';
  if (facts.pages !== null && facts.pages <= PREVIEW_PAGES && isNotice(facts.text)) return 'soft-404';
  if (isAboutPaper(work, facts.text)) return 'identity-mismatch';
  const verdict = belongsTo(work, facts.text);
  return verdict === 'no' || (mustProve && verdict !== 'yes') ? 'identity-mismatch' : undefined;
}

/** Whether a text contains the work's DOI or title. 'unknown' if the text is a scan or the work has neither. */
export function belongsTo(work: Work, text: string): 'yes' | 'no' | 'unknown' {
  const plain = lettersOf(text);
  if (work.ids.doi !== null && plain.includes(lettersOf(work.ids.doi))) return 'yes';
  const words = work.title === null ? [] : wordsOf(work.title);
  if (words.length > 0 && plain.includes(words.join(''))) {
    // "Memory" is in many papers; an author's name identifies this one.
    return words.length >= FEWEST_WORDS || hasAuthor(work, plain) ? 'yes' : 'unknown';
  }
  // In a very short text absence proves nothing.
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

/** Texts of PDFs that servers send in place of the file. */
const NOTICE =
  /not(?:currently|yet|publicly)?(?:available|accessible|found)|nolongeravailable|unavailable|hasbeen(?:withdrawn|removed)|underembargo|donothaveaccess|accessdenied|subscriptionrequired|nicht(?:mehr)?(?:verfue?gbar|gefunden)|(?:non|plus|noesta)disponible|naoestadisponivel/;

/** In letters and digits; a paper of one page has more. */
const LONGEST_NOTICE = 600;

function isNotice(text: string): boolean {
  const plain = lettersOf(text);
  return plain.length < LONGEST_NOTICE && NOTICE.test(plain);
}

/**
 * How files about a paper begin: supplements and reviews first of all, corrections and comments right before its title.
 */
const BESIDE =
  /^.{0,40}?(?:supplement(?:ary|al)(?:online)?(?:information|materials?|data|appendix|text|methods|figures|files?|notes?)|supportinginformation|peerreview(?:file|reports?))(?!.{0,20}(?:available|canbefound|accompan))/;
const ABOUT =
  /(?:correction|correctionto|correctionfor|erratum|erratumto|corrigendum|corrigendumto|retractionnote|retractionnoteto|commenton|replyto|responseto)$/;

/** Whether it is a supplement, review or correction of the work. */
function isAboutPaper({ title }: Work, text: string): boolean {
  const name = wordsOf(title ?? '').join('');
  // The first line is the title in the file's properties; the page begins after it.
  const page = text.slice(text.indexOf('\n') + 1);
  return [text, page].some((each) => {
    const plain = lettersOf(each.slice(0, 20_000));
    const at = name === '' ? -1 : plain.indexOf(name);
    const before = at === -1 ? plain.slice(0, 80) : plain.slice(0, at);
    return (BESIDE.test(before) && !BESIDE.test(name)) || (at !== -1 && ABOUT.test(before));
  });
}

/** Whether an author's family name, the longest word of a name, is in the text. */
function hasAuthor({ authors }: Work, plain: string): boolean {
  return authors.some((name) => {
    const longest = wordsOf(name).toSorted((a, b) => b.length - a.length)[0] ?? '';
    return longest.length > 2 && plain.includes(longest);
  });
}

function standTogether(pairs: readonly string[], enough: number, plain: string, words: readonly string[]): boolean {
  const { length } = words.join('');
  for (let at = 0; at < plain.length; at += length) {
    const place = plain.slice(at, at + PLACE * length);
    if (pairs.filter((pair) => place.includes(pair)).length >= enough) return true;
  }
  return false;
}

/** Catalogues put tags and entities into titles: `CO<sub>2</sub>`, `R&amp;D`. */
function wordsOf(title: string): string[] {
  return (plainText(title) ?? '')
    .split(/\s+/)
    .map(lettersOf)
    .flatMap((word) => (UNSPACED.test(word) ? (word.match(/.{1,2}/gu) ?? []) : word))
    .filter((word) => word !== '');
}

/** Scripts without spaces: a word is about two characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
