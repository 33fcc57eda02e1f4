import type { Finding, Resolver, ResolveContext } from '../resolve/index.ts';
import { completeWork, findPlans } from '../resolve/index.ts';
import type { Work } from '../works/index.ts';
import type { Attempt, WorkOutcome, WorkResult } from './outcome.ts';
import type { Reason } from './reasons.ts';
import type { TryOptions } from './try-plan.ts';
import { PlanTrier } from './try-plan.ts';

export interface ProcessOptions extends TryOptions {
  readonly resolvers: readonly Resolver[];
  readonly resolve: Omit<ResolveContext, 'attempted' | 'signal'>;
  readonly retracted: 'keep' | 'skip';
}

/** Tries plan after plan, resolver by resolver, until one yields the work's full text. */
export async function processWork(listed: Work, options: ProcessOptions): Promise<WorkResult> {
  const { clock, signal } = options;
  const startedAt = clock.now();
  const tried = new Map<string, string>();
  const context = { ...options.resolve, attempted: tried, signal };
  // Title and DOI are what a file is recognised by, so they are asked for before anything is fetched.
  const { work, findings } = await completeWork(listed, context);
  const attempts: Attempt[] = [];
  const problems: { readonly resolver: string; readonly message: string }[] = [];
  const moments: number[] = [];
  const note = (finding: Finding): void => {
    if (finding.kind !== 'problem') return;
    problems.push({ resolver: finding.resolver, message: finding.message });
    if (finding.at !== null) moments.push(finding.at);
  };
  const end = (outcome: WorkOutcome): WorkResult => ({
    work,
    outcome,
    attempts,
    problems,
    startedAt,
    endedAt: clock.now(),
  });

  if (work.isRetracted && options.retracted === 'skip') return end({ kind: 'skipped', reason: 'retracted' });
  const trier = new PlanTrier(work, options, tried);
  for (const finding of findings) note(finding);
  for await (const finding of findPlans(work, options.resolvers, context)) {
    signal.throwIfAborted();
    if (finding.kind === 'problem') {
      note(finding);
      continue;
    }
    const { plan } = finding;
    if ((plan.expect === 'pdf' || plan.expect === 'xml' || plan.expect === 'html') && !options.accept.has(plan.expect))
      continue;
    const trial = await trier.try(plan);
    attempts.push(trial.attempt);
    if (trial.artifact !== null) return end({ kind: 'saved', artifact: trial.artifact, attempt: trial.attempt });
    if (trial.retryAt !== null) moments.push(trial.retryAt);
  }
  return end(lossOf(attempts, moments));
}

/** Why a work was not obtained; parked when a later moment may change that. */
function lossOf(attempts: readonly Attempt[], moments: readonly number[]): WorkOutcome {
  const at = moments.length > 0 ? Math.min(...moments) : undefined;
  const isPaused = attempts.some(({ reason }) => reason === 'host-paused');
  const limited: Reason = isPaused ? 'host-paused' : attempts.length > 0 ? 'rate-limited' : 'budget-exhausted';
  if (at !== undefined) return { kind: 'parked', reason: limited, at };
  if (attempts.length === 0) return { kind: 'failed', reason: 'no-plan', detail: null };
  // The one thing that another day may change, and that an operator can do something about.
  const givenUp = attempts.find(({ reason }) => reason === 'host-given-up');
  if (givenUp) return { kind: 'failed', reason: 'host-given-up', detail: givenUp.detail };
  return {
    kind: 'failed',
    reason: 'all-plans-failed',
    detail: attempts.map(({ resolver, reason }) => `${resolver} ${reason}`).join(', '),
  };
}
