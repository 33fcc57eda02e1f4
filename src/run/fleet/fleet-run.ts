import { basename, join } from 'node:path';

import { AppError, canonicalJson, sha256, wait } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { DownloadAssembly } from '../download/open-download.ts';
import type { Runtime } from '../queue/open-queue.ts';
import type { Shared } from './open-shared.ts';
import { openQueueBeside } from '../queue/open-queue.ts';
import type { StageLog } from '../../journal/index.ts';
import { parsedDocuments } from '../../parse/index.ts';
import type { HandlerJob, WorkQueue } from '../../queue/index.ts';
import { Orchestrator, recoverDead } from '../../queue/index.ts';
import type { ItemEnd, StageOutcome, WorkItem } from '../../stage/index.ts';
import { fingerprintPath, RowsByItem } from '../../stage/index.ts';
import type { CorpusRunOptions, CorpusStageName } from '../corpus-run.ts';
import { reasonOf } from '../corpus-run.ts';
import type { FlowingStage } from '../stages/prepare-stages.ts';
import type { QueueSourceOptions } from '../stages/queue-source.ts';
import { QueueSource } from '../stages/queue-source.ts';
import { outputPaths, portable, runPrepared, sourceSettings } from '../stages/run-stages.ts';

/** How often lines of other machines are copied. */
const PULL_MS = 1_000;
const CHUNKS = 'Data/ChunkedDocTagFiles/';

interface FleetParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly shared: Shared;
}

interface FleetRunOptions<Gathered, Indexed>
  extends FleetParts, Pick<CorpusRunOptions<Gathered, Indexed>, 'stages' | 'gather' | 'index' | 'report'> {
  readonly once: OncePerFleet;
  readonly download: DownloadAssembly;
}

/**
 * One machine's part of a run.
 *
 *   works queue → files → doctags queue → DocTags → chunk queue → chunks → embed queue → vectors
 *                                                                            └→ index, on one machine, by a lease
 *
 * A job is settled after its outputs are in the store and the logs: a machine may die at any time.
 */
export function fleetRun<Gathered, Indexed>(options: FleetRunOptions<Gathered, Indexed>) {
  const { config, runtime, shared, once, download, stages, gather, index, report } = options;
  const { files, journal } = shared;
  let doctags: StageSource | undefined;

  const pull = async (): Promise<void> => {
    await files.refresh();
    download.manifest.flush();
  };

  const keepPulling = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await wait(runtime.clock, PULL_MS, signal);
        await pull();
      } catch (error) {
        if (!signal.aborted) runtime.log('warn', `logs of the fleet could not be copied: ${String(error)}`);
      }
    }
  };

  const runFrom = (
    name: CorpusStageName,
    stage: FlowingStage,
    { items, rows: sink }: StageSource,
    signal: AbortSignal,
  ): Promise<StageOutcome> => {
    return runPrepared(name, stage, { stageName: stage.stageName, items }, { report, signal, sink });
  };

  const chunkedInStore = (): string[] =>
    Array.from(files.below(CHUNKS), ({ path }) => basename(path))
      .filter((name) => name.endsWith(`.${config.parse.format}`))
      .map((name) => basename(name, `.${config.parse.format}`));

  const makeSearchable = async (stop: AbortSignal): Promise<Indexed> => {
    await files.bringAll('Data/', undefined, stop);
    return await index(parsedDocuments(config.parse.data_root));
  };

  return {
    /** A file was saved, by this machine or another: enqueues it for parsing. */
    async add(file: string): Promise<void> {
      await doctags?.offer(file);
    },

    async run(signal: AbortSignal) {
      const halt = new AbortController();
      const either = AbortSignal.any([signal, halt.signal]);
      const outcomes: Partial<Record<CorpusStageName, StageOutcome>> = {};
      runtime.log('info', `joined the fleet; its files are in ${files.place}`);
      const pulling = keepPulling(either);
      try {
        await using stack = new AsyncDisposableStack();
        const open = async (stage: FlowingStage, next?: StageSource): Promise<StageSource> =>
          stack.use(await openStageSource(stage, options, next && ((itemId) => next.offer(itemId))));
        const embed = stages.embed && (await open(stages.embed));
        const chunk = await open(stages.chunk, embed);
        doctags = await open(stages.doctags, chunk);
        const run = async (name: CorpusStageName, stage: FlowingStage, source: StageSource): Promise<void> => {
          outcomes[name] = await runFrom(name, stage, source, either);
          if (outcomes[name].cancelled) halt.abort(outcomes[name].stopReason ?? `${name} stopped`);
        };
        const gathering = gather(async () => undefined, either);
        const parsing = run('doctags', stages.doctags, doctags);
        const chunking = run('chunk', stages.chunk, chunk);
        const embedding = stages.embed && embed && run('embed', stages.embed, embed);
        // With other settings of this stage, documents of an earlier run get new vectors.
        const others = embed && once('embed', () => embed.offer(...chunkedInStore()), either);
        const parts = [gathering, parsing, chunking, embedding, others];
        for (const part of parts) part?.catch(() => halt.abort('failed'));
        await Promise.allSettled([gathering]);
        doctags.items.close();
        await Promise.allSettled([parsing]);
        chunk.items.close();
        await Promise.allSettled([chunking, others]);
        embed?.items.close();
        await Promise.allSettled([embedding]);
        const [gathered] = await Promise.all([gathering, ...parts]);
        await pull();
        const name = `index ${journal.logs.size('embed')}`;
        const indexed = either.aborted ? undefined : await once(name, makeSearchable, either);
        await pull();
        const stopReason = either.aborted ? reasonOf(either) : undefined;
        return { gathered, documents: download.manifest.saved().length, stages: outcomes, index: indexed, stopReason };
      } finally {
        doctags = undefined;
        halt.abort('ended');
        await pulling;
      }
    },
  };
}

