import type { HostLine, ReportData } from '../data.ts';
import { chart, html, svg } from './element.ts';
import { counted, duration, number, size } from './format.ts';

const HOSTS_AT_FIRST = 24;
const WIDTH = 600;
const HEIGHT = 26;

/** Every host over time: when it was asked, when it refused, and when it was left alone. */
export function hostsPanel(data: ReportData): Node[] {
  const { hosts } = data;
  if (hosts.length === 0) return [html('p', { class: 'hint' }, 'No host was asked in this run.')];
  const [from, to] = span(hosts);
  const most = Math.max(...hosts.flatMap(({ slices }) => slices.map(([, , sent]) => sent)), 1);
  const body = html('tbody', {}, ...hosts.slice(0, HOSTS_AT_FIRST).map((host) => lane(host, { from, to, most })));
  const rest = hosts.slice(HOSTS_AT_FIRST);
  const more = html(
    'button',
    {
      type: 'button',
      class: 'quiet',
      click: () => {
        body.append(...rest.map((host) => lane(host, { from, to, most })));
        more.remove();
      },
    },
    `Show ${counted(rest.length, 'more host')}`,
  );
  return [
    html('p', { class: 'lede' }, summary(data, to - from)),
    legend(),
    html(
      'table',
      { class: 'lanes' },
      html('caption', { class: 'hidden' }, 'Requests, refusals and waits by host'),
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          html('th', { scope: 'col' }, 'Host'),
          html('th', { scope: 'col', class: 'axis' }, axis(to - from)),
          ...['Requests', 'At once', 'Refused', 'Queued'].map((name) =>
            html('th', { scope: 'col', class: 'count' }, name),
          ),
        ),
      ),
      body,
    ),
    ...(rest.length > 0 ? [more] : []),
  ];
}

function summary({ hosts, hostsFrom, timeScale }: ReportData, ms: number): string {
  const sum = (of: (host: HostLine) => number): number => hosts.reduce((total, host) => total + of(host), 0);
  const over = hosts.filter(({ most, cap }) => cap > 0 && most > cap).length;
  const asked = sum(({ holds }) => holds.filter(([, , why]) => why === 'asked').length);
  const broken = sum(brokenWaits);
  const parts = [
    `${counted(
      sum(({ requests }) => requests),
      'request',
    )} to ${counted(hosts.length, 'host')} within ${duration(ms)}${timeScale === 1 ? '' : ' of simulated time'}.`,
  ];
  if (hostsFrom === 'attempts')
    return `${parts[0] ?? ''} Only requests for files are known here: this run was made without a host log.`;
  parts.push(
    sum(({ refused }) => refused) === 0
      ? 'No server refused us.'
      : `Servers refused ${counted(
          sum(({ refused }) => refused),
          'request',
        )} (429 or 503) and asked ${counted(asked, 'time')} to be left alone; ${broken === 0 ? 'each wait was kept' : `${counted(broken, 'wait')} not kept`}.`,
    over === 0
      ? 'No host ever had more requests at once than its limit allows.'
      : `${counted(over, 'host')} had more requests at once than allowed.`,
  );
  return parts.join(' ');
}

/** Waits a server asked for during which it was asked again: a slice that lies wholly inside, behind the one that began it. */
function brokenWaits({ holds, slices }: HostLine): number {
  return holds.filter(
    ([from, to, why]) => why === 'asked' && slices.some(([at, ms, sent]) => sent > 0 && at > from && at + ms <= to),
  ).length;
}

function span(hosts: readonly HostLine[]): readonly [from: number, to: number] {
  let [from, to] = [Infinity, -Infinity];
  for (const { slices } of hosts)
    for (const [at, ms] of slices) {
      from = Math.min(from, at);
      to = Math.max(to, at + ms);
    }
  return from < to ? [from, to] : [0, 1];
}

