import type { QueueEvent } from '../queue/index.ts';
import type { ManifestRow } from './manifest-row.ts';

/** Events of a run besides those of the queue. */
export type DownloadEvent =
  | { readonly kind: 'work-found'; readonly isNew: boolean }
  | { readonly kind: 'work-ended'; readonly row: ManifestRow }
  | { readonly kind: 'work-kept-before'; readonly work: string }
  | { readonly kind: 'worker-crashed'; readonly work: string; readonly code: string; readonly message: string };

/** Whether an event comes from the queue. */
export function isQueueEvent(event: DownloadEvent | QueueEvent): event is QueueEvent {
  return !/^(work-|worker-)/.test(event.kind);
}
