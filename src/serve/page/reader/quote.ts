/** A part of a printed line, by character offsets. */
export interface MarkedPart {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Shorter pieces of a quote stand in many places. */
const LEAST_CHARACTERS = 24;

/**
 * Where a quote is printed: the parts of the lines that it covers. Spaces, hyphens, ligatures and case do not matter, since
 * a quote is taken from text whose lines were joined. Of a quote that continues on another page the part on this one is found.
 */
export function findQuote(lines: readonly string[], quote: string): MarkedPart[] {
  const printed = bare(lines);
  const sought = bare([quote]).text;
  if (sought === '') return [];
  const whole = printed.text.indexOf(sought);
  if (whole >= 0) return partsOf(printed.places, whole, whole + sought.length);
  for (let length = sought.length - 1; length >= LEAST_CHARACTERS; length -= 1) {
    const begins = sought.slice(0, length);
    if (printed.text.endsWith(begins))
      return partsOf(printed.places, printed.text.length - length, printed.text.length);
    if (printed.text.startsWith(sought.slice(-length))) return partsOf(printed.places, 0, length);
  }
  const opening = sought.slice(0, Math.max(LEAST_CHARACTERS, sought.length >> 1));
  const at = sought.length < LEAST_CHARACTERS ? -1 : printed.text.indexOf(opening);
  return at < 0 ? [] : partsOf(printed.places, at, at + opening.length);
}

type Place = readonly [line: number, at: number];

/** Letters and digits only, each with its place. */
function bare(lines: readonly string[]): { readonly text: string; readonly places: readonly Place[] } {
  let text = '';
  const places: Place[] = [];
  for (const [line, content] of lines.entries())
    for (let at = 0; at < content.length; at += 1) {
      const kept = (content[at] ?? '')
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]/gu, '');
      text += kept;
      for (let count = 0; count < kept.length; count += 1) places.push([line, at]);
    }
  return { text, places };
}

function partsOf(places: readonly Place[], from: number, to: number): MarkedPart[] {
  const lines = Map.groupBy(places.slice(from, to), ([line]) => line);
  return [...lines].map(([line, covered]) => ({
    line,
    start: covered[0]?.[1] ?? 0,
    end: (covered.at(-1)?.[1] ?? 0) + 1,
  }));
}
