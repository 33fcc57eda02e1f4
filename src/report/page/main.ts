import type { GraphPicture } from '../../graph/picture/index.ts';
import type { ReportData } from '../data.ts';
import { accountPanel } from './account-panel.ts';
import { parsePlace, placeOf, quotePlace } from './address.ts';
import { html } from './element.ts';
import { counted, moment, number } from './format.ts';
import { GraphPanel } from './graph/panel.ts';
import { hostsPanel, patterns } from './hosts.ts';
import { SearchBox } from './search-box.ts';
import { stagesPanel } from './stages.ts';
import { Tabs } from './tabs.ts';
import { Viewer } from './viewer.ts';
import { worksPanel } from './works.ts';

const data = JSON.parse(document.querySelector('#data')?.textContent ?? '') as ReportData;

const searchBox = new SearchBox(data, (at) => {
  const document = data.passages[at]?.document ?? 0;
  return placeOf(document, 'passage', at - (data.documents[document]?.passages[0] ?? 0));
});
const viewer = new Viewer(data, () => searchBox.query);
const openDocument = (at: number): string => placeOf(at);
const documentPlaces = new Map(data.documents.map(({ id, shown }, at) => [id, shown ? at : -1]));
const graphPanel = new GraphPanel({
  works: data.graph ?? [],
  load: (at) => Promise.resolve(JSON.parse(document.querySelector(`#graph-${at}`)?.textContent ?? '') as GraphPicture),
  workPlace: (at) => `#graph/${at}`,
  evidencePlace: ({ document: id, block, start, end }) => {
    const at = documentPlaces.get(id) ?? -1;
    return at < 0 || block === null ? undefined : quotePlace(at, block, [start ?? 0, end ?? 0]);
  },
});
const tabs = new Tabs([
  { id: 'account', name: 'Account', content: () => accountPanel(data) },
  ...(data.account
    ? [
        { id: 'works', name: 'Works', content: () => worksPanel(data, openDocument) },
        { id: 'hosts', name: 'Hosts', content: () => hostsPanel(data) },
      ]
    : []),
  { id: 'stages', name: 'Stages', content: () => stagesPanel(data, openDocument) },
  { id: 'documents', name: 'Documents', content: () => viewer.content() },
  ...(data.graph ? [{ id: 'graph', name: 'Graph', content: () => graphPanel.content() }] : []),
]);

function ledeOf({ account, documents, passages, period }: ReportData): string {
  const saved = account?.outcomes['saved'] ?? 0;
  const found = account
    ? `${counted(account.works, 'work')} found, ${number(saved)} with an open full text, `
    : `${counted(documents.length, 'document')}, `;
  const when = period ? ` Harvested ${moment(period.from)}.` : '';
  const searched = passages.length > 0 ? `${counted(passages.length, 'passage')} to search` : 'nothing parsed yet';
  return `${found}${searched}.${when}`;
}

document
  .querySelector('#report')
  ?.append(
    html('a', { class: 'skip', href: '#main', click: skip }, 'Skip to the content'),
    html(
      'header',
      {},
      html('p', { class: 'eyebrow' }, 'DocsToKG · report of a run'),
      html('h1', {}, data.title),
      html('p', { class: 'lede' }, ledeOf(data)),
      ...(data.passages.length > 0 ? [searchBox.form, searchBox.results] : []),
    ),
    tabs.list,
    html('main', { id: 'main', tabindex: -1 }, ...tabs.panels),
    html(
      'footer',
      {},
      html(
        'p',
        {},
        `Written ${moment(data.generatedAt)} by docstokg report. One file, nothing is loaded from anywhere.`,
      ),
    ),
    patterns(),
  );

/** The address is a place in the report, so the link that skips must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function route(): void {
  const place = parsePlace(location.hash);
  const known = ['works', 'hosts', 'stages', 'documents', 'graph'].includes(place.tab) ? place.tab : 'account';
  const absent =
    (data.account === null && (known === 'works' || known === 'hosts')) || (data.graph === null && known === 'graph');
  const tab = absent ? 'account' : known;
  tabs.show(tab);
  if (tab === 'documents') viewer.open(place);
  if (tab === 'graph') void graphPanel.open(place.document);
}

addEventListener('hashchange', route);
addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  searchBox.input.focus();
  searchBox.input.select();
});
route();
