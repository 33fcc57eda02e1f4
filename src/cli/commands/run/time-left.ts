/** How far a run is. */
export interface RunPace {
  readonly elapsedMs: number;
  /** Undefined where nothing is downloaded. */
  readonly works?: {
    readonly ended: number;
    readonly left: number;
    readonly saved: number;
    readonly savedBefore: number;
  };
  /** Documents that the stages have to do where nothing is downloaded. */
  readonly documents: number;
  /** Each stage: documents that are done, those of them that took time, and since when it works. */
  readonly stages: readonly { readonly done: number; readonly worked: number; readonly sinceMs: number }[];
}

/**
 * How long a run may still take; undefined before anybody can tell. Downloads and stages go on at the same time, so the
 * slowest of them decides. Of works that were not tried yet as many will have a file as of the others, and every stage has to
 * do those too.
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
