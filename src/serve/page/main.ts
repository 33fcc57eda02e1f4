import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { About, Run } from './answers.ts';
import { moment, typed } from './format.ts';
import { inlinedSource } from './inlined.ts';
import { LibraryBox } from './library-box.ts';
import type { Need, Place, PlacedView } from './places.ts';
import { PLACES } from './places.ts';
import { Reader, READING } from './reader/reader.ts';
import type { Scene, View } from './scene.ts';
import { fault, html, SceneContext } from './scene.ts';
import type { Query, Source } from './source.ts';
import { address, Refusal, servedSource } from './source.ts';
import { ThemeButton } from './theme.ts';

/** Views that share the words in the box: going from one to another asks the same there. */
const ASKING = new Set(['/search', '/ask']);
/** What is asked in a view. */
const QUESTION = ['q', 'ask', 'of', 'on'];
const BOX = 'header .search input';

/** The current address. A served page uses a path per view; a report uses the fragment. */
function here(isReport: boolean): URL {
  return new URL(isReport ? location.hash.slice(1) || '/' : location.pathname + location.search, 'http://page');
}

function App(props: {
  readonly source: Source;
  readonly about: About;
  readonly connected: boolean;
  readonly reload: () => Promise<void>;
}): View {
  const { source, about, connected, reload } = props;
  const isReport = source.report !== undefined;
  const [at, setAt] = useState(() => here(isReport));
  const [message, setMessage] = useState('');
  const main = useRef<HTMLElement>(null);
  const scrolled = useRef<number | undefined>(undefined);
  /** The parameters that each view was left with, by run and path. */
  const lastOf = useRef(new Map<string, URLSearchParams>());
  const named = at.searchParams.get('run');
  const run = about.runs.find(({ id }) => id === named) ?? about.runs[0];
  const has: Readonly<Record<Need, boolean>> = {
    run: run !== undefined,
    queue: about.queue,
    server: !isReport || run !== undefined,
    'run and server': !isReport && run !== undefined,
  };
  const places = PLACES.map((place) => ({ ...place, views: place.views.filter(({ needs }) => has[needs]) })).filter(
    ({ views }) => views.length > 0,
  );
  const views = places.flatMap((place) => place.views);
  const first = views.find(({ path }) => path === (run?.state === 'running' ? '/now' : '/works')) ?? views[0];
  const isKnownRun = named === null || isReport || run?.id === named;
  const current = at.pathname === '/' ? first : views.find(({ path }) => path === at.pathname);
  const there = places.find((place) => current !== undefined && place.views.includes(current));
  const kept: Query = isReport || about.runs.length < 2 ? {} : { run: run?.id };
  const place = (path: string, query: Query = {}): string =>
    (isReport ? '#' : '') + address(path, { ...kept, ...query });
  const go = (to: string, isReplaced = false): void => {
    const before = at;
    // Where the list was, so that Back finds it there again.
    if (!isReplaced) history.replaceState({ top: scrollY }, '');
    history[isReplaced ? 'replaceState' : 'pushState'](null, '', to);
    const after = here(isReport);
    setAt(after);
    if (isReplaced) return;
    setMessage('');
    const isOtherView = after.pathname !== before.pathname;
    // Another question is another page.
    const isOtherQuestion = QUESTION.some((name) => after.searchParams.get(name) !== before.searchParams.get(name));
    if (isOtherView || isOtherQuestion) scrollTo({ top: 0 });
    if (!isOtherView) return;
    // One may go on typing.
    if (!document.activeElement?.matches(BOX)) main.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    const follow = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      const isOurs = isReport
        ? link.hash.startsWith('#/')
        : link.origin === location.origin && views.some(({ path }) => path === link.pathname);
      if (!isOurs || link.target !== '' || link.hasAttribute('download')) return;
      event.preventDefault();
      go(isReport ? link.hash : link.pathname + link.search);
    };
    const back = (event: PopStateEvent): void => {
      scrolled.current = (event.state as { readonly top?: number } | null)?.top ?? 0;
      setAt(here(isReport));
    };
    const slash = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || !run) return;
      event.preventDefault();
      const box = document.querySelector<HTMLInputElement>(BOX);
      if (box?.checkVisibility()) box.focus();
      else go(place('/search'));
    };
    const leave = new AbortController();
    const { signal } = leave;
    addEventListener('click', follow, { signal });
    addEventListener('popstate', back, { signal });
    addEventListener('keydown', slash, { signal });
    return () => leave.abort();
  });
  useLayoutEffect(() => {
    if (scrolled.current !== undefined) scrollTo({ top: scrolled.current, behavior: 'instant' });
    scrolled.current = undefined;
  }, [at]);
  useEffect(() => {
    document.title = `${current?.name ?? 'DocsToKG'} · ${run?.title ?? 'DocsToKG'}`;
  }, [current, run]);
  const set = (query: Query): void => {
    const merged: Query = { ...Object.fromEntries(here(isReport).searchParams), ...query };
    go((isReport ? '#' : '') + address(here(isReport).pathname, merged), true);
  };
  const reading = (query: Query): string => {
    const beside = current?.hasReader ? Object.fromEntries(at.searchParams) : {};
    for (const name of READING) delete beside[name];
    return place(current?.hasReader ? current.path : '/works', { ...beside, ...query });
  };
  const runPath = (...parts: readonly string[]): string =>
    `/${['runs', run?.id ?? '', ...parts].map(encodeURIComponent).join('/')}`;
  const scene: Scene = {
    source,
    about,
    run,
    runPath,
    query: at.searchParams,
    place,
    reading,
    set,
    go: (to) => go(to),
    notify: setMessage,
    reload,
  };
  const isReading = current?.hasReader === true && ['document', 'work'].some((name) => at.searchParams.has(name));
  const addressOf = (path: string): string => `${run?.id ?? ''} ${path}`;
  /** What a view was left with, without the paper beside it; nothing for the one that is open. */
  const leftWith = (path: string): Record<string, string> => {
    const left = Object.fromEntries(path === current?.path ? [] : (lastOf.current.get(addressOf(path)) ?? []));
    for (const name of READING) delete left[name];
    return left;
  };
  if (current) lastOf.current.set(addressOf(current.path), at.searchParams);
  const skip = (event: Event): void => {
    event.preventDefault();
    main.current?.focus();
  };
  const tab = ({ path, name }: PlacedView): View => {
    const shared = ASKING.has(path) && ASKING.has(current?.path ?? '') ? ['q'] : (there?.carries ?? []);
    const carried = shared.flatMap((name) => at.searchParams.get(name) ?? []).length > 0;
    const left = leftWith(path);
    // What another view was asked comes along; else a view is found as it was left.
    const isOther = carried && shared.some((name) => (left[name] ?? null) !== at.searchParams.get(name));
    const query = {
      ...(!isOther && left),
      ...(carried && Object.fromEntries(shared.map((name) => [name, at.searchParams.get(name)]))),
    };
    const link = html`<a
      href=${place(path, query)}
      aria-current=${path === current?.path ? 'page' : undefined}
      data-name=${name}
      >${name}</a
    >`;
    return html`<li>${link}</li>`;
  };
  const change = (event: Event): void =>
    go(address(current?.path ?? '/', { run: (event.target as HTMLSelectElement).value }));
  return html`<${SceneContext.Provider} value=${scene}>
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <nav class="rail" aria-label="Places">
      <ul>
        ${places.map((each) => railItem(each, each === there, place(each.views[0]?.path ?? '/', each === there ? {} : leftWith(each.views[0]?.path ?? ''))))}
      </ul>
      <${ThemeButton} />
    </nav>
    <header class=${current && ASKING.has(current.path) ? 'asking' : ''}>
      ${
        about.runs.length > 1
          ? html`<h1 class="hidden">${run?.title}</h1>
              <select id="run" aria-label="Run" value=${run?.id} onChange=${change}>
                ${about.runs.map(({ id, title }) => html`<option value=${id} selected=${id === run?.id}>${title}</option>`)}
              </select>`
          : html`<h1 title=${run?.folder}>${run?.title ?? 'Queue and hosts'}</h1>`
      }
      <nav class="views" aria-label="Views">
        <ul class="places">
          ${there?.views.map(tab)}
        </ul>
      </nav>
      ${run && there?.hasBox && current && html`<${LibraryBox} path=${current.path} />`}
      ${
        !isReport &&
        html`<span class=${`connection ${connected ? '' : 'away'}`} title=${connected ? 'connected to the server' : ''}
          >${connected ? 'live' : 'disconnected, reconnecting …'}</span
        >`
      }
    </header>
    <p class="status" role="status">${message}</p>
    <main id="main" tabindex="-1" ref=${main} class=${isReading ? 'reading' : ''}>
      ${
        current && isKnownRun
          ? html`<section
              class=${`panel ${current.path.slice(1)}`}
              aria-label=${current.name}
              key=${`${current.path} ${run?.id ?? ''}`}
            >
              <${current.view} />
            </section>`
          : lost(isKnownRun ? undefined : named, about.runs)
      }
      ${isReading && isKnownRun && html`<${Reader} />`}
    </main>
    <footer>${footer(source, about, run)}</footer>
  <//>`;
}

