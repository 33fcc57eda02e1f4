export type { DownloadTelemetry } from './otel-download.ts';
export { observeQueue, startTelemetry } from './otel-queue.ts';
export { startStageTelemetry } from './otel-stage.ts';
