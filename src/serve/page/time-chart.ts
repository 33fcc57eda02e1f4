import './valid-language.ts';

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import type { Line } from './charts.ts';
import { legend } from './charts.ts';
import { moment, number } from './format.ts';
import type { View } from './scene.ts';
import { button, html } from './scene.ts';
import { resolvedColour } from './theme.ts';

const HEIGHT = 190;
/** Rows of the table that has the same numbers. */
const MOST_ROWS = 40;

/** Values over time: dragging over a part shows it larger. The same numbers are in a table below. */
export function TimeChart(props: { readonly caption: string; readonly lines: readonly Line[] }): View {
  const { caption, lines } = props;
  const told = lines.filter(({ points }) => points.some(([, value]) => value > 0));
  const data = useMemo(() => aligned(told), [lines]);
  const ground = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [isZoomed, setZoomed] = useState(false);
  const names = told.map(({ name }) => name).join();
  const times = data[0];
  const isEmpty = times.length < 2;
  useEffect(() => {
    const box = ground.current;
    if (!box || isEmpty) return undefined;
    const colour = (name: string): string => resolvedColour(box, `var(${name})`);
    const [soft, line] = [colour('--soft'), colour('--line')];
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: FONT };
    const made = new uPlot(
      {
        width: box.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: true, y: false }, points: { size: 6 } },
        scales: { y: { range: (_, _least, most) => [0, Math.max(1, most * 1.05)] } },
        axes: [
          { ...axis, values: TIMES },
          { ...axis, size: 60, values: (_, values) => values.map((value) => number(value)) },
        ],
        series: [
          {},
          ...told.map(({ tone }) => ({ stroke: colour(TONES[tone] ?? '--ink'), width: 2, points: { show: false } })),
        ],
        hooks: {
          setScale: [
            (self, name) => {
              const { min, max } = self.scales['x'] ?? {};
              if (name === 'x') setZoomed((min ?? 0) > (times[0] ?? 0) || (max ?? 0) < (times.at(-1) ?? 0));
            },
          ],
        },
      },
      data,
      box,
    );
    plot.current = made;
    const sized = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: HEIGHT }));
    sized.observe(box);
    return () => {
      sized.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [names, isEmpty]);
  // New values do not undo a zoom.
  useEffect(() => plot.current?.setData(data, !isZoomed), [data]);
  const last = told.map(({ name, tone, points }) => [name, points.at(-1)?.[1] ?? 0, tone] as const);
  if (isEmpty) return html`<figure class="trend empty"><figcaption>${caption}: no data yet</figcaption></figure>`;
  const whole = (): void => plot.current?.setScale('x', { min: times[0] ?? 0, max: times.at(-1) ?? 1 });
  return html`<figure class="trend">
    <figcaption>
      ${caption}${legend(last)}
      ${isZoomed ? button('Show all', whole) : html`<small>drag over a part to see it larger</small>`}
    </figcaption>
    <div
      class="plot"
      ref=${ground}
      role="img"
      aria-label=${`${caption}; last: ${last.map(([name, value]) => `${name} ${number(value)}`).join(', ')}`}
    ></div>
    <details>
      <summary>As a table</summary>
      <div class="wide" tabindex="0" role="group" aria-label=${`${caption}, as a table`}>${tableOf(told, data)}</div>
    </details>
  </figure>`;
}

/** How moments are written, by the seconds between two of them: the first part always, the second where the day changes. */
const TIMES: uPlot.Axis.Values = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];
const FONT = '11px system-ui, sans-serif';
const TONES: Readonly<Record<string, string>> = {
  'tone-accent': '--accent-fill',
  'tone-good': '--good-fill',
  'tone-bad': '--bad-fill',
  'tone-warn': '--warn-fill',
  'tone-mute': '--mute-fill',
};

/** One list of times, in seconds, and the values of each line at them. */
function aligned(lines: readonly Line[]): uPlot.AlignedData {
  const tables = lines.map(({ points }): uPlot.AlignedData => [
    points.map(([at]) => at / 1_000),
    points.map(([, value]) => value),
  ]);
  return tables.length === 0 ? [[]] : uPlot.join(tables);
}

function tableOf(lines: readonly Line[], [times, ...values]: uPlot.AlignedData): View {
  const step = Math.ceil(times.length / MOST_ROWS);
  const shown = [...times.keys()].filter((at) => at % step === 0 || at === times.length - 1);
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Time</th>
        ${lines.map(({ name }) => html`<th scope="col" class="count">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        (at) =>
          html`<tr>
            <th scope="row">${moment(new Date((times[at] ?? 0) * 1_000).toISOString())}</th>
            ${values.map((line) => html`<td class="count">${number(line[at] ?? 0)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A run over its whole time, from its logs. */
export function runLines(
  points: readonly Readonly<Record<'works' | 'saved' | 'parsed' | 'embedded', number> & { at: string }>[],
): readonly Line[] {
  const line = (name: string, tone: string, of: (point: (typeof points)[number]) => number): Line => ({
    name,
    tone,
    points: points.map((point) => [Date.parse(point.at), of(point)] as const),
  });
  return [
    line('processed', 'tone-mute', ({ works }) => works),
    line('downloaded', 'tone-good', ({ saved }) => saved),
    line('parsed', 'tone-accent', ({ parsed }) => parsed),
    line('embedded', 'tone-warn', ({ embedded }) => embedded),
  ];
}
