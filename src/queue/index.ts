export { MemoryStore } from './memory/store.ts';
export type { QueueEvent, Report } from './events.ts';
export type { Handler, HandlerContext, HandlerJob, HandlerOutcome, Window } from './handler.ts';
export { ORCHESTRATOR_DEFAULTS } from './options.ts';
export type { DrainMode, OrchestratorOptions } from './options.ts';
export { Orchestrator } from './orchestrator.ts';
export type { OrchestratorSetup, RunSummary } from './orchestrator.ts';
export { JobHolder } from './job-holder.ts';
export type { HeldJob, JobHolderOptions } from './job-holder.ts';
export { WorkQueue } from './work-queue.ts';
export type { EnqueueOptions, ImportRow } from './work-queue.ts';
export { currentJob } from './current-job.ts';
export type { JobSeat } from './current-job.ts';
export { hostOverview } from './host-overview.ts';
export type { HostOverview, HostSources } from './host-overview.ts';
export { overviewOf } from './overview.ts';
export type { QueueOverview, SlowedHost, WorkerOverview } from './overview.ts';
export { RateMeter } from './rate-meter.ts';
export { createWorkerId, isDeadHere } from './worker-identity.ts';
export { openStore } from './store.ts';
export type { StoreOptions } from './store.ts';
export { JOB_STATES } from './types.ts';
export type {
  Backlog,
  DeathLimits,
  Exchange,
  ExchangeRequest,
  HostJobs,
  Job,
  JobFilter,
  JobPage,
  JobState,
  Lane,
  LaneBacklog,
  Lease,
  LeasedJob,
  NewJob,
  Outlook,
  Pause,
  QueueAdmin,
  QueueStats,
  QueueStore,
  SettledLease,
  Settlement,
  Standing,
  StoreChange,
  WorkerInfo,
} from './types.ts';
