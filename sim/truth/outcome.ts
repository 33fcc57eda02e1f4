import { AppError } from '../../src/base/index.ts';
import { downHost } from '../services/down.ts';
import { QueryFault, selectWorks } from '../services/openalex-query.ts';
import type { FileSpec, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';
import type { Plan } from './plans.ts';
import { needsHost, plansOf } from './plans.ts';
import type { Policy, Resolver } from './policy.ts';
import type { Reason } from './reasons.ts';
import { lossOf } from './reasons.ts';
import { judge } from './verdict.ts';

interface ExpectedAttempt {
  readonly resolver: Resolver;
  readonly url: string;
  readonly reason: Reason;
}

export interface ExpectedWork {
  readonly work: Work;
  readonly outcome: 'saved' | 'failed' | 'parked' | 'skipped';
  readonly reason: Reason;
  readonly winner: { readonly plan: Plan; readonly file: FileSpec } | null;
  readonly attempts: readonly ExpectedAttempt[];
  /** Resolvers that would obtain the work on their own. */
  readonly by: readonly Resolver[];
  /** The outcome depends on who uses a shared budget first: only the number of such works is fixed. */
  readonly budgetDependent: boolean;
}

/** Size of a file on disk; unmeasured files count as small. */
export type Sizes = (file: FileSpec) => number;

/**
 * What a correct, polite client obtains from the world under a policy. A pure model: it reads the world but never the
 * server, and does not depend on request order.
 */
export function expectedOutcome(world: World, policy: Policy, sizes: Sizes = () => 0): ExpectedWork[] {
  let credits = policy.contentCredits ?? Infinity;
  return selected(world, policy).map((index) => {
    const expected = expectWork(world, world.work(index), policy, { sizes, credits });
    credits -= expected.spent;
    return expected;
  });
}

function selected(world: World, policy: Policy): number[] {
  try {
    return selectWorks(world, new URLSearchParams(policy.selection)).sort((a, b) => a - b);
  } catch (error) {
    if (!(error instanceof QueryFault)) throw error;
    throw new AppError('USAGE_SIM_SELECTION', error.message, {
      hint: 'a selection is the query of an OpenAlex list',
      cause: error,
    });
  }
}

interface Means {
  readonly sizes: Sizes;
  readonly credits: number;
}

function expectWork(world: World, work: Work, policy: Policy, means: Means): ExpectedWork & { readonly spent: number } {
  const by = policy.resolvers.filter(
    (resolver) =>
      tryPlans(world, work, { ...policy, resolvers: [resolver] }, { ...means, credits: Infinity }).winner !== null,
  );
  const isSkipped = work.isRetracted && policy.retracted === 'skip';
  const run = isSkipped ? NO_TRIAL : tryPlans(world, work, policy, means);
  const isLimited = policy.contentCredits !== null && !isSkipped;
  return {
    work,
    attempts: run.attempts,
    by,
    spent: run.spent,
    budgetDependent: isLimited && tryPlans(world, work, policy, { ...means, credits: Infinity }).spent > 0,
    ...(isSkipped ? { outcome: 'skipped', reason: 'retracted' } : endOf(world, work, policy, run)),
    winner: run.winner,
  };
}

function endOf(world: World, work: Work, policy: Policy, run: Trial): Pick<ExpectedWork, 'outcome' | 'reason'> {
  const ended = (wanted: Reason): boolean => run.attempts.some(({ reason }) => reason === wanted);
  if (run.winner) return { outcome: 'saved', reason: 'success' };
  if (run.starved) return { outcome: 'parked', reason: 'budget-exhausted' };
  if (ended('rate-limited')) return { outcome: 'parked', reason: 'rate-limited' };
  // A service that was down may have known a copy, so the work is retried later.
  if (isUnasked(world, work, policy)) return { outcome: 'parked', reason: 'lookup-failed' };
  return ended('host-given-up') ? { outcome: 'failed', reason: 'host-given-up' } : lossOf(run.attempts);
}

/** Whether a resolver that would have been used was down. */
function isUnasked(world: World, work: Work, policy: Policy): boolean {
  const away = downHost(world.parameters);
  return away !== null && work.doi !== null && policy.resolvers.some((resolver) => needsHost(resolver, away));
}

interface Trial {
  readonly winner: ExpectedWork['winner'];
  readonly attempts: readonly ExpectedAttempt[];
  readonly spent: number;
  /** A plan was not tried because its budget was used up. */
  readonly starved: boolean;
}

const NO_TRIAL: Trial = { winner: null, attempts: [], spent: 0, starved: false };

function tryPlans(world: World, work: Work, policy: Policy, means: Means): Trial {
  const tried = new Map<string, Reason>();
  const attempts: ExpectedAttempt[] = [];
  let spent = 0;
  let starved = false;
  for (const resolver of policy.resolvers) {
    for (const plan of plansOf(world, work, resolver, policy, tried)) {
      if (tried.has(plan.url)) continue;
      if (plan.credits > means.credits - spent) {
        starved = true;
        continue;
      }
      spent += plan.credits;
      const verdict = judge(world, plan, policy, tried);
      const tooLarge = verdict.file !== null && means.sizes(verdict.file) > policy.maxBytes;
      const reason = tooLarge ? 'too-large' : verdict.reason;
      tried.set(plan.url, reason);
      attempts.push({ resolver, url: plan.url, reason });
      if (verdict.file !== null && !tooLarge) return { winner: { plan, file: verdict.file }, attempts, spent, starved };
    }
  }
  return { winner: null, attempts, spent, starved };
}
