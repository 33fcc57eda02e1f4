import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { View } from '../scene.ts';
import { button, html } from '../scene.ts';

/** Words of a document that were selected. */
export interface Quoted {
  readonly quote: string;
  /** Undefined in a text without pages. */
  readonly page: number | undefined;
}

/** Longer selections are whole pages, not quotes. */
const MOST_CHARACTERS = 4_000;

/** What can be done with the words that are selected in a document, over them. */
export function SelectionBar(props: {
  readonly root: RefObject<HTMLElement>;
  readonly mark: (quoted: Quoted) => void;
  readonly write: (quoted: Quoted) => void;
  /** Lists the works that the words cite; undefined where there are no references. */
  readonly cited: ((quoted: Quoted) => void) | undefined;
}): View {
  const { root, mark, write, cited } = props;
  const [place, setPlace] = useState<Quoted & { readonly left: number; readonly top: number }>();
  useEffect(() => {
    const look = (): void => {
      const selection = document.getSelection();
      const quoted = selection && quotedBy(selection);
      const desk = root.current?.querySelector('.desk');
      if (!root.current || !desk || !quoted || !desk.contains(selection.anchorNode)) return setPlace(undefined);
      const [words, around] = [selection.getRangeAt(0).getBoundingClientRect(), root.current.getBoundingClientRect()];
      const left = Math.min(Math.max(0, words.left - around.left), around.width - 290);
      return setPlace({ ...quoted, left, top: Math.max(0, words.top - around.top - 40) });
    };
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, []);
  if (!place) return undefined;
  const act = (what: (quoted: Quoted) => void): void => {
    what({ quote: place.quote, page: place.page });
    document.getSelection()?.removeAllRanges();
  };
  const style = { left: `${place.left}px`, top: `${place.top}px` };
  // Pressing a button must not end the selection.
  return html`<div class="selected" style=${style} onMouseDown=${(event: Event) => event.preventDefault()}>
    ${button('Mark', () => act(mark))} ${button('Write a note', () => act(write))}
    ${cited && button('What it cites', () => act(cited))}
  </div>`;
}

/** The selected words as one line; undefined if there are none, or too many. */
function quotedBy(selection: Selection): Quoted | undefined {
  const quote = selection
    .toString()
    .replaceAll(/(\p{Ll})[-\u00AD]\n(?=\p{Ll})/gu, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (selection.isCollapsed || quote === '' || quote.length > MOST_CHARACTERS) return undefined;
  const node = selection.getRangeAt(0).startContainer;
  const element = node instanceof Element ? node : node.parentElement;
  const page = Number(element?.closest<HTMLElement>('[data-page]')?.dataset['page']);
  return { quote, page: page > 0 ? page : undefined };
}
