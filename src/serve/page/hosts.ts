import { html, number, words } from '../../report/page/index.ts';
import type { Host, List } from './answers.ts';
import { ask, steer } from './ask.ts';
import { renew } from './renew.ts';
import type { Scene, View } from './view.ts';
import { button, since } from './view.ts';

const COLUMNS = ['Host', 'State', 'At once', 'A second', 'Waiting', 'Requests', 'Refused', 'Failed', 'Last asked', ''];

/** Every host: what it allows, what it is asked now, why it is left alone, and a way to leave it alone. */
export const hostsView: View = async (into, scene, signal) => {
  const status = html('p', { class: 'hint', role: 'status' });
  const filter = html('input', {
    type: 'search',
    id: 'hosts-words',
    placeholder: 'part of a name',
    input: () => draw(),
  });
  const body = html('tbody');
  let hosts: readonly Host[] = [];
  const draw = (): void => {
    const wanted = filter.value.trim().toLowerCase();
    const shown = hosts.filter(({ host }) => host.toLowerCase().includes(wanted));
    const held = shown.filter(({ paused, held_until: until }) => paused || until !== null).length;
    status.textContent = `${number(shown.length)} hosts, ${number(held)} left alone now`;
    renew(
      body,
      shown.map((host) => hostRow(host, scene)),
    );
  };
  const load = async (): Promise<void> => {
    const all: Host[] = [];
    let cursor: string | undefined;
    do {
      const page: List<Host> = await ask<List<Host>>('/hosts', { limit: 500, cursor }, signal);
      all.push(...page.items);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && all.length < MOST_HOSTS);
    hosts = all;
    draw();
  };
  into.replaceChildren(
    html(
      'form',
      { class: 'filters', submit: (event: Event) => event.preventDefault() },
      html('label', { class: 'field', for: 'hosts-words' }, html('span', {}, 'Filter'), filter),
    ),
    status,
    html(
      'table',
      { class: 'plain stacked hosts' },
      html('caption', { class: 'hidden' }, 'Hosts, their limits and how they are treated'),
      html('thead', {}, html('tr', {}, ...COLUMNS.map((name) => html('th', { scope: 'col' }, name)))),
      body,
    ),
  );
  await load();
  const stop = scene.live.on('hosts', (data) => {
    const { items, next } = data as List<Host>;
    if (next !== null) void load();
    else {
      hosts = items;
      draw();
    }
  });
  signal.addEventListener('abort', stop, { once: true });
};

/** More are not looked at in one table. */
const MOST_HOSTS = 2_000;

function hostRow(host: Host, scene: Scene): HTMLElement {
  const { held_until: until, held_why: why, paused } = host;
  const state = paused
    ? 'paused'
    : until !== null && Date.parse(until) > Date.now()
      ? `${words(why ?? 'held')}, until ${new Date(until).toLocaleTimeString('en-GB')}`
      : 'open';
  const act = paused ? 'resume' : 'pause';
  const cell = (name: string, value: string): HTMLElement => html('td', { 'data-name': name }, value);
  return html(
    'tr',
    { 'data-host': host.host },
    html('th', { scope: 'row' }, host.host),
    html(
      'td',
      { 'data-name': 'State' },
      html('span', { class: `outcome ${state === 'open' ? 'saved' : paused ? 'skipped' : 'parked'}` }, state),
    ),
    cell('At once', `${host.in_flight ?? 0}${host.cap === null ? '' : ` of ${host.cap}`}`),
    cell('A second', host.per_second === null ? 'no limit' : number(Math.round(host.per_second * 1_000) / 1_000)),
    cell('Waiting', number(host.waiting ?? 0)),
    cell('Requests', number(host.requests)),
    cell('Refused', number(host.refused)),
    cell('Failed', number(host.failed)),
    cell('Last asked', asked(host.last_at)),
    html(
      'td',
      { class: 'act' },
      scene.about.steering &&
        button(
          paused ? 'Resume' : 'Pause',
          async () => {
            await steer(act, { scope: 'host', name: host.host });
            scene.tell(paused ? `${host.host} is asked again.` : `${host.host} is left alone until it is resumed.`);
          },
          `${paused ? 'Resume' : 'Pause'} ${host.host}`,
        ),
    ),
  );
}

/** The clock of a simulated web may be ahead of ours. */
function asked(at: string | null): string {
  return at !== null && Date.parse(at) > Date.now() ? 'just now' : since(at);
}
