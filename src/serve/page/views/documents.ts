import type { DocumentLine, Run } from '../answers.ts';
import { filters, listTable, QueryField } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, runPath, usePaged, useScene } from '../scene.ts';
import { DocumentView } from './document.ts';

/** List of parsed documents, or the document named in the URL. */
export function DocumentsView({ run }: { readonly run: Run }): View {
  const id = useScene().query.get('document');
  return id === null ? html`<${DocumentList} run=${run} />` : html`<${DocumentView} run=${run} id=${id} key=${id} />`;
}

function DocumentList({ run }: { readonly run: Run }): View {
  const { query, place } = useScene();
  const q = query.get('q');
  const { rows, status, more } = usePaged<DocumentLine>(runPath(run, 'documents'), { q, limit: 50 }, [
    'document',
    'documents',
  ]);
  const step = (value: string | null): string => (value === null ? '–' : value === 'failure' ? 'failed' : 'yes');
  return [
    filters(html`<${QueryField} name="Words" id="documents-q" hint="words of a title" parameter="q" />`),
    status,
    listTable(
      'Parsed documents',
      ['Document', 'Year', 'Parsed', 'Chunked', 'Embedded'],
      rows.map((line) => ({
        key: line.id,
        head: html`<a href=${place('/documents', { document: line.id })}>${line.title ?? line.id}</a>
          <small>${line.authors ?? line.id}${line.failure === null ? '' : ` · ${line.failure}`}</small>`,
        cells: [line.year ?? '–', step(line.parsed), step(line.chunked), step(line.embedded)],
      })),
    ),
    more,
  ];
}
