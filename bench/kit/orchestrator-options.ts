import type { OrchestratorOptions } from '../../src/queue/index.ts';

/** Options under which nothing but what is measured counts: long leases, no jitter, no limit on a job's time. */
export const BENCH_ORCHESTRATOR = {
  maxPerResolver: {},
  leaseMs: 600_000,
  heartbeatMs: 30_000,
  maxAttempts: 3,
  retryBackoffMs: 1_000,
  retryJitterMs: 0,
  retryMaxDelayMs: 60_000,
  jobTimeoutMs: 0,
  shutdownGraceMs: 1_000,
} as const satisfies Partial<OrchestratorOptions>;
