// import … from 'docstokg/queue': jobs that survive a crash, and the workers that run them.
export { openStore, Orchestrator, WorkQueue } from '../queue/index.ts';
export type {
  EnqueueOptions,
  Handler,
  HandlerContext,
  HandlerJob,
  HandlerOutcome,
  Job,
  JobState,
  LeasedJob,
  OrchestratorOptions,
  OrchestratorSetup,
  QueueStore,
  RunSummary,
  StoreOptions,
} from '../queue/index.ts';
