/** How an orchestrator works: its slice of the configuration, in milliseconds. */
export interface OrchestratorOptions {
  readonly maxWorkers: number;
  readonly maxPerResolver: Readonly<Record<string, number>>;
  readonly maxPerHost: number;
  readonly maxParked: number;
  readonly readyPerHost?: number | undefined;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly maxAttempts: number;
  /** Leases of a job that may run out before it is given up; 20 unless told. */
  readonly maxDeaths?: number | undefined;
  readonly retryBackoffMs: number;
  readonly retryJitterMs: number;
  readonly retryMaxDelayMs: number;
  /** 0 means no limit. */
  readonly jobTimeoutMs: number;
  readonly shutdownGraceMs: number;
}

/** When to end: never by oneself; when nothing is left, also nothing delayed or paused; when nothing can run now. */
export type DrainMode = 'never' | 'empty' | 'due';
