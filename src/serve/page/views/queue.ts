import { useState } from 'preact/hooks';

import type { About, Job, Queue, QueuePoint, WholeJob } from '../answers.ts';
import { counted, moment, number, reasonName, since, timeLeft, words } from '../format.ts';
import type { Figure } from '../parts.ts';
import {
  ActButton,
  Dialog,
  figures,
  filters,
  historyOf,
  listTable,
  QueryChoice,
  QueryField,
  section,
} from '../parts.ts';
import type { View } from '../scene.ts';
import { button, html, shown, useAnswer, useCharted, useLive, usePaged, useScene } from '../scene.ts';
import { TimeChart } from '../time-chart.ts';

const STATES = ['queued', 'in_progress', 'done', 'skipped', 'error'] as const;
const STATE_NAMES: Readonly<Record<string, string>> = { in_progress: 'leased', error: 'failed' };

/** That nobody works, and what to type. */
function noWorkers({ worker_command: command }: About): string {
  return `No active workers${command === null ? '' : `; start some with ${command}`}.`;
}

function stateName(state: string): string {
  return STATE_NAMES[state] ?? words(state);
}

/** "not found" → NOT_FOUND. */
const codeOf = (text: string): string => text.toUpperCase().replaceAll(/[ -]/g, '_');

export function QueueView(): View {
  const { about } = useScene();
  const queue = useLive<Queue>('/queue', 'queue');
  return shown(queue, (value) => [
    figures(figuresOf(value)),
    html`<${Pauses} queue=${value} />`,
    html`<${Trends} />`,
    html`<${Failures} queue=${value} />`,
    section('Workers', workers(value, about)),
    html`<${Jobs} />`,
  ]);
}

function figuresOf(queue: Queue): readonly Figure[] {
  const { counts, per_second: rate, left_seconds: left, oldest_queued_at: oldest } = queue;
  return [
    ['Waiting', queue.queued, `${number(queue.due)} due, ${number(queue.delayed)} delayed`],
    ['Leased', counts.running, `${counted(counts.workers, 'worker')} in ${counted(counts.processes, 'process', 'processes')}; ${number(counts.waiting_for_host)} waiting for a host`],
    ['Done', queue.done, `of ${counted(queue.total, 'job')}`],
    ['Skipped', queue.skipped, 'no full text, or the same work as another'],
    ['Failed', queue.error, `${number(counts.retrying)} more will be retried`],
    ['Per minute', rate === null ? '–' : Math.round(rate * 60), left === null ? (counts.processes === 0 ? 'no active workers' : 'time left unknown') : left === 0 ? 'none left' : timeLeft(left)],
    ['Oldest', oldest === null ? '–' : since(oldest).replace(' ago', ''), oldest === null ? 'none waiting' : `enqueued ${moment(oldest)}`],
  ]; // prettier-ignore
}

function Pauses({ queue }: { readonly queue: Queue }): View {
  const { source, about } = useScene();
  const isAll = queue.pauses.some(({ scope }) => scope === 'all');
  const pauseTexts = queue.pauses.map(
    ({ scope, name, since: at }) => `${scope === 'all' ? 'everything' : name} paused ${since(at)}`,
  );
  const act = async (): Promise<string> => {
    await source.post(`/control/${isAll ? 'resume' : 'pause'}`, { scope: 'all', name: '' });
    return isAll ? 'The queue is running again.' : 'The queue is paused: running jobs finish, no new ones start.';
  };
  return html`<div class="tools">
    <p class="hint">${pauseTexts.length === 0 ? 'Nothing is paused.' : `${pauseTexts.join('; ')}.`}</p>
    ${about.control && html`<${ActButton} name=${isAll ? 'Resume everything' : 'Pause everything'} act=${act} />`}
  </div>`;
}

function Trends(): View {
  return shown(useCharted<{ readonly points: QueuePoint[] }>('/queue/history'), ({ points }) => trends(points));
}

function trends(points: readonly QueuePoint[]): View {
  const at = (point: QueuePoint): number => Date.parse(point.at);
  const ended = ({ done, skipped, error }: QueuePoint): number => done + skipped + error;
  const rates = points.slice(1).flatMap((point, place) => {
    // Moving average: single seconds vary too much.
    const first = points[Math.max(0, place - 4)];
    const minutes = first ? (at(point) - at(first)) / 60_000 : 0;
    return first && minutes > 0 ? [[at(point), Math.max(0, ended(point) - ended(first)) / minutes] as const] : [];
  });
  return html`<div class="columns">
    <${TimeChart}
      caption="Waiting and leased jobs"
      lines=${[
        { name: 'waiting', tone: 'tone-warn', points: points.map((point) => [at(point), point.queued]) },
        { name: 'leased', tone: 'tone-accent', points: points.map((point) => [at(point), point.in_progress]) },
      ]}
    />
    <${TimeChart}
      caption="Processed jobs per minute"
      lines=${[{ name: 'per minute', tone: 'tone-good', points: rates }]}
    />
  </div>`;
}

