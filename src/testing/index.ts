export { HeldClock } from './held-clock.ts';
export { describeQueueStore } from './queue-store-suite.ts';
export { openLoopback, openRawLoopback } from './loopback.ts';
export type { Loopback, SeenRequest } from './loopback.ts';
export { loopbackClient } from './loopback-client.ts';
export { Wire } from './wire.ts';
export { gather } from './gather.ts';
