import type { Clock, Random } from '../base/index.ts';
import type { StageEvent } from './events.ts';
import type { ManifestSink } from './record/manifest-sink.ts';

/** Where in a stage's life an error belongs; it decides whether trying again can help. */
export type ErrorCategory = 'input' | 'config' | 'runtime' | 'timeout' | 'network' | 'transient' | 'unknown';

/** What went wrong with an item, as plain data. */
export interface StageErrorInfo {
  readonly stage: string;
  readonly itemId: string;
  readonly category: ErrorCategory;
  readonly message: string;
  readonly retryable: boolean;
  /** A stable name such as WORKER_CRASHED or ENOENT, where there is one. */
  readonly code?: string;
  /** A server asked for this much patience before the next attempt. */
  readonly retryAfterMs?: number;
  /** No other item can succeed either (a server that all need is gone): the stage stops. */
  readonly stopsStage?: boolean;
}

/** What an output was made from; equal fingerprints mean the work need not be done again. */
export interface ItemFingerprint {
  readonly inputSha256: string;
  readonly cfgHash: string;
}

/** One unit of work: plain data, so that it can be sent to another process. */
export interface WorkItem {
  /** Stable and relative, for example the document's file name; unique within the plan. */
  readonly itemId: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Where the outputs will stand. The worker is given names beside them, which become these when all is well. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Hash of the settings that matter to this stage. */
  readonly cfgHash: string;
  /** Pages, bytes or chunks: what SJF and LPT order by. */
  readonly costHint: number;
  /** Small hints for the worker; large things are passed by path. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Known in advance, where the plan knows the hash of its inputs: then nothing is hashed. */
  readonly fingerprint?: ItemFingerprint;
}

/** How an item ended when it was taken from a source; `unfinished` means nobody has done it yet. */
export type ItemEnd =
  | { readonly kind: 'success' | 'skip'; readonly outcome: ItemOutcome }
  | { readonly kind: 'failure'; readonly error: StageErrorInfo }
  | { readonly kind: 'unfinished' };

/** An item handed out by a source. */
export interface TakenItem {
  readonly item: WorkItem;
  /** Aborted when the item no longer belongs to this runner: its work is stopped and its result dropped. */
  readonly lost?: AbortSignal;
}

/**
 * Where a plan's items come from when several runners share them, a work queue for example. Leases and heartbeats
 * are the source's own affair.
 */
export interface ItemSource {
  /** Waits for work, at most `limit` items; undefined when there will be none any more. */
  take(limit: number, signal: AbortSignal): Promise<readonly TakenItem[] | undefined>;
  /** Called once for every item taken, after its row is written. */
  settle(item: WorkItem, end: ItemEnd): Promise<void>;
}

/** What a stage has to do. Items may be endless: they are taken as workers become free. */
export interface StagePlan {
  /** For example doctags, chunk, embed; it names the manifest. */
  readonly stageName: string;
  readonly items: Iterable<WorkItem> | AsyncIterable<WorkItem> | ItemSource;
  /** For progress and budgets, where it is known. */
  readonly totalItems?: number;
  readonly schemaVersion?: string;
}

/** io and gpu run asynchronously in this thread, many at once; cpu runs in child processes. */
export type Policy = 'io' | 'cpu' | 'gpu';

/** fifo keeps the plan's order, sjf gives early results, lpt the earliest end. */
export type Scheduling = 'fifo' | 'sjf' | 'lpt';

/** The knobs every stage shares; each has a default. */
export interface StageOptions {
  readonly policy: Policy;
  readonly workers: number;
  /** An item running longer is killed; 0 means never. */
  readonly perItemTimeoutS: number;
  /**
   * An item that needs more processor time than this is killed, or one that takes ten times as long by the clock; its
   * worker may ask for more (`context.grantCpu`). 0 means no limit. A busy machine does not shorten it.
   */
  readonly perItemCpuS: number;
  /** How long an aborted io item may take to stop before it is abandoned. */
  readonly abortGraceS: number;
  readonly retries: number;
  readonly retryBackoffS: number;
  /** The run stops after more final failures than this; 0 means never. */
  readonly errorBudget: number;
  /** Items that may wait for a worker; 0 leaves it to the runner, which is bounded as well. */
  readonly maxQueue: number;
  readonly scheduling: Scheduling;
  readonly resume: boolean;
  readonly force: boolean;
  /** Hash every input again instead of trusting its size, time and inode. */
  readonly verifyHash: boolean;
  readonly dryRun: boolean;
  readonly diagnosticsIntervalS: number;
  /** At most this many items of the plan; 0 means all. */
  readonly limit: number;
  /** This runner's part of the plan, counted from 1. */
  readonly shard: { readonly index: number; readonly count: number };
  /** A cpu worker over this much memory is killed, with its item; 0 means no limit. */
  readonly memoryLimitMb: number;
  /** The young generation of a cpu worker's heap: a small one is collected more often and grows less; 0 leaves it to V8. */
  readonly youngGenerationMb: number;
  /** A cpu worker is replaced after this many items; 0 means never. */
  readonly recycleAfterItems: number;
  /** A cpu worker that holds more than this between two items is replaced; 0 means never. */
  readonly recycleOverMb: number;
  /** Keep one started cpu worker in reserve, so that a killed one is replaced at once. */
  readonly warmSpare: boolean;
  /** Worker processes leave the cores to others by so much, as `nice` counts it: a stage that feeds another does not starve it. */
  readonly niceness: number;
  /** Whether outputs and rows are on the disk, and not only in the system's memory, before an item counts as done. */
  readonly durable: boolean;
  /** Where manifests are written, for example Data/Manifests. */
  readonly manifestDir: string;
  /** Drain on SIGINT, SIGTERM and SIGHUP while the stage runs; the second one aborts. */
  readonly handleSignals: boolean;
}

