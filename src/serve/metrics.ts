import { outcomesOf } from '../library/index.ts';
import type { QueueStats } from '../queue/index.ts';
import { queueJson } from '../queue/index.ts';
import type { Monitor } from './watch/monitor.ts';

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** Metrics for Prometheus: the queue, under the names that its workers use, and the runs. */
export function metricsText(monitor: Monitor, connections: number): string {
  const runs = [...monitor.runs.values()];
  const works = runs.flatMap(({ id: run, view }) =>
    Object.entries(outcomesOf(view.account())).map(([outcome, count]): Sample => [count, { run, outcome }]),
  );
  const documents = runs.flatMap(({ id: run, view }) =>
    view
      .steps()
      .slice(2)
      .map(({ name: step, done }): Sample => [done, { run, step }]),
  );
  return [
    monitor.queue?.stats ? queueMetrics(monitor.queue.stats) : '',
    metric('docstokg_run_works', 'Works of a run, by outcome.', works),
    metric('docstokg_run_documents', 'Documents of a run that finished a step.', documents),
    metric('docstokg_serve_watchers', 'Open streams of events.', [[monitor.streams]]),
    metric('docstokg_serve_connections', 'Open connections.', [[connections]]),
    metric('process_resident_memory_bytes', 'Memory of this process.', [[process.memoryUsage.rss()]]),
  ].join('');
}

function queueMetrics(stats: QueueStats): string {
  const { states, due, delayed, byErrorCode, at, oldestQueuedAt } = stats;
  const depth: Sample[] = [
    [due, { kind: 'due' }],
    [delayed, { kind: 'delayed' }],
  ];
  const age = oldestQueuedAt === null ? 0 : Math.max(0, at - oldestQueuedAt) / 1000;
  const ended = (['done', 'skipped', 'error'] as const).map((state): Sample => [states[state], { state }]);
  const failed = byErrorCode.filter(({ state }) => state === 'error');
  return [
    metric('contentdownload_queue_depth', 'Queued jobs, due or delayed.', depth),
    metric(
      'contentdownload_queue_oldest_age_seconds',
      'Age of the oldest job that is ready to run; 0 if there is none.',
      [[age]],
    ),
    metric('contentdownload_jobs_inflight', 'Running jobs.', [[states.in_progress]]),
    metric('contentdownload_jobs_completed_total', 'Jobs that ended, by state.', ended),
    metric(
      'contentdownload_jobs_failed_total',
      'Jobs that ended in error, by code.',
      failed.map(({ code, jobs }) => [jobs, { code }]),
    ),
    metric('contentdownload_hosts_throttled', 'Hosts that are slowed down.', [[queueJson(stats).slowed_hosts.length]]),
  ].join('');
}

/** A metric in the text format; one whose name ends in `_total` is a counter. */
function metric(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([value, labels = {}]) => {
    const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
