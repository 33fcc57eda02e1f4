export { HeldClock } from './held-clock.ts';
export { describeQueueStore } from './queue-store-suite.ts';
export { openJsonServer, sendJson } from './json-server.ts';
export type { Received } from './json-server.ts';
export { openLoopback, openRawLoopback } from './loopback.ts';
export type { Loopback, SeenRequest } from './loopback.ts';
export { loopbackClient } from './loopback-client.ts';
export { Wire } from './wire.ts';
