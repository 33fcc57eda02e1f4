import type { Performed } from './item-run.ts';
import type { WorkItem } from '../types.ts';

/** What a cpu worker is started with. */
export interface WorkerStart {
  readonly module: string;
  readonly export: string;
  readonly stageName: string;
  readonly data: unknown;
  /** Report the memory held, at most this often; 0 means never. */
  readonly memoryEveryMs: number;
  /** A process over this much is killed by its own watchdog; 0 means no limit. */
  readonly memoryLimitMb: number;
  /** Size of the young generation of its heap; 0 leaves it to V8. */
  readonly youngGenerationMb: number;
  /** How far a process leaves the cores to others. */
  readonly niceness: number;
}

/** One attempt as it is sent. */
export type Job = readonly [id: number, item: WorkItem, suffix: string, attempt: number];

/** Messages to a worker: jobs to be run one after the other; none means that it may go. */
export type ToWorker = readonly Job[];

/** Messages from a worker. */
export type FromWorker =
  | readonly [id: number, performed: Performed, heldMb: number]
  | { readonly kind: 'ready' }
  /** The worker's module cannot be used: every other worker would say the same. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** An exception nobody caught; the worker ends after this. */
  | { readonly kind: 'dying'; readonly message: string };

/** How a worker ended that was not asked to. */
export interface Death {
  readonly reason: 'crash' | 'out-of-memory';
  readonly message: string;
}

/** What a carrier tells its owner; `exit` comes last, and once. */
export interface CarrierEvents {
  message(message: FromWorker): void;
  output(text: string): void;
  exit(death: Death): void;
}

/** A thread or a process that runs jobs. */
export interface Carrier {
  send(jobs: ToWorker): void;
  /** Lets an idle one go. */
  close(): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Resolves when it has ended and writes no more. */
  readonly ended: Promise<void>;
}

/** Starts a carrier. */
export type StartCarrier = (start: WorkerStart, events: CarrierEvents) => Carrier;
