import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

import { systemClock } from '../base/index.ts';
import type { Handler } from '../queue/index.ts';
import { Orchestrator, openStore, WorkQueue } from '../queue/index.ts';
import type { Progress, StageErrorInfo, StageOutcome } from '../stage/index.ts';
import { observeQueue, startStageTelemetry, startTelemetry } from './index.ts';

const OPTIONS = {
  maxWorkers: 2,
  maxPerResolver: { unpaywall: 1 },
  maxPerHost: 1,
  maxParked: 8,
  leaseMs: 60_000,
  heartbeatMs: 20_000,
  maxAttempts: 1,
  retryBackoffMs: 1,
  retryJitterMs: 0,
  retryMaxDelayMs: 1,
  jobTimeoutMs: 0,
  shutdownGraceMs: 0,
};

const download: Handler = (job, { withLimits }) =>
  withLimits('unpaywall', 'https://example.org/paper.pdf', async () => {
    await new Promise(setImmediate);
    if (job.artifactId === 'bad') throw Object.assign(new Error('gone'), { code: 'HTTP_404' });
  });

test('a run has the metrics and spans named by the source documents, and no URL as label', async () => {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const spanExporter = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spanExporter })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const store = await openStore(':memory:');
  const queue = new WorkQueue(store, systemClock);
  for (const id of ['good 1', 'good 2', 'bad']) await queue.enqueue(id, {});
  const telemetry = observeQueue(meters.getMeter('test'), tracers.getTracer('test'), store, systemClock);
  const orchestrator = new Orchestrator({
    ...OPTIONS,
    queue,
    handler: download,
    clock: systemClock,
    report: telemetry.report,
    around: telemetry.around,
  });
  await orchestrator.run({ drain: 'empty' });
  await queue.enqueue('waits', {});

  await reader.forceFlush();
  const metrics = new Map(
    metricExporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics[0]?.metrics.map((metric) => [metric.descriptor.name, metric.dataPoints]),
  );
  const units = metricExporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
  for (const { descriptor } of units) assert.notEqual(descriptor.unit, '', `unit of ${descriptor.name}`);
  const value = (name: string, attributes: Record<string, string> = {}): unknown =>
    metrics
      .get(name)
      ?.find((point) => Object.entries(attributes).every(([key, wanted]) => point.attributes[key] === wanted))?.value;
  assert.equal(value('contentdownload_queue_depth', { kind: 'due' }), 1);
  assert.ok(Number(value('contentdownload_queue_oldest_age_seconds')) >= 0);
  assert.equal(value('contentdownload_jobs_completed_total', { state: 'done' }), 2);
  assert.equal(value('contentdownload_jobs_completed_total', { state: 'error' }), 1);
  assert.equal(value('contentdownload_jobs_failed_total', { code: 'HTTP_404' }), 1);
  assert.equal(value('contentdownload_jobs_inflight'), 0);
  for (const name of [
    'contentdownload_rate_sleep_ms',
    'contentdownload_lease_duration_ms',
    'contentdownload_job_duration_ms',
  ]) {
    assert.ok((value(name) as { count: number }).count > 0, name);
  }
  const labels = [...metrics.values()].flat().flatMap((point) => Object.values(point.attributes));
  assert.ok(!labels.some((label) => String(label).includes('/')), labels.join(' '));

  const spans = spanExporter.getFinishedSpans();
  const jobs = spans.filter(({ name }) => name === 'job');
  assert.deepEqual(jobs.map(({ attributes }) => String(attributes['artifact.id'])).sort(), ['bad', 'good 1', 'good 2']);
  for (const { attributes } of jobs)
    assert.deepEqual(Object.keys(attributes).sort(), ['artifact.id', 'attempt', 'job.id', 'job.state', 'worker.id']);
  assert.ok(jobs.some(({ events }) => events.some(({ name }) => name === 'host_concurrency_wait_ms')));
  const dispatched = spans.filter(({ name }) => name === 'orchestrator.dispatch');
  assert.equal(
    dispatched.reduce((sum, { attributes }) => sum + Number(attributes['leased.count']), 0),
    3,
  );
  context.disable();
});

test('a host counts as slowed down until it has its full limit again', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const telemetry = observeQueue(
    meters.getMeter('test'),
    new TracerProvider({ spanProcessors: [] }).getTracer('test'),
    await openStore(':memory:'),
    systemClock,
  );
  const slowed = async (): Promise<unknown> => {
    await reader.forceFlush();
    const metrics = exporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
    return metrics.find(({ descriptor }) => descriptor.name === 'contentdownload_hosts_throttled')?.dataPoints[0]
      ?.value;
  };
  telemetry.report({ kind: 'host-throttled', host: 'busy.org', cap: 2, heldUntil: 0 });
  assert.equal(await slowed(), 1);
  telemetry.report({ kind: 'host-restored', host: 'busy.org', cap: 3, full: false });
  assert.equal(await slowed(), 1);
  telemetry.report({ kind: 'host-restored', host: 'busy.org', cap: 4, full: true });
  assert.equal(await slowed(), 0);
  await meters.shutdown();
});

