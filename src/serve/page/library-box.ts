import { useEffect, useRef } from 'preact/hooks';

import { useInput } from './parts.ts';
import { READING } from './reader/reader.ts';
import type { View } from './scene.ts';
import { html, useScene } from './scene.ts';

/** Where the box stands and what is typed in it: works, sentences and names to search, or a question to ask. */
export function LibraryBox({ path }: { readonly path: string }): View {
  const { source, query, set, go, place } = useScene();
  const [isAsking, isSearching] = [path === '/ask', path === '/search'];
  const asked = isAsking || isSearching ? (query.get('q') ?? '') : '';
  const input = useInput(asked);
  const last = useRef('');
  /** The view before, and whether its words still stand in the box of another: they are replaced, not added to. */
  const [before, isCarried] = [useRef(path), useRef(false)];
  useEffect(() => {
    isCarried.current = path !== before.current;
    before.current = path;
  }, [path]);
  const entered = (): void => {
    const { current: box } = input;
    if (isCarried.current && box?.selectionStart === box?.selectionEnd) box?.select();
  };
  const clicked = (): void => {
    entered();
    isCarried.current = false;
  };
  const text = (): string => input.current?.value.trim() ?? '';
  const search = (q: string): void => {
    const filter = isSearching ? Object.fromEntries(query) : {};
    for (const name of READING) delete filter[name];
    go(place('/search', { ...filter, q }));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const q = text();
    if (isAsking && q !== '' && q !== asked) go(place('/ask', { q, works: query.get('works') }));
    else if (isSearching && q === asked) document.querySelector<HTMLElement>('.panel.search .hits h2 a')?.click();
    else if (!isAsking && q !== '') search(q);
  };
  // A report is searched while one types.
  const typed = (): void => {
    isCarried.current = false;
    if (!source.report || text() === last.current) return;
    last.current = text();
    if (isSearching) set({ q: text() });
    else search(text());
  };
  const hint = isAsking ? 'Ask these papers …' : 'Search works and sentences …';
  return html`<form class="question" role="search" onSubmit=${submit}>
    <div class="search">
      <input
        type="search"
        id=${isAsking ? 'question' : 'search'}
        aria-label=${isAsking ? 'Question' : 'Search the library'}
        autocomplete="off"
        placeholder=${hint}
        ref=${input}
        onInput=${typed}
        onFocus=${entered}
        onClick=${clicked}
      />
      <kbd title="press / to get here">/</kbd>
    </div>
    <button type="submit" class="quiet">${isAsking ? 'Ask' : 'Search'}</button>
  </form>`;
}
