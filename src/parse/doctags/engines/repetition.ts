const LONGEST_PERIOD = 400;
const MOST_REPEATS = 12;

/**
 * Cuts an endless repetition off the end of generated text: language models that lose the thread print the same
 * cell, row or sentence until their budget is spent. One copy is kept. Undefined when there is no such tail.
 */
export function cutRepetition(text: string): string | undefined {
  for (let period = 1; period <= Math.min(LONGEST_PERIOD, Math.floor(text.length / MOST_REPEATS)); period += 1) {
    const unit = text.slice(-period);
    if (unit.trim() === '') continue;
    let repeats = 1;
    let at = text.length - period;
    while (at >= period && text.startsWith(unit, at - period)) {
      at -= period;
      repeats += 1;
    }
    // A single letter or a short token may well stand a few times in a row; the run must be long to be a fault.
    if (repeats >= MOST_REPEATS && repeats * period >= 200) return text.slice(0, at + period);
  }
  return undefined;
}
