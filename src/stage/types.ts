import type { Clock, Random } from '../base/index.ts';
import type { StageOptions } from './options.ts';

/** Decides whether a retry can help. */
export type ErrorCategory = 'input' | 'config' | 'runtime' | 'timeout' | 'network' | 'transient' | 'unknown';

/** Why an item failed. */
export interface StageErrorInfo {
  /** The stage it failed in. */
  readonly stage: string;
  /** The item. */
  readonly itemId: string;
  /** Decides whether a retry can help. */
  readonly category: ErrorCategory;
  /** What happened, in one sentence. */
  readonly message: string;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** A stable name such as WORKER_CRASHED or ENOENT, if there is one. */
  readonly code?: string;
  /** The wait that a server asks for; by default none. */
  readonly retryAfterMs?: number;
  /** No other item can succeed either, for example because the server is gone: the stage stops. */
  readonly stopsStage?: boolean;
}

/** With an equal fingerprint the work is not repeated. */
interface ItemFingerprint {
  readonly inputSha256: string;
  readonly cfgHash: string;
}

/** One unit of work: plain data, so that it can be sent to another process. */
export interface WorkItem {
  /** Stable and relative, for example the document's file name; unique within the plan. */
  readonly itemId: string;
  /** Paths of the inputs, by name. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Final paths of the outputs. The worker gets temporary paths, which are renamed to these when it succeeds. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Of the settings of this stage. */
  readonly cfgHash: string;
  /** Pages, bytes or chunks: sjf and lpt order by it. */
  readonly costHint: number;
  /** Small hints for the worker; pass large data by path. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Set by a plan that knows the hash of the inputs; then nothing is hashed. */
  readonly fingerprint?: ItemFingerprint;
}

/** Makes the items of a stage, all with the same settings. */
export interface StageItems {
  readonly cfgHash: string;
  /** The item of a document: of its file, or of its id in the stage before. The same document has the same item. */
  readonly item: (document: string) => WorkItem;
}

/** How an item from a source ended; `unfinished` items must be handed out again. */
export type ItemEnd =
  /** A worker or an earlier run has done it. */
  | { readonly kind: 'success' | 'skip'; readonly outcome: ItemOutcome }
  /** It failed for good. */
  | { readonly kind: 'failure'; readonly error: StageErrorInfo }
  | { readonly kind: 'unfinished' };

/** An item that a source has handed out. */
export interface TakenItem {
  /** The item. */
  readonly item: WorkItem;
  /** Aborted when the item no longer belongs to this runner: it is stopped and its result dropped. */
  readonly lost?: AbortSignal;
}

/** Hands out the items of a plan to several runners; it manages leases and heartbeats. */
export interface ItemSource {
  /** Waits for work and returns at most `limit` items; undefined when there will be no more. */
  take(limit: number, signal: AbortSignal): Promise<readonly TakenItem[] | undefined>;
  /** Called once for every item taken, after its row was given to the sink. */
  settle(item: WorkItem, end: ItemEnd): Promise<void>;
}

/**
 * Items between two steps: one step offers, a stage takes and settles. Bounded in memory, or unbounded in a queue that
 * several runners share.
 */
export interface Line extends ItemSource {
  /** Adds items that the line has not had; resolves when they are in it, or dropped because of the signal. */
  offer(items: readonly WorkItem[], signal: AbortSignal): Promise<void>;
  /** Nobody will offer more: `take` ends when every item is settled. */
  close(): void;
}

/** The items of a stage. */
export interface StagePlan {
  /** For example doctags, chunk or embed; part of the manifest's name. */
  readonly stageName: string;
  /** What is to be done; items are taken as workers become free. */
  readonly items: Iterable<WorkItem> | AsyncIterable<WorkItem> | ItemSource;
  /** How many there are, for progress; by default unknown. */
  readonly totalItems?: number;
  /** The version of the outputs, written into the manifest; by default that of the runner. */
  readonly schemaVersion?: string;
}

/** What a worker may use while it does an item. */
export interface WorkerContext {
  /** The name of the stage. */
  readonly stageName: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborted when the item times out or the run is aborted. */
  readonly signal: AbortSignal;
  /** Final paths of the outputs; write to `item.outputs`. */
  readonly finalOutputs: Readonly<Record<string, string>>;
  /** Extends the CPU time limit of this item, for example per page. */
  readonly grantCpu: (seconds: number) => void;
  /** The stage's data, the same for every item. */
  readonly data: unknown;
}

/** How a worker ended an item. */
export interface ItemOutcome {
  /** Whether it worked, was not needed, or failed. */
  readonly status: 'success' | 'skip' | 'failure';
  /** By default measured by the runner. */
  readonly durationS?: number;
  /** More fields of the manifest row. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Small results for hooks. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** Why it was skipped; by default `worker`. */
  readonly reason?: string;
  /** The runner adds stage and item. */
  readonly error?: Partial<StageErrorInfo> & Pick<StageErrorInfo, 'category' | 'message'>;
}

/** Does one item: reads its inputs, writes its outputs. */
export type StageWorker = (item: WorkItem, context: WorkerContext) => ItemOutcome | Promise<ItemOutcome>;

/** Exports a StageWorker; an exported `prepare` is called with the stage's data when the worker starts. */
export interface WorkerModule {
  /** The file to import, in every worker process. */
  readonly module: string | URL;
  /** `default` by default. */
  readonly export?: string;
}

export interface StageContext {
  readonly stageName: string;
  readonly options: StageOptions;
  readonly manifestPath: string;
}

