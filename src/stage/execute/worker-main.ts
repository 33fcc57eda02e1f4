import { getCompileCacheDir } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { errorInfo } from '../../base/index.ts';
import type { Performed } from './item-run.ts';
import { isFilled } from './item-run.ts';
import { beginItem, createLimits, endItem, grantCpu } from './item-limit.ts';
import { perform } from './perform.ts';
import type { StageWorker } from '../types.ts';
import type { FromWorker, Job, ToWorker, WorkerStart } from './worker-process.ts';

// What a cpu worker process does; worker-entry.ts is its main module. It runs one item at a time, for one run of a stage.

const never = new AbortController().signal;
const folders = new Set<string>();
const limits = createLimits();
const WARM_UP: Job = [{ itemId: '', inputs: {}, outputs: {}, cfgHash: '', costHint: 0 }, '', 1];
/** The greatest niceness that the system knows. */
const LEAST_URGENT = 19;
let memoryAt = -Infinity;

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
  // What it cannot load, the first item needs as well, and fails with.
  if (typeof prepare === 'function') void Promise.resolve(prepare(start.data)).catch(() => undefined);
  return worker as StageWorker;
}

function heldMb(start: WorkerStart): number {
  const now = performance.now();
  if (start.memoryEveryMs === 0 || now - memoryAt < start.memoryEveryMs) return 0;
  memoryAt = now;
  return process.memoryUsage.rss() / 1e6;
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
  const startedAt = performance.now();
  beginItem(limits, start.cpuLimitS);
  return new Promise<Performed>((done) => {
    const elapsedMs = (): number => performance.now() - startedAt;
    perform(worker, { item, hasOutputs: isFilled(item.outputs), suffix, folders, elapsedMs, done }, context);
  }).finally(() => endItem(limits));
}

/** Loads the stage's worker; answers what to do with messages from then on. */
async function begin(start: WorkerStart): Promise<(message: ToWorker) => void> {
  process.on('uncaughtException', (error) => void die(error));
  process.on('unhandledRejection', (error) => void die(error));
  try {
    const worker = await load(start);
    // Code is compiled when it first runs: a spare that has rehearsed begins its first real item sooner.
    await attempt(start, () => ({ status: 'success' }), WARM_UP);
    await send({ kind: 'ready' });
    return (message) => {
      if (message === 'end') process.exit(0);
      void attempt(start, worker, message).then((performed) =>
        send({ kind: 'done', performed, heldMb: heldMb(start) }),
      );
    };
  } catch (error) {
    await send({ kind: 'unusable', message: errorInfo(error).message });
    return () => undefined;
  }
}

let receive: Promise<(message: ToWorker) => void> | undefined;
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group of processes; the parent decides whether running items finish.
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
    // Where this process has its compiled code; Node adds its version to the folder again.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
  }).unref();
});
