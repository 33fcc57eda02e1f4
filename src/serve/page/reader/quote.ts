/** A part of a printed line, by character offsets. */
export interface MarkedPart {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Shorter pieces of a quote stand in many places. */
const LEAST_CHARACTERS = 24;
/** What is printed between two parts of a quote may be this long: numbers of lines, a foot note, a caption, a figure. */
const MOST_BETWEEN = 1_500;
/** Within a line only a mark or a number stands between them. */
const MOST_WITHIN = 12;
/** The least run of characters that continues a quote in its line or in the next ones, and where it may begin. */
const [LEAST_NEAR, LEAST_SEED] = [4, 14];
/** This share of a quote is printed where it is found; rows of tables have cells in common. */
const [LEAST_SHARE, LEAST_OF_ROW] = [0.6, 0.85];
/** And this share of the part that is printed. */
const LEAST_DENSE = 0.8;
const CELLS = ' | ';
/** Places where the same words begin that are tried. */
const MOST_PLACES = 8;

/**
 * Where a quote is printed: the parts of the lines that it covers. Spaces, hyphens, ligatures and case do not matter, since
 * a quote is taken from text whose lines were joined; what is printed between its parts, as numbers of lines or the foot of
 * a page, is not marked. Of a quote that continues on another page the part on this one is found.
 */
export function findQuote(lines: readonly string[], quote: string): MarkedPart[] {
  const printed = bare(lines);
  const sought = bare([quote]).text;
  if (sought === '') return [];
  const whole = printed.text.indexOf(sought);
  const runs =
    whole >= 0
      ? [{ from: 0, at: whole, length: sought.length }]
      : runsOf(printed, sought, quote.includes(CELLS) ? LEAST_OF_ROW : LEAST_SHARE);
  const parts = runs.flatMap(({ at, length }) => partsOf(printed.places, at, at + length));
  return withSigns(joinedParts(parts), lines, quote);
}

/** Characters of a quote that are printed one after another. */
interface Run {
  /** Where it begins in the quote. */
  readonly from: number;
  /** Where it begins in what is printed. */
  readonly at: number;
  readonly length: number;
}

/** The runs of a quote that is interrupted, or continues on another page; none if too little of it is here. */
function runsOf(printed: Printed, sought: string, least: number): readonly Run[] {
  if (sought.length < LEAST_CHARACTERS) return [];
  let best: readonly Run[] = [];
  for (let [from, tried] = [0, 0]; from <= sought.length - LEAST_SEED && tried < MOST_PLACES; from += 1) {
    const seed = sought.slice(from, from + LEAST_SEED);
    const before = tried;
    for (let at = printed.text.indexOf(seed); at >= 0 && tried < MOST_PLACES; at = printed.text.indexOf(seed, at + 1)) {
      tried += 1;
      const runs = [...begun(printed, sought, { from, at }), ...continued(printed, sought, { from, at })];
      if (lengthOf(runs) > lengthOf(best)) best = runs;
    }
    // Within a run that was tried nothing else begins.
    if (tried > before) from += LEAST_SEED - 1;
  }
  const [first, last] = [best[0], best.at(-1)];
  if (!first || !last || lengthOf(best) >= least * sought.length) return best;
  if (lengthOf(best) < LEAST_CHARACTERS) return [];
  // A part of it that reaches over the edge of the page, where only the foot or the head of a page may stand.
  const isEndHere = last.from + last.length === sought.length && first.at <= MOST_BETWEEN;
  const isBeginHere = first.from === 0 && printed.text.length - last.at - last.length <= MOST_BETWEEN;
  const covered = lengthOf(best) / (last.from + last.length - first.from);
  return (isEndHere || isBeginHere) && covered >= least ? best : [];
}

function lengthOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { length }) => sum + length, 0);
}

/** Follows a quote from a place on, over what is printed between its parts and over signs that are printed otherwise. */
function continued(printed: Lines, sought: string, begin: Omit<Run, 'length'>): readonly Run[] {
  const runs: Run[] = [];
  for (let next: Omit<Run, 'length'> | undefined = begin; next !== undefined;) {
    const { from, at }: Omit<Run, 'length'> = next;
    let length = 0;
    while (from + length < sought.length && sought[from + length] === printed.text[at + length]) length += 1;
    runs.push({ from, at, length });
    next = nextRun(printed, sought, { from: from + length, at: at + length });
  }
  // Single words of it stand anywhere: a quote continues as far as most of it is printed.
  const covered = runs.map((run, at) => lengthOf(runs.slice(0, at + 1)) / (run.from + run.length - begin.from));
  return runs.slice(0, covered.findLastIndex((share) => share >= LEAST_DENSE) + 1);
}

