/** A stretch of a text, by character offsets. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

const END = /[.!?]["”’')\]]*(?:(?<!\d\.)\d{1,3}(?:[,–-]\d{1,3})*)?\s+(?=["“‘'([]?[\p{Lu}\d])/gu;
/** What ends in a full stop and ends no sentence. */
const NO_END =
  /(?:\b(?:et al|e\.g|i\.e|cf|vs|ca|approx|resp|no|nos|fig|figs|eq|eqs|ref|refs|tab|sect|vol|pp?|ed|eds|dr|mr|mrs|prof|st|inc|ltd|co|corp|sp|spp|var|subsp|viz|al)|\b\p{L})\.["”’')\]]*\s+$/iu;
/** Longer than this is no sentence: a place in it is shown with what stands around it. */
const LONGEST = 1_200;

/** The sentences of a text; they tile it, without the spaces between them. */
export function sentencesOf(text: string): Stretch[] {
  const found: Stretch[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (NO_END.test(text.slice(Math.max(0, end - 14), end))) continue;
    push(found, text, start, end);
    start = end;
  }
  push(found, text, start, text.length);
  return found;
}

function push(found: Stretch[], text: string, start: number, end: number): void {
  const part = text.slice(start, end);
  const from = start + (part.length - part.trimStart().length);
  const to = from + part.trim().length;
  for (let at = from; at < to; at += LONGEST) found.push({ start: at, end: Math.min(to, at + LONGEST) });
}
