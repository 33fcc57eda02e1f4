import { outcomesOf } from '../ask/index.ts';
import type { QueueStats } from '../queue/index.ts';
import { overviewOf } from '../queue/index.ts';
import type { World } from './watch/world.ts';

type Labels = Readonly<Record<string, string>>;

/** Metrics for Prometheus: the queue, under the names that its workers use, and the runs. */
export function metricsText(world: World, server: { readonly connections: number }): string {
  const text = new Exposition();
  const stats = world.queue?.stats;
  if (stats) queueMetrics(text, stats);
  text.add(
    'docstokg_run_works',
    'gauge',
    'Works of a run, by outcome.',
    [...world.runs.values()].flatMap((run) =>
      Object.entries(outcomesOf(run.view.account())).map(([outcome, works]): [Labels, number] => [
        { run: run.id, outcome },
        works,
      ]),
    ),
  );
  text.add(
    'docstokg_run_documents',
    'gauge',
    'Documents of a run that finished a step.',
    [...world.runs.values()].flatMap((run) =>
      run.view
        .steps()
        .slice(2)
        .map(({ name, done }): [Labels, number] => [{ run: run.id, step: name }, done]),
    ),
  );
  text.add('docstokg_serve_watchers', 'gauge', 'Open streams of events.', [[{}, world.watchers.size]]);
  text.add('docstokg_serve_connections', 'gauge', 'Open connections.', [[{}, server.connections]]);
  text.add('process_resident_memory_bytes', 'gauge', 'Memory of this process.', [[{}, process.memoryUsage.rss()]]);
  return text.toString();
}

function queueMetrics(text: Exposition, stats: QueueStats): void {
  const { states, due, delayed, byErrorCode, at, oldestQueuedAt } = stats;
  text.add('contentdownload_queue_depth', 'gauge', 'Queued jobs, due or delayed.', [
    [{ kind: 'due' }, due],
    [{ kind: 'delayed' }, delayed],
  ]);
  text.add(
    'contentdownload_queue_oldest_age_seconds',
    'gauge',
    'Age of the oldest job that is ready to run; 0 if there is none.',
    [[{}, oldestQueuedAt === null ? 0 : Math.max(0, at - oldestQueuedAt) / 1000]],
  );
  text.add('contentdownload_jobs_inflight', 'gauge', 'Running jobs.', [[{}, states.in_progress]]);
  text.add(
    'contentdownload_jobs_completed_total',
    'counter',
    'Jobs that ended, by state.',
    (['done', 'skipped', 'error'] as const).map((state) => [{ state }, states[state]]),
  );
  text.add(
    'contentdownload_jobs_failed_total',
    'counter',
    'Jobs that ended in error, by code.',
    byErrorCode.filter(({ state }) => state === 'error').map(({ code, jobs }) => [{ code }, jobs]),
  );
  const { slowed } = overviewOf(stats);
  text.add('contentdownload_hosts_throttled', 'gauge', 'Hosts that are slowed down.', [[{}, slowed.length]]);
}

class Exposition {
  #lines: string[] = [];

  add(name: string, type: 'gauge' | 'counter', help: string, values: readonly (readonly [Labels, number])[]): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [labels, value] of values) {
      const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
      this.#lines.push(`${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`);
    }
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
