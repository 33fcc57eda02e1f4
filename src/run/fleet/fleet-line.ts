import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, hasCode, loggedError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { StageLog } from '../../journal/index.ts';
import type { HandlerJob } from '../../queue/index.ts';
import type { ItemEnd, WorkItem } from '../../stage/index.ts';
import { fingerprintPath, RowsByItem } from '../../stage/index.ts';
import { QueueLine } from '../lines/queue-line.ts';
import type { StageLine } from '../machine.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { jobLease, openQueueBeside, queueLineSettings } from '../queue/open-queue.ts';
import type { FlowingStage } from '../stages/prepare-stages.ts';
import { hasOutputs, outputPaths, portable, portableRow } from '../stages/stored-outputs.ts';
import type { CorpusStorage } from '../storage/storage.ts';

export interface FleetParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly storage: CorpusStorage;
}

interface FleetLineOptions extends FleetParts {
  /** Whether documents that failed before are tried again, as by each run of one machine. */
  readonly retriesFailed?: boolean;
}

/**
 * The line of a stage in a fleet, in a queue of the server: items are identified by content, with paths relative to any
 * machine's folder. An item's end is in the logs and its outputs are in the store before its job is settled; in between
 * `made` is called if it has outputs. A machine may die at any time.
 */
export async function openFleetLine(
  stage: FlowingStage,
  { config, runtime, storage, retriesFailed = false }: FleetLineOptions,
  made: (document: string) => Promise<void>,
): Promise<StageLine> {
  const { stageName, options, cfgHash } = stage;
  const rows = new RowsByItem();
  const { files } = storage;
  const { folder } = files;
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueueBeside(config, stageName, runtime));
  const settings = queueLineSettings(config, runtime, options);
  if (retriesFailed) await queue.store.admin.requeue({ states: ['error'] }, runtime.clock.now(), { dryRun: false });

  const arrive = async (given: WorkItem, signal: AbortSignal): Promise<WorkItem> => {
    if (given.cfgHash !== cfgHash)
      throw new AppError('STAGE_QUEUE_SETTINGS', 'other machines of this fleet work with other settings', {
        hint: 'give all of them the same settings and the same version',
      });
    const inputs = Object.values(given.inputs);
    const outputs = [...Object.values(given.outputs), fingerprintPath(given)];
    // Lines may not have been copied yet: those of the inputs, and those of the outputs, which a machine may have
    // written before it died without settling the job. It cannot write any now, because the lease is here. Almost always
    // there are none: copying everything for each item would cost as much as some stages.
    const lacks = (paths: readonly string[]): boolean => !paths.every((path) => files.of(path));
    if (lacks(inputs) || (lacks(outputs) && (await files.isJustSaved(outputs)))) await files.refresh();
    for (const path of inputs) await files.bring(path, signal).catch(lostFile(join(folder, path), runtime));
    // Outputs made by a machine that was killed need not be made again.
    for (const path of outputs) if (files.of(path)) await files.bring(path, signal);
    const placed = (path: string): string => join(folder, path);
    return { ...given, inputs: mapped(given.inputs, placed), outputs: mapped(given.outputs, placed) };
  };

  const ended = async (item: WorkItem, end: ItemEnd, job: Pick<HandlerJob, 'id' | 'token'>): Promise<boolean> => {
    const isMade = hasOutputs(end);
    const lines = rows.take(item.itemId).map((row) => portableRow(row, folder));
    const isHeld = await files.save(isMade ? outputPaths(item, folder) : [], {
      lines: [{ log: stageName as StageLog, lines }],
      lease: jobLease(queue, job, stageName, settings.leaseMs),
    });
    if (!isHeld) return false;
    if (isMade) await made(item.itemId);
    return true;
  };

  const line = opened.use(await QueueLine.open([], { ...settings, queue, arrive, ended }));
  const moved = opened.move();
  return {
    rows,
    /** The inputs are in the store. */
    offer: (items) => line.offer(items.map((item) => portableItem(item, storage))),
    take: (limit, signal) => line.take(limit, signal),
    settle: (item, end) => line.settle(item, end),
    close: () => line.close(),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** An item whose input is nowhere is handed out all the same: it fails in the stage, which logs a row for it. */
function lostFile(file: string, { log }: Runtime): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, 'OBJECT_MISSING', 'OBJECT_DAMAGED') || existsSync(file)) throw error;
    log('warn', loggedError(error));
  };
}

function portableItem(item: WorkItem, { files }: CorpusStorage): WorkItem {
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
