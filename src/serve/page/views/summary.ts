import type { Account, RunHistory, Sources } from '../answers.ts';
import type { Bar } from '../charts.ts';
import { barTable, stackedBar } from '../charts.ts';
import { counted, number, OUTCOMES, percent, size, STEPS, words } from '../format.ts';
import type { Figure } from '../parts.ts';
import { figures, section } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useAnswer, useScene } from '../scene.ts';
import { runLines, TimeChart } from '../time-chart.ts';

export function SummaryView(): View {
  const { runPath, place, source } = useScene();
  const account = useAnswer<Account>(runPath('account'));
  const sources = useAnswer<Sources>(runPath('sources'));
  const history = useAnswer<RunHistory>(runPath('history'));
  return shown(account, (value) => [
    queryLine(value),
    ...shownFigures(value, sources.kind === 'answered' ? sources.value : undefined),
    bars(
      'Steps',
      'Works and documents by step',
      value.stages.map(({ name, done }) => [STEPS[name], done]),
    ),
    history.kind === 'answered' &&
      section('Over time', html`<${TimeChart} caption="The whole run" lines=${runLines(history.value.points)} />`),
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
