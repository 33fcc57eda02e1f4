export { HeldClock } from './held-clock.ts';
export { openLoopback, sendJson } from './loopback.ts';
export type { Received } from './loopback.ts';
