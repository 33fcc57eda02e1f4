import type { Meter, Span } from '@opentelemetry/api';
import { trace } from '@opentelemetry/api';

import { hostKey } from '../base/index.ts';
import type { DownloadEvent } from '../download/index.ts';
import type { Waited } from '../hosts/index.ts';
import type { HttpEvent } from '../http/index.ts';
import { instrumentsOf, receiver } from './otel-sdk.ts';

export type DownloadTelemetry = ReturnType<typeof observeDownload>;

/** A harvest may involve thousands of hosts; beyond this many they are counted together to bound the metrics. */
const MOST_HOSTS = 500;
const OTHERS = 'others';

/** Records the waits of requests, and adds each to the span of its job. */
export function observeWaits(meter: Meter): (waited: Waited, host: string, span: Span | undefined) => void {
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

/** Metrics per resolver and host. URLs and works are never labels. */
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
