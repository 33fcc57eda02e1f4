/** Progress of a run. */
export interface RunPace {
  readonly elapsedMs: number;
  /** Undefined if nothing is downloaded. */
  readonly works?: {
    readonly ended: number;
    readonly left: number;
    readonly saved: number;
    readonly savedBefore: number;
  };
  /** Number of documents if nothing is downloaded. */
  readonly documents: number;
  /** For each stage: finished documents, how many of them were processed in this run, and for how long it has run. */
  readonly stages: readonly { readonly done: number; readonly worked: number; readonly sinceMs: number }[];
}

/**
 * Estimated time left; undefined while unknown. Downloads and stages run concurrently, so the slowest determines it. The
 * share of works with a file is assumed to stay the same for works not tried yet.
 */
export function timeLeftMs({ elapsedMs, works, documents, stages }: RunPace): number | undefined {
  if (works && works.left > 0 && works.ended === 0) return undefined;
  const share = works && works.ended > 0 ? works.saved / works.ended : 0;
  const expected = works ? works.savedBefore + works.saved + Math.round(works.left * share) : documents;
  const downloading = works && works.left > 0 ? (works.left / works.ended) * elapsedMs : 0;
  const times = stages.map(({ done, worked, sinceMs }) => {
    const left = Math.max(0, expected - done);
    if (left === 0) return 0;
    return worked === 0 ? undefined : (left / worked) * sinceMs;
  });
  if (times.includes(undefined) || (stages.length === 0 && expected > 0)) return undefined;
  return Math.max(downloading, ...times.map((time) => time ?? 0));
}
