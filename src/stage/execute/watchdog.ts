import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { writeSync } from 'node:fs';

/** How often the memory of the process is looked at. */
const LOOK_EVERY_MS = 100;
const { descriptor, memoryLimitMb } = workerData as { readonly descriptor: number; readonly memoryLimitMb: number };

// A thread of its own, because the main one may be spinning when the parent dies or while memory fills up.
const parent = new Socket({ fd: descriptor, readable: true, writable: false });
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
parent.on('close', die).on('error', die).resume();

if (memoryLimitMb > 0) {
  // V8 limits its own heap; buffers and wasm memory count only here.
  setInterval(() => {
    if (process.memoryUsage.rss() < memoryLimitMb * 1e6) return;
    writeSync(descriptor, 'm');
    die();
  }, LOOK_EVERY_MS);
}
