import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { assembleDownload } from '../../src/run/download/open-download.ts';
import { openStorage } from '../../src/run/storage/storage.ts';
import { openQueue } from '../../src/run/queue/open-queue.ts';
import { simulatedLayer } from '../../src/run/list/simulated-web.ts';
import { loadConfig, settingsLayer } from '../../src/config/index.ts';
import { workFromText } from '../../src/works/index.ts';
import type { Resolver, Simulation, TruthLine } from '../../sim/index.ts';
import { Admin, DEFAULT_POLICY, RESOLVERS, truthLines, verify, webTime } from '../../sim/index.ts';
import { readManifest } from './harvest.ts';

/** Resolvers that are asked only when they are enabled by name. */
const MINING: readonly Resolver[] = ['wiley_tdm', 'elsevier_tdm'];

/** What turning off one resolver cost. */
export interface Ablation {
  readonly resolver: Resolver;
  readonly works: number;
  /** Works that nobody else can obtain. */
  readonly only: readonly string[];
  readonly lost: readonly string[];
  readonly differences: readonly string[];
}

/**
 * Harvests a world once with each resolver turned off, by the pipeline itself in this process. `scope` says whether all
 * works are harvested each time, only those that the resolver has something to do with, or of these the ones that only
 * it can obtain and one other.
 */
export async function* ablate(
  simulation: Simulation,
  folder: string,
  options: {
    readonly scope: 'all' | 'concerned' | 'few';
    readonly only?: readonly Resolver[];
  },
): AsyncGenerator<Ablation> {
  await using admin = await Admin.open(simulation);
  const truth = await truthUnder(simulation, RESOLVERS);
  for (const resolver of options.only ?? RESOLVERS) {
    const only = truth.filter(({ by }) => by.length === 1 && by[0] === resolver);
    const concerned = chosenFrom(truth, resolver, options.scope);
    const ids = concerned.map(({ work }) => work);
    const out = join(folder, resolver);
    // Each harvest is somebody's first: who came again to a host that asks for a year would be sent away for good.
    simulation.reset();
    await harvestHere(admin.url, out, {
      ids,
      disable: resolver,
      cache: join(folder, 'cache'),
      web: webTime(simulation.timeScale),
    });
    const manifest = ids.length === 0 ? new Map() : readManifest(out);
    const without = await truthUnder(
      simulation,
      RESOLVERS.filter((each) => each !== resolver),
    );
    const chosen = without.filter(({ work }) => ids.includes(work));
    yield {
      resolver,
      works: ids.length,
      only: only.map(({ work }) => work),
      lost: concerned
        .filter(({ work, outcome }) => outcome === 'saved' && manifest.get(work)?.outcome !== 'saved')
        .map(({ work }) => work),
      differences: verify(chosen, manifest).differences.map(
        ({ work, aspect, expected, found }) => `${work} ${aspect}: expected ${expected}, found ${found}`,
      ),
    };
  }
}

function chosenFrom(truth: readonly TruthLine[], resolver: Resolver, scope: 'all' | 'concerned' | 'few'): TruthLine[] {
  if (scope === 'all') return [...truth];
  const concerned = truth.filter(
    ({ by, attempts }) => by.includes(resolver) || attempts.some((attempt) => attempt.resolver === resolver),
  );
  if (scope === 'concerned') return concerned;
  const others = concerned.filter(({ by }) => by.length > 1);
  return [...concerned.filter(({ by }) => by.length === 1 && by[0] === resolver), ...others.slice(0, 1)];
}

function truthUnder({ world, documents }: Simulation, resolvers: readonly Resolver[]): Promise<TruthLine[]> {
  return Array.fromAsync(
    truthLines(world, documents, { ...DEFAULT_POLICY, keys: [...DEFAULT_POLICY.keys, 'wiley', 'elsevier'], resolvers }),
  );
}

async function harvestHere(
  sim: string,
  out: string,
  options: {
    readonly ids: readonly string[];
    readonly disable: Resolver;
    readonly cache: string;
    readonly web: ReturnType<typeof webTime>;
  },
): Promise<void> {
  const flags = [
    ...(await simulatedLayer({ sim })),
    ...settingsLayer(
      {
        http: {
          cache_path: options.cache,
          headers_s: 3600,
          idle_s: 3600,
          total_s: 7200,
          connect_s: 3600,
          // A line that is long only because the machine is busy is waited in.
          park_after_s: 3600,
          floor_bytes_per_second: 0,
        },
        orchestrator: { max_workers: 32 },
        download: {
          out,
          work_budget_s: 86_400,
          enable: MINING.filter((name) => name !== options.disable),
          disable: [options.disable],
        },
        queue: { backend: 'memory' },
      },
      'the ablation',
    ),
  ];
  const session = { clock: systemClock, web: options.web, log: () => undefined };
  const { config } = loadConfig({ flags });
  await using queue = await openQueue(config, session);
  await using shared = await openStorage(config, session);
  await using assembly = await assembleDownload(config, session, {
    queue,
    storage: shared,
    provider: () =>
      async function* () {
        for (const id of options.ids) {
          const listed = workFromText(id);
          if (listed.kind === 'work') yield listed.work;
        }
      },
    report: () => undefined,
  });
  await assembly.run.run({ drain: 'due', signal: new AbortController().signal });
}
