import { getCompileCacheDir } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { errorInfo } from '../../base/index.ts';
import { beginItem, createLimits, endItem, grantCpu } from './item-limit.ts';
import type { Performed } from './performed.ts';
import { perform } from './perform.ts';
import type { StageWorker } from '../types.ts';
import type { FromWorker, Job, ToWorker, WorkerStart } from './worker-process.ts';

// A cpu worker process; worker-entry.ts is its main module. It runs one item at a time, for one run of a stage.

const never = new AbortController().signal;
const limits = createLimits();
const LEAST_URGENT = 19;

function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

async function die(error: unknown): Promise<void> {
  const { message } = errorInfo(error);
  await send({ kind: 'dying', message });
  process.exit(1);
}

async function load(start: WorkerStart): Promise<StageWorker> {
  const module = (await import(start.module)) as Record<string, unknown>;
  const worker = module[start.export];
  if (typeof worker !== 'function')
    throw new TypeError(`${start.module} does not export a function named ${start.export}`);
  const { prepare } = module;
  // The first item also needs it, and reports why it cannot be loaded.
  if (typeof prepare === 'function') void Promise.resolve(prepare(start.data)).catch(() => undefined);
  return worker as StageWorker;
}

function attempt(start: WorkerStart, worker: StageWorker, [item, suffix, number]: Job): Promise<Performed> {
  const context = {
    stageName: start.stageName,
    attempt: number,
    signal: never,
    finalOutputs: item.outputs,
    grantCpu: (seconds: number): void => grantCpu(limits, seconds),
    data: start.data,
  };
  beginItem(limits, start.cpuLimitS);
  return perform(worker, { item, suffix, now: () => performance.now() }, context).finally(() => endItem(limits));
}

async function begin(start: WorkerStart): Promise<(message: ToWorker) => void> {
  process.on('uncaughtException', (error) => void die(error));
  process.on('unhandledRejection', (error) => void die(error));
  try {
    const worker = await load(start);
    await send({ kind: 'ready' });
    return (message) => {
      if (message === 'end') process.exit(0);
      void attempt(start, worker, message).then((performed) => send({ kind: 'done', performed }));
    };
  } catch (error) {
    await send({ kind: 'unusable', message: errorInfo(error).message });
    return () => undefined;
  }
}

let receive: Promise<(message: ToWorker) => void> | undefined;
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group; the parent decides whether running items finish.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('message', (message: ToWorker | WorkerStart) => {
  if (receive) {
    void receive.then((take) => take(message as ToWorker));
    return;
  }
  const start = message as WorkerStart;
  if (start.niceness > 0) setPriority(Math.min(LEAST_URGENT, getPriority() + start.niceness));
  receive = begin(start);
  const compiled = getCompileCacheDir();
  new Worker(new URL(`./watchdog${extname(import.meta.filename)}`, import.meta.url), {
    workerData: { descriptor: 4, memoryLimitMb: start.memoryLimitMb, limits },
    execArgv: [],
    // The compile cache of this process; Node appends its version to the folder again.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
  }).unref();
});