/** On the main thread; one that throws is reported as a warning. */
export interface StageHooks {
  readonly beforeStage?: (context: StageContext) => void | Promise<void>;
  readonly afterStage?: (outcome: StageOutcome, context: StageContext) => void | Promise<void>;
  readonly beforeItem?: (item: WorkItem, context: StageContext) => void;
  /** After the last attempt, in item order, with the outcome or the error. */
  readonly afterItem?: (item: WorkItem, outcome: ItemOutcome | StageErrorInfo, context: StageContext) => void;
}

export interface PlanBucket {
  readonly action: 'run' | 'skip';
  readonly reason: string;
  readonly items: number;
  readonly cost: number;
  readonly examples: readonly string[];
}

/** How a stage ended. */
export interface StageOutcome {
  /** The name of the stage. */
  readonly stageName: string;
  /** Items that were started. */
  readonly scheduled: number;
  /** Done by an earlier run, or skipped by the worker. */
  readonly skipped: number;
  /** Items that a worker finished. */
  readonly succeeded: number;
  /** Items that failed for good. */
  readonly failed: number;
  /** Attempts that failed and were repeated. */
  readonly retried: number;
  /** Stopped early, by a signal, the error budget or a full disk. */
  readonly cancelled: boolean;
  /** Why it stopped early; by default it did not. */
  readonly stopReason?: string;
  /** Items taken but left for the next run. */
  readonly unfinished: number;
  /** Items that ignored their abort and may still be running. */
  readonly abandoned: number;
  /** How long the stage took. */
  readonly wallMs: number;
  /** Median wait of an item for a worker. */
  readonly queueP50Ms: number;
  /** Median time of an item. */
  readonly execP50Ms: number;
  /** Time of an item that only one in twenty exceeds. */
  readonly execP95Ms: number;
  /** The first thousand final errors. */
  readonly errors: readonly StageErrorInfo[];
  /** The items that took longest. */
  readonly slowest: readonly { readonly itemId: string; readonly durationS: number }[];
  /** The most frequent kinds of errors, each with the message of its first. */
  readonly topErrors: readonly { readonly category: ErrorCategory; readonly message: string; readonly count: number }[];
  /** With `dryRun` only. */
  readonly plan?: readonly PlanBucket[];
}

type Measured = 'stageName' | 'succeeded' | 'skipped' | 'failed' | 'retried' | 'execP50Ms' | 'execP95Ms';

export interface Progress extends Pick<StageOutcome, Measured> {
  readonly elapsedMs: number;
  /** Items with a final outcome, skipped ones included. */
  readonly done: number;
  readonly total?: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly waitingForRetry: number;
  readonly itemsPerSecond: number;
  readonly etaMs?: number;
}

export type ReplaceReason = 'timeout' | 'crash' | 'out-of-memory' | 'items' | 'lost';

export type StageEvent =
  | {
      readonly kind: 'stage-started';
      readonly stageName: string;
      readonly total?: number;
      readonly manifestPath: string;
    }
  /** At most five times per second. */
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** Every `diagnosticsIntervalS`. */
  | { readonly kind: 'diagnostics'; readonly progress: Progress }
  /** An attempt failed and will be repeated. */
  | {
      readonly kind: 'item-retry';
      readonly error: StageErrorInfo;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly kind: 'item-failed'; readonly error: StageErrorInfo; readonly attempts: number }
  /** An item ignored its abort; its result will be ignored. */
  | { readonly kind: 'item-abandoned'; readonly itemId: string }
  /** A cpu worker was ended and is replaced. */
  | { readonly kind: 'worker-replaced'; readonly reason: ReplaceReason; readonly itemId?: string }
  | { readonly kind: 'worker-output'; readonly text: string }
  /** A hook threw an error; the run continues. */
  | { readonly kind: 'hook-failed'; readonly hook: string; readonly message: string; readonly itemId?: string }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stage-ended'; readonly outcome: StageOutcome };

export interface ItemRecord {
  readonly stage: string;
  readonly itemId: string;
  readonly inputPath: string | undefined;
  readonly outputPaths: readonly string[];
  readonly durationS: number;
  readonly schemaVersion: string;
  readonly inputSha256: string | undefined;
  readonly cfgHash: string;
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly finishedAt: number;
  readonly extras: Readonly<Record<string, unknown>> | undefined;
}

export interface ManifestSink extends AsyncDisposable {
  logSuccess(record: ItemRecord): void;
  logSkip(record: ItemRecord, reason: string): void;
  logFailure(record: ItemRecord, error: StageErrorInfo): void;
  /** A failed attempt; `delayMs` until the next one, undefined after the last. */
  logAttempt(record: ItemRecord, error: StageErrorInfo, delayMs: number | undefined): void;
  /** Resolves when everything logged so far is written, durably if the sink is durable. */
  flush(): Promise<void>;
}

export interface StageRuntime {
  readonly report?: (event: StageEvent) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Receives the rows instead of the manifest files. */
  readonly sink?: ManifestSink;
  /** Aborting it drains the stage, like the first signal. */
  readonly signal?: AbortSignal;
  /** Plain data for every worker, as `context.data`. */
  readonly workerData?: unknown;
  /** Resolves when items are certain to come: cpu workers then start before the first item. */
  readonly expecting?: Promise<void>;
  /** Environment of cpu workers; empty by default, so that API keys never reach a parser. */
  readonly workerEnvironment?: Readonly<Record<string, string>>;
}
