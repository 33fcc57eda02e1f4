export { HeldClock } from './held-clock.ts';
export { describeQueueStore } from './queue-store-suite.ts';
