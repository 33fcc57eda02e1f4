/** A work as somebody wrote it down who has no id for it: in fields, or as one line of text. */
export interface CitedWork {
  /** Null where only a line is there, of which nobody has told what its title is. */
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  /** Everything that was written, to search by. */
  readonly text: string;
}

/** Fewer words than this are no title and no reference, but a slip. */
const FEWEST_WORDS = 3;
const LONGEST = 2_000;

/** A line of a list as a work to search for; undefined for what is too short to be one, or an address. */
export function citedLine(text: string): CitedWork | undefined {
  const line = text.trim().slice(0, LONGEST);
  const words = line.match(/\p{L}{2,}/gu) ?? [];
  if (words.length < FEWEST_WORDS || /^https?:\/\//i.test(line)) return undefined;
  return { title: null, authors: [], year: null, text: line };
}
