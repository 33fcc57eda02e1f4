import type { Meter } from '@opentelemetry/api';
import { trace } from '@opentelemetry/api';

import { hostKey } from '../base/index.ts';
import type { DownloadEvent } from '../download/index.ts';
import type { Waited } from '../hosts/index.ts';
import type { HttpEvent } from '../http/index.ts';

/** What a download and its HTTP client report to. */
export interface DownloadTelemetry {
  readonly download: (event: DownloadEvent) => void;
  readonly http: (event: HttpEvent) => void;
}

/** A harvest may involve thousands of hosts; beyond this many they are counted together to bound the metrics. */
const MOST_HOSTS = 500;
const OTHERS = 'others';

/** Metrics per resolver and host. URLs and works are never labels. */
export function observeDownload(meter: Meter): DownloadTelemetry {
  const works = meter.createCounter('contentdownload_works_total', {
    unit: '1',
    description: 'Works that ended, by outcome and reason.',
  });
  const attempts = meter.createCounter('contentdownload_attempts_total', {
    unit: '1',
    description: 'Plans that were tried, by resolver, host and what came of them.',
  });
  const attemptBytes = meter.createCounter('contentdownload_attempt_bytes_total', {
    unit: 'By',
    description: 'Bytes of bodies that attempts received, by resolver and host.',
  });
  const attemptTime = meter.createHistogram('contentdownload_attempt_duration_ms', {
    unit: 'ms',
    description: 'Time of an attempt, waits and redirects included, by resolver and host.',
  });
  const requests = meter.createCounter('contentdownload_http_requests_total', {
    unit: '1',
    description: 'Requests on the wire, by host and status, or the reason why there is none.',
  });
  const wireBytes = meter.createCounter('contentdownload_http_bytes_total', {
    unit: 'By',
    description: 'Bytes received on the wire, by host.',
  });
  const requestTime = meter.createHistogram('contentdownload_http_duration_ms', {
    unit: 'ms',
    description: 'Time of a request on the wire, by host.',
  });
  const turnTime = meter.createHistogram('contentdownload_http_wait_ms', {
    unit: 'ms',
    description: 'Time a request waited for its turn, by host.',
  });
  const slowDowns = meter.createCounter('contentdownload_http_slow_down_total', {
    unit: '1',
    description: 'Answers 429 and 503, by host and status.',
  });
  const asked = meter.createCounter('contentdownload_http_wait_asked_total', {
    unit: '1',
    description: 'Times a host named a moment before which not to ask again, by host.',
  });
  const holds = meter.createCounter('contentdownload_http_host_held_total', {
    unit: '1',
    description: 'Times a failing host was held, by host.',
  });

  const sleep = meter.createHistogram('contentdownload_rate_sleep_ms', {
    unit: 'ms',
    description: 'Waits for a turn by the rate, or for a slot of a host or a resolver.',
  });
  const tellWait = ({ key, cause, ms }: Waited, host: string): void => {
    const resolver = /^resolver\/(.*)$/.exec(key)?.[1];
    if (cause !== 'cap') sleep.record(ms, { kind: 'rate', host });
    else if (resolver !== undefined) sleep.record(ms, { kind: 'resolver', resolver });
    else sleep.record(ms, { kind: 'host', host });
    const name =
      cause !== 'cap'
        ? 'rate_sleep_ms'
        : resolver === undefined
          ? 'host_concurrency_wait_ms'
          : 'resolver_concurrency_wait_ms';
    // The span of the waiting job.
    trace.getActiveSpan()?.addEvent(name, { ms });
  };
  const hosts = new Set<string>();
  const label = (host: string): string => {
    if (hosts.has(host)) return host;
    if (hosts.size >= MOST_HOSTS) return OTHERS;
    hosts.add(host);
    return host;
  };
  return {
    download(event) {
      if (event.kind !== 'work-ended') return;
      const { row } = event;
      works.add(1, { outcome: row.outcome, reason: row.reason });
      for (const attempt of row.attempts) {
        const { resolver, bytes } = attempt;
        const host = label(hostKey(attempt.url));
        attempts.add(1, { resolver, host, outcome: attempt.reason });
        attemptBytes.add(bytes, { resolver, host });
        attemptTime.record(attempt.duration_ms, { resolver, host });
      }
    },
    http(event) {
      const host = label(event.host);
      switch (event.kind) {
        case 'request-sent':
          turnTime.record(event.waitedMs, { host });
          if (event.waited) tellWait(event.waited, host);
          break;
        case 'request-done':
          requests.add(1, { host, outcome: event.outcome });
          wireBytes.add(event.wireBytes, { host });
          requestTime.record(event.ms, { host });
          if (event.outcome === '429' || event.outcome === '503') slowDowns.add(1, { host, status: event.outcome });
          break;
        case 'wait-asked':
          asked.add(1, { host });
          break;
        case 'host-throttled':
        case 'host-restored':
          break;
        case 'host-given-up':
        case 'host-held':
          holds.add(1, { host });
          break;
      }
    },
  };
}
