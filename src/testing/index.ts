export { HeldClock } from './held-clock.ts';
export { describeQueueStore } from './queue-store-suite.ts';
export { openLoopback, sendJson } from './loopback.ts';
export type { Received } from './loopback.ts';
