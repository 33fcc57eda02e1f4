import { sha256 } from '../../src/base/index.ts';
import { SECOND_EDITION } from '../behaviours/perform.ts';
import type { Documents } from '../server/documents.ts';
import type { FileSpec, HostType } from '../world/types.ts';
import type { World } from '../world/world.ts';
import type { ExpectedWork } from './outcome.ts';
import { expectedOutcome } from './outcome.ts';
import type { Policy } from './policy.ts';
import { kindOf } from './verdict.ts';

/** The expected result of a work, as one JSON line. */
export interface TruthLine {
  readonly work: string;
  readonly doi: string | null;
  readonly title: string;
  readonly archetype: string;
  readonly outcome: ExpectedWork['outcome'];
  readonly reason: string;
  readonly obtainable: boolean;
  readonly resolver: string | null;
  readonly url: string | null;
  readonly kind: 'pdf' | 'xml' | 'html' | null;
  /** Accepted file hashes, the expected one first. */
  readonly sha256: readonly string[];
  readonly bytes: number | null;
  /** Accepted metadata values, best first. */
  readonly licenses: readonly (string | null)[];
  readonly versions: readonly (string | null)[];
  readonly host_types: readonly (HostType | null)[];
  readonly attempts: readonly { readonly resolver: string; readonly url: string; readonly reason: string }[];
  readonly by: readonly string[];
  readonly budget_dependent: boolean;
  readonly duplicate_of: string | null;
  readonly retracted: boolean;
}

/** The expected results of a world under a policy, in work order. */
export async function* truthLines(world: World, documents: Documents, policy: Policy): AsyncGenerator<TruthLine> {
  // Sizes matter only if the limit is below the largest file; measuring renders everything.
  const sizes = policy.maxBytes < 5_000_000 ? await measure(world, documents) : undefined;
  for (const one of expectedOutcome(world, policy, sizes))
    yield line(world, one, one.winner ? await hashes(documents, one.winner.file) : { all: [], bytes: null });
}

async function measure(world: World, documents: Documents): Promise<(file: FileSpec) => number> {
  const sizes = new Map<string, number>();
  for (const work of world.works())
    for (const { file } of work.locations) if (file) sizes.set(file.url, (await documents.digest(file)).bytes);
  return (file) => sizes.get(file.url) ?? 0;
}

async function hashes(
  documents: Documents,
  file: FileSpec,
): Promise<{ readonly all: readonly string[]; readonly bytes: number }> {
  const digest = await documents.digest(file);
  if (file.behaviour.kind !== 'caching' || file.behaviour.how !== 'changes-once')
    return { all: [digest.sha256], bytes: digest.bytes };
  const second = Buffer.concat([await documents.bytes(file.payload), Buffer.from(SECOND_EDITION)]);
  return { all: [digest.sha256, sha256(second)], bytes: digest.bytes };
}

function line(
  world: World,
  one: ExpectedWork,
  file: { readonly all: readonly string[]; readonly bytes: number | null },
): TruthLine {
  const { work, winner } = one;
  return {
    work: work.id,
    doi: work.doi,
    title: work.title,
    archetype: work.archetype,
    outcome: one.outcome,
    reason: one.reason,
    obtainable: one.by.length > 0,
    resolver: winner?.plan.resolver ?? null,
    url: winner?.plan.url ?? null,
    kind: winner ? kindOf(winner.file.payload) : null,
    sha256: file.all,
    bytes: file.bytes,
    licenses: winner ? [...new Set(winner.plan.licenses)] : [],
    versions: winner ? [...new Set(winner.plan.versions)] : [],
    host_types: winner ? winner.plan.hostTypes : [],
    attempts: one.attempts,
    by: one.by,
    budget_dependent: one.budgetDependent,
    duplicate_of: work.duplicateOf === null ? null : world.work(work.duplicateOf).id,
    retracted: work.isRetracted,
  };
}