/** What the worker of a stage is told beside its item. */
export interface WorkerContext {
  readonly stageName: string;
  readonly attempt: number;
  /** Aborted when the item's time is over or the run is aborted. */
  readonly signal: AbortSignal;
  /** Where the outputs will stand; write to `item.outputs`, which stand beside them until then. */
  readonly finalOutputs: Readonly<Record<string, string>>;
  /** Adds to the processor time of this item, as its size becomes known: page by page, for example. */
  readonly grantCpu: (seconds: number) => void;
  /** What the stage gave its workers. */
  readonly data: unknown;
}

/** What came of one item. */
export interface ItemOutcome {
  readonly status: 'success' | 'skip' | 'failure';
  /** Measured by the runner where the worker leaves it out. */
  readonly durationS?: number;
  /** Stage-specific fields of the manifest row. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Small answers for hooks. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** With skip: why. */
  readonly reason?: string;
  /** With failure: what went wrong; stage and item are filled in. */
  readonly error?: Partial<StageErrorInfo> & Pick<StageErrorInfo, 'category' | 'message'>;
}

/** Processes one item. */
export type StageWorker = (item: WorkItem, context: WorkerContext) => ItemOutcome | Promise<ItemOutcome>;

/**
 * A worker by name, as processes need it: the module's export (default: `default`) is a StageWorker. A function
 * that it exports as `prepare` is called once with the stage's data when the worker starts, to load what takes long.
 */
export interface WorkerModule {
  readonly module: string | URL;
  readonly export?: string;
}

/** What hooks are told about the run. */
export interface StageContext {
  readonly stageName: string;
  readonly options: StageOptions;
  readonly manifestPath: string;
}

/** Optional taps, called on the main thread; one that throws is a warning. */
export interface StageHooks {
  readonly beforeStage?: (context: StageContext) => void | Promise<void>;
  readonly afterStage?: (outcome: StageOutcome, context: StageContext) => void | Promise<void>;
  /** When an item is first handed to a worker. */
  readonly beforeItem?: (item: WorkItem, context: StageContext) => void;
  /** In the order of the items, with the outcome or, after the last attempt, the error. */
  readonly afterItem?: (item: WorkItem, outcome: ItemOutcome | StageErrorInfo, context: StageContext) => void;
}

/** What a dry run would do with some items, and why. */
export interface PlanBucket {
  readonly action: 'run' | 'skip';
  readonly reason: string;
  readonly items: number;
  readonly cost: number;
  readonly examples: readonly string[];
}

/** What came of a stage. */
export interface StageOutcome {
  readonly stageName: string;
  /** Items handed to workers. */
  readonly scheduled: number;
  /** Satisfied by an earlier run, or skipped by the worker. */
  readonly skipped: number;
  readonly succeeded: number;
  /** Failed after all attempts. */
  readonly failed: number;
  readonly retried: number;
  /** Stopped before its end, by a signal, by the error budget or by a full disk. */
  readonly cancelled: boolean;
  readonly stopReason?: string;
  /** Items begun or taken but left for the next run. */
  readonly unfinished: number;
  /** Items that ignored their abort and may still be running. */
  readonly abandoned: number;
  readonly wallMs: number;
  readonly queueP50Ms: number;
  readonly execP50Ms: number;
  readonly execP95Ms: number;
  /** The first thousand final errors. */
  readonly errors: readonly StageErrorInfo[];
  readonly slowest: readonly { readonly itemId: string; readonly durationS: number }[];
  readonly topErrors: readonly { readonly category: ErrorCategory; readonly message: string; readonly count: number }[];
  /** With `dryRun`: what would be done. */
  readonly plan?: readonly PlanBucket[];
}

/** Things the runner needs from outside, beside its options. */
export interface StageRuntime {
  readonly report?: (event: StageEvent) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where rows go instead of the manifest files. */
  readonly sink?: ManifestSink;
  /** Aborting it drains the stage, like a first signal. */
  readonly signal?: AbortSignal;
  /** Given to every worker as `context.data`; plain data. */
  readonly workerData?: unknown;
  /** Resolves when items are sure to come: cpu workers are started then, and need not be waited for by the first of them. */
  readonly expecting?: Promise<void>;
  /** The environment of cpu workers; empty by default, so that no key of ours reaches a parser. */
  readonly workerEnvironment?: Readonly<Record<string, string>>;
}
