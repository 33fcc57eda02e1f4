import type { Clock } from '../../src/base/index.ts';
import { clientSettings } from '../settings.ts';
import type { Simulation } from '../server/simulation.ts';
import type { ManifestLine } from '../truth/manifest.ts';
import { parseManifestLine } from '../truth/manifest.ts';
import type { Policy } from '../truth/policy.ts';
import type { TruthLine } from '../truth/truth-lines.ts';
import { truthLines } from '../truth/truth-lines.ts';
import type { Verification } from '../truth/verify.ts';
import { verify } from '../truth/verify.ts';
import { ReferenceClient } from './client.ts';
import type { WorkRecord } from './asking.ts';

export interface Rehearsal {
  readonly truth: readonly TruthLine[];
  readonly manifest: ReadonlyMap<string, ManifestLine>;
  readonly verification: Verification;
}

/** Runs the reference client over a world and compares; `order` arranges the works, `workers` obtains several at once. */
export async function rehearse(
  simulation: Simulation,
  options: {
    readonly policy: Policy;
    readonly clock: Clock;
    readonly pause: (ms: number) => Promise<void>;
    readonly order?: (records: WorkRecord[]) => WorkRecord[];
    readonly workers?: number;
    readonly idleMs?: number;
  },
): Promise<Rehearsal> {
  const { policy, clock, pause, workers = 1 } = options;
  // The truth first: it renders every file, so that no answer is late for want of a page.
  const truth: TruthLine[] = [];
  for await (const line of truthLines(simulation.world, simulation.documents, policy)) truth.push(line);
  using client = new ReferenceClient({
    settings: clientSettings(simulation),
    pause,
    now: () => clock.monotonic(),
    maxRetries: policy.maxRetries,
    maxBytes: policy.maxBytes,
    // Only hostile worlds let a client wait for nothing; elsewhere a busy machine must not look like a dead host.
    idleMs: options.idleMs ?? 30_000,
    resolvers: policy.resolvers,
  });
  const records = await client.records(policy.selection);
  const waiting = (options.order ?? ((same) => same))(records)[Symbol.iterator]();
  const manifest = new Map<string, ManifestLine>();
  const work = async (): Promise<void> => {
    for (const record of waiting) {
      const line = parseManifestLine(await client.obtain(record));
      if ('fault' in line) throw new Error(line.fault);
      manifest.set(line.work, line);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { truth, manifest, verification: verify(truth, manifest) };
}
