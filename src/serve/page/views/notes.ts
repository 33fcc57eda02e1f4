import type { Note } from '../answers.ts';
import { typed } from '../format.ts';
import { filters, link, QueryField } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, usePaged, useScene } from '../scene.ts';

/** Everything that people wrote beside the papers of a library, by paper. */
export function NotesView(): View {
  const { query, source, reading, run, runPath } = useScene();
  const by = query.get('by');
  const { rows, status, more } = usePaged<Note>(runPath('notes'), { by, limit: 200 }, 'note');
  const file = source.file(runPath('notes.md'));
  const papers = [...Map.groupBy(rows, ({ work }) => work)];
  const isEmpty = rows.length === 0 && by === null;
  return [
    filters(html`<${QueryField} name="Written by" parameter="by" hint="written by: everybody" />`, 'slim'),
    html`<div class="tools">
      ${status}
      ${file !== undefined && rows.length > 0 && html`<p class="downloads">Export: ${link(file, 'Markdown')}</p>`}
    </div>`,
    isEmpty &&
      html`<p class="note">
        Open a paper and select words of it: they can be marked, or written about. In a terminal:${' '}
        <code>docstokg notes ${typed(run?.folder)} --work 10.1038/nature21707 --add "Compare with table 2."</code>
      </p>`,
    html`<ol class="hits noted-papers">
      ${papers.map(
        ([work, notes]) =>
          html`<li key=${work}>
            <h2><a href=${reading({ document: notes[0]?.document ?? null, work })}>${notes[0]?.title ?? work}</a></h2>
            <ul>
              ${notes.map(
                ({ id, document, page, quote, text, by: name, at }) =>
                  html`<li key=${id}>
                    ${quote !== null && html`<a href=${reading({ document, work, page, quote })}><q>${quote}</q></a>`}
                    ${text !== '' && html`<p>${text}</p>`}
                    <small
                      >${[name, at.slice(0, 10), page === null ? '' : `page ${page}`].filter((each) => each !== '').join(' · ')}</small
                    >
                  </li>`,
              )}
            </ul>
          </li>`,
      )}
    </ol>`,
    more,
  ];
}
