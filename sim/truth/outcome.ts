import { AppError } from '../../src/base/index.ts';
import { downHost } from '../services/down.ts';
import { QueryFault, selectWorks } from '../services/openalex-query.ts';
import type { FileSpec, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';
import type { Plan } from './plans.ts';
import { needsHost } from './resolver-hosts.ts';
import { plansOf } from './plans.ts';
import type { Policy, Resolver } from './policy.ts';
import type { Reason } from './reasons.ts';
import { lossOf } from './reasons.ts';
import { judge } from './verdict.ts';

/** A URL that a correct client tries, with the result. */
interface ExpectedAttempt {
  readonly resolver: Resolver;
  readonly url: string;
  readonly reason: Reason;
}

/** The expected result of a work. */
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

export interface Expected {
  readonly works: readonly ExpectedWork[];
  readonly totals: {
    readonly works: number;
    readonly saved: number;
    readonly byResolver: Readonly<Record<string, number>>;
    readonly byKind: Readonly<Record<string, number>>;
    readonly byReason: Readonly<Record<string, number>>;
    /** Minimum requests per host of any correct client, not counting lookups. */
    readonly requestsAtLeast: Readonly<Record<string, number>>;
  };
}

/** Size of a file on disk; unmeasured files count as small. */
export type Sizes = (file: FileSpec) => number;

/**
 * What a correct, polite client obtains from the world under a policy. A pure model: it reads the world but never the
 * server, and does not depend on request order.
 */
export function expectedOutcome(world: World, policy: Policy, sizes: Sizes = () => 0): Expected {
  let credits = policy.contentCredits ?? Infinity;
  const works: ExpectedWork[] = [];
  const byResolver: Record<string, number> = {};
  const byKind: Record<string, number> = {};
  const byReason: Record<string, number> = {};
  const requestsAtLeast: Record<string, number> = {};
  for (const index of selected(world, policy)) {
    const work = world.work(index);
    const expected = expectWork(world, work, policy, { sizes, credits });
    credits -= expected.spent;
    works.push(expected);
    count(byReason, expected.reason);
    if (expected.winner) {
      count(byResolver, expected.winner.plan.resolver);
      count(byKind, expected.winner.file.payload.form);
    }
    for (const { url, reason } of expected.attempts)
      if (reason !== 'robots-disallowed') count(requestsAtLeast, new URL(url).hostname);
  }
  return {
    works,
    totals: {
      works: works.length,
      saved: works.filter(({ outcome }) => outcome === 'saved').length,
      byResolver,
      byKind,
      byReason,
      requestsAtLeast,
    },
  };
}

/** The works the client queried, in world order. */
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
  if (work.isRetracted && policy.retracted === 'skip')
    return {
      work,
      outcome: 'skipped',
      reason: 'retracted',
      winner: null,
      attempts: [],
      by,
      budgetDependent: false,
      spent: 0,
    };
  const run = tryPlans(world, work, policy, means);
  const unlimited =
    policy.contentCredits === null ? run : tryPlans(world, work, policy, { ...means, credits: Infinity });
  const shared = {
    work,
    attempts: run.attempts,
    by,
    spent: run.spent,
    budgetDependent: unlimited.spent > 0 && policy.contentCredits !== null,
  };
  if (run.winner) return { ...shared, outcome: 'saved', reason: 'success', winner: run.winner };
  if (run.starved) return { ...shared, outcome: 'parked', reason: 'budget-exhausted', winner: null };
  if (run.attempts.some(({ reason }) => reason === 'rate-limited'))
    return { ...shared, outcome: 'parked', reason: 'rate-limited', winner: null };
  // A service that was down may have known a copy, so the work is retried later.
  if (isUnasked(world, work, policy)) return { ...shared, outcome: 'parked', reason: 'lookup-failed', winner: null };
  if (run.attempts.some(({ reason }) => reason === 'host-given-up'))
    return { ...shared, outcome: 'failed', reason: 'host-given-up', winner: null };
  return { ...shared, ...lossOf(run.attempts), winner: null };
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

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
