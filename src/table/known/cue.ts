/** Words that count for or against a sentence. */
export type Cue = readonly [pattern: RegExp, points: number];

/** The sum of the points of all cues that a text has. */
export function pointsOf(text: string, cues: readonly Cue[]): number {
  return cues.reduce((sum, [pattern, points]) => (pattern.test(text) ? sum + points : sum), 0);
}
