import type { Clock } from '../base/index.ts';
import type { LeasedJob, QueueEvent, QueueStore } from '../queue/index.ts';
import type { DownloadTelemetry } from './otel-download.ts';
import { observeDownload } from './otel-download.ts';
import { observeQueue } from './otel-queue.ts';
import type { ExportOptions } from './otel-sdk.ts';
import { openInstruments } from './otel-sdk.ts';
import type { StageTelemetry } from './otel-stage.ts';
import { observeStages } from './otel-stage.ts';

/** What a run of the queue reports to. */
export interface Telemetry extends AsyncDisposable {
  readonly report: (event: QueueEvent) => void;
  readonly around?: <T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>;
  /** What a download and its client report to; absent when nobody listens. */
  readonly download?: DownloadTelemetry;
}

/** Starts whatever export is configured and watches the queue with it. */
export async function startTelemetry(
  options: ExportOptions,
  store: QueueStore,
  clock: Clock,
  warn: (message: string) => void,
): Promise<Telemetry> {
  const instruments = await openInstruments(options, warn);
  const queue = observeQueue(instruments.meter, instruments.tracer, store, clock);
  return {
    report: (event) => queue.report(event),
    ...(!instruments.silent && {
      around: <T>(job: LeasedJob, run: () => Promise<T>) => queue.around(job, run),
      download: observeDownload(instruments.meter),
    }),
    [Symbol.asyncDispose]: () => instruments[Symbol.asyncDispose](),
  };
}

/** Starts whatever export is configured, for stages that are run without a queue. */
export async function startStageTelemetry(
  options: ExportOptions,
  warn: (message: string) => void,
): Promise<AsyncDisposable & { readonly report: StageTelemetry }> {
  const instruments = await openInstruments(options, warn);
  return {
    report: observeStages(instruments.meter),
    [Symbol.asyncDispose]: () => instruments[Symbol.asyncDispose](),
  };
}

export { observeDownload } from './otel-download.ts';
export type { DownloadTelemetry } from './otel-download.ts';
export { observeQueue } from './otel-queue.ts';
export type { QueueTelemetry } from './otel-queue.ts';
export { HostLog } from './host-log.ts';
export type { HostRow, HostRunRow } from './host-log.ts';
