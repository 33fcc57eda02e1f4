import type { DownloadEvent } from '../download/index.ts';
import type { QueueEvent } from '../queue/index.ts';

/** Whether the queue tells it, and not the download itself. */
export function isQueueEvent(event: DownloadEvent | QueueEvent): event is QueueEvent {
  return !/^(work-|worker-)/.test(event.kind);
}
