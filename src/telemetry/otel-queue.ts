import type { Meter, Span, Tracer } from '@opentelemetry/api';
import { SpanStatusCode } from '@opentelemetry/api';

import type { Clock } from '../base/index.ts';
import type { LeasedJob, QueueEvent, QueueStore } from '../queue/index.ts';
import type { DownloadTelemetry } from './otel-download.ts';
import { observeDownload } from './otel-download.ts';
import type { ExportOptions } from './otel-sdk.ts';
import { instrumentsOf, openInstruments } from './otel-sdk.ts';

/** Receivers of an orchestrator's events, and the wrapper of its jobs. */
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
  const sleep = histogram(
    'contentdownload_rate_sleep_ms',
    'Waits for a turn by the rate, or for a slot of a host or a resolver.',
  );
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
    report(event) {
      switch (event.kind) {
        case 'dispatched': {
          leaseTime.record(event.durationMs);
          const endTime = clock.now();
          tracer
            .startSpan('orchestrator.dispatch', {
              startTime: endTime - event.durationMs,
              attributes: { 'leased.count': event.leased },
            })
            .end(endTime);
          break;
        }
        case 'job-started':
          inflight.add(1);
          workerId = event.workerId;
          break;
        case 'limits-waited': {
          const span = spans.get(event.job);
          if (event.resolverMs > 0) {
            sleep.record(event.resolverMs, { kind: 'resolver', resolver: event.resolver ?? '' });
            span?.addEvent('resolver_concurrency_wait_ms', { ms: event.resolverMs });
          }
          if (event.rateMs > 0) sleep.record(event.rateMs, { kind: 'rate', host: event.host });
          if (event.hostMs > 0) {
            sleep.record(event.hostMs, { kind: 'host', host: event.host });
            span?.addEvent('host_concurrency_wait_ms', { ms: event.hostMs });
          }
          break;
        }
        case 'job-ended': {
          inflight.add(-1);
          jobTime.record(event.durationMs);
          const { settlement } = event;
          const state = settlement.kind === 'finish' ? settlement.state : 'requeued';
          const span = spans.get(event.job);
          span?.setAttribute('job.state', state);
          if (settlement.error) span?.setStatus({ code: SpanStatusCode.ERROR, message: settlement.error.code });
          span?.end();
          break;
        }
        case 'job-settled':
          if (!event.accepted || event.settlement.kind !== 'finish') break;
          completed.add(1, { state: event.settlement.state });
          if (event.settlement.state === 'error') failed.add(1, { code: event.settlement.error?.code ?? '' });
          break;
        case 'jobs-exhausted':
          completed.add(event.jobs, { state: 'error' });
          failed.add(event.jobs, { code: 'PROCESS_DIED' });
          break;
        case 'host-throttled':
          slowed.add(event.host);
          throttles.add(1, { host: event.host });
          break;
        case 'host-restored':
          if (event.full) slowed.delete(event.host);
          break;
        case 'host-held':
        case 'host-given-up':
        case 'lease-lost':
        case 'job-abandoned':
        case 'pauses-changed':
        case 'stopping':
          break;
      }
    },
    around(job, run) {
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

export interface Telemetry extends AsyncDisposable {
  readonly report: (event: QueueEvent) => void;
  readonly around?: <T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>;
  /** Undefined without an exporter. */
  readonly download?: DownloadTelemetry;
}

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
