import type { Meter, Span, Tracer } from '@opentelemetry/api';
import { SpanStatusCode, trace } from '@opentelemetry/api';

import type { Clock } from '../base/index.ts';
import { hostKey } from '../base/index.ts';
import type { DownloadEvent } from '../download/index.ts';
import type { Waited } from '../hosts/index.ts';
import type { HttpEvent } from '../http/index.ts';
import type { LeasedJob, QueueEvent, QueueStore } from '../queue/index.ts';
import type { StageEvent } from '../stage/index.ts';
import type { ExportOptions } from './otel-sdk.ts';
import { openInstruments } from './otel-sdk.ts';

interface QueueTelemetry {
  readonly report: (event: QueueEvent) => void;
  readonly around: <T>(job: LeasedJob, run: () => Promise<T>) => Promise<T>;
}

/** Hosts and resolvers may be labels; URLs never: there are too many, and some contain secrets. */
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

/** Fields are undefined without an exporter, to cost nothing. */
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

type DownloadTelemetry = ReturnType<typeof observeDownload>;

/** A harvest may involve thousands of hosts; beyond this many they are counted together to bound the metrics. */
const MOST_HOSTS = 500;
const OTHERS = 'others';

/** Records the waits of requests, and adds each to the span of its job. */
function observeWaits(meter: Meter): (waited: Waited, host: string, span: Span | undefined) => void {
  const sleep = instrumentsOf(meter).histogram(
    'contentdownload_rate_sleep_ms',
    'Waits for a turn by the rate, or for a slot of a host or a resolver.',
  );
  return ({ key, cause, ms }, host, span) => {
    const resolver = /^resolver\/(.*)$/.exec(key)?.[1];
    const kind = cause !== 'cap' ? 'rate' : resolver === undefined ? 'host' : 'resolver';
    sleep.record(ms, kind === 'resolver' ? { kind, resolver: resolver ?? '' } : { kind, host });
    span?.addEvent(kind === 'rate' ? 'rate_sleep_ms' : `${kind}_concurrency_wait_ms`, { ms });
  };
}

export function observeDownload(meter: Meter) {
  const { counter, histogram } = instrumentsOf(meter);
  const works = counter('contentdownload_works_total', 'Works that ended, by outcome and reason.');
  const attempts = counter('contentdownload_attempts_total', 'Plans that were tried, by resolver, host and outcome.');
  const attemptBytes = counter(
    'contentdownload_attempt_bytes_total',
    'Bytes of bodies that attempts received, by resolver and host.',
    'By',
  );
  const attemptTime = histogram(
    'contentdownload_attempt_duration_ms',
    'Time of an attempt, waits and redirects included, by resolver and host.',
  );
  const requests = counter(
    'contentdownload_http_requests_total',
    'Requests on the wire, by host and status, or the reason why there is none.',
  );
  const wireBytes = counter('contentdownload_http_bytes_total', 'Bytes received on the wire, by host.', 'By');
  const requestTime = histogram('contentdownload_http_duration_ms', 'Time of a request on the wire, by host.');
  const turnTime = histogram('contentdownload_http_wait_ms', 'Time a request waited for its turn, by host.');
  const slowDowns = counter('contentdownload_http_slow_down_total', 'Answers 429 and 503, by host and status.');
  const asked = counter('contentdownload_http_wait_asked_total', 'Times a host asked for a pause, by host.');
  const holds = counter('contentdownload_http_host_held_total', 'Times a failing host was held, by host.');
  const recordWait = observeWaits(meter);
  const hosts = new Set<string>();
  const label = (host: string): string => {
    if (hosts.has(host)) return host;
    if (hosts.size >= MOST_HOSTS) return OTHERS;
    hosts.add(host);
    return host;
  };
  return {
    download: receiver<DownloadEvent>({
      'work-ended'({ row }) {
        works.add(1, { outcome: row.outcome, reason: row.reason });
        for (const { resolver, bytes, url, reason, duration_ms: ms } of row.attempts) {
          const host = label(hostKey(url));
          attempts.add(1, { resolver, host, outcome: reason });
          attemptBytes.add(bytes, { resolver, host });
          attemptTime.record(ms, { resolver, host });
        }
      },
    }),
    http: receiver<HttpEvent>({
      'request-sent'({ host: name, waitedMs, waited }) {
        const host = label(name);
        turnTime.record(waitedMs, { host });
        // The span of the waiting job.
        if (waited) recordWait(waited, host, trace.getActiveSpan());
      },
      'request-done'({ host: name, outcome, wireBytes: bytes, ms }) {
        const host = label(name);
        requests.add(1, { host, outcome });
        wireBytes.add(bytes, { host });
        requestTime.record(ms, { host });
        if (outcome === '429' || outcome === '503') slowDowns.add(1, { host, status: outcome });
      },
      'wait-asked': ({ host }) => asked.add(1, { host: label(host) }),
      'host-given-up': ({ host }) => holds.add(1, { host: label(host) }),
      'host-held': ({ host }) => holds.add(1, { host: label(host) }),
    }),
  };
}

type StageTelemetry = (stage: string, event: StageEvent) => void;

const COUNTED = ['succeeded', 'skipped', 'failed'] as const;
type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** Documents are never labels. */
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

/** For stages that run without a queue. */
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

/** A receiver of events from one function per kind; kinds without one are ignored. */
function receiver<E extends { readonly kind: string }>(functions: {
  readonly [K in E['kind']]?: (event: Extract<E, { readonly kind: K }>) => void;
}): (event: E) => void {
  return (event) => (functions[event.kind as E['kind']] as ((event: E) => void) | undefined)?.(event);
}

function instrumentsOf(meter: Meter) {
  return {
    counter: (name: string, description: string, unit = '1') => meter.createCounter(name, { unit, description }),
    histogram: (name: string, description: string) => meter.createHistogram(name, { unit: 'ms', description }),
  };
}
