export { HeldClock } from './held-clock.ts';
export { describeQueueStore } from './queue-store-suite.ts';
export { openJsonServer, sendJson } from './json-server.ts';
export type { Received } from './json-server.ts';