type StageSource = Awaited<ReturnType<typeof openStageSource>>;

/**
 * The items of a stage in a fleet: identified by content, with paths relative to any machine's folder. An item's
 * end is logged before its job is settled; then `done` is called if it has outputs.
 */
export async function openStageSource(
  stage: FlowingStage,
  { config, runtime, shared }: FleetParts,
  done?: (itemId: string) => Promise<void>,
) {
  const { stageName, options } = stage;
  const cfgHash = stage.item('settings')?.cfgHash;
  const rows = new RowsByItem();
  const { files } = shared;
  const { folder } = files;
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueueBeside(config, stageName, runtime));

  const arrive = async (given: WorkItem, signal: AbortSignal): Promise<WorkItem> => {
    if (cfgHash !== undefined && given.cfgHash !== cfgHash)
      throw new AppError('STAGE_QUEUE_SETTINGS', 'other machines of this fleet work with other settings', {
        hint: 'give all of them the same settings and the same version',
      });
    const inputs = Object.values(given.inputs);
    const made = [...Object.values(given.outputs), fingerprintPath(given)];
    // Lines may not have been copied yet: those of the inputs, and those of the outputs, which a machine may have written
    // before it died without settling the job. It cannot write any now, because the lease is here.
    if (![...inputs, ...made].every((path) => files.of(path))) await files.refresh();
    for (const path of inputs)
      if (!(await files.bring(path, signal)))
        throw new AppError('STAGE_INPUT_MISSING', `${path} is neither here nor in ${files.place}`, {
          hint: 'docstokg store lists what is missing',
        });
    // Outputs made by a machine that was killed need not be made again.
    for (const path of made) if (files.of(path)) await files.bring(path, signal);
    const placed = (path: string): string => join(folder, path);
    return { ...given, inputs: mapped(given.inputs, placed), outputs: mapped(given.outputs, placed) };
  };

  const ended = async (
    item: WorkItem,
    end: ItemEnd,
    { id, token }: Pick<HandlerJob, 'id' | 'token'>,
  ): Promise<boolean> => {
    const isMade = end.kind === 'success' || (end.kind === 'skip' && end.outcome.reason === 'resume-satisfied');
    const lines = rows.take(item.itemId).map((row) => portableRow(row, folder));
    const isHeld = await files.save(isMade ? outputPaths(item, folder) : [], {
      lines: [{ log: stageName as StageLog, lines }],
      lease: { queue: stageName, id, token },
    });
    if (!isHeld) return false;
    if (isMade) await done?.(item.itemId);
    return true;
  };

  const items = opened.use(
    await QueueSource.open([], { ...sourceSettings(config, runtime, options), queue, arrive, ended }),
  );
  const moved = opened.move();
  return {
    items,
    rows,
    /** Enqueues documents whose inputs are in the store. */
    offer: async (...documents: readonly string[]): Promise<void> => {
      const given = documents.flatMap((document) => stage.item(document) ?? []);
      await items.add(given.map((item) => portableItem(item, shared)));
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function portableItem(item: WorkItem, { files }: Shared): WorkItem {
  const inFolder = (path: string): string => portable(path, files.folder);
  const inputs = mapped(item.inputs, inFolder);
  const [input = ''] = Object.values(inputs);
  const object = files.of(input);
  return {
    ...item,
    inputs,
    outputs: mapped(item.outputs, inFolder),
    ...(object && { fingerprint: { inputSha256: object.sha256, cfgHash: item.cfgHash }, costHint: object.bytes }),
  };
}

function mapped(paths: Readonly<Record<string, string>>, change: (path: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, change(path)]));
}

