// A room of its own, because commands that only look at a queue should not load what downloads.
export { openQueue, orchestratorOptions, queueLayer } from './open-queue.ts';
export type { Runtime } from './runtime.ts';
