import type { TokenBucket } from '../base/index.ts';

/**
 * One token of every bucket, all at the same moment: a token taken long before it is used would let two requests
 * leave together later.
 */
export async function takeAll(buckets: readonly TokenBucket[], signal: AbortSignal | undefined): Promise<void> {
  let [waitFor] = buckets;
  while (waitFor) {
    const first: TokenBucket = waitFor;
    await first.take(1, signal);
    const taken = [first];
    waitFor = undefined;
    for (const bucket of buckets) {
      if (bucket === first) continue;
      if (bucket.consume(1) === 0) taken.push(bucket);
      else waitFor ??= bucket;
    }
    if (waitFor) for (const bucket of taken) bucket.refund(1);
  }
}
