import type { DownloadEvent, DownloadSummary } from '../download/index.ts';
import type { Account, RunCounts } from '../ask/index.ts';
import type { QueueEvent } from '../queue/index.ts';
import type { IndexEvent } from '../search/index.ts';
import type { StageEvent } from '../stage/index.ts';
import type { RunAccount } from './account.ts';
import type { CorpusStageName } from './corpus-run.ts';

/** A message for people. */
export interface MessageEvent {
  readonly kind: 'message';
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
}

/** Events while a corpus is gathered, parsed and indexed. */
export type CorpusEvent =
  | MessageEvent
  /** An event of the download. */
  | { readonly kind: 'download'; readonly event: DownloadEvent }
  /** An event of its queue. */
  | { readonly kind: 'queue'; readonly event: QueueEvent }
  /** The download ended: what this run did, and the outcome of all works of the folder. */
  | { readonly kind: 'gathered'; readonly summary: DownloadSummary; readonly run: RunCounts; readonly counts: Account }
  /** An event of a stage. */
  | { readonly kind: 'stage'; readonly stage: CorpusStageName; readonly event: StageEvent }
  /** All documents have gone through all stages; the index is built next. */
  | { readonly kind: 'indexing' }
  /** An event of building the index. */
  | { readonly kind: 'index'; readonly event: IndexEvent }
  /** Always the last event. */
  | { readonly kind: 'ended'; readonly account: RunAccount };
