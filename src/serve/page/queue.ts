import { counted, duration, html, moment, number, words } from '../../report/page/index.ts';
import type { Queue, QueuePoint } from './answers.ts';
import { ask, steer } from './ask.ts';
import { JobList } from './job-list.ts';
import { lineChart } from './line-chart.ts';
import { renew } from './renew.ts';
import type { Scene, View } from './view.ts';
import { button, heads, since } from './view.ts';

const CHART_MS = 5_000;

/** The queue: how deep and how fast, who works on it, what fails and why, and every job's history. */
export const queueView: View = async (into, scene, signal) => {
  if (!scene.about.queue) {
    into.replaceChildren(
      html('p', { class: 'hint' }, 'No queue is watched: docstokg serve --queue names one, and a run has its own.'),
    );
    return;
  }
  const [first, { points }] = await Promise.all([
    ask<Queue>('/queue', {}, signal),
    ask<{ readonly points: readonly QueuePoint[] }>('/queue/history', {}, signal),
  ]);
  const figures = html('dl', { class: 'figures' });
  const trends = html('div', { class: 'columns' });
  const workers = html('tbody');
  const failures = html('tbody');
  const pauses = html('div', { class: 'tools' });
  const history = [...points];
  let drawnAt = 0;
  const show = (queue: Queue): void => {
    figures.replaceChildren(...figuresOf(queue));
    renew(workers, workerRows(queue));
    renew(failures, failureRows(queue, scene, filter));
    renew(pauses, pauseLine(queue, scene));
    const { queued = 0, in_progress = 0, done = 0, skipped = 0, error = 0 } = queue.states;
    history.push({ at: new Date().toISOString(), queued, in_progress, done, skipped, error });
    if (Date.now() - drawnAt < CHART_MS) return;
    drawnAt = Date.now();
    trends.replaceChildren(...trendsOf(history));
  };
  const jobs = new JobList(signal);
  const filter = (state: string, code: string): void => jobs.filter(state, code);
  show(first);
  into.replaceChildren(
    figures,
    pauses,
    trends,
    html(
      'section',
      {},
      html('h2', {}, 'Why jobs failed or are retried'),
      html(
        'table',
        { class: 'plain failures' },
        html('caption', { class: 'hidden' }, 'Failed jobs by reason'),
        heads('Reason', 'State', 'Jobs', ''),
        failures,
      ),
    ),
    html(
      'section',
      {},
      html('h2', {}, 'Who works on it'),
      html(
        'table',
        { class: 'plain stacked' },
        html('caption', { class: 'hidden' }, 'Processes and what they hold'),
        heads('Process', 'State', 'Running', 'Leases', 'Heard of'),
        workers,
      ),
    ),
    jobs.element,
  );
  signal.addEventListener(
    'abort',
    scene.live.on('queue', (data) => show(data as Queue)),
    { once: true },
  );
  await jobs.load();
};

/** BLOCKED_LOGIN → blocked login. */
function reasonName(code: string): string {
  return words(code).toLowerCase();
}

function figuresOf(queue: Queue): HTMLElement[] {
  const { states, counts, due, delayed, per_minute: rate, seconds_left: left } = queue;
  const shown: (readonly [string, string, string])[] = [
    ['Waiting', number(states['queued'] ?? 0), `${number(due)} due, ${number(delayed)} later`],
    [
      'Running',
      number(counts.running),
      `${number(counts.waiting_for_host)} waiting for a host · ${counted(counts.workers, 'worker')} · ${counted(counts.processes, 'process', 'processes')}`,
    ],
    ['Done', number(states['done'] ?? 0), `${number(states['skipped'] ?? 0)} not to be had`],
    ['Failed', number(states['error'] ?? 0), `of ${number(queue.total)}, ${number(counts.retrying)} will be retried`],
    [
      'A minute',
      rate === null ? '–' : number(Math.round(rate)),
      left === null ? 'time left unknown' : left === 0 ? 'nothing left' : `${duration(left * 1_000)} left`,
    ],
    [
      'Oldest',
      queue.oldest_queued_at === null ? '–' : since(queue.oldest_queued_at).replace(' ago', ''),
      queue.oldest_queued_at === null ? 'nothing waits' : `waits since ${moment(Date.parse(queue.oldest_queued_at))}`,
    ],
  ];
  return shown.map(([name, value, note]) =>
    html('div', {}, html('dt', {}, name), html('dd', {}, html('strong', {}, value), html('span', {}, note))),
  );
}

