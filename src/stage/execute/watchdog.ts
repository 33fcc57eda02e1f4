import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { writeSync } from 'node:fs';

import { isOver } from './item-limit.ts';

/** How often memory and time of the process are checked. */
const LOOK_EVERY_MS = 100;
const { descriptor, memoryLimitMb, limits } = workerData as {
  readonly descriptor: number;
  readonly memoryLimitMb: number;
  readonly limits: Float64Array;
};

// A separate thread, because the main one may be spinning when the parent dies or memory fills up.
const parent = new Socket({ fd: descriptor, readable: true, writable: false });
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
parent.on('close', die).on('error', die).resume();

setInterval(() => {
  // V8 limits its heap; buffers and wasm memory are counted only here.
  const isOverMemory = memoryLimitMb > 0 && process.memoryUsage.rss() >= memoryLimitMb * 1e6;
  if (!isOverMemory && !isOver(limits)) return;
  writeSync(descriptor, isOverMemory ? 'm' : 't');
  die();
}, LOOK_EVERY_MS);
