import type { Account, ReportData } from '../data.ts';
import { barTable } from './bars.ts';
import { chart, html, svg } from './element.ts';
import { counted, number, percent, size, words } from './format.ts';

const OUTCOMES = [
  ['saved', 'kept', 'tone-good'],
  ['skipped', 'not to be had', 'tone-mute'],
  ['parked', 'to be had later', 'tone-warn'],
  ['failed', 'broke, worth another try', 'tone-bad'],
] as const;

/** What an outcome is called. */
export function outcomeName(outcome: string): string {
  return OUTCOMES.find(([name]) => name === outcome)?.[1] ?? outcome;
}

/** The overview: what was asked for, what came of it, and why the rest did not. */
export function accountPanel(data: ReportData): Node[] {
  const { account } = data;
  return [
    figures(data),
    ...(account ? [everyWork(account), steps(data, account)] : [steps(data, null)]),
    ...(account ? [html('div', { class: 'newspaper' }, ...yieldTables(data, account))] : []),
    ...(data.leftOut.length === 0
      ? []
      : [
          html(
            'section',
            { class: 'note' },
            html('h3', {}, 'What is not on this page'),
            html('ul', {}, ...data.leftOut.map((sentence) => html('li', {}, sentence))),
          ),
        ]),
  ];
}

function figures(data: ReportData): HTMLElement {
  const { account, hosts } = data;
  const requests = hosts.reduce((sum, host) => sum + host.requests, 0);
  const refused = hosts.reduce((sum, host) => sum + host.refused, 0);
  const shown: (readonly [string, string, string])[] = [];
  if (account) {
    const saved = account.outcomes['saved'] ?? 0;
    shown.push(['Works', number(account.works), 'every one accounted for']);
    shown.push(['Full texts', number(saved), `${percent(saved, account.works)} of the works, ${size(account.bytes)}`]);
  }
  shown.push(['Documents', number(data.documents.length), 'read and taken apart']);
  shown.push(['Passages', number(data.passages.length), 'searchable on this page']);
  if (account) {
    const what = data.hostsFrom === 'log' ? 'requests' : 'file requests';
    shown.push([
      'Hosts',
      number(hosts.length),
      `${number(requests)} ${what}, ${refused === 0 ? 'none' : number(refused)} refused`,
    ]);
  }
  return html(
    'dl',
    { class: 'figures' },
    ...shown.map(([name, value, note]) =>
      html('div', {}, html('dt', {}, name), html('dd', {}, html('strong', {}, value), html('span', {}, note))),
    ),
  );
}

/** One bar that holds all works. */
function everyWork(account: Account): HTMLElement {
  const present = OUTCOMES.filter(([outcome]) => (account.outcomes[outcome] ?? 0) > 0);
  const sentence = present.map(([outcome, name]) => `${number(account.outcomes[outcome] ?? 0)} ${name}`).join(', ');
  let from = 0;
  const pieces = present.map(([outcome, , tone]) => {
    const width = ((account.outcomes[outcome] ?? 0) / account.works) * 1000;
    const piece = svg('rect', { class: `fill ${tone}`, x: from + 1, width: Math.max(2, width - 2), height: 26, rx: 3 });
    from += width;
    return piece;
  });
  return html(
    'section',
    {},
    html('h2', {}, 'Every work, accounted for'),
    chart(
      `${counted(account.works, 'work')}: ${sentence}`,
      [1000, 26],
      { class: 'stack', preserveAspectRatio: 'none' },
      ...pieces,
    ),
    html(
      'ul',
      { class: 'legend' },
      ...present.map(([outcome, name, tone]) =>
        html(
          'li',
          {},
          svg(
            'svg',
            { viewBox: '0 0 10 10', 'aria-hidden': 'true', class: 'key' },
            svg('rect', { class: `fill ${tone}`, width: 10, height: 10, rx: 2 }),
          ),
          html('strong', {}, number(account.outcomes[outcome] ?? 0)),
          ` ${name}`,
        ),
      ),
    ),
  );
}

/** How many got how far. */
function steps(data: ReportData, account: Account | null): HTMLElement {
  const stage = (name: string): number => {
    const line = data.stages.find((candidate) => candidate.name === name);
    return line ? line.succeeded + line.skipped : 0;
  };
  const bars = [
    ...(account
      ? [
          { name: 'Works found', value: account.works },
          { name: 'Full text kept', value: account.outcomes['saved'] ?? 0 },
        ]
      : []),
    { name: 'Structure read', value: stage('doctags') },
    { name: 'Cut into passages', value: stage('chunk') },
    { name: 'Turned into vectors', value: stage('embed') },
  ];
  return html('section', {}, html('h2', {}, 'How far they came'), barTable('Documents that reached each step', bars));
}

function yieldTables(data: ReportData, account: Account): HTMLElement[] {
  const named = (record: Readonly<Record<string, number>>): { name: string; value: number }[] =>
    Object.entries(record).map(([name, value]) => ({ name, value }));
  const section = (title: string, ...content: Node[]): HTMLElement =>
    html('section', {}, html('h2', {}, title), ...content);
  const resolvers = account.resolvers.map(({ name, asked, answered, saved, attempts }) => ({
    name: words(name),
    value: saved,
    note: [
      ...(asked === 0 ? [] : [`asked for ${counted(asked, 'work', 'works')}`]),
      ...(answered === asked ? [] : [`answered for ${answered}`]),
      ...(attempts === 0 ? [] : [`${saved} of ${counted(attempts, 'try', 'tries')}`]),
    ].join(', '),
  }));
  const explained = (
    record: Readonly<Record<string, number>>,
  ): { name: string; value: number; note?: string | undefined }[] =>
    Object.entries(record).map(([name, value]) => ({ name: words(name), value, note: data.sentences[name] }));
  return [
    section(
      'Where full texts came from',
      barTable(
        'Full texts by resolver',
        resolvers.filter(({ value }) => value > 0),
        'tone-good',
      ),
    ),
    ...(Object.keys(account.reasons).length > 0
      ? [section('Why some works have none', barTable('Works by reason', explained(account.reasons), 'tone-bad'))]
      : []),
    ...(Object.keys(account.attemptReasons).length > 0
      ? [
          section(
            'Addresses that led nowhere',
            barTable('Failed attempts by reason', explained(account.attemptReasons), 'tone-warn'),
          ),
        ]
      : []),
    ...(Object.keys(account.lostSources).length > 0
      ? [
          section(
            'What lost sources would have given',
            barTable(
              'Works without a full text by the host that did not give it',
              named(account.lostSources),
              'tone-warn',
            ),
          ),
        ]
      : []),
    section('Licences', barTable('Full texts by licence', named(account.licences))),
    section('Kinds of file', barTable('Full texts by kind', named(account.kinds))),
  ];
}
