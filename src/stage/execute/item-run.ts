import type { AgreedInputs } from '../commit/input-identity.ts';
import type { BareError } from '../stage-error.ts';
import type { WorkItem } from '../types.ts';

/** An item on its way through a run. */
export class ItemRun {
  readonly item: WorkItem;
  readonly lost: AbortSignal | undefined;
  /** Its place in the order of rows and hooks. */
  sequence = -1;
  attempt = 1;
  queuedAt = 0;
  startedAt = 0;
  readonly hasOutputs: boolean;

  constructor(item: WorkItem, lost?: AbortSignal) {
    this.item = item;
    this.lost = lost;
    this.hasOutputs = isFilled(item.outputs);
  }
}

/** Object.keys would make a list of every item's names only to count it. */
export function isFilled(record: Readonly<Record<string, unknown>>): boolean {
  for (const _ in record) return true;
  return false;
}

/** What came of one attempt, measured and checked. */
export interface Performed {
  readonly status: 'success' | 'skip' | 'failure';
  readonly durationMs: number;
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
  readonly error?: BareError;
  /** What the outputs were made from; only with outputs. */
  readonly inputs?: AgreedInputs;
  /** The hashes of the outputs in the order they are declared; only with outputs. */
  readonly outputs?: readonly string[];
}

/** Runs attempts; the runner asks for room before it submits. */
export interface Executor extends AsyncDisposable {
  /** How many more attempts are welcome now. */
  readonly room: number;
  readonly inFlight: number;
  submit(run: ItemRun): void;
  /** Sends what was submitted since the last call. */
  flush(): void;
  /** Stops everything that runs, at once. */
  abort(): void;
}