function railItem({ name, icon }: Place, isHere: boolean, to: string): View {
  return html`<li>
    <a href=${to} aria-current=${isHere ? 'true' : undefined}>${icon}<span>${name}</span></a>
  </li>`;
}

/** What is shown for an address that names nothing here. */
function lost(named: string | null | undefined, runs: readonly Run[]): View {
  const about = typeof named === 'string' ? `There is no run “${named}” here.` : 'There is no such page here.';
  return html`<section class="panel note" role="alert">
    <h2>${about}</h2>
    <ul>
      ${runs.map(({ id, title }) => html`<li><a href=${address('/works', { run: id })}>${title}</a></li>`)}
    </ul>
  </section>`;
}

function footer({ report }: Source, { version, control }: About, run: Run | undefined): View {
  if (report)
    return html`<p>
      Written ${moment(report.written_at)} by docstokg ${version}. A single self-contained file. Live progress, the
      queue, control and search by meaning need a server: <code>docstokg serve ${typed(run?.folder)}</code> in the
      folder of this file.
    </p>`;
  return html`<p>
    docstokg serve ${version}.${' '}
    ${control ? 'Control is allowed from this page.' : 'Read-only: start docstokg serve with --allow-control to pause, retry, fill in tables and correct cells from this page.'}
  </p>`;
}

async function start(into: Element): Promise<void> {
  let about: About | undefined;
  let source: Source | undefined;
  // Said only when it is lost: the text would jump at every start.
  let connected = true;
  history.scrollRestoration = 'manual';
  const draw = (): void => {
    if (about && source)
      render(html`<${App} source=${source} about=${about} connected=${connected} reload=${load} />`, into);
  };
  const load = async (): Promise<void> => {
    about = await source?.get<About>('/');
    draw();
  };
  try {
    source =
      (await inlinedSource()) ??
      servedSource((is) => {
        connected = is;
        draw();
      });
    await load();
  } catch (error) {
    const isLocked = error instanceof Refusal && error.status === 401;
    const shown = isLocked
      ? fault('Open the link printed by docstokg serve; it contains the access token.')
      : fault(error);
    render([html`<h1>DocsToKG</h1>`, shown], into);
  }
}

const into = document.querySelector('#report');
if (into) void start(into);