/** Where a quote continues: in its line, in a line below, or with many characters in any line; signs that are not printed are left out. */
function nextRun({ text, starts }: Lines, sought: string, { from, at }: Omit<Run, 'length'>) {
  for (let next = from; next < sought.length; next += 1) {
    const near = sought.slice(next, next + LEAST_NEAR);
    if (near.length < LEAST_NEAR) return undefined;
    const within = text.slice(at, at + MOST_WITHIN + LEAST_NEAR).indexOf(near);
    if (within >= 0) return { from: next, at: at + within };
    const seed = sought.slice(next, next + LEAST_SEED);
    const long = sought.slice(next, next + LEAST_CHARACTERS);
    const line = starts.find(({ start, end }) => {
      const isBelow = start >= at && start <= at + MOST_BETWEEN;
      if (isBelow && text.startsWith(seed.slice(0, Math.max(LEAST_NEAR, end - start)), start)) return true;
      return long.length === LEAST_CHARACTERS && text.startsWith(long, start);
    });
    if (line) return { from: next, at: line.start };
  }
  return undefined;
}

/** What stands before the place where a quote was found: followed backwards. */
function begun(printed: Printed, sought: string, { from, at }: Omit<Run, 'length'>): readonly Run[] {
  const { text, starts } = printed;
  const back = {
    text: reversed(text),
    starts: starts.map(({ start, end }) => ({ start: text.length - end, end: text.length - start })).toReversed(),
  };
  return continued(back, reversed(sought), { from: sought.length - from, at: text.length - at })
    .map((run) => ({
      from: sought.length - run.from - run.length,
      at: text.length - run.at - run.length,
      length: run.length,
    }))
    .toReversed();
}

function reversed(text: string): string {
  return text.split('').toReversed().join('');
}

type Place = readonly [line: number, at: number];

/** Letters and digits only, each with its place, and where each line begins and ends among them. */
interface Printed extends Lines {
  readonly places: readonly Place[];
}

interface Lines {
  readonly text: string;
  readonly starts: readonly { readonly start: number; readonly end: number }[];
}

function bare(lines: readonly string[]): Printed {
  let text = '';
  const places: Place[] = [];
  const starts: { readonly start: number; readonly end: number }[] = [];
  for (const [line, content] of lines.entries()) {
    const start = text.length;
    for (let at = 0; at < content.length; at += 1) {
      const kept = (content[at] ?? '')
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]/gu, '');
      text += kept;
      for (let count = 0; count < kept.length; count += 1) places.push([line, at]);
    }
    if (text.length > start) starts.push({ start, end: text.length });
  }
  return { text, places, starts };
}

function partsOf(places: readonly Place[], from: number, to: number): MarkedPart[] {
  const lines = Map.groupBy(places.slice(from, to), ([line]) => line);
  return [...lines].map(([line, covered]) => ({
    line,
    start: covered[0]?.[1] ?? 0,
    end: (covered.at(-1)?.[1] ?? 0) + 1,
  }));
}

/** Parts of one line that hardly anything stands between are one. */
const LEAST_GAP = 6;

function joinedParts(parts: readonly MarkedPart[]): MarkedPart[] {
  const joined: MarkedPart[] = [];
  for (const part of parts.toSorted((one, other) => one.line - other.line || one.start - other.start)) {
    const before = joined.at(-1);
    if (before?.line === part.line && part.start - before.end <= LEAST_GAP)
      joined.splice(-1, 1, { ...before, end: Math.max(before.end, part.end) });
    else joined.push(part);
  }
  return joined;
}

/** The signs before the first letter, digit or space. */
function signsBefore(text: string): string {
  return /^[^\p{L}\p{N}\s]*/u.exec(text)?.[0] ?? '';
}

/** A quote begins and ends with its signs: a bracket, a full stop. */
function withSigns(parts: readonly MarkedPart[], lines: readonly string[], quote: string): MarkedPart[] {
  const begins = signsBefore(quote.trim());
  const ends = reversed(signsBefore(reversed(quote.trim())));
  return parts.map((part, at) => {
    const text = lines[part.line] ?? '';
    const end = at === parts.length - 1 && text.startsWith(ends, part.end) ? part.end + ends.length : part.end;
    const isBegun = at === 0 && begins !== '' && text.slice(0, part.start).endsWith(begins);
    return { ...part, start: isBegun ? part.start - begins.length : part.start, end };
  });
}
