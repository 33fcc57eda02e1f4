import type { DownloadEvent, DownloadSummary } from '../download/index.ts';
import type { Account, RunCounts } from '../ask/index.ts';
import type { QueueEvent } from '../queue/index.ts';
import type { IndexEvent } from '../search/index.ts';
import type { StageEvent } from '../stage/index.ts';
import type { RunAccount } from './account.ts';
import type { CorpusStageName } from './corpus-run.ts';

/** Something worth telling a person, in words. */
export interface MessageEvent {
  readonly kind: 'message';
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
}

/** What happens to a corpus while it is gathered, parsed and indexed. */
export type CorpusEvent =
  | MessageEvent
  /** What the download tells. */
  | { readonly kind: 'download'; readonly event: DownloadEvent }
  /** What the queue behind it tells. */
  | { readonly kind: 'queue'; readonly event: QueueEvent }
  /** No more works are downloaded: what this run did, and the outcome of all works of the folder. */
  | { readonly kind: 'gathered'; readonly summary: DownloadSummary; readonly run: RunCounts; readonly counts: Account }
  /** What a stage tells. */
  | { readonly kind: 'stage'; readonly stage: CorpusStageName; readonly event: StageEvent }
  /** All documents have gone through all stages, and the index is made. */
  | { readonly kind: 'indexing' }
  /** What making the index tells. */
  | { readonly kind: 'index'; readonly event: IndexEvent }
  /** It is over; always the last event. */
  | { readonly kind: 'ended'; readonly account: RunAccount };
