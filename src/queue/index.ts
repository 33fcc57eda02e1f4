export { MemoryStore } from './memory/store.ts';
export { openStore } from './store.ts';
export type { StoreOptions } from './store.ts';
export { JOB_STATES } from './types.ts';
export type {
  Job,
  JobFilter,
  JobState,
  Lane,
  LaneBacklog,
  Lease,
  LeasedJob,
  LeaseRequest,
  NewJob,
  Outlook,
  Pause,
  QueueAdmin,
  QueueStats,
  QueueStore,
  Settlement,
  StoreChange,
} from './types.ts';
