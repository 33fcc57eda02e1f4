import type { Work } from '../works/index.ts';

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

/** Looks inside a file that is kept aside: given by whoever has an engine for it. */
export type InspectDocument = (
  path: string,
  kind: 'pdf' | 'jats' | 'tei' | 'html',
  look: 'quick' | 'close',
  signal?: AbortSignal,
) => Promise<DocumentFacts>;

/** A title of fewer words is too common to prove anything, and its absence too. */
const FEWEST_WORDS = 3;
/** Letters and digits below which a text is that of a scan: a stamp, a page number. */
const LEAST_TEXT = 200;
/**
 * Share of a title's neighbouring words that must stand together in the text: line breaks, hyphens and accents cost a few,
 * while a paper on the same subject has the words but not the pairs.
 */
const ENOUGH_PAIRS = 0.6;

/**
 * Whether a text belongs to a work: its DOI or its title stands in it. 'unknown' where neither can be looked for, because
 * the text is a scan or the work has neither.
 */
export function belongsTo(work: Work, text: string): 'yes' | 'no' | 'unknown' {
  const plain = squeeze(text);
  if (work.ids.doi !== null && plain.includes(squeeze(work.ids.doi))) return 'yes';
  const words = work.title === null ? [] : wordsOf(work.title);
  if (words.length > 0 && plain.includes(words.join(''))) return 'yes';
  // What is not there proves nothing where there is next to nothing.
  if (plain.length < LEAST_TEXT) return 'unknown';
  if (words.length === 0) return work.ids.doi === null ? 'unknown' : 'no';
  if (words.length < FEWEST_WORDS) return 'unknown';
  const pairs = words.slice(1).map((word, at) => `${words[at] ?? ''}${word}`);
  return pairs.filter((pair) => plain.includes(pair)).length / pairs.length >= ENOUGH_PAIRS ? 'yes' : 'no';
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
