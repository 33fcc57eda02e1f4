import { number } from './format.ts';
import type { View } from './scene.ts';
import { html } from './scene.ts';

export function chart(label: string, [width, height]: readonly [number, number], props: object, shapes: View): View {
  return html`<svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label} ...${props}>
    <title>${label}</title>
    ${shapes}
  </svg>`;
}

export type Bar = readonly [name: View, value: number, note?: string | null];

/** A bar chart as a table, so that the numbers can be read and copied. */
export function barTable(caption: string, bars: readonly Bar[], tone = 'tone-accent'): View {
  const most = Math.max(1, ...bars.map(([, value]) => value));
  return html`<table class="bars">
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${bars.map(
        ([name, value, note]) =>
          html`<tr>
            <th scope="row">${name}${note && html`<small>${note}</small>`}</th>
            <td class="bar">
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" class=${tone}>
                <rect class="track" width="100" height="10" rx="1" />
                <rect class="fill" width=${Math.max(value > 0 ? 0.8 : 0, (value / most) * 100)} height="10" rx="1" />
              </svg>
            </td>
            <td class="count">${number(value)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

type Part = readonly [name: string, value: number, tone: string];

export function stackedBar(label: string, parts: readonly Part[]): View {
  const present = parts.filter(([, value]) => value > 0);
  const whole = present.reduce((sum, [, value]) => sum + value, 0);
  const description = `${label}: ${present.map(([name, value]) => `${number(value)} ${name}`).join(', ')}`;
  let from = 0;
  const pieces = present.map(([, value, tone]) => {
    const [x, width] = [from, (value / whole) * 1000];
    from += width;
    return html`<rect class=${`fill ${tone}`} x=${x + 1} width=${Math.max(2, width - 2)} height="26" rx="3" />`;
  });
  return [chart(description, [1000, 26], { class: 'stack', preserveAspectRatio: 'none' }, pieces), legend(present)];
}

export function legend(lines: readonly Part[]): View {
  return html`<ul class="legend">
    ${lines.map(([name, value, tone]) => html`<li>${key(html`<rect class=${`fill ${tone}`} width="12" height="12" rx="2" />`)}<strong>${number(value)}</strong> ${name}</li>`)}
  </ul>`;
}

export function key(shape: View): View {
  return html`<svg viewBox="0 0 12 12" class="key" aria-hidden="true">${shape}</svg>`;
}

export interface Line {
  readonly name: string;
  readonly tone: string;
  /** Epoch milliseconds, and value. */
  readonly points: readonly (readonly [at: number, value: number])[];
}
