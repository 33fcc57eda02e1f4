import { Feed } from './feed.ts';
import { decide } from './resume.ts';
import type { PlanBucket, StageOptions, StagePlan } from '../types.ts';

const EXAMPLES = 3;

/** What a run would do, by action and reason; nothing is executed and nothing written. */
export async function planStage(
  plan: StagePlan,
  options: StageOptions,
  now: number,
  signal: AbortSignal,
): Promise<readonly PlanBucket[]> {
  const buckets = new Map<
    string,
    { action: 'run' | 'skip'; reason: string; items: number; cost: number; examples: string[] }
  >();
  const feed = new Feed(plan, options, { signal });
  for (;;) {
    signal.throwIfAborted();
    const pulled = await feed.pull(1_000);
    if (pulled === 'end') break;
    for (const { item } of pulled) {
      const verdict = await decide(item, options, { verifyHash: options.verifyHash, now });
      const action = verdict.kind === 'run' ? 'run' : 'skip';
      const reason = verdict.kind === 'run' ? verdict.reason : 'resume-satisfied';
      const bucket = buckets.get(reason) ?? { action, reason, items: 0, cost: 0, examples: [] };
      buckets.set(reason, bucket);
      bucket.items += 1;
      bucket.cost += item.costHint;
      if (bucket.examples.length < EXAMPLES) bucket.examples.push(item.itemId);
      if (feed.source) await feed.source.settle(item, { kind: 'unfinished' });
    }
  }
  return [...buckets.values()].sort((a, b) =>
    a.action === b.action ? b.items - a.items : a.action === 'run' ? -1 : 1,
  );
}
