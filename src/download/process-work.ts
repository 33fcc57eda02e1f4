import type { Finding, Resolver, ResolveContext } from '../resolve/index.ts';
import { completeWork, findPlans } from '../resolve/index.ts';
import type { Work } from '../works/index.ts';
import type { Attempt, WorkOutcome, WorkResult } from './outcome.ts';
import { isBroken } from './reasons.ts';
import type { SameWork, SameWorks } from './same-works.ts';
import type { TryOptions } from './try-plan.ts';
import { PlanTrier } from './try-plan.ts';

export interface ProcessOptions extends TryOptions {
  readonly resolvers: readonly Resolver[];
  readonly resolve: Omit<ResolveContext, 'attempted' | 'signal'>;
  readonly retracted: 'keep' | 'skip';
  readonly sameWorks: SameWorks;
  /** The resolver likely to have it, as given when enqueued. */
  readonly hint?: string | null;
}

/** Tries plans, resolver by resolver, until one yields the full text. */
export async function processWork(listed: Work, options: ProcessOptions): Promise<WorkResult> {
  const { clock, signal } = options;
  const startedAt = clock.now();
  const tried = new Map<string, string>();
  const asked: string[] = [];
  const context = { ...options.resolve, attempted: tried, asked: (name: string) => void asked.push(name), signal };
  // Files are recognised by title and DOI, so these are looked up before anything is fetched.
  const { work, findings } = await completeWork(listed, context);
  const attempts: Attempt[] = [];
  const problems: { readonly resolver: string; readonly message: string }[] = [];
  const moments: number[] = [];
  const lookupMoments: number[] = [];
  let failedLookups = 0;
  const note = (finding: Finding): void => {
    if (finding.kind !== 'problem') return;
    problems.push({ resolver: finding.resolver, message: finding.message });
    if (!finding.wantsKey && !finding.hasAnswered) failedLookups += 1;
    if (finding.at !== null) lookupMoments.push(finding.at);
  };
  const end = (outcome: WorkOutcome): WorkResult => ({
    work,
    outcome,
    asked,
    attempts,
    problems,
    startedAt,
    endedAt: clock.now(),
  });

  // The lookups have found the work's ids: if another work has them, it is a duplicate and nothing is fetched.
  const same = options.sameWorks.claim(work);
  if (same) return end(duplicateOf(same));
  if (work.isRetracted && options.retracted === 'skip')
    return end({ kind: 'skipped', reason: 'retracted', detail: null });
  const trier = new PlanTrier(work, options, tried);
  for (const finding of findings) note(finding);
  const isHinted = ({ name }: Resolver): number => Number(name === options.hint);
  const resolvers = options.resolvers.toSorted((a, b) => isHinted(b) - isHinted(a));
  for await (const finding of findPlans(work, resolvers, context)) {
    signal.throwIfAborted();
    if (finding.kind === 'problem') {
      note(finding);
      continue;
    }
    const { plan } = finding;
    if (trier.isSpent) {
      failedLookups += 1;
      problems.push({
        resolver: plan.resolver,
        message: `not tried: ${Math.round(options.budgetMs / 1000)} s were spent on others`,
      });
      break;
    }
    if ((plan.expect === 'pdf' || plan.expect === 'xml' || plan.expect === 'html') && !options.accept.has(plan.expect))
      continue;
    const trial = await trier.try(plan);
    attempts.push(trial.attempt);
    if (trial.artifact !== null) return end({ kind: 'saved', artifact: trial.artifact, attempt: trial.attempt });
    if (trial.retryAt !== null) moments.push(trial.retryAt);
  }
  return end(lossOf(attempts, { moments, lookupMoments }, { problems, failedLookups }));
}

export function duplicateOf({ id, evidence }: SameWork): WorkOutcome {
  return { kind: 'skipped', reason: 'duplicate', detail: `the same work as ${id}: ${evidence}`, duplicateOf: id };
}

/**
 * Why a work was not obtained: parked if a later time may change that, failed if something broke, skipped if it is
 * unavailable. The reason is that of the last decisive URL.
 */
function lossOf(
  attempts: readonly Attempt[],
  { moments, lookupMoments }: { readonly moments: readonly number[]; readonly lookupMoments: readonly number[] },
  { problems, failedLookups }: Pick<WorkResult, 'problems'> & { readonly failedLookups: number },
): WorkOutcome {
  const reasons = [...problems.map(({ resolver, message }) => `${resolver} ${message}`), ...attempts.map(inWords)];
  const detail = reasons.length === 0 ? null : reasons.join(', ');
  if (moments.length > 0) {
    const isPaused = attempts.some(({ reason }) => reason === 'host-paused');
    return { kind: 'parked', reason: isPaused ? 'host-paused' : 'rate-limited', at: Math.min(...moments), detail };
  }
  // A service that is down until a stated time may know a copy: the work waits for it.
  if (lookupMoments.length > 0)
    return { kind: 'parked', reason: 'lookup-failed', at: Math.min(...lookupMoments), detail };
  // The one reason that another day may change and an operator can act on.
  const givenUp = attempts.find(({ reason }) => reason === 'host-given-up');
  if (givenUp) return { kind: 'failed', reason: 'host-given-up', detail: givenUp.detail };
  const broken = attempts.findLast(({ reason }) => isBroken(reason));
  if (broken) return { kind: 'failed', reason: broken.reason, detail };
  // A service that was not reached may know a copy, so the work is not given up.
  if (failedLookups > 0) return { kind: 'failed', reason: 'lookup-failed', detail };
  return { kind: 'skipped', reason: attempts.at(-1)?.reason ?? 'no-plan', detail };
}

function inWords({ resolver, reason, detail }: Attempt): string {
  return `${resolver} ${reason}${detail === null ? '' : ` (${detail})`}`;
}
