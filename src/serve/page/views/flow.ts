import type { Account } from '../answers.ts';
import { counted, number, typed } from '../format.ts';
import { section } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useAnswer, useScene } from '../scene.ts';

const FILES = [
  ['Save the diagram (SVG)', 'prisma.svg'],
  ['Save the numbers (JSON)', 'prisma.json'],
] as const;

/** The PRISMA flow of the corpus as it is now. */
export function FlowView(): View {
  const { source, runPath, run } = useScene();
  return shown(useAnswer<Account>(runPath('account')), ({ prisma }) => [
    section('PRISMA flow, from records to studies', flow(prisma)),
    [prisma.not_screened_unsettled, prisma.not_assessed_unsettled].some((each) => unsettled(each).length > 0) &&
      html`<p class="hint">Decisions count once they are settled: all reviewers have decided, and agree.</p>`,
    source.report
      ? html`<p class="hint">
          For a manuscript, as SVG and JSON:
          <code>docstokg export ${typed(run?.folder)} --format prisma --out flow</code>
        </p>`
      : html`<p class="acts">
          ${FILES.map(([name, file]) => html`<a class="quiet" href=${source.file(runPath(file))} download=${file}>${name}</a>`)}
        </p>`,
  ]);
}

/** Works that somebody has decided about, and that do not count yet. */
function unsettled({ waiting, in_conflict: conflicts, unsure }: Account['prisma']['not_screened_unsettled']): string[] {
  return [
    ...(waiting > 0 ? [`${number(waiting)} of them waiting for another decision`] : []),
    ...(conflicts > 0 ? [`${number(conflicts)} of them in conflict`] : []),
    ...(unsure > 0 ? [`${number(unsure)} of them unsure`] : []),
  ];
}

/** The PRISMA 2020 flow diagram as a list: each step, and what was excluded there. */
function flow(prisma: Account['prisma']): View {
  const removed = prisma['removed_before_screening'] as
    | { readonly duplicates: number; readonly unreadable_entries: number }
    | undefined;
  const steps: readonly (readonly [string, number, readonly string[]])[] = [
    ['Records identified', prisma.identified, removed ? [counted(removed.duplicates, 'duplicate'), counted(removed.unreadable_entries, 'unreadable entry', 'unreadable entries')] : []],
    ...(prisma.unidentified > 0 ? [['Records to screen', prisma.records, [`${number(prisma.unidentified)} of them known by title, authors and year only`]] as const] : []),
    prisma.screened === 0 ? ['Records, not screened yet', prisma.not_screened, unsettled(prisma.not_screened_unsettled)] : ['Records screened', prisma.screened, [`${number(prisma.excluded)} excluded`, ...(prisma.not_screened > 0 ? [`${number(prisma.not_screened)} not screened`] : []), ...unsettled(prisma.not_screened_unsettled)]],
    ['Full texts sought', prisma.sought, [`${number(prisma.not_retrieved)} not retrieved`]],
    ['Full texts retrieved', prisma.retrieved, []],
    ...(prisma.assessed === 0 ? [['Full texts, not assessed yet', prisma.not_assessed, unsettled(prisma.not_assessed_unsettled)] as const] : [['Full texts assessed', prisma.assessed, [`${number(prisma.excluded_by_full_text)} excluded`, ...Object.entries(prisma.excluded_by_full_text_reasons).map(([why, works]) => `${why}: ${number(works)}`), ...(prisma.not_assessed > 0 ? [`${number(prisma.not_assessed)} not assessed`] : []), ...unsettled(prisma.not_assessed_unsettled)]] as const, ['Studies included', prisma.included, []] as const]),
  ]; // prettier-ignore
  return html`<ol class="flow-steps">
    ${steps.map(
      ([name, count, left]) =>
        html`<li>
          <div class="step"><strong>${number(count)}</strong> ${name}</div>
          ${left.length > 0 && html`<div class="left">${left.map((each) => html`<div>${each}</div>`)}</div>`}
        </li>`,
    )}
  </ol>`;
}
