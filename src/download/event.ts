import type { QueueEvent } from '../queue/index.ts';
import type { ManifestRow } from './manifest-row.ts';

/** What happens in a run besides what the queue tells. */
export type DownloadEvent =
  | { readonly kind: 'work-found'; readonly isNew: boolean }
  | { readonly kind: 'work-ended'; readonly row: ManifestRow }
  | { readonly kind: 'work-kept-before'; readonly work: string }
  | { readonly kind: 'worker-crashed'; readonly work: string; readonly code: string; readonly message: string };

/** Whether the queue tells it, and not the download itself. */
export function isQueueEvent(event: DownloadEvent | QueueEvent): event is QueueEvent {
  return !/^(work-|worker-)/.test(event.kind);
}