function Failures({ queue }: { readonly queue: Queue }): View {
  const { source, about, notify, set } = useScene();
  const retry = async (code: string, state: string): Promise<string> => {
    const { changed } = await source.post('/control/retry', { error_code: code, state });
    const done = `${counted(changed, 'job')} enqueued again (${reasonName(code)}).`;
    return queue.workers.some(({ alive }) => alive) ? done : `${done} ${noWorkers(about)}`;
  };
  const filter = (code: string, state: string): void => {
    set({ state, code, host: '' });
    notify('');
    document.querySelector('.jobs')?.scrollIntoView();
  };
  const rows = queue.by_error_code.map(({ code, state, jobs, retryable }) => {
    const name = reasonName(code);
    const label = `Retry ${name}, ${stateName(state)}`;
    const again = html`<${ActButton} name="Retry" label=${label} act=${() => retry(code, state)} />`;
    return {
      key: `${code} ${state}`,
      more: { 'data-reason': code, 'data-state': state },
      head: button(name, () => filter(code, state), { class: 'sort', 'aria-label': `Jobs with ${name}` }),
      cells: [stateName(state), number(jobs), about.control && retryable && state !== 'queued' && again],
    };
  });
  const title = 'Skipped, failed and retried jobs by reason';
  const table = listTable(title, ['Reason', 'State', 'Jobs', ''], rows, 'plain failures');
  return section(title, rows.length === 0 ? html`<p class="hint">None.</p>` : table);
}

function workers(queue: Queue, about: About): View {
  const known = new Set(queue.workers.map(({ worker_id: id }) => id));
  const row = (process: string, state: string, ...figures: readonly string[]) => ({
    key: process,
    more: { class: state },
    head: process,
    cells: [html`<span class=${`outcome ${state === 'alive' ? 'saved' : 'failed'}`}>${state}</span>`, ...figures],
  });
  const rows = [
    ...queue.workers.map(({ hostname, pid, alive, running, maxWorkers, holds, updated_at: seen }) => {
      const busy = `${number(running)} of ${number(maxWorkers)}`;
      return row(`${hostname}:${pid}`, alive ? 'alive' : 'gone', busy, number(holds), since(seen));
    }),
    ...queue.leases
      .filter(({ worker_id: id }) => id === null || !known.has(id))
      .map(({ worker_id: id, jobs }) => row(id ?? 'unknown', 'never seen', '–', number(jobs), '–')),
  ];
  if (rows.length === 0) return html`<p class="hint">${noWorkers(about)}</p>`;
  return listTable('Processes and their leases', ['Process', 'State', 'Running', 'Leases', 'Last seen'], rows);
}

function Jobs(): View {
  const { query } = useScene();
  const [open, setOpen] = useState<Job | undefined>();
  const [state, code, host] = ['state', 'code', 'host'].map((name) => query.get(name));
  const { rows, status, more } = usePaged<Job>('/queue/jobs', { state, error_code: code, host, limit: 25 }, 'job');
  return html`<section class="jobs">
    <h2>Jobs</h2>
    ${filters([
      html`<${QueryChoice}
        name="State"
        parameter="state"
        options=${[['', 'all states'], ...STATES.map((each) => [each, stateName(each)])]}
      />`,
      html`<${QueryField} name="Reason" parameter="code" hint="such as NOT_FOUND" normalised=${codeOf} />`,
      html`<${QueryField} name="Host" parameter="host" hint="such as zenodo.org" />`,
    ])}
    ${status}
    ${listTable(
      'Jobs of the queue',
      ['Work', 'State', 'Reason', 'Host', 'Attempts', 'Changed'],
      rows.map((job) => ({
        key: job.id,
        more: { 'data-job': job.id },
        head: [
          button(job.title ?? job.artifact_id, () => setOpen(job), { class: 'sort' }),
          html`<small>${job.title === null ? '' : job.artifact_id}</small>`,
        ],
        cells: [
          stateName(job.state),
          job.error_code === null ? '–' : reasonName(job.error_code),
          job.host ?? '–',
          number(job.attempts),
          since(job.updated_at),
        ],
      })),
    )}
    ${more}
    ${open && html`<${Dialog} label="History of a job" close=${() => setOpen(undefined)}><${JobHistory} id=${open.id} /><//>`}
  </section>`;
}

function JobHistory({ id }: { readonly id: number }): View {
  return shown(useAnswer<WholeJob>(`/queue/jobs/${id}`), (job) => {
    const facts = [
      ['Work', job.artifact_id],
      ['State', stateName(job.state)],
      ['Attempts', String(job.attempts)],
      ['Host', job.host ?? '–'],
      ['Enqueued', moment(job.created_at)],
      ['Changed', moment(job.updated_at)],
      ['Due', moment(job.available_at)],
      ['Leased by', job.worker_id ?? '–'],
      ['Last error', job.last_error ?? '–'],
    ] as const;
    return [
      html`<h2>${job.title ?? job.artifact_id}</h2>`,
      html`<dl class="facts">
        ${facts.map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>`,
      historyOf(job.history),
    ];
  });
}
