export { observeQueue, startTelemetry } from './otel-queue.ts';
export type { Telemetry } from './otel-queue.ts';
export { startStageTelemetry } from './otel-stage.ts';
