import { useEffect, useRef, useState } from 'preact/hooks';

import type { Note } from '../answers.ts';
import { typed } from '../format.ts';
import { newId } from '../new-id.ts';
import { field } from '../parts.ts';
import { keepName, keptName } from '../reviewer-name.ts';
import type { View } from '../scene.ts';
import { button, html, useScene } from '../scene.ts';
import type { Notebook } from './notebook.ts';
import type { Quoted } from './selection-bar.ts';

/** The notes of a document beside its pages, and the form to write one. */
export function NoteList(props: {
  readonly document: string;
  readonly book: Notebook;
  /** Words that were selected for a new note. */
  readonly quoted: Quoted | undefined;
  readonly leave: () => void;
}): View {
  const { document, book, quoted, leave } = props;
  const { reading, run } = useScene();
  const [isWriting, setWriting] = useState(false);
  const [changing, setChanging] = useState<string>();
  const stop = (): void => {
    setWriting(false);
    setChanging(undefined);
    leave();
  };
  const line = (note: Note): View => {
    const { id, quote, text, by, at, page } = note;
    if (id === changing)
      return html`<li key=${id}><${NoteForm} document=${document} book=${book} note=${note} leave=${stop} /></li>`;
    const name = text || quote || '';
    return html`<li key=${id}>
      ${quote !== null && html`<q>${quote}</q>`} ${text !== '' && html`<p>${text}</p>`}
      <small>${by} · ${at.slice(0, 10)}</small>
      <span class="acts">
        ${
          quote !== null &&
          html`<a class="quiet" href=${reading({ document, page, quote })}
            >${page === null ? 'Show' : `Page ${page}`}</a
          >`
        }
        ${book.isOpen && button('Change', () => setChanging(id), { 'aria-label': `Change the note ${name.slice(0, 60)}` })}
        ${book.isOpen && button('Remove', () => book.remove(note), { 'aria-label': `Remove the note ${name.slice(0, 60)}` })}
      </span>
    </li>`;
  };
  const isNew = quoted !== undefined || isWriting;
  return html`<div class="side about notes" tabindex="0" role="group" aria-label="Notes">
    ${!book.isOpen && html`<p class="hint">This server is read-only. To write notes: <code>docstokg serve ${typed(run?.folder)} --allow-control</code></p>`}
    ${
      isNew
        ? html`<${NoteForm} document=${document} book=${book} quoted=${quoted} leave=${stop} key=${quoted?.quote} />`
        : book.isOpen &&
          html`<p class="hint">Select words of the paper to mark them or to write about them.</p>
            <p>${button('Note about the whole paper', () => setWriting(true))}</p>`
    }
    ${book.removed && html`<p class="note" role="status">Removed. ${button('Undo', book.restore)}</p>`}
    <ol>
      ${book.notes.map(line)}
    </ol>
  </div>`;
}

function NoteForm(props: {
  readonly document: string;
  readonly book: Notebook;
  readonly note?: Note;
  readonly quoted?: Quoted;
  readonly leave: () => void;
}): View {
  const { document, book, note, quoted, leave } = props;
  const [by, text] = [useRef<HTMLInputElement>(null), useRef<HTMLTextAreaElement>(null)];
  // A note that could not be sent keeps its id: sent again, it is the same note.
  const id = useRef(note?.id ?? newId());
  const [known] = useState(keptName);
  useEffect(() => text.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = by.current?.value.trim() || note?.by || known;
    keepName(name);
    const place = note ? {} : { work: document, document, page: quoted?.page, quote: quoted?.quote };
    if (await book.save({ id: id.current, by: name, ...place, text: text.current?.value ?? '' })) leave();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event);
    else return;
    event.stopPropagation();
  };
  const quote = note ? note.quote : quoted?.quote;
  return html`<form class="writing" onSubmit=${submit} onKeyDown=${keys}>
    ${quote && html`<q>${quote}</q>`}
    ${known === '' && !note && field('Your name, needed once', html`<input name="by" ref=${by} required maxlength="100" />`)}
    ${field(
      'Note',
      html`<textarea
        name="text"
        rows="4"
        maxlength="10000"
        required=${!quote}
        ref=${text}
        value=${note?.text ?? ''}
      ></textarea>`,
    )}
    <p class="acts"><button type="submit" class="quiet">Keep</button> ${button('Cancel', leave)}</p>
  </form>`;
}
