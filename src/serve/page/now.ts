import { chart, counted, duration, html, number, percent, svg, words } from '../../report/page/index.ts';
import type { Figures, Now, RunEvent, Stage } from './answers.ts';
import { ask } from './ask.ts';
import { lineChart } from './line-chart.ts';
import type { Scene, View } from './view.ts';
import { place } from './view.ts';

const NAMES: Readonly<Record<Stage['name'], string>> = {
  works: 'Works settled',
  saved: 'Full texts kept',
  parsed: 'Structure read',
  chunked: 'Cut into passages',
  embedded: 'Turned into vectors',
};
const EVENTS_SHOWN = 40;
const CHART_MS = 5_000;

/** What is running: how far every stage is, how fast it goes, how long it will take, and what happened last. */
export const nowView: View = async (into, scene, signal) => {
  const { run } = scene;
  if (!run) {
    into.replaceChildren(html('p', { class: 'hint' }, 'No run is watched; the queue and the hosts are.'));
    return;
  }
  const first = await ask<Now>(`/runs/${encodeURIComponent(run.id)}/now`, {}, signal);
  const stages = html('div', { class: 'stages' });
  const state = html('p', { class: 'lede', role: 'status' });
  const trend = html('div');
  const list = html('ol', { class: 'events', 'aria-label': 'Last events' });
  const history = [...first.history];
  let drawnAt = 0;
  const show = (figures: Figures): void => {
    state.textContent = sentence(figures);
    stages.replaceChildren(...figures.stages.map(stageLine));
    const counts = Object.fromEntries(figures.stages.map(({ name, done }) => [name, done]));
    history.push({ at: new Date().toISOString(), works: 0, saved: 0, parsed: 0, chunked: 0, embedded: 0, ...counts });
    // A chart that jumps every second is not read.
    if (Date.now() - drawnAt < CHART_MS) return;
    drawnAt = Date.now();
    trend.replaceChildren(trendOf(history));
  };
  show(first);
  list.append(...first.events.slice(0, EVENTS_SHOWN).map((event) => eventLine(event, scene)));
  into.replaceChildren(
    state,
    stages,
    html('section', {}, html('h2', {}, 'Over time'), trend),
    html('section', {}, html('h2', {}, 'Last events'), list),
  );
  const stops = [
    scene.live.on('now', (data) => {
      const figures = data as Figures & { readonly run: string };
      if (figures.run === run.id) show(figures);
    }),
    scene.live.on('event', (data) => {
      const event = data as RunEvent;
      if (event.run !== null && event.run !== run.id) return;
      list.prepend(eventLine(event, scene));
      while (list.childElementCount > EVENTS_SHOWN) list.lastElementChild?.remove();
    }),
  ];
  signal.addEventListener('abort', () => stops.forEach((stop) => stop()), { once: true });
};

function sentence({ state, outcomes, rate_per_minute: rate, seconds_left: left }: Figures): string {
  const settled = ['saved', 'skipped', 'failed'].reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);
  const waiting = (outcomes['waiting'] ?? 0) + (outcomes['parked'] ?? 0);
  return [
    `${{ running: 'Running', done: 'Done', stopped: 'Stopped', failed: 'Failed', unknown: 'Not running' }[state]}: ${counted(settled, 'work')} settled, ${number(outcomes['saved'] ?? 0)} kept${waiting > 0 ? `, ${number(waiting)} waiting` : ''}.`,
    ...(state === 'running' && rate !== null ? [`${number(Math.round(rate))} works a minute.`] : []),
    ...(state === 'running' && left !== null ? [`About ${duration(left * 1_000)} left.`] : []),
  ].join(' ');
}

function stageLine({ name, done, failed, of, per_minute: rate, seconds_left: left }: Stage): HTMLElement {
  const whole = Math.max(of ?? done, done, 1);
  const notes = [
    of === null || of === 0 ? '' : `${percent(done, of)} of ${number(of)}`,
    failed > 0 ? `${number(failed)} failed` : '',
    rate !== null && rate > 0 ? `${number(Math.round(rate * 10) / 10)} a minute` : '',
    left !== null && left > 0 ? `${duration(left * 1_000)} left` : '',
  ].filter((note) => note !== '');
  return html(
    'div',
    { class: 'stage', 'data-stage': name },
    html('h2', {}, NAMES[name]),
    html('strong', {}, number(done)),
    chart(
      `${NAMES[name]}: ${number(done)} of ${number(whole)}, ${number(failed)} failed`,
      [100, 8],
      { preserveAspectRatio: 'none', class: 'tone-good' },
      svg('rect', { class: 'track', width: 100, height: 8, rx: 1 }),
      svg('rect', { class: 'fill', width: (done / whole) * 100, height: 8, rx: 1 }),
      svg('rect', {
        class: 'fill tone-bad',
        x: (done / whole) * 100,
        width: Math.min(100 - (done / whole) * 100, (failed / whole) * 100),
        height: 8,
      }),
    ),
    html('small', {}, notes.join(' · ') || 'nothing yet'),
  );
}

function trendOf(history: Now['history']): HTMLElement {
  const line = (name: string, tone: string, of: (point: Now['history'][number]) => number) => ({
    name,
    tone,
    points: history.map((point) => [Date.parse(point.at), of(point)] as const),
  });
  return lineChart('Works settled, texts kept, documents read', [
    line('settled', 'tone-mute', ({ works }) => works),
    line('kept', 'tone-good', ({ saved }) => saved),
    line('read', 'tone-accent', ({ parsed }) => parsed),
  ]);
}

function eventLine({ at, level, kind, text, document, work }: RunEvent, { run }: Scene): HTMLElement {
  const clock = new Date(at).toLocaleTimeString('en-GB');
  // What a stage tells names no document.
  const about = document ?? work;
  const said = about === null || text.includes(about) ? text : `${about}: ${text}`;
  const target =
    document !== null && run
      ? place('/documents', { run: run.id, document })
      : work !== null && run
        ? place('/works', { run: run.id, work })
        : undefined;
  return html(
    'li',
    { class: level },
    html('time', { datetime: at }, clock),
    html('span', { class: 'kind' }, words(kind)),
    html('span', {}, target === undefined ? said : html('a', { href: target }, said)),
  );
}
