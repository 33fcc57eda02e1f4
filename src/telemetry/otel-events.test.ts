import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

import type { AttemptRow, ManifestRow } from '../download/index.ts';
import { createClient } from '../http/index.ts';
import { observeDownload } from './otel-events.ts';

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

/** A meter, and a reader of everything it counted. */
function openMeter(): {
  readonly telemetry: ReturnType<typeof observeDownload>;
  points(name: string): Promise<readonly Point[]>;
  close(): Promise<void>;
} {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  return {
    telemetry: observeDownload(meters.getMeter('test')),
    async points(name) {
      await reader.forceFlush();
      const metrics = exporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
      return metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
    },
    close: () => meters.shutdown(),
  };
}

function attempt(resolver: string, url: string, more: Partial<AttemptRow>): AttemptRow {
  return { resolver, url, reason: 'success', bytes: 0, duration_ms: 5, ...more } as AttemptRow;
}

function ended(attempts: readonly AttemptRow[]): Parameters<ReturnType<typeof observeDownload>['download']>[0] {
  return { kind: 'work-ended', row: { outcome: 'saved', reason: 'success', attempts } as unknown as ManifestRow };
}

test('attempts are counted per resolver and host', async () => {
  const meter = openMeter();
  const { download } = meter.telemetry;
  download(
    ended([
      attempt('unpaywall', 'https://a.example/secret/path.pdf?key=1', { reason: 'not-found' }),
      attempt('arxiv', 'https://arxiv.example/pdf/1', { bytes: 700 }),
    ]),
  );
  download(ended([attempt('arxiv', 'https://arxiv.example/pdf/2', { bytes: 300 })]));
  download({ kind: 'work-kept-before', work: 'w' });
  const attempts = await meter.points('contentdownload_attempts_total');
  assert.deepEqual(
    attempts.map(({ attributes, value }) => [attributes, value]),
    [
      [{ resolver: 'unpaywall', host: 'a.example', outcome: 'not-found' }, 1],
      [{ resolver: 'arxiv', host: 'arxiv.example', outcome: 'success' }, 2],
    ],
  );
  const bytes = await meter.points('contentdownload_attempt_bytes_total');
  assert.equal(bytes.find(({ attributes }) => attributes['resolver'] === 'arxiv')?.value, 1000);
  const [works] = await meter.points('contentdownload_works_total');
  assert.deepEqual([works?.attributes, works?.value], [{ outcome: 'saved', reason: 'success' }, 2]);
  const [time] = await meter.points('contentdownload_attempt_duration_ms');
  assert.equal((time?.value as { count: number } | undefined)?.count, 1);
  await meter.close();
});

test('requests are counted per host with status, bytes, waits, slow-downs and holds', async () => {
  const meter = openMeter();
  const server = createServer((request, response) => {
    const status = request.url === '/busy' ? 429 : request.url === '/broken' ? 500 : 200;
    response.writeHead(status, status === 429 ? { 'retry-after': '0' } : {}).end('12345');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  {
    await using client = createClient({
      guard: { allow: [`127.0.0.1:${port}`] },
      perHost: { perSecond: Infinity, concurrency: 4 },
      obeyRobots: false,
      retry: { retries: 0 },
      circuit: { failures: 1 },
      report: meter.telemetry.http,
    });
    for (const path of ['/', '/busy', '/broken']) await client.send({ url: new URL(path, `http://127.0.0.1:${port}`) });
  }
  const host = `127.0.0.1:${port}`;
  const requests = await meter.points('contentdownload_http_requests_total');
  assert.deepEqual(
    requests.map(({ attributes, value }) => [attributes['host'], attributes['outcome'], value]),
    [
      [host, '200', 1],
      [host, '429', 1],
      [host, '500', 1],
    ],
  );
  assert.equal((await meter.points('contentdownload_http_bytes_total'))[0]?.value, 15);
  const [slowDown] = await meter.points('contentdownload_http_slow_down_total');
  assert.deepEqual([slowDown?.attributes, slowDown?.value], [{ host, status: '429' }, 1]);
  assert.equal((await meter.points('contentdownload_http_host_held_total'))[0]?.value, 1);
  for (const name of ['contentdownload_http_duration_ms', 'contentdownload_http_wait_ms'])
    assert.equal(((await meter.points(name))[0]?.value as { count: number } | undefined)?.count, 3, name);
  server.close();
  await meter.close();
});

test('hosts beyond the limit are counted together', async () => {
  const meter = openMeter();
  for (let at = 0; at < 700; at += 1) meter.telemetry.http({ kind: 'host-held', host: `h${at}.example`, until: 0 });
  meter.telemetry.http({ kind: 'host-held', host: 'h0.example', until: 0 });
  const points = await meter.points('contentdownload_http_host_held_total');
  assert.equal(points.length, 501);
  assert.equal(points.find(({ attributes }) => attributes['host'] === 'others')?.value, 200);
  assert.equal(points.find(({ attributes }) => attributes['host'] === 'h0.example')?.value, 2);
  await meter.close();
});
