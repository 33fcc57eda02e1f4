import { useEffect, useState } from 'preact/hooks';

import type { Host, Lanes, List } from '../answers.ts';
import { chart, key } from '../charts.ts';
import { clock, counted, duration, number, since, size, words } from '../format.ts';
import { ActButton, filters, listTable, QueryField, section } from '../parts.ts';
import type { Scene, View } from '../scene.ts';
import { button, html, shown, useAnswer, useLoaded, useScene } from '../scene.ts';

const HOSTS_AT_FIRST = 24;
const MOST_HOSTS = 2_000;
const [WIDTH, HEIGHT] = [600, 26];

type Lane = Lanes['items'][number];

export function HostsView(): View {
  const { source, run } = useScene();
  return [!source.report && html`<${HostsNow} />`, run && html`<${HostsOverTime} />`];
}

const COLUMNS = ['Host', 'State', 'In flight / limit', 'Max req/s', 'Waiting', 'Requests', 'Refused', 'Failed', 'Last request', '']; // prettier-ignore

function HostsNow(): View {
  const scene = useScene();
  const { source, query } = scene;
  const [hosts, change] = useLoaded('', async (signal) => {
    const all: Host[] = [];
    for (let cursor: string | null | undefined; cursor !== null && all.length < MOST_HOSTS;) {
      const page: List<Host> = await source.get<List<Host>>('/hosts', { limit: 500, cursor }, signal);
      all.push(...page.items);
      cursor = page.next;
    }
    return all;
  });
  useEffect(
    () =>
      source.on('hosts', (data) => {
        // The stream carries only the first hosts; the others keep their last state.
        const { items } = data as { readonly items: Host[] };
        const updated = new Set(items.map(keyOf));
        change((known) => [...items, ...known.filter((host) => !updated.has(keyOf(host)))]);
      }),
    [],
  );
  return shown(hosts, (all) => {
    const filter = (query.get('q') ?? '').toLowerCase();
    const listed = all.filter(({ host }) => host.toLowerCase().includes(filter));
    const held = listed.filter((host) => stateOf(host) !== 'open').length;
    return html`<section>
      ${filters(html`<${QueryField} name="Filter" parameter="q" hint="part of a name" />`)}
      <p class="hint" role="status">
        ${counted(listed.length, 'host')}, ${number(held)} rate-limited, suspended or paused
      </p>
      ${listTable(
        'Hosts, their limits and their state',
        COLUMNS,
        listed.map((host) => hostRow(host, scene)),
        'plain hosts',
      )}
    </section>`;
  });
}

function keyOf({ kind, host }: Host): string {
  return `${kind} ${host}`;
}

function stateOf({ held_until: until, held_why: why, paused }: Host): string {
  if (paused) return 'paused';
  return until !== null && Date.parse(until) > Date.now() ? `${words(why ?? 'held')} until ${clock(until)}` : 'open';
}

function hostRow(host: Host, { source, about }: Scene) {
  const { host: name, paused, cap, per_second: rate, in_flight: inFlight, last_at: at } = host;
  const state = stateOf(host);
  const verb = paused ? 'Resume' : 'Pause';
  const act = async (): Promise<string> => {
    await source.post(`/control/${verb.toLowerCase()}`, { scope: 'host', name });
    return paused ? `${name} is resumed.` : `${name} is paused until it is resumed.`;
  };
  return {
    key: keyOf(host),
    more: { 'data-host': name },
    head: name,
    cells: [
      html`<span class=${`outcome ${state === 'open' ? 'saved' : paused ? 'skipped' : 'parked'}`}>${state}</span>`,
      `${inFlight} / ${cap ?? '–'}`,
      rate === null ? '–' : String(Math.round(rate * 1_000) / 1_000),
      ...[host.waiting, host.requests, host.refused, host.failed].map(number),
      // The clock of a simulated web may be ahead of ours.
      at !== null && Date.parse(at) > Date.now() ? 'just now' : since(at),
      about.control && html`<${ActButton} name=${verb} label=${`${verb} ${name}`} act=${act} />`,
    ],
  };
}

function HostsOverTime(): View {
  const { runPath } = useScene();
  const [isAll, setAll] = useState(false);
  return shown(useAnswer<Lanes>(runPath('hosts')), (lanes) => {
    const { items } = lanes;
    if (items.length === 0) return html`<p class="hint">This run sent no requests.</p>`;
    const slices = items.flatMap((lane) => lane.slices);
    const from = slices.reduce((least, [at]) => Math.min(least, at), Infinity);
    const to = slices.reduce((most, [at, ms]) => Math.max(most, at + ms), from + 1);
    const most = slices.reduce((max, [, , sent]) => Math.max(max, sent), 1);
    const rest = items.length - HOSTS_AT_FIRST;
    const axis = html`<span class="ticks" aria-label=${`time, from 0 to ${duration(to - from)}`}>
      <span>0</span><span>${duration((to - from) / 2)}</span><span>${duration(to - from)}</span>
    </span>`;
    const columns = ['Host', { shows: axis }, 'Requests', 'Max in flight', 'Refused', 'Mean wait'];
    const rows = (isAll ? items : items.slice(0, HOSTS_AT_FIRST)).map((lane) => laneRow(lane, { from, to, most }));
    const parts = [
      html`<p class="lede">${summary(lanes, to - from)}</p>`,
      LEGEND,
      listTable('Requests, refusals and waits by host', columns, rows, 'lanes'),
      !isAll && rest > 0 && button(`Show ${counted(rest, 'more host')}`, () => setAll(true)),
      lanes.omitted > 0 && html`<p class="hint">${counted(lanes.omitted, 'host')} with fewer requests not listed.</p>`,
    ];
    return section('Over time', parts, { class: 'over-time' });
  });
}

