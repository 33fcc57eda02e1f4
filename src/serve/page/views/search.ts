import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Hits, Run } from '../answers.ts';
import { counted, number } from '../format.ts';
import { excerpt, marked } from '../marked.ts';
import { choice, CopyButtons, QueryField } from '../parts.ts';
import type { View } from '../scene.ts';
import { fault, html, runPath, useScene } from '../scene.ts';
import { address } from '../source.ts';

const WAYS = { hybrid: 'words and meaning', dense: 'meaning', lexical: 'words' } as const;
const TEXTS = [
  ['year', 'Year', '2018-2022'],
  ['author', 'Author', 'part of a name'],
  ['venue', 'Journal', 'part of its name'],
  ['type', 'Type', 'article, preprint …'],
  ['license', 'Licence', 'cc-by, cc0 …'],
] as const;
const CHOICES = [
  ['section', 'Part of the paper', ['', 'abstract', 'introduction', 'methods', 'results', 'discussion', 'conclusion']],
  ['has', 'Contains', ['', 'table', 'figure']],
  ['mode', 'Search by', ['', 'hybrid', 'dense', 'lexical']],
  ['top', 'Passages', ['10', '25', '50']],
] as const;
const NAMES = [...TEXTS, ...CHOICES].map(([name]) => name as string);

/** Search results, each with its position on the page and its citation. */
export function SearchView({ run }: { readonly run: Run }): View {
  const { source, query, set } = useScene();
  const [found, setFound] = useState<{ readonly key: string; readonly hits?: Hits; readonly error?: unknown }>();
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLOListElement>(null);
  const q = query.get('q') ?? '';
  const asked = {
    question: q,
    ...Object.fromEntries([...NAMES, 'exclude_retracted'].map((name) => [name, query.get(name)])),
  };
  const key = address('', asked);
  useLayoutEffect(() => {
    if (q === '') input.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = q;
    if (q === '') {
      setFound(undefined);
      return;
    }
    const leave = new AbortController();
    setBusy(true);
    void source
      .get<Hits>(runPath(run, 'search'), asked, leave.signal)
      .then(
        (hits) => ({ key, hits }),
        (error: unknown) => ({ key, error }),
      )
      .then((answer) => {
        if (leave.signal.aborted) return;
        setBusy(false);
        setFound(answer);
      });
    return () => leave.abort();
  }, [key]);
  const links = (): HTMLElement[] => [...(results.current?.querySelectorAll<HTMLElement>('h2 a') ?? [])];
  const submit = (event: Event): void => {
    event.preventDefault();
    const typed = input.current?.value.trim() ?? '';
    // Submitting the same query again opens the best passage.
    if (typed === q && found?.key === key) links()[0]?.click();
    else set({ q: typed });
  };
  const keys = (event: KeyboardEvent): void => {
    const at = links().indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape' && document.activeElement === input.current) set({ q: '' });
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    if (document.activeElement instanceof HTMLSelectElement) return;
    event.preventDefault();
    (event.key === 'ArrowDown' ? (links()[at + 1] ?? links().at(-1)) : (links()[at - 1] ?? input.current))?.focus();
  };
  const hint = source.report
    ? 'Search by words; docstokg search and docstokg serve also search by meaning'
    : `Ask ${run.title} …`;
  return html`<div onKeyDown=${keys}>
    <form role="search" onSubmit=${submit}>
      <div class="ask">
        <div class="search">
          <label for="search" class="hidden">Question</label>
          <input
            type="search"
            id="search"
            autocomplete="off"
            placeholder=${hint}
            ref=${input}
            onInput=${() => source.report && set({ q: input.current?.value.trim() ?? '' })}
          />
          <kbd title="press / to get here">/</kbd>
        </div>
        <button type="submit" class="quiet">Search</button>
      </div>
      ${!source.report && html`<${Filters} />`}
    </form>
    <p class="hint" role="status">${status(q, isBusy, found)}</p>
    ${found?.error !== undefined && fault(found.error)}
    <ol class="hits" ref=${results}>
      ${found?.hits?.passages.map((hit) => html`<${HitItem} hit=${hit} question=${q} key=${hit.id} />`)}
    </ol>
  </div>`;
}

function status(q: string, isBusy: boolean, found: { readonly hits?: Hits } | undefined): string {
  if (q === '') return '';
  if (isBusy && !found) return 'Searching …';
  if (!found?.hits) return '';
  const { passages, passages_searched: all, searched_by: by } = found.hits;
  return passages.length === 0
    ? `No results among ${counted(all, 'passage')}.`
    : `${counted(passages.length, 'passage')} of ${number(all)}, by ${by}. Arrow keys choose, Enter opens.`;
}

function Filters(): View {
  const { query, set } = useScene();
  const isFiltered = NAMES.some((name) => query.has(name) && name !== 'top');
  return html`<details class="narrow" open=${isFiltered}>
    <summary>Filters</summary>
    <div class="filters">
      ${TEXTS.map(([name, label, hint]) => html`<${QueryField} name=${label} id=${`search-${name}`} hint=${hint} parameter=${name} />`)}
      ${CHOICES.map(([name, label, values]) =>
        choice(label, `search-${name}`, {
          value: query.get(name) ?? values[0],
          options: values.map(
            (value) => [value, value === '' ? 'all' : (WAYS[value as keyof typeof WAYS] ?? value)] as const,
          ),
          changed: (value) => set({ [name]: value }),
        }),
      )}
    </div>
    <label class="check">
      <input
        type="checkbox"
        checked=${query.get('exclude_retracted') === 'true'}
        onChange=${(event: Event) => set({ exclude_retracted: (event.target as HTMLInputElement).checked })}
      />
      ${' '}Exclude retracted works
    </label>
  </details>`;
}

function HitItem({ hit, question }: { readonly hit: Hits['passages'][number]; readonly question: string }): View {
  const { place } = useScene();
  const { title, page, document, headings, id } = hit;
  const where = [...headings.slice(-2), ...(page === null || page === 0 ? [] : [`page ${page}`])];
  return html`<li>
    <h2><a href=${place('/documents', { document, passage: id, q: question })}>${title || document}</a></h2>
    <p class="hint">
      ${[hit.by, hit.year, hit.venue, hit.license].filter((each) => each).join(' · ')}
      ${hit.retracted && html`<strong class="retracted"> retracted</strong>`}
    </p>
    <p>${marked(excerpt(hit.text, question), question)}</p>
    <div class="tools">
      <p class="hint">${where.join(' · ')}</p>
      <span class="acts"><${CopyButtons} apa=${hit.citation} bibtex=${hit.bibtex} /></span>
    </div>
  </li>`;
}
