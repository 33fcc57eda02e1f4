export type { DownloadTelemetry } from './otel-download.ts';
export { observeQueue, startTelemetry } from './otel-queue.ts';
export { startStageTelemetry } from './otel-stage.ts';
export { HostLog } from './host-log.ts';
export type { HostRow } from './host-log.ts';
