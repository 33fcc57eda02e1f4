import type { StageErrorInfo } from '../types.ts';

/** What every manifest row says about an item, whatever came of it. */
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

/** Where final outcomes are written down, in the order of the items. */
export interface ManifestSink extends AsyncDisposable {
  logSuccess(record: ItemRecord): void;
  logSkip(record: ItemRecord, reason: string): void;
  logFailure(record: ItemRecord, error: StageErrorInfo): void;
  /** An attempt that failed; `delayMs` until the next one, undefined when it was the last. */
  logAttempt(record: ItemRecord, error: StageErrorInfo, delayMs: number | undefined): void;
  /** Rows that are not written yet. */
  readonly pending: number;
  /** Resolves when everything logged so far is written, and durable if the sink is. */
  flush(): Promise<void>;
}
