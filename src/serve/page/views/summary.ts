import type { Account, Sources } from '../answers.ts';
import type { Bar } from '../charts.ts';
import { barTable, stackedBar } from '../charts.ts';
import { counted, number, OUTCOMES, percent, size, STEPS, words } from '../format.ts';
import type { Figure } from '../parts.ts';
import { figures, section } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useAnswer, useScene } from '../scene.ts';

export function SummaryView(): View {
  const { runPath, place, source } = useScene();
  const account = useAnswer<Account>(runPath('account'));
  const sources = useAnswer<Sources>(runPath('sources'));
  return shown(account, (value) => [
    queryLine(value),
    ...shownFigures(value, sources.kind === 'answered' ? sources.value : undefined),
    bars(
      'Steps',
      'Works and documents by step',
      value.stages.map(({ name, done }) => [STEPS[name], done]),
    ),
    section('From records to full texts', flow(value.prisma)),
    html`<div class="newspaper">
      ${bars(
        'Why works have no full text',
        'Works by reason',
        value.reasons.map(({ value: reason, works, sentence }) => {
          const name = html`<a href=${place('/works', { reason })}>${words(reason)}</a>`;
          return [name, works, sentence];
        }),
        'tone-bad',
      )}
      ${shown(sources, (found) => sourceTables(found, value))}
    </div>`,
    omittedFrom(source.report?.omitted ?? []),
  ]);
}

function queryLine({ asked }: Account): View {
  const parts = Object.entries(asked ?? {}).flatMap(([name, value]) => {
    const texts = [value]
      .flat()
      .filter((each) => typeof each === 'number' || (typeof each === 'string' && each !== ''));
    const more = texts.length > 5 ? ` and ${texts.length - 5} more` : '';
    return texts.length === 0 ? [] : [`${words(name)}: ${texts.slice(0, 5).join(', ')}${more}`];
  });
  return parts.length > 0 && html`<p class="lede">Query: ${parts.join('; ')}.</p>`;
}

function shownFigures({ outcomes, counts }: Account, sources: Sources | undefined): View[] {
  const of = (name: string): number => counts[name] ?? 0;
  const works = of('listed');
  const saved = of('downloaded') + of('local');
  const bytes = sources && sources.bytes > 0 ? `, ${size(sources.bytes)}` : '';
  const optional: readonly Figure[] = [
    ['Partly parsed', of('partial'), 'pages need OCR, or words are missing'],
    ['Scans', of('scans'), 'without text: they need OCR'],
    ['Failed documents', of('failed_documents'), 'in some stage'],
    ['Known by title only', of('unidentified'), 'works that no service knows by an id'],
    ['Unreadable entries', of('unreadable_entries'), 'of input files'],
    ['Repeated entries', of('repeated_entries'), 'of lists'],
    ['Other versions', of('other_versions'), 'of works that are listed'],
  ];
  const shares = OUTCOMES.map(([outcome, name, tone]) => [name, outcomes[outcome] ?? 0, tone] as const);
  return [
    figures([
      ['Works', works, 'each in one of the outcomes below'],
      ['Full texts', saved, `${percent(saved, works)} of the works${bytes}`],
      ['Parsed', of('parsed'), 'documents'],
      ['Chunked', of('chunked'), 'documents'],
      ['Embedded', of('embedded'), 'documents'],
      ...optional.filter(([, count]) => count !== 0),
    ]),
    works > 0 && section('Outcomes', stackedBar(counted(works, 'work'), shares)),
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
    prisma.screened === 0 ? ['Records, not screened yet', prisma.not_screened, []] : ['Records screened', prisma.screened, [`${number(prisma.excluded)} excluded`, ...(prisma.not_screened > 0 ? [`${number(prisma.not_screened)} not screened`] : [])]],
    ['Full texts sought', prisma.sought, [`${number(prisma.not_retrieved)} not retrieved`]],
    ...(prisma.excluded_by_full_text > 0 ? [['Full texts assessed', prisma.retrieved, [`${number(prisma.excluded_by_full_text)} excluded`, ...Object.entries(prisma.excluded_by_full_text_reasons).map(([why, works]) => `${why}: ${number(works)}`)]] as const] : []),
    ['Full texts included', prisma.included, []],
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

/** A section with a bar chart; nothing without bars. */
function bars(title: string, caption: string, shown: readonly Bar[], tone?: string): View {
  return shown.length > 0 && section(title, barTable(caption, shown, tone));
}

function sourceTables({ resolvers, attempt_reasons: reasons, lost, kinds }: Sources, { licences }: Account): View {
  const found = resolvers.map(({ name, asked, answered, saved, attempts }): Bar => {
    const notes = [
      asked > 0 && `queried for ${counted(asked, 'work')}`,
      answered !== asked && `results for ${number(answered)}`,
      attempts > 0 && `${number(saved)} of ${counted(attempts, 'attempt')}`,
    ];
    return [words(name), saved, notes.filter((note) => note).join(', ')];
  });
  const failed = reasons.map(({ reason, attempts, sentence }): Bar => [words(reason), attempts, sentence]);
  const licensed = licences.map(({ value, works }): Bar => [/^(none)?$/.test(value) ? 'unknown' : value, works]);
  return [
    bars(
      'Where full texts came from',
      'Full texts by resolver',
      found.filter(([, saved]) => saved > 0),
      'tone-good',
    ),
    bars('Failed attempts', 'Attempts by reason', failed, 'tone-warn'),
    bars('Hosts that did not deliver', 'Works without a full text, by host', Object.entries(lost), 'tone-warn'),
    bars('Licences', 'Full texts by licence', licensed),
    bars('Kinds of file', 'Full texts by kind', Object.entries(kinds)),
  ];
}

function omittedFrom(sentences: readonly string[]): View {
  return (
    sentences.length > 0 &&
    html`<section class="note">
      <h3>Not in this report</h3>
      <ul>
        ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
      </ul>
    </section>`
  );
}
