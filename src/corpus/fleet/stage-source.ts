import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { AppError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Runtime, Shared } from '../../harvest/index.ts';
import { openQueueBeside, orchestratorOptions } from '../../harvest/index.ts';
import type { HandlerJob } from '../../queue/index.ts';
import type { ItemEnd, RowsByItem, WorkItem } from '../../stage/index.ts';
import { fingerprintPath } from '../../stage/index.ts';
import type { PreparedStage } from '../prepared-stage.ts';
import { QueueSource } from '../queue-source.ts';

/** A stage of a fleet: its items, wherever they come from, and where their rows go. */
export interface StageSource extends AsyncDisposable {
  readonly items: QueueSource;
  /** Puts items of this machine into the queue; their inputs are in the store. */
  add(items: Iterable<WorkItem>): Promise<void>;
}

export interface StageSourceParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly shared: Shared & { readonly logs: NonNullable<Shared['logs']> };
  readonly rows: RowsByItem;
  /** The hash of this machine's settings; undefined before it has seen an item. */
  readonly cfgHash: string | undefined;
  /** Called when an item was made, here or before, and everybody can have it. */
  readonly made?: (itemId: string) => Promise<void>;
}

/**
 * The items of a stage, shared by the machines of a fleet. An item is known by its content, and its paths are those in the
 * folder of any machine: whoever leases it brings its inputs from the store. Its end is written to the logs together with
 * where its outputs are, if the lease is still held, before the job is settled.
 */
export async function openStageSource(
  { stageName, options }: PreparedStage,
  parts: StageSourceParts,
): Promise<StageSource> {
  const { config, runtime, shared, rows } = parts;
  const { files, logs } = shared;
  const { folder } = files;
  const schema = `${config.queue.schema}_${stageName}`;
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueueBeside(config, stageName, runtime));
  const { leaseMs, heartbeatMs, maxDeaths } = orchestratorOptions(config);

  const arrive = async (given: WorkItem, signal: AbortSignal): Promise<WorkItem> => {
    if (parts.cfgHash !== undefined && given.cfgHash !== parts.cfgHash)
      throw new AppError('STAGE_QUEUE_SETTINGS', 'other machines of this fleet work with other settings', {
        hint: 'give all of them the same settings and the same version',
      });
    const inputs = Object.values(given.inputs);
    // Its line may not have been copied yet.
    if (!inputs.every((path) => files.of(path))) {
      await logs.pull();
      await files.refresh();
    }
    for (const path of inputs)
      if (!(await files.bring(path, signal)))
        throw new AppError('STAGE_INPUT_MISSING', `${path} is neither here nor in ${files.objects.name}`, {
          hint: 'docstokg store check lists what is missing',
        });
    // What another machine has made before it was killed need not be made again.
    for (const path of [...Object.values(given.outputs), fingerprintPath(given)])
      if (files.of(path)) await files.bring(path, signal);
    return { ...given, inputs: placed(given.inputs, folder), outputs: placed(given.outputs, folder) };
  };

  const ended = async (
    item: WorkItem,
    end: ItemEnd,
    { id, token }: Pick<HandlerJob, 'id' | 'token'>,
  ): Promise<void> => {
    const isMade = end.kind === 'success' || (end.kind === 'skip' && end.outcome.reason === 'resume-satisfied');
    const made = [...Object.values(item.outputs), fingerprintPath(item)].filter((path) => existsSync(path));
    const proof = { schema, id, token };
    if (!(await logs.isHeld(proof))) return;
    const lines = isMade ? await files.put(made.map((path) => portable(path, folder))) : [];
    const isHeld = await logs.append(
      [
        { log: stageName, lines: rows.take(item.itemId).map((row) => portableRow(row, folder)) },
        { log: 'objects', lines: lines.map((line) => JSON.stringify(line)) },
      ],
      proof,
    );
    if (!isHeld) return;
    files.noted(lines);
    if (isMade) await parts.made?.(item.itemId);
  };

  const items = opened.use(
    await QueueSource.open([], {
      queue,
      clock: runtime.clock,
      leaseMs,
      heartbeatMs,
      maxDeaths,
      workers: options.workers,
      scheduling: options.scheduling,
      arrive,
      ended,
    }),
  );
  const moved = opened.move();
  return {
    items,
    add: async (given) => {
      await items.add(Array.from(given, (item) => portableItem(item, shared)));
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** The item with paths that any machine understands, and the hash of its input, which it is known by. */
function portableItem(item: WorkItem, { files }: Shared): WorkItem {
  const inputs = mapped(item.inputs, (path) => portable(path, files.folder));
  const [input = ''] = Object.values(inputs);
  const object = files.of(input);
  return {
    ...item,
    inputs,
    outputs: mapped(item.outputs, (path) => portable(path, files.folder)),
    ...(object && { fingerprint: { inputSha256: object.sha256, cfgHash: item.cfgHash }, costHint: object.bytes }),
  };
}

function placed(paths: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  return mapped(paths, (path) => join(folder, path));
}

function mapped(paths: Readonly<Record<string, string>>, change: (path: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, change(path)]));
}

function portable(path: string, folder: string): string {
  return relative(folder, path).split(sep).join('/');
}

const PATH_FIELDS = ['input_path', 'output_path', 'output_paths'] as const;

/** A row whose paths are those in the folder of any machine. */
function portableRow(text: string, folder: string): string {
  const row = JSON.parse(text) as Record<string, unknown>;
  const change = (value: unknown): unknown =>
    typeof value === 'string' ? portable(value, folder) : Array.isArray(value) ? value.map(change) : value;
  for (const name of PATH_FIELDS) if (name in row) row[name] = change(row[name]);
  return JSON.stringify(row);
}
