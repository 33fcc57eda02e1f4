// The queue without the orchestrator, so that commands that only read or enqueue start faster.
export { isoTime, jobJson, queueJson, RateMeter } from '../overview.ts';
export { openPostgres, openStore } from '../store.ts';
export type { PostgresConnection, RunStatement } from '../postgres/connection.ts';
export type { StoreOptions } from '../store-options.ts';
export { WorkQueue } from '../work-queue.ts';
export type { EnqueueOptions, ImportRow } from '../work-queue.ts';
export { JOB_STATES } from '../types.ts';
export type * from '../types.ts';
