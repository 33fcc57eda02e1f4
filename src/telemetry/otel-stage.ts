import type { Meter } from '@opentelemetry/api';

import type { StageEvent } from '../stage/index.ts';
import type { ExportOptions } from './otel-sdk.ts';
import { instrumentsOf, openInstruments, receiver } from './otel-sdk.ts';

export type StageTelemetry = (stage: string, event: StageEvent) => void;

const COUNTED = ['succeeded', 'skipped', 'failed'] as const;
type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** Turns stage events into metrics. Documents are never labels. */
function observeStages(meter: Meter): StageTelemetry {
  const { counter, histogram } = instrumentsOf(meter);
  const documents = counter('docparse_documents_total', 'Documents that a stage is done with, by outcome.');
  const failures = counter('docparse_failures_total', 'Documents whose last attempt failed, by error category.');
  const retries = counter('docparse_retries_total', 'Attempts that failed and were made again.');
  const replaced = counter('docparse_workers_replaced_total', 'Workers that were ended and replaced, by the reason.');
  const durations = histogram('docparse_stage_duration_ms', 'Time that a stage took as a whole.');
  const known = new Map<string, Counts>();
  const count = (stage: string, now: Counts): void => {
    const before = known.get(stage);
    for (const outcome of COUNTED) documents.add(now[outcome] - (before?.[outcome] ?? 0), { stage, outcome });
    known.set(stage, { succeeded: now.succeeded, skipped: now.skipped, failed: now.failed });
  };
  return (stage, event) =>
    receiver<StageEvent>({
      'stage-started': () => known.delete(stage),
      progress: ({ progress }) => count(stage, progress),
      diagnostics: ({ progress }) => count(stage, progress),
      'item-failed': ({ error }) => failures.add(1, { stage, category: error.category }),
      'item-retry': () => retries.add(1, { stage }),
      'worker-replaced': ({ reason }) => replaced.add(1, { stage, reason }),
      'stage-ended'({ outcome }) {
        count(stage, outcome);
        durations.record(outcome.wallMs, { stage });
      },
    })(event);
}

/** Starts the configured exporters for stages that run without a queue. */
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
