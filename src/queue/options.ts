/** How an orchestrator works: its slice of the configuration, in milliseconds. */
export interface OrchestratorOptions {
  readonly maxWorkers: number;
  readonly maxPerResolver: Readonly<Record<string, number>>;
  readonly maxPerHost: number;
  readonly maxParked: number;
  readonly readyPerHost?: number | undefined;
  /** Jobs of a host that is held for longer than this are not waited for. */
  readonly patienceMs?: number;
  /** What is done with such jobs when nothing else can run: try them, because they may be had elsewhere, or wait. */
  readonly heldLanes?: 'try' | 'wait';
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly maxAttempts: number;
  readonly retryBackoffMs: number;
  readonly retryJitterMs: number;
  readonly retryMaxDelayMs: number;
  /** 0 means no limit. */
  readonly jobTimeoutMs: number;
  readonly shutdownGraceMs: number;
}

/** When to end: never by oneself; when nothing is left, also nothing delayed or paused; when nothing can run now. */
export type DrainMode = 'never' | 'empty' | 'due';
