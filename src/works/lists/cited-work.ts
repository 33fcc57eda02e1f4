/** A work without an id, described by fields or by one line of text. */
export interface CitedWork {
  /** Null if there is only a line whose title is not known. */
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  /** The whole text, to search by. */
  readonly text: string;
}

/** Fewer words are neither a title nor a reference. */
const FEWEST_WORDS = 3;
const LONGEST = 2_000;

/** A line of a list as a work to search for; undefined if it is too short or a URL. */
export function citedLine(text: string): CitedWork | undefined {
  const line = text.trim().slice(0, LONGEST);
  const words = line.match(/\p{L}{2,}/gu) ?? [];
  if (words.length < FEWEST_WORDS || /^https?:\/\//i.test(line)) return undefined;
  return { title: null, authors: [], year: null, text: line };
}