const PATH_FIELDS = ['input_path', 'output_path', 'output_paths'] as const;

function portableRow(text: string, folder: string): string {
  const row = JSON.parse(text) as Record<string, unknown>;
  const change = (value: unknown): unknown =>
    typeof value === 'string' ? portable(value, folder) : Array.isArray(value) ? value.map(change) : value;
  for (const name of PATH_FIELDS) if (name in row) row[name] = change(row[name]);
  return JSON.stringify(row);
}

interface OncePerFleetOptions extends Pick<QueueSourceOptions, 'queue' | 'clock' | 'leaseMs' | 'heartbeatMs'> {
  /** The queue of works, whose workers show whether the fleet is active. */
  readonly works: WorkQueue;
  /** The request: each one has its own jobs. */
  readonly asked: object;
}

/** How often to check a job that another machine requested. */
const OTHERS_MS = 1_000;

export type OncePerFleet = Awaited<ReturnType<typeof oncePerFleet>>;

/** Jobs that one machine does for all while the others wait; each is leased in case its machine dies. */
export async function oncePerFleet(options: OncePerFleetOptions) {
  const { works, queue, clock, leaseMs, heartbeatMs, asked } = options;
  const question = sha256(canonicalJson(asked));
  await recoverDead(works.store, clock);
  const { at, workers } = await works.stats();
  // A fleet that has ended lists again when restarted: there may be new works.
  const isActive = workers.some(({ updatedAt }) => updatedAt >= at - leaseMs);
  if (!isActive) await queue.store.admin.prune({}, { dryRun: false });

  /** Runs once per name; on the other machines it returns undefined when that is done. */
  return async <T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> => {
    const job = `${name} ${question}`;
    const stop = new AbortController();
    let done: T | undefined;
    let failure: { readonly error: unknown } | undefined;
    await queue.enqueue(job, {});
    const orchestrator = new Orchestrator({
      queue,
      clock,
      leaseMs,
      heartbeatMs,
      maxWorkers: 1,
      jobTimeoutMs: 0,
      shutdownGraceMs: 0,
      handler: async ({ artifactId }, { signal: lost }) => {
        if (artifactId !== job) {
          // Its machine may have died, and this one may be the next to run it. Nothing else keeps this one waiting.
          const own = await queue.store.admin.find(job);
          if (own?.state !== 'queued' && own?.state !== 'in_progress') stop.abort();
          return { retryAt: clock.now() + OTHERS_MS };
        }
        try {
          done = await work(AbortSignal.any([lost, signal]));
          return undefined;
        } catch (error) {
          // Another machine may succeed.
          if (!lost.aborted) failure = { error };
          stop.abort();
          return { retryAt: clock.now() };
        }
      },
    });
    await orchestrator.start({ drain: 'empty', signal: AbortSignal.any([stop.signal, signal]) });
    await orchestrator.ended;
    await orchestrator.leave();
    if (failure && !signal.aborted) throw failure.error;
    return done;
  };
}
