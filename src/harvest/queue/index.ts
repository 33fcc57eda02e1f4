// A room of its own, because commands that only look at a queue should not load what downloads.
export { openQueue, queueLayer } from './open-queue.ts';
