export { observeQueue, startStageTelemetry, startTelemetry } from './otel-events.ts';
export type { Telemetry } from './otel-events.ts';
