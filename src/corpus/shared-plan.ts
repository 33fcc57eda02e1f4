import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, FileLock } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { StageOptions, StagePlan, WorkItem } from '../stage/index.ts';
import { openQueue, orchestratorOptions } from '../harvest/index.ts';
import { QueueSource } from './queue-source.ts';
import type { Runtime } from '../harvest/index.ts';

/**
 * The plan as it is, or, with `stage.source: queue`, with its items in a queue that all runners of the stage share: a
 * SQLite file beside the manifests for one machine, a schema of its own on the configured PostgreSQL for several.
 */
export async function openSharedPlan(
  plan: StagePlan & { readonly items: readonly WorkItem[] },
  options: StageOptions,
  context: { readonly config: Config; readonly runtime: Runtime },
): Promise<StagePlan & AsyncDisposable> {
  const { config, runtime } = context;
  // A dry run only looks: it takes nothing out of anybody's hands.
  if (config.stage.source === 'files' || options.dryRun)
    return { ...plan, [Symbol.asyncDispose]: () => Promise.resolve() };
  if (options.shard.count > 1) {
    throw new AppError(
      'USAGE_SOURCE',
      '--shard cannot be used with --source queue, which distributes the documents itself',
      {
        hint: 'omit --shard, or use --source files',
      },
    );
  }
  const { stageName } = plan;
  const path = join(options.manifestDir, `docparse.${stageName}.queue.sqlite`);
  const schema = `${config.queue.schema}_${stageName}`;
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue({ ...config, queue: { ...config.queue, path, schema } }, runtime));
  using lock = new FileLock(`${path}.lock`, runtime.clock);
  const { leaseMs, heartbeatMs, maxDeaths } = orchestratorOptions(config);
  const { workers, scheduling } = options;
  const source = await QueueSource.open(plan.items, {
    queue,
    clock: runtime.clock,
    lock,
    leaseMs,
    heartbeatMs,
    maxDeaths,
    workers,
    scheduling,
    arrive: readableHere(plan.items),
  });
  opened.use(source);
  const moved = opened.move();
  const { totalItems: _, ...rest } = plan;
  return { ...rest, items: source, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/**
 * Items of other machines may name files that this one cannot read. A document of the same name that is here is taken instead;
 * without one the runner ends, and the document is left to the others instead of being counted as failed.
 */
function readableHere(planned: readonly WorkItem[]): (item: WorkItem) => Promise<WorkItem> {
  const own = new Map(planned.map((item) => [item.itemId, item]));
  return async (item) => {
    const missing = Object.values(item.inputs).find((path) => !existsSync(path));
    if (missing === undefined) return item;
    const here = own.get(item.itemId);
    if (here) return here;
    throw new AppError('STAGE_QUEUE_UNREADABLE', `another machine has queued ${missing}, which cannot be read here`, {
      hint: 'machines without a shared disk need a store: docstokg run --fleet … --store …',
    });
  };
}
