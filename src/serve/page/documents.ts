import { field, html } from '../../report/page/index.ts';
import type { DocumentLine, List } from './answers.ts';
import { ask } from './ask.ts';
import { DocumentView } from './document-view.ts';
import { PagedRows } from './paged-rows.ts';
import type { View } from './view.ts';
import { place } from './view.ts';

/** The parsed documents, and one of them page by page with its structure. */
export const documentsView: View = async (into, scene, signal) => {
  const { run, query } = scene;
  if (!run) {
    into.replaceChildren(html('p', { class: 'hint' }, 'No run is watched.'));
    return;
  }
  const named = query.get('document');
  if (named !== null) {
    const view = new DocumentView(run.id, scene);
    into.replaceChildren(
      html('p', {}, html('a', { href: place('/documents', { run: run.id }) }, '← All documents')),
      view.element,
    );
    await view.open(named, query, signal);
    return;
  }
  const text = html('input', {
    type: 'search',
    id: 'documents-q',
    placeholder: 'words of a title',
    value: query.get('q') ?? '',
  });
  const rows = new PagedRows<DocumentLine>(
    async (cursor) =>
      await ask<List<DocumentLine>>(
        `/runs/${encodeURIComponent(run.id)}/documents`,
        { q: text.value.trim(), cursor, limit: 50 },
        signal,
      ),
    (line) => documentRow(line, run.id),
    ['document', 'documents'],
  );
  text.addEventListener('change', () => void rows.refresh());
  into.replaceChildren(
    html('form', { class: 'filters', submit: (event: Event) => event.preventDefault() }, field('Words', text)),
    rows.status,
    html(
      'table',
      { class: 'plain stacked' },
      html('caption', { class: 'hidden' }, 'Parsed documents'),
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ...['Document', 'Year', 'Read', 'Cut', 'Embedded'].map((name) => html('th', { scope: 'col' }, name)),
        ),
      ),
      rows.body,
    ),
    rows.more,
  );
  await rows.refresh();
};

function documentRow(line: DocumentLine, run: string): HTMLElement {
  const step = (name: string, value: string | null): HTMLElement =>
    html('td', { 'data-name': name, title: line.failure ?? undefined }, stepName(value));
  return html(
    'tr',
    {},
    html(
      'th',
      { scope: 'row' },
      html('a', { href: place('/documents', { run, document: line.id }) }, line.title ?? line.id),
      html('small', {}, line.authors ?? line.id),
    ),
    html('td', { 'data-name': 'Year' }, line.year === null ? '–' : String(line.year)),
    step('Read', line.parsed),
    step('Cut', line.chunked),
    step('Embedded', line.embedded),
  );
}

function stepName(value: string | null): string {
  if (value === null) return '–';
  return { success: 'yes', skip: 'yes', failure: 'failed' }[value] ?? value;
}