function summary({ items, from }: Lanes, ms: number): string {
  const sum = (of: (lane: Lane) => number): number => items.reduce((total, lane) => total + of(lane), 0);
  const [refused, over] = [sum((lane) => lane.refused), items.filter(({ most, cap }) => cap > 0 && most > cap).length];
  const asked = sum(({ holds }) => holds.filter(([, , why]) => why === 'asked').length);
  const [requests, broken] = [sum((lane) => lane.requests), sum(brokenWaits)];
  const all = `${counted(requests, 'request')} to ${counted(items.length, 'host')} within ${duration(ms)}.`;
  if (from === 'attempts') return `${all} Only requests for files are known: this run has no host log.`;
  return [
    all,
    refused === 0
      ? 'No server refused a request.'
      : `Servers refused ${counted(refused, 'request')} (429 or 503) and rate-limited us ${counted(asked, 'time')}; ${broken === 0 ? 'every wait was respected' : `${counted(broken, 'wait')} not respected`}.`,
    over === 0
      ? 'No host had more requests in flight than its limit.'
      : `${counted(over, 'host')} had more requests in flight than allowed.`,
  ].join(' ');
}

/** Waits that were not respected: slices with requests entirely inside a wait, after the one that started it. */
function brokenWaits({ holds, slices }: Lane): number {
  return holds.filter(
    ([from, to, why]) => why === 'asked' && slices.some(([at, ms, sent]) => sent > 0 && at > from && at + ms <= to),
  ).length;
}

function laneRow(lane: Lane, scale: { readonly from: number; readonly to: number; readonly most: number }) {
  const x = (at: number): number => ((Math.min(at, scale.to) - scale.from) / (scale.to - scale.from)) * WIDTH;
  const tall = (count: number): number => (count === 0 ? 0 : 5 + Math.sqrt(count / scale.most) * (HEIGHT - 7));
  const label = `${lane.host}: ${counted(lane.requests, 'request')}, ${number(lane.refused)} refused, ${number(lane.failed)} failed, rate-limited or suspended ${counted(lane.holds.length, 'time')}`;
  const shapes = html`<rect class="track" width=${WIDTH} height=${HEIGHT} />
    ${lane.holds.map(([from, until, why]) => html`<rect class=${why} x=${x(from)} width=${Math.max(1, x(until) - x(from))} height=${HEIGHT} />`)}
    ${lane.slices.map(([at, ms, sent, refused, failed]) => {
      const [left, width] = [x(at), Math.max(2.5, x(at + ms) - x(at) - 0.6)];
      return [
        sent > 0 &&
          html`<rect class="sent" x=${left} y=${HEIGHT - tall(sent)} width=${width} height=${tall(sent)} rx="0.8" />`,
        failed > 0 && html`<rect class="failed" x=${left} width=${width} height="5" />`,
        refused > 0 && html`<path class="refused" d=${`M${left + width / 2 - 4} 0h8l-4 7z`} />`,
      ];
    })}`;
  const wait = lane.requests === 0 ? 0 : lane.waited_ms / lane.requests;
  return {
    key: lane.host,
    head: [lane.host, html`<small>${size(lane.bytes)}</small>`],
    cells: [
      chart(label, [WIDTH, HEIGHT], { preserveAspectRatio: 'none' }, shapes),
      number(lane.requests),
      lane.most === 0 ? '–' : `${lane.most}${lane.cap > 0 ? ` / ${lane.cap}` : ''}`,
      number(lane.refused),
      wait < 1 ? '–' : duration(wait),
    ],
  };
}

const hatch = (id: string, turn: number, tone: string): View =>
  html`<pattern id=${id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform=${`rotate(${turn})`}>
    <rect class="track" width="5" height="5" /><rect class=${`fill ${tone}`} width="1.6" height="5" />
  </pattern>`;

const LEGEND = [
  html`<svg class="patterns" width="0" height="0" aria-hidden="true">
    <defs>${hatch('hatch-asked', 45, 'tone-bad')}${hatch('hatch-failing', -45, 'tone-mute')}</defs>
  </svg>`,
  html`<ul class="legend">
    <li>${key(html`<rect class="sent" y="2" width="12" height="10" rx="1" />`)}requests (taller: more)</li>
    <li>${key(html`<path class="refused" d="M1 2h10l-5 9z" />`)}refused: 429 or 503</li>
    <li>${key(html`<rect class="asked" width="12" height="12" />`)}rate-limited by the server</li>
    <li>${key(html`<rect class="failing" width="12" height="12" />`)}suspended after failures</li>
    <li>${key(html`<rect class="failed" y="3" width="12" height="6" />`)}failed: 5xx or no response</li>
  </ul>`,
];
