import type { Meter, Span, Tracer } from '@opentelemetry/api';
import { SpanStatusCode } from '@opentelemetry/api';

import type { Clock } from '../base/index.ts';
import type { LeasedJob, QueueEvent, QueueStore } from '../queue/index.ts';
import type { DownloadTelemetry } from './otel-download.ts';
import { observeDownload, observeWaits } from './otel-download.ts';
import type { ExportOptions } from './otel-sdk.ts';
import { instrumentsOf, openInstruments, receiver } from './otel-sdk.ts';

/** Receives an orchestrator's events, and wraps its jobs. */
export interface QueueTelemetry {
  readonly report: (event: QueueEvent) => void;
  readonly around: <T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>;
}

/**
 * Turns queue events into metrics and spans. Hosts and resolvers may be labels; URLs never, since there are too many
 * and some contain secrets.
 */
export function observeQueue(meter: Meter, tracer: Tracer, store: QueueStore, clock: Clock): QueueTelemetry {
  const { counter, histogram } = instrumentsOf(meter);
  const completed = counter('contentdownload_jobs_completed_total', 'Jobs that ended, by state.');
  const failed = counter('contentdownload_jobs_failed_total', 'Jobs that ended in error, by code.');
  const inflight = meter.createUpDownCounter('contentdownload_jobs_inflight', {
    unit: '1',
    description: 'Jobs whose handler runs.',
  });
  const recordWait = observeWaits(meter);
  const leaseTime = histogram('contentdownload_lease_duration_ms', 'Time to lease a group of jobs.');
  const jobTime = histogram('contentdownload_job_duration_ms', 'Time from the start of a job to its end.');
  const throttles = counter('contentdownload_host_throttled_total', 'Times a host asked to slow down.');
  const slowed = new Set<string>();
  meter
    .createObservableGauge('contentdownload_hosts_throttled', {
      unit: '1',
      description: 'Hosts that are slowed down now.',
    })
    .addCallback((result) => result.observe(slowed.size));
  meter
    .createObservableUpDownCounter('contentdownload_queue_depth', {
      unit: '1',
      description: 'Jobs that wait, due or delayed.',
    })
    .addCallback(async (result) => {
      const { ready, delayed } = await store.outlook(clock.now());
      result.observe(ready, { kind: 'due' });
      result.observe(delayed, { kind: 'delayed' });
    });

  meter
    .createObservableGauge('contentdownload_queue_oldest_age_seconds', {
      unit: 's',
      description: 'Age of the oldest job that is ready to run; 0 if there is none.',
    })
    .addCallback(async (result) => {
      const { at, oldestQueuedAt } = await store.admin.stats(clock.now());
      result.observe(oldestQueuedAt === null ? 0 : Math.max(0, at - oldestQueuedAt) / 1000);
    });

  const spans = new WeakMap<LeasedJob, Span>();
  // Reported with every start; always the same.
  let workerId = '';
  return {
    report: receiver<QueueEvent>({
      dispatched({ durationMs, leased }) {
        leaseTime.record(durationMs);
        const endTime = clock.now();
        const attributes = { 'leased.count': leased };
        tracer.startSpan('orchestrator.dispatch', { startTime: endTime - durationMs, attributes }).end(endTime);
      },
      'job-started'(event) {
        inflight.add(1);
        workerId = event.workerId;
      },
      'limits-waited': ({ waited, host, job }) => recordWait(waited, host, spans.get(job)),
      'job-ended'({ job, settlement, durationMs }) {
        inflight.add(-1);
        jobTime.record(durationMs);
        const span = spans.get(job);
        span?.setAttribute('job.state', settlement.kind === 'finish' ? settlement.state : 'requeued');
        if (settlement.error) span?.setStatus({ code: SpanStatusCode.ERROR, message: settlement.error.code });
        span?.end();
      },
      'job-settled'({ accepted, settlement }) {
        if (!accepted || settlement.kind !== 'finish') return;
        completed.add(1, { state: settlement.state });
        if (settlement.state === 'error') failed.add(1, { code: settlement.error?.code ?? '' });
      },
      'jobs-exhausted'({ jobs }) {
        completed.add(jobs, { state: 'error' });
        failed.add(jobs, { code: 'PROCESS_DIED' });
      },
      'host-throttled'({ host }) {
        slowed.add(host);
        throttles.add(1, { host });
      },
      'host-restored': ({ host, full }) => void (full && slowed.delete(host)),
    }),
    around: (job, run) => {
      const attributes = {
        'job.id': job.id,
        'artifact.id': job.artifactId,
        'worker.id': workerId,
        attempt: job.attempt,
      };
      return tracer.startActiveSpan('job', { attributes }, (span) => {
        // Ended when the job's settlement is decided: an abandoned handler may never return.
        spans.set(job, span);
        return run();
      });
    },
  };
}

/** What is undefined costs nothing, and is undefined without an exporter. */
export interface Telemetry extends AsyncDisposable {
  readonly report: QueueTelemetry['report'];
  readonly around: QueueTelemetry['around'] | undefined;
  readonly download: DownloadTelemetry | undefined;
}

export async function startTelemetry(
  options: ExportOptions,
  store: QueueStore,
  clock: Clock,
  warn: (message: string) => void,
): Promise<Telemetry> {
  const { meter, tracer, silent, [Symbol.asyncDispose]: dispose } = await openInstruments(options, warn);
  const { report, around } = observeQueue(meter, tracer, store, clock);
  return {
    report,
    around: silent ? undefined : around,
    download: silent ? undefined : observeDownload(meter),
    [Symbol.asyncDispose]: dispose,
  };
}
