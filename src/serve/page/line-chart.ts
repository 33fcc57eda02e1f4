import { chart, duration, html, number, svg } from '../../report/page/index.ts';

/** One line of a chart. */
export interface Line {
  readonly name: string;
  readonly tone: string;
  /** Moment in milliseconds, and value. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

const [WIDTH, HEIGHT, FOOT] = [600, 120, 4];

/** Numbers over time: the last ones stand beside it in words, the lines only show them. */
export function lineChart(caption: string, lines: readonly Line[]): HTMLElement {
  const all = lines.flatMap(({ points }) => points);
  if (all.length < 2)
    return html('figure', { class: 'trend' }, html('figcaption', {}, `${caption}: nothing to draw yet`));
  const [from, to] = [Math.min(...all.map(([at]) => at)), Math.max(...all.map(([at]) => at))];
  const most = Math.max(1, ...all.map(([, value]) => value));
  const x = (at: number): number => (to === from ? 0 : ((at - from) / (to - from)) * WIDTH);
  const y = (value: number): number => HEIGHT - FOOT - (value / most) * (HEIGHT - FOOT - 8);
  const shapes = lines.flatMap(({ tone, points }) => {
    const way = points.map(
      ([at, value], place) => `${place === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`,
    );
    return points.length < 2 ? [] : [svg('path', { class: `trend-line ${tone}`, d: way.join('') })];
  });
  const said = lines.map(({ name, points }) => `${name} ${number(round(points.at(-1)?.[1] ?? 0))}`).join(', ');
  return html(
    'figure',
    { class: 'trend' },
    html(
      'figcaption',
      {},
      caption,
      html(
        'ul',
        { class: 'legend' },
        ...lines.map(({ name, tone, points }) =>
          html(
            'li',
            {},
            svg(
              'svg',
              { viewBox: '0 0 10 10', class: 'key', 'aria-hidden': 'true' },
              svg('rect', { class: `fill ${tone}`, y: 3, width: 10, height: 4, rx: 1 }),
            ),
            html('strong', {}, number(round(points.at(-1)?.[1] ?? 0))),
            ` ${name}`,
          ),
        ),
      ),
    ),
    chart(
      `${caption} over ${duration(to - from)}, up to ${number(round(most))}; now ${said}`,
      [WIDTH, HEIGHT],
      { preserveAspectRatio: 'none' },
      svg('line', { class: 'base', x2: WIDTH, y1: HEIGHT - FOOT, y2: HEIGHT - FOOT }),
      ...shapes,
    ),
    html(
      'p',
      { class: 'ticks', 'aria-hidden': 'true' },
      html('span', {}, `${duration(to - from)} ago`),
      html('span', {}, `most ${number(round(most))}`),
      html('span', {}, 'now'),
    ),
  );
}

function round(value: number): number {
  return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}
