import { useEffect, useState } from 'preact/hooks';

import type { Figures, Now, RunEvent, RunHistory } from '../answers.ts';
import { chart } from '../charts.ts';
import { clock, counted, number, percent, STEPS, timeLeft, words } from '../format.ts';
import { section } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useCharted, useLive, useScene } from '../scene.ts';
import { runLines, TimeChart } from '../time-chart.ts';

const STATES = {
  running: 'Running',
  done: 'Done',
  stopped: 'Stopped',
  failed: 'Failed',
  unknown: 'Not running',
} as const;
const EVENTS_SHOWN = 40;

export function NowView(): View {
  const { run, runPath, place } = useScene();
  const now = useLive<Now>(runPath('now'), 'now', (figures) => (figures.run as unknown) === run?.id);
  return shown(now, (value) => [
    html`<div class="tools">
      <p class="lede" role="status">${sentence(value)}</p>
      ${value.state !== 'running' && html`<a class="quiet" href=${place('/works')}>Open the library</a>`}
    </div>`,
    html`<div class="progress">${value.stages.map(stage)}</div>`,
    html`<${Trend} />`,
    html`<${Events} first=${value.events} />`,
  ]);
}

function sentence({ state, outcomes, rate_per_minute: rate, seconds_left: left }: Omit<Figures, 'run'>): string {
  const count = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);
  const waiting = count('waiting', 'parked');
  return [
    `${STATES[state]}: ${counted(count('saved', 'local', 'skipped', 'failed'), 'work')} processed, ${number(count('saved'))} downloaded${waiting > 0 ? `, ${number(waiting)} waiting` : ''}.`,
    state === 'running' && rate !== null ? `${number(Math.round(rate))} works per minute.` : '',
    state === 'running' && left !== null ? `About ${timeLeft(left)}.` : '',
  ].join(' ');
}

function stage({ name, done, failed, of, per_minute: rate, seconds_left: left }: Now['stages'][number]): View {
  const whole = Math.max(of ?? done, done, 1);
  const notes = [
    of === null || of === 0 ? '' : `${percent(done, of)} of ${number(of)}`,
    failed > 0 ? `${number(failed)} failed` : '',
    rate !== null && rate > 0 ? `${number(rate)} per minute` : '',
    left !== null && left > 0 ? timeLeft(left) : '',
  ].filter((note) => note !== '');
  return html`<div class="stage" data-stage=${name}>
    <h2>${STEPS[name]}</h2>
    <strong>${number(done)}</strong>
    ${chart(
      `${STEPS[name]}: ${number(done)} of ${number(whole)}, ${number(failed)} failed`,
      [100, 8],
      { preserveAspectRatio: 'none', class: 'tone-good' },
      html`<rect class="track" width="100" height="8" rx="1" />
        <rect class="fill" width=${(done / whole) * 100} height="8" rx="1" />
        <rect
          class="fill tone-bad"
          x=${(done / whole) * 100}
          width=${Math.min(100 - (done / whole) * 100, (failed / whole) * 100)}
          height="8"
        />`,
    )}
    <small>${notes.join(' · ') || 'none yet'}</small>
  </div>`;
}

function Trend(): View {
  const { runPath } = useScene();
  return section(
    'Over time',
    shown(
      useCharted<RunHistory>(runPath('history')),
      ({ points }) => html`<${TimeChart} caption="The whole run" lines=${runLines(points)} />`,
    ),
    { class: 'over-time' },
  );
}

function Events({ first }: { readonly first: readonly RunEvent[] }): View {
  const { source, reading, run } = useScene();
  const [events, setEvents] = useState(first.slice(0, EVENTS_SHOWN));
  useEffect(
    () =>
      source.on('event', (data) => {
        const event = data as RunEvent;
        if (event.run === null || event.run === run?.id) setEvents((all) => [event, ...all].slice(0, EVENTS_SHOWN));
      }),
    [run?.id],
  );
  const target = ({ document, work }: RunEvent): string | undefined =>
    document !== null ? reading({ document }) : work !== null ? reading({ work }) : undefined;
  return section('Last events', [
    events.length === 0 && html`<p class="hint">No events yet.</p>`,
    html`<ol class="events" aria-label="Last events">
      ${events.map((event) => {
        const message = eventText(event);
        const href = target(event);
        return html`<li class=${event.level} key=${event.id}>
          <time datetime=${event.at}>${clock(event.at)}</time>
          <span class="kind">${words(event.kind)}</span>
          <span>${href === undefined ? message : html`<a href=${href}>${message}</a>`}</span>
        </li>`;
      })}
    </ol>`,
  ]);
}

function eventText({ text, host, document, title }: RunEvent): string {
  const message = text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => clock(at));
  const about = host ?? title ?? document;
  return about === null || text.includes(about) ? message : `${about}: ${message}`;
}
