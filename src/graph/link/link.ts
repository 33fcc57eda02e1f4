import type { CitedWork } from './cited-work.ts';
import type { Agreement } from './compare.ts';
import { compare } from './compare.ts';
import type { PrintedReference } from './printed-reference.ts';

/** Raised when the same reference and works begin to give another answer. */
export const LINK_VERSION = 3;

/** A work that a reference was found to mean. */
export interface Link<T> {
  readonly work: T;
  /** 0 to 1: how far the points agree. */
  readonly score: number;
  readonly agreement: Agreement;
}

/** Which of the works a printed reference means; undefined when none agrees well enough, or two agree equally. */
export function linkReference<T>(
  reference: PrintedReference,
  candidates: Iterable<readonly [T, CitedWork]>,
): Link<T> | undefined {
  let best: Link<T> | undefined;
  let tied = false;
  for (const [work, known] of candidates) {
    const agreement = compare(reference, known);
    const score = judge(agreement, known);
    if (score === 0) continue;
    if (best && Math.abs(score - best.score) < 0.005) tied = true;
    else if (!best || score > best.score) {
      best = { work, score, agreement };
      tied = false;
    }
  }
  return tied ? undefined : best;
}

/** Title letters below which a title alone tells little: "Reply", "Introduction", "Editorial comment". */
const TELLING_TITLE = 22;
/** A share of equal letters that misprints leave over; another title of the same authors has less. */
const SAME_TITLE = 0.9;

/** An author or two that the record leaves out, and no title. */
const UNTITLED_WORDS = 2;

/** 0 when the reference does not mean the work, else how sure that is. */
function judge(agreement: Agreement, work: CitedWork): number {
  const { title = 0, firstAuthor, authors, year, source, volume, page } = agreement;
  if (year === 'other') return 0;
  const places = (volume === true ? 1 : 0) + (page === true ? 1 : 0);
  const against =
    (volume === false ? 1 : 0) + (page === false ? 1 : 0) + (year === 'near' ? 0.5 : 0) + (source === false ? 0.5 : 0);
  if (title >= SAME_TITLE) {
    const telling = (work.title ?? '').length >= TELLING_TITLE;
    if (!firstAuthor && authors < 0.5 && !(places === 2 && source === true)) return 0;
    if (agreement.titleIsPart && places < 2) return 0;
    if (!telling && places === 0) return 0;
    // The second part of a series has nearly the title of the first, and other pages.
    if (title < 1 && page === false) return 0;
    if (title < 0.97 && places === 0 && !(firstAuthor && year === 'same')) return 0;
    return clamp(
      0.6 +
        0.1 * title +
        0.05 * (firstAuthor ? 1 : 0) +
        0.08 * places +
        0.05 * (source === true ? 1 : 0) -
        0.06 * against,
    );
  }
  // Without a title the place in the journal tells, together with who wrote it.
  const sure = clamp(0.6 + 0.15 * authors + 0.05 * places + (source === true ? 0.1 : 0) - 0.06 * against);
  if (places === 2)
    return (firstAuthor && (source !== false || authors >= 0.4)) || (authors >= 0.6 && source === true) ? sure : 0;
  // A record that has no page, or another one (an article number, the first page of its PDF): all else has to agree.
  const team = authors >= 0.7 && work.authors.length > 1 && agreement.unexplained <= UNTITLED_WORDS;
  return firstAuthor && team && year === 'same' && source === true && volume !== false && page !== true ? sure : 0;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0.01, value));
}
