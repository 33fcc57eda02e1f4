import type { Account, Sources } from '../answers.ts';
import type { Bar } from '../charts.ts';
import { barTable, stackedBar } from '../charts.ts';
import { counted, number, OUTCOMES, percent, size, STEPS, words } from '../format.ts';
import { figures } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useAnswer, useScene } from '../scene.ts';

export function SummaryView(): View {
  const { runPath } = useScene();
  const account = useAnswer<Account>(runPath('account'));
  const sources = useAnswer<Sources>(runPath('sources'));
  return shown(account, (value) => [
    queryLine(value),
    ...shownFigures(value, sources.kind === 'answered' ? sources.value : undefined),
    html`<section>
      <h2>Steps</h2>
      ${barTable(
        'Works and documents by step',
        value.stages.map(({ name, done }) => ({ name: STEPS[name], value: done })),
      )}
    </section>`,
    html`<section>
      <h2>From records to full texts</h2>
      ${flow(value.prisma)}
    </section>`,
    html`<div class="newspaper">
      <${Reasons} account=${value} />${shown(sources, (found) => sourceTables(found, value))}
    </div>`,
    html`<${Omitted} />`,
  ]);
}

function queryLine({ asked }: Account): View {
  const queryParts = Object.entries(asked ?? {}).flatMap(([name, value]) => {
    const shownOf = (list: readonly unknown[]): string =>
      list.slice(0, 5).join(', ') + (list.length > 5 ? ` and ${list.length - 5} more` : '');
    const text = Array.isArray(value)
      ? shownOf(value)
      : typeof value === 'string' || typeof value === 'number'
        ? String(value)
        : '';
    return text === '' ? [] : [`${words(name)}: ${text}`];
  });
  return queryParts.length > 0 && html`<p class="lede">Query: ${queryParts.join('; ')}.</p>`;
}

function shownFigures({ outcomes, counts }: Account, sources: Sources | undefined): View[] {
  const of = (name: string): number => counts[name] ?? 0;
  const works = of('listed');
  const saved = of('downloaded') + of('local');
  const optionalRows: readonly (readonly [string, number, string])[] = [
    ['Partly parsed', of('partial'), 'pages need OCR, or words are missing'],
    ['Scans', of('scans'), 'without text: they need OCR'],
    ['Failed documents', of('failed_documents'), 'in some stage'],
    ['Unreadable entries', of('unreadable_entries'), 'of input files'],
    ['Repeated entries', of('repeated_entries'), 'of lists'],
    ['Other versions', of('other_versions'), 'of works that are listed'],
  ];
  const shares = OUTCOMES.map(([outcome, name, tone]) => [name, outcomes[outcome] ?? 0, tone] as const);
  return [
    figures([
      ['Works', number(works), 'each in one of the outcomes below'],
      [
        'Full texts',
        number(saved),
        `${percent(saved, works)} of the works${sources && sources.bytes > 0 ? `, ${size(sources.bytes)}` : ''}`,
      ],
      ['Parsed', number(of('parsed')), 'documents'],
      ['Chunked', number(of('chunked')), 'documents'],
      ['Embedded', number(of('embedded')), 'documents'],
      ...optionalRows
        .filter(([, count]) => count > 0)
        .map(([name, count, note]) => [name, number(count), note] as const),
    ]),
    works > 0 &&
      html`<section>
        <h2>Outcomes</h2>
        ${stackedBar(counted(works, 'work'), shares)}
      </section>`,
  ];
}

/** The PRISMA 2020 flow diagram as a list: each step, and what was excluded there. */
function flow(prisma: Account['prisma']): View {
  const removed = prisma['removed_before_screening'] as
    | { readonly duplicates: number; readonly unreadable_entries: number }
    | undefined;
  const steps: readonly (readonly [string, number, readonly string[]])[] = [
    ['Records identified', prisma.identified, removed ? [counted(removed.duplicates, 'duplicate'), counted(removed.unreadable_entries, 'unreadable entry', 'unreadable entries')] : []],
    ['Records screened', prisma.screened, [`${number(prisma.excluded)} excluded`, ...(prisma.screened > 0 && prisma.not_screened > 0 ? [`${number(prisma.not_screened)} not screened`] : [])]],
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

function Reasons({ account }: { readonly account: Account }): View {
  const { place } = useScene();
  const bars = account.reasons.map(({ value, works, sentence }): Bar => ({
    name: html`<a href=${place('/works', { reason: value })}>${words(value)}</a>`,
    value: works,
    note: sentence,
  }));
  return (
    bars.length > 0 &&
    html`<section>
      <h2>Why works have no full text</h2>
      ${barTable('Works by reason', bars, 'tone-bad')}
    </section>`
  );
}

function sourceTables({ resolvers, attempt_reasons: reasons, lost, kinds }: Sources, { licences }: Account): View {
  const named = (counts: Readonly<Record<string, number>>): Bar[] =>
    Object.entries(counts).map(([name, value]) => ({ name, value }));
  const found = resolvers.map(({ name, asked, answered, saved, attempts }) => ({
    name: words(name),
    value: saved,
    note: [
      asked === 0 ? '' : `queried for ${counted(asked, 'work')}`,
      answered === asked ? '' : `results for ${number(answered)}`,
      attempts === 0 ? '' : `${number(saved)} of ${counted(attempts, 'attempt')}`,
    ].filter((each) => each !== '').join(', '),
  })); // prettier-ignore
  const sections: readonly (readonly [title: string, caption: string, bars: readonly Bar[], tone: string])[] = [
    ['Where full texts came from', 'Full texts by resolver', found.filter(({ value }) => value > 0), 'tone-good'],
    ['Failed attempts', 'Attempts by reason', reasons.map(({ reason, attempts, sentence }) => ({ name: words(reason), value: attempts, note: sentence })), 'tone-warn'],
    ['Hosts that did not deliver', 'Works without a full text, by host', named(lost), 'tone-warn'],
    ['Licences', 'Full texts by licence', licences.map(({ value, works }) => ({ name: value === '' || value === 'none' ? 'unknown' : value, value: works })), 'tone-accent'],
    ['Kinds of file', 'Full texts by kind', named(kinds), 'tone-accent'],
  ]; // prettier-ignore
  return sections.map(
    ([title, caption, bars, tone]) =>
      bars.length > 0 &&
      html`<section>
        <h2>${title}</h2>
        ${barTable(caption, bars, tone)}
      </section>`,
  );
}

function Omitted(): View {
  const { source } = useScene();
  return (
    source.report &&
    source.report.omitted.length > 0 &&
    html`<section class="note">
      <h3>Not in this report</h3>
      <ul>
        ${source.report.omitted.map((sentence) => html`<li>${sentence}</li>`)}
      </ul>
    </section>`
  );
}
