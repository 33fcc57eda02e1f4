import type { Meter, Tracer } from '@opentelemetry/api';
import { context, metrics, trace } from '@opentelemetry/api';

import { AppError, errorInfo } from '../base/index.ts';

export interface ExportOptions {
  readonly service_name: string;
  readonly otlp_endpoint: string;
  readonly otlp_interval_s: number;
  readonly prometheus_port: number;
  readonly prometheus_host: string;
}

export interface Instruments extends AsyncDisposable {
  readonly meter: Meter;
  readonly tracer: Tracer;
  /** No exporter is configured. */
  readonly silent: boolean;
}

const SCOPE = 'DocsToKG-ContentDownload';

/** Meter and tracer as configured; without an exporter they cost nothing and the SDK is not loaded. */
export async function openInstruments(options: ExportOptions, warn: (message: string) => void): Promise<Instruments> {
  if (options.otlp_endpoint === '' && options.prometheus_port === 0) {
    return {
      meter: metrics.getMeter(SCOPE),
      tracer: trace.getTracer(SCOPE),
      silent: true,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  try {
    return await openSdk(options, warn);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new AppError('TELEMETRY_SDK_MISSING', 'the OpenTelemetry SDK, which is optional, is not installed', {
      hint: 'install the optional peer dependencies of docstokg (npm view docstokg peerDependencies), or disable the export',
      cause: error,
    });
  }
}

async function openSdk(options: ExportOptions, warn: (message: string) => void): Promise<Instruments> {
  const [
    { MeterProvider, PeriodicExportingMetricReader },
    { TracerProvider, BatchSpanProcessor },
    { resourceFromAttributes },
    { AsyncLocalStorageContextManager },
  ] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/context-async-hooks'),
  ]);
  const resource = resourceFromAttributes({ 'service.name': options.service_name });
  const readers = [];
  const processors = [];
  if (options.otlp_endpoint !== '') {
    const base = options.otlp_endpoint.replace(/\/$/, '');
    const [{ OTLPMetricExporter }, { OTLPTraceExporter }] = await Promise.all([
      import('@opentelemetry/exporter-metrics-otlp-http'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    readers.push(
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
        exportIntervalMillis: options.otlp_interval_s * 1000,
      }),
    );
    processors.push(new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${base}/v1/traces` }) }));
  }
  if (options.prometheus_port !== 0) {
    const { PrometheusExporter } = await import('@opentelemetry/exporter-prometheus');
    const exporter = new PrometheusExporter({
      host: options.prometheus_host,
      port: options.prometheus_port,
      preventServerStart: true,
    });
    try {
      await exporter.startServer();
      readers.push(exporter);
    } catch (error) {
      // Telemetry is optional: another worker on this machine may have the port.
      warn(
        `no metrics at ${options.prometheus_host}:${options.prometheus_port} (${errorInfo(error).code}): choose another telemetry.prometheus_port, or 0 for none; continuing without metrics`,
      );
    }
  }
  const meters = new MeterProvider({ resource, readers });
  const tracers = new TracerProvider({ resource, spanProcessors: processors });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  return {
    meter: meters.getMeter(SCOPE),
    tracer: tracers.getTracer(SCOPE),
    silent: false,
    [Symbol.asyncDispose]: async () => {
      await meters.shutdown();
      await tracers.shutdown();
      contexts.disable();
      context.disable();
    },
  };
}
