import type { ReportData, StageLine } from '../data.ts';
import { barTable } from './bars.ts';
import { chart, html, svg } from './element.ts';
import { counted, duration, number, words } from './format.ts';

const NAMES: Readonly<Record<string, readonly [name: string, what: string]>> = {
  doctags: ['Reading', 'From file to headings, paragraphs, tables and references.'],
  chunk: ['Cutting', 'From structure to passages that fit the model.'],
  embed: ['Embedding', 'From passages to vectors.'],
};
const COLUMN = 44;
const TALL = 110;

/** How long every stage took for a document, and what went wrong. */
export function stagesPanel(data: ReportData, openDocument: (at: number) => string): Node[] {
  if (data.stages.length === 0) return [html('p', { class: 'hint' }, 'Nothing was parsed in this run.')];
  const places = new Map(data.documents.map(({ id }, at) => [id, at]));
  const name = (id: string): Node => {
    const at = places.get(id);
    const line = at === undefined ? undefined : data.documents[at];
    return at === undefined || !line ? document.createTextNode(id) : html('a', { href: openDocument(at) }, line.title);
  };
  return data.stages.map((stage) => section(stage, name));
}

function section(stage: StageLine, name: (id: string) => Node): HTMLElement {
  const [title, what] = NAMES[stage.name] ?? [stage.name, ''];
  return html(
    'section',
    {},
    html('h2', {}, title),
    html('p', { class: 'lede' }, `${what} ${sentence(stage)}`),
    html(
      'div',
      { class: 'columns wide' },
      ...(stage.histogram.length > 0 ? [histogram(stage, title)] : []),
      ...(stage.slowest.length > 0
        ? [
            html(
              'table',
              { class: 'plain' },
              html('caption', {}, 'Slowest documents'),
              html(
                'tbody',
                {},
                ...stage.slowest.map(([id, seconds]) =>
                  html(
                    'tr',
                    {},
                    html('th', { scope: 'row' }, name(id)),
                    html('td', { class: 'count' }, duration(seconds * 1_000)),
                  ),
                ),
              ),
            ),
          ]
        : []),
    ),
    ...(stage.failed > 0 ? [failures(stage, name)] : []),
  );
}

function sentence(stage: StageLine): string {
  const done =
    stage.succeeded === 0
      ? ''
      : `${counted(stage.succeeded, 'document')}: half within ${duration(stage.p50 * 1_000)}, 95 % within ${duration(stage.p95 * 1_000)}, the longest ${duration(stage.max * 1_000)}.`;
  return [
    done,
    stage.skipped > 0 ? `${counted(stage.skipped, 'document')} done before.` : '',
    stage.failed > 0 ? `${counted(stage.failed, 'document')} failed.` : 'None failed.',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function histogram({ histogram: buckets, p50 }: StageLine, title: string): HTMLElement {
  const most = Math.max(...buckets.map(([, count]) => count));
  const width = buckets.length * COLUMN;
  const bars = buckets.flatMap(([bound, count], at) => {
    const height = (count / most) * (TALL - 26);
    const label = svg(
      'text',
      { x: at * COLUMN + COLUMN / 2, y: TALL - height - 6, class: 'value' },
      count === 0 ? '' : number(count),
    );
    const holdsMedian = p50 <= bound && p50 > (buckets[at - 1]?.[0] ?? 0);
    return [
      svg('rect', {
        class: holdsMedian ? 'fill median' : 'fill',
        x: at * COLUMN + 3,
        y: TALL - height,
        width: COLUMN - 6,
        height,
        rx: 2,
      }),
      label,
      svg(
        'text',
        { x: at * COLUMN + COLUMN / 2, y: TALL + 16, class: 'tick' },
        duration(bound * 1_000).replace(' ', '\u00A0'),
      ),
    ];
  });
  const said = buckets
    .filter(([, count]) => count > 0)
    .map(([bound, count]) => `${count} up to ${duration(bound * 1_000)}`)
    .join(', ');
  return html(
    'figure',
    {},
    chart(
      `${title}: documents by duration: ${said}`,
      [Math.max(width, 260), TALL + 24],
      { class: 'histogram tone-accent', preserveAspectRatio: 'xMinYMid' },
      ...bars,
      svg('line', { class: 'base', x2: Math.max(width, 260), y1: TALL, y2: TALL }),
    ),
    html(
      'figcaption',
      {},
      'Documents by how long they took; a column ends at the time below it, the darker one holds the middle document.',
    ),
  );
}

function failures(stage: StageLine, name: (id: string) => Node): HTMLElement {
  const bars = Object.entries(stage.categories).map(([category, value]) => ({ name: words(category), value }));
  return html(
    'div',
    { class: 'columns wide' },
    barTable('Failures by category', bars, 'tone-bad'),
    html(
      'table',
      { class: 'plain' },
      html('caption', {}, 'What failed'),
      html(
        'tbody',
        {},
        ...stage.failures.map(([id, category, message]) =>
          html('tr', {}, html('th', { scope: 'row' }, name(id), html('small', {}, `${words(category)}: ${message}`))),
        ),
      ),
    ),
  );
}