function lane(
  host: HostLine,
  scale: { readonly from: number; readonly to: number; readonly most: number },
): HTMLElement {
  const x = (at: number): number => ((Math.min(at, scale.to) - scale.from) / (scale.to - scale.from)) * WIDTH;
  const tall = (count: number): number => (count === 0 ? 0 : 5 + Math.sqrt(count / scale.most) * (HEIGHT - 7));
  const shapes: Node[] = [svg('rect', { class: 'track', width: WIDTH, height: HEIGHT })];
  for (const [from, until, why] of host.holds)
    shapes.push(
      svg('rect', { class: `hold ${why}`, x: x(from), width: Math.max(1, x(until) - x(from)), height: HEIGHT }),
    );
  for (const [at, ms, sent, refused, failed] of host.slices) {
    const [left, width] = [x(at), Math.max(2.5, x(at + ms) - x(at) - 0.6)];
    if (sent > 0)
      shapes.push(svg('rect', { class: 'sent', x: left, y: HEIGHT - tall(sent), width, height: tall(sent), rx: 0.8 }));
    if (failed > 0) shapes.push(svg('rect', { class: 'failed', x: left, y: 0, width, height: 5 }));
    if (refused > 0) shapes.push(svg('path', { class: 'refused', d: `M${left + width / 2 - 4} 0h8l-4 7z` }));
  }
  const holds = host.holds.length;
  const label = `${host.host}: ${counted(host.requests, 'request')}, ${number(host.refused)} refused, ${number(host.failed)} failed, left alone ${counted(holds, 'time')}`;
  const queued = host.requests === 0 ? 0 : host.waitedMs / host.requests;
  return html(
    'tr',
    {},
    html('th', { scope: 'row' }, host.host, html('small', {}, size(host.bytes))),
    html('td', { class: 'lane' }, chart(label, [WIDTH, HEIGHT], { preserveAspectRatio: 'none' }, ...shapes)),
    html('td', { class: 'count', 'data-name': 'Requests' }, number(host.requests)),
    html(
      'td',
      { class: 'count', 'data-name': 'At once' },
      host.most === 0 ? '–' : `${host.most}${host.cap > 0 ? ` of ${host.cap}` : ''}`,
    ),
    html('td', { class: 'count', 'data-name': 'Refused' }, number(host.refused)),
    html(
      'td',
      { class: 'count', 'data-name': 'Queued', title: 'mean time a request waited for its turn' },
      queued < 1 ? '–' : duration(queued),
    ),
  );
}

function axis(ms: number): Node {
  return html(
    'span',
    { class: 'ticks', 'aria-label': `time, from 0 to ${duration(ms)}` },
    ...[0, 0.5, 1].map((share) => html('span', {}, share === 0 ? '0' : duration(ms * share))),
  );
}

function legend(): HTMLElement {
  const key = (shape: Node, text: string): HTMLElement =>
    html('li', {}, svg('svg', { viewBox: '0 0 12 12', class: 'key', 'aria-hidden': 'true' }, shape), text);
  return html(
    'ul',
    { class: 'legend' },
    key(svg('rect', { class: 'sent', y: 2, width: 12, height: 10, rx: 1 }), 'requests (taller: more at once)'),
    key(svg('path', { class: 'refused', d: 'M1 2h10l-5 9z' }), 'refused: 429 or 503'),
    key(svg('rect', { class: 'hold asked', width: 12, height: 12 }), 'left alone, as it asked'),
    key(svg('rect', { class: 'hold failing', width: 12, height: 12 }), 'left alone, as it kept failing'),
    key(svg('rect', { class: 'failed', y: 3, width: 12, height: 6 }), 'failed: 5xx or no answer'),
  );
}

/** The hatchings that lanes are filled with. */
export function patterns(): SVGSVGElement {
  const hatch = (id: string, turn: number): Node =>
    svg(
      'pattern',
      { id, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${turn})` },
      svg('rect', { width: 5, height: 5, class: `${id}-ground` }),
      svg('rect', { width: 1.6, height: 5, class: `${id}-line` }),
    );
  return svg(
    'svg',
    { class: 'patterns', width: 0, height: 0, 'aria-hidden': 'true' },
    svg('defs', {}, hatch('hatch-asked', 45), hatch('hatch-failing', -45)),
  );
}
