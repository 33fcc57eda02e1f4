import type { Segment } from './segment.ts';

/** Running heads are set no larger than this share of the text; what is larger is a title. */
export const LARGE = 1.15;
const SAME_PLACE = 3;

/** A piece of a line near the edge of a page. */
interface Headline {
  readonly segment: Segment;
  readonly text: string;
  /** Its letters, with # for every number. */
  readonly key: string;
  readonly head: boolean;
  readonly page: number;
}

/**
 * The title of a slide stands where running heads do, in large type. Where it goes on over several slides ("Results I",
 * "Results II") the first heads the text, and the others only repeat it.
 */
export function keepTitles<T extends Headline>(
  candidates: readonly T[],
  pageCount: number,
  bodySize: number,
  repeated: Set<T>,
): void {
  const large = candidates.filter(({ head, segment, key }) => head && segment.size > LARGE * bodySize && key !== '');
  const titles = Map.groupBy(large, ({ text }) => titleKey(text));
  for (const group of titles.values()) {
    const own = new Set(group.map(({ page }) => page));
    // On every other page: the name of the journal.
    if (own.size < 2 || own.size > 0.4 * pageCount) continue;
    for (const candidate of group) {
      const before = group.some(
        ({ page, segment }) =>
          page === candidate.page - 1 && Math.abs(segment.baseline - candidate.segment.baseline) <= SAME_PLACE,
      );
      if (before) repeated.add(candidate);
      else repeated.delete(candidate);
    }
  }
}

/** A title without what counts its parts: "Results II", "Results (2/3)", "Results (cont.)". */
function titleKey(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s\(?(?:[ivx]{1,5}|\d{1,2}(?:\s?\/\s?[\dn]{1,2})?|cont(?:inued|\.|['’]d)?)\)?$/u, '')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