test('metrics can be scraped, and pushed to a collector', async () => {
  const pushed = new Set<string>();
  const collector = createServer((request, response) => {
    pushed.add(request.url ?? '');
    request.resume().on('end', () => response.end('{}'));
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const prometheusPort = (probe.address() as AddressInfo).port;
  probe.close();
  await once(probe, 'close');

  const store = await openStore(':memory:');
  const queue = new WorkQueue(store, systemClock);
  await queue.enqueue('a', {});
  {
    await using telemetry = await startTelemetry(
      {
        service_name: 'test',
        otlp_endpoint: `http://127.0.0.1:${port}/`,
        otlp_interval_s: 3600,
        prometheus_port: prometheusPort,
        prometheus_host: '127.0.0.1',
      },
      store,
      systemClock,
      () => undefined,
    );
    const orchestrator = new Orchestrator({
      ...OPTIONS,
      queue: new WorkQueue(store),
      handler: () => undefined,
      clock: systemClock,
      report: (event) => telemetry.report(event),
      around: telemetry.around,
    });
    await orchestrator.run({ drain: 'empty' });
    const page = await (await fetch(`http://127.0.0.1:${prometheusPort}/metrics`)).text();
    assert.match(page, /contentdownload_jobs_completed_total\{[^}]*state="done"[^}]*\} 1/);
    assert.match(page, /contentdownload_queue_depth\{[^}]*kind="due"[^}]*\} 0/);
  }
  assert.deepEqual([...pushed].sort(), ['/v1/metrics', '/v1/traces']);
  collector.close();
});

test('stage metrics can be scraped without a queue', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const prometheusPort = (probe.address() as AddressInfo).port;
  probe.close();
  await once(probe, 'close');
  await using telemetry = await startStageTelemetry(
    {
      service_name: 'test',
      otlp_endpoint: '',
      otlp_interval_s: 3600,
      prometheus_port: prometheusPort,
      prometheus_host: '127.0.0.1',
    },
    () => undefined,
  );
  const counted = (succeeded: number, failed: number) => ({ succeeded, failed, skipped: 1, wallMs: 5 }) as StageOutcome;
  const error = { itemId: 'a', category: 'input', message: 'no' } as StageErrorInfo;
  telemetry.report('chunk', { kind: 'diagnostics', progress: counted(2, 0) as unknown as Progress });
  telemetry.report('chunk', { kind: 'item-failed', error, attempts: 1 });
  telemetry.report('chunk', { kind: 'stage-ended', outcome: counted(3, 1) });
  const page = await (await fetch(`http://127.0.0.1:${prometheusPort}/metrics`)).text();
  for (const [outcome, documents] of [
    ['succeeded', 3],
    ['skipped', 1],
    ['failed', 1],
  ] as const)
    assert.match(page, new RegExp(`docparse_documents_total\\{[^}]*outcome="${outcome}"[^}]*\\} ${documents}\\b`));
  assert.match(page, /docparse_failures_total\{[^}]*category="input"[^}]*\} 1\b/);
});

test('nothing starts without a configured export', async () => {
  const telemetry = await startTelemetry(
    {
      service_name: 'test',
      otlp_endpoint: '',
      otlp_interval_s: 1,
      prometheus_port: 0,
      prometheus_host: '127.0.0.1',
    },
    await openStore(':memory:'),
    systemClock,
    () => undefined,
  );
  assert.equal(telemetry.around, undefined);
  await telemetry[Symbol.asyncDispose]();
});

test('a metrics port in use is reported and stops nothing', async () => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const messages: string[] = [];
  const { port } = other.address() as AddressInfo;
  await using telemetry = await startTelemetry(
    {
      service_name: 'test',
      otlp_endpoint: '',
      otlp_interval_s: 1,
      prometheus_port: port,
      prometheus_host: '127.0.0.1',
    },
    await openStore(':memory:'),
    systemClock,
    (message) => messages.push(message),
  );
  telemetry.report({ kind: 'jobs-exhausted', jobs: 1 });
  assert.match(
    messages.join(),
    new RegExp(`^no metrics at 127.0.0.1:${port} \\(EADDRINUSE\\): .*continuing without metrics$`),
  );
  other.close();
});
