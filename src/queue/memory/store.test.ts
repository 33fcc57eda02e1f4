import { describeQueueStore } from '../../testing/index.ts';
import { MemoryStore } from './store.ts';

describeQueueStore('Memory', () => Promise.resolve(new MemoryStore()));
