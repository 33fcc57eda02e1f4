import { getCompileCacheDir } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { dirname, extname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { errorInfo } from '../../base/index.ts';
import type { FromWorker, Job, ToWorker, WorkerStart } from './carrier.ts';
import type { Performed } from './item-run.ts';
import { isFilled } from './item-run.ts';
import { perform } from './perform.ts';
import type { StageWorker } from '../types.ts';

// What a cpu worker does, thread or process; worker-entry.ts is its main module. Jobs arrive in batches and are run one at a
// time; every answer is out of its hands before the next job begins, so whatever happens then is the fault of the first
// unanswered job. It works for one run: what stands at its top lives as long as that.

const never = new AbortController().signal;
const queue: Job[] = [];
const folders = new Set<string>();
const REHEARSAL: Job = [0, { itemId: '', inputs: {}, outputs: {}, cfgHash: '', costHint: 0 }, '', 1];
/** The system knows no more patience than this. */
const LEAST_URGENT = 19;
let draining = false;
let memoryAt = -Infinity;

/** Resolves, or answers undefined, when the message is out of this process's hands. */
function send(message: FromWorker): Promise<void> | undefined {
  if (parentPort) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
    parentPort.postMessage(message);
    return undefined;
  }
  let sent: (() => void) | undefined;
  // A full pipe takes the message later, which would let the next job begin with this answer still in hand.
  if (process.send?.(message, undefined, undefined, () => sent?.()) === true) return undefined;
  return new Promise((resolve) => {
    sent = resolve;
  });
}

async function die(error: unknown): Promise<void> {
  const { message } = errorInfo(error);
  await send({ kind: 'dying', message });
  process.exit(1);
}

async function load(start: WorkerStart): Promise<StageWorker> {
  const module = (await import(start.module)) as Record<string, unknown>;
  const worker = module[start.export];
  if (typeof worker !== 'function') throw new TypeError(`${start.module} has no function named ${start.export}`);
  const { prepare } = module;
  // What it cannot load, the first item needs as well, and fails with.
  if (typeof prepare === 'function') void Promise.resolve(prepare(start.data)).catch(() => undefined);
  return worker as StageWorker;
}

function heldMb(start: WorkerStart): number {
  const now = performance.now();
  if (start.memoryEveryMs === 0 || now - memoryAt < start.memoryEveryMs) return 0;
  memoryAt = now;
  if (!parentPort) return process.memoryUsage.rss() / 1e6;
  const heap = getHeapStatistics();
  return (heap.used_heap_size + heap.external_memory) / 1e6;
}

/** One attempt; a promise only where something has to be waited for. */
function attempt(
  start: WorkerStart,
  worker: StageWorker,
  [, item, suffix, number]: Job,
): Performed | Promise<Performed> {
  const context = {
    stageName: start.stageName,
    attempt: number,
    signal: never,
    finalOutputs: item.outputs,
    data: start.data,
  };
  const startedAt = performance.now();
  let performed: Performed | undefined;
  let done = (value: Performed): void => {
    performed = value;
  };
  perform(
    worker,
    {
      item,
      hasOutputs: isFilled(item.outputs),
      suffix,
      folders,
      elapsedMs: () => performance.now() - startedAt,
      done: (value) => done(value),
    },
    context,
  );
  return (
    performed ??
    new Promise((resolve) => {
      done = resolve;
    })
  );
}

async function drain(start: WorkerStart, worker: StageWorker): Promise<void> {
  draining = true;
  for (let job = queue.shift(); job; job = queue.shift()) {
    const [id] = job;
    const answer = attempt(start, worker, job);
    const performed = answer instanceof Promise ? await answer : answer;
    const sending = send([id, performed, heldMb(start)]);
    if (sending) await sending;
  }
  draining = false;
}

async function begin(start: WorkerStart): Promise<(jobs: ToWorker) => void> {
  process.on('uncaughtException', (error) => void die(error));
  process.on('unhandledRejection', (error) => void die(error));
  try {
    const worker = await load(start);
    // Code is compiled when it first runs: a spare that has rehearsed begins its first real item sooner.
    await attempt(start, () => ({ status: 'success' }), REHEARSAL);
    await send({ kind: 'ready' });
    return (jobs) => {
      if (jobs.length === 0) process.exit(0);
      queue.push(...jobs);
      if (!draining) void drain(start, worker);
    };
  } catch (error) {
    await send({ kind: 'unusable', message: errorInfo(error).message });
    return () => undefined;
  }
}

if (parentPort && !isMainThread) {
  const receive = begin(workerData as WorkerStart);
  parentPort.on('message', (jobs: ToWorker) => void receive.then((take) => take(jobs)));
} else {
  let receive: Promise<(jobs: ToWorker) => void> | undefined;
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole group of processes; whether running items finish is for the parent to say.
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
      workerData: { descriptor: 4, memoryLimitMb: start.memoryLimitMb },
      execArgv: [],
      // It is where this process has what was compiled; Node adds its version to the folder again.
      env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    }).unref();
  });
}
