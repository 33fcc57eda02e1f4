import { html, svg } from './element.ts';
import { number } from './format.ts';

/** One bar: what it is, how much, and what to say about it. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly note?: string | undefined;
  readonly title?: string | undefined;
}

/** Bars as a table: the numbers can be read and copied, the bars only show them. */
export function barTable(caption: string, bars: readonly Bar[], tone = 'tone-accent'): HTMLElement {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return html(
    'table',
    { class: 'bars' },
    html('caption', {}, caption),
    html(
      'tbody',
      {},
      ...bars.map(({ name, value, note, title }) =>
        html(
          'tr',
          { title },
          html('th', { scope: 'row' }, name, note !== undefined && html('small', {}, note)),
          html(
            'td',
            { class: 'bar' },
            svg(
              'svg',
              { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true', class: tone },
              svg('rect', { class: 'track', width: 100, height: 10, rx: 1 }),
              svg('rect', {
                class: 'fill',
                width: Math.max(value > 0 ? 0.8 : 0, (value / most) * 100),
                height: 10,
                rx: 1,
              }),
            ),
          ),
          html('td', { class: 'count' }, number(value)),
        ),
      ),
    ),
  );
}
