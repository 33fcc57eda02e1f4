import type { DocumentLine, List, Stages } from '../answers.ts';
import type { Bar } from '../charts.ts';
import { barTable, chart } from '../charts.ts';
import { counted, duration, number, tick, words } from '../format.ts';
import { listTable, section } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useAnswer, useScene } from '../scene.ts';

type Stage = Stages['items'][number];

const NAMES: Readonly<Record<string, readonly [name: string, what: string]>> = {
  doctags: ['Parsing', 'From file to headings, paragraphs, tables and references.'],
  chunk: ['Chunking', 'From structure to passages that fit the embedding model.'],
  embed: ['Embedding', 'From passages to vectors.'],
};
const [COLUMN, TALL] = [44, 110];

export function StagesView(): View {
  const { reading, runPath } = useScene();
  const documents = useAnswer<List<DocumentLine>>(runPath('documents'), { limit: 500 });
  const titles = new Map(
    (documents.kind === 'answered' ? documents.value.items : []).map(({ id, title }) => [id, title]),
  );
  const name = (id: string): View => html`<a href=${reading({ document: id })}>${titles.get(id) ?? id}</a>`;
  return shown(useAnswer<Stages>(runPath('stages')), ({ items }) =>
    items.length === 0
      ? html`<p class="note">Nothing was parsed in this run.</p>`
      : items.map((stage) => stageSection(stage, name)),
  );
}

function stageSection(stage: Stage, name: (id: string) => View): View {
  const [title, what] = NAMES[stage.name] ?? [stage.name, ''];
  const bars = Object.entries(stage.categories).map(([category, value]): Bar => [words(category), value]);
  const slowest = stage.slowest.map(({ document, seconds }) => ({
    key: document,
    head: name(document),
    cells: [duration(seconds * 1_000)],
  }));
  const failures = stage.failures.map(({ document, category, message }) => ({
    key: document,
    head: [name(document), html`<small>${words(category)}: ${message}</small>`],
    cells: [],
  }));
  return section(title, [
    html`<p class="lede">${what} ${sentence(stage)}</p>`,
    html`<div class="columns wide">
      ${stage.histogram.length > 0 && histogram(stage, title)}
      ${slowest.length > 0 && listTable('Slowest documents', ['Document', 'Duration'], slowest, 'titled')}
    </div>`,
    stage.failed > 0 &&
      html`<div class="columns wide">
        ${barTable('Failures by category', bars, 'tone-bad')}
        ${failures.length > 0 && listTable('Failed documents', ['Document'], failures, 'titled')}
      </div>`,
  ]);
}

function sentence({ succeeded, skipped, needs_ocr: scans, failed, ...times }: Stage): string {
  const [median, p95, max] = [times.median_s, times.p95_s, times.max_s].map((seconds) => duration(seconds * 1_000));
  return [
    succeeded === 0 ? '' : `${counted(succeeded, 'document')}: median ${median}, p95 ${p95}, max ${max}.`,
    skipped > 0 ? `${counted(skipped, 'document')} already done.` : '',
    scans > 0 ? `${counted(scans, 'scanned document')} without text, to be read with OCR.` : '',
    failed > 0 ? `${counted(failed, 'document')} failed.` : 'None failed.',
  ].join(' ');
}

function histogram({ histogram: buckets, median_s: median }: Stage, title: string): View {
  const most = Math.max(...buckets.map(({ documents }) => documents));
  const width = Math.max(buckets.length * COLUMN, 260);
  const bucketTexts = buckets
    .filter(({ documents }) => documents > 0)
    .map(({ documents, up_to_s: bound }) => `${documents} up to ${duration(bound * 1_000)}`);
  return html`<figure>
    ${chart(
      `${title}: documents by duration: ${bucketTexts.join(', ')}`,
      [width, TALL + 24],
      { class: 'histogram tone-accent', preserveAspectRatio: 'xMinYMid' },
      [
        buckets.map(({ documents, up_to_s: bound }, at) => {
          const height = (documents / most) * (TALL - 26);
          const isMedian = median <= bound && median > (buckets[at - 1]?.up_to_s ?? 0);
          return html`<rect
              class=${isMedian ? 'fill median' : 'fill'}
              x=${at * COLUMN + 3}
              y=${TALL - height}
              width=${COLUMN - 6}
              height=${height}
              rx="2"
            />
            <text x=${at * COLUMN + COLUMN / 2} y=${TALL - height - 6} class="value"
              >${documents === 0 ? '' : number(documents)}</text
            >
            <text x=${at * COLUMN + COLUMN / 2} y=${TALL + 16} class="tick">${tick(bound)}</text>`;
        }),
        html`<line class="base" x2=${width} y1=${TALL} y2=${TALL} />`,
      ],
    )}
    <figcaption>Documents by duration; a column ends at the time below it, the darker one holds the median.</figcaption>
  </figure>`;
}