function trendsOf(history: readonly QueuePoint[]): HTMLElement[] {
  const at = (point: QueuePoint): number => Date.parse(point.at);
  const settled = (point: QueuePoint): number => point.done + point.skipped + point.error;
  const rates = history.flatMap((point, place) => {
    const before = history[place - 1];
    const minutes = before ? (at(point) - at(before)) / 60_000 : 0;
    return before && minutes > 0 ? [[at(point), Math.max(0, settled(point) - settled(before)) / minutes] as const] : [];
  });
  return [
    lineChart('Jobs that wait and run', [
      { name: 'waiting', tone: 'tone-warn', points: history.map((point) => [at(point), point.queued]) },
      { name: 'running', tone: 'tone-accent', points: history.map((point) => [at(point), point.in_progress]) },
    ]),
    lineChart('Jobs settled a minute', [{ name: 'a minute', tone: 'tone-good', points: smooth(rates) }]),
  ];
}

/** A mean over neighbours: single seconds say little. */
function smooth(points: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const WIDTH = 5;
  return points.map(([at], place) => {
    const near = points.slice(Math.max(0, place - WIDTH + 1), place + 1);
    return [at, near.reduce((sum, [, value]) => sum + value, 0) / near.length];
  });
}

function workerRows(queue: Queue): HTMLElement[] {
  const rows = queue.workers.map(({ process, alive, running, workers, leases, heard_at: heard }) =>
    html(
      'tr',
      { class: alive ? 'alive' : 'gone' },
      html('th', { scope: 'row' }, process),
      html(
        'td',
        { 'data-name': 'State' },
        html('span', { class: `outcome ${alive ? 'saved' : 'failed'}` }, alive ? 'alive' : 'gone'),
      ),
      html('td', { 'data-name': 'Running' }, `${number(running)} of ${number(workers)}`),
      html('td', { 'data-name': 'Leases' }, number(leases)),
      html('td', { 'data-name': 'Heard of' }, since(heard)),
    ),
  );
  const others = queue.leases_of_others.map(({ worker_id: id, jobs }) =>
    html(
      'tr',
      {},
      html('th', { scope: 'row' }, id ?? 'unknown'),
      html('td', {}, 'not heard of'),
      html('td', {}, '–'),
      html('td', {}, number(jobs)),
      html('td', {}, '–'),
    ),
  );
  return rows.length + others.length > 0
    ? [...rows, ...others]
    : [html('tr', {}, html('td', { colspan: 5, class: 'hint' }, 'Nobody works on it now.'))];
}

function failureRows(queue: Queue, scene: Scene, filter: (state: string, code: string) => void): HTMLElement[] {
  const reasons = [...queue.failures, ...queue.retries];
  if (reasons.length === 0) return [html('tr', {}, html('td', { colspan: 4, class: 'hint' }, 'Nothing has failed.'))];
  return reasons.map(({ code, state, jobs }) =>
    html(
      'tr',
      { 'data-reason': code, 'data-state': state },
      html(
        'th',
        { scope: 'row' },
        html(
          'button',
          {
            type: 'button',
            class: 'sort',
            'aria-label': `Jobs of ${reasonName(code)}`,
            click: () => filter(state, code),
          },
          reasonName(code),
        ),
      ),
      html('td', {}, words(state)),
      html('td', { class: 'count' }, number(jobs)),
      html(
        'td',
        { class: 'act' },
        scene.about.steering &&
          button(
            'Retry',
            async () => {
              const { changed } = await steer('retry', { error_code: code, state });
              scene.tell(`${counted(Number(changed), 'job')} of ${reasonName(code)} put back into the queue.`);
            },
            `Retry ${reasonName(code)}, ${words(state)}`,
          ),
      ),
    ),
  );
}

function pauseLine(queue: Queue, scene: Scene): HTMLElement[] {
  const all = queue.pauses.some(({ scope }) => scope === 'all');
  const said = queue.pauses.map(
    ({ scope, name, since: at }) => `${scope === 'all' ? 'everything' : name} paused ${since(at)}`,
  );
  const status = html('p', { class: 'hint' }, said.length === 0 ? 'Nothing is paused.' : `${said.join('; ')}.`);
  if (!scene.about.steering) return [status];
  const act = all ? 'resume' : 'pause';
  return [
    status,
    button(all ? 'Resume everything' : 'Pause everything', async () => {
      await steer(act, { scope: 'all', name: '' });
      scene.tell(all ? 'The queue goes on.' : 'The queue is paused: what runs is finished, nothing new begins.');
    }),
  ];
}
