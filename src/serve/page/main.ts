import type { FunctionComponent } from 'preact';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { About, Run } from './answers.ts';
import { moment } from './format.ts';
import { inlinedSource } from './inlined.ts';
import type { Scene, View } from './scene.ts';
import { fault, html, SceneContext } from './scene.ts';
import type { Query, Source } from './source.ts';
import { address, Refusal, servedSource } from './source.ts';
import { AskView } from './views/ask.ts';
import { DocumentsView } from './views/documents.ts';
import { GraphView } from './views/graph.ts';
import { HostsView } from './views/hosts.ts';
import { NowView } from './views/now.ts';
import { QueueView } from './views/queue.ts';
import { ScreenView } from './views/screen.ts';
import { SearchView } from './views/search.ts';
import { StagesView } from './views/stages.ts';
import { SummaryView } from './views/summary.ts';
import { TableView } from './views/table.ts';
import { WorksView } from './views/works.ts';

/** Views in menu order. Reports omit those that need a server. */
const VIEWS: readonly {
  readonly path: string;
  readonly name: string;
  readonly view: FunctionComponent;
  readonly needs: 'run' | 'queue' | 'server' | 'run and server';
}[] = [
  { path: '/now', name: 'Now', view: NowView, needs: 'run and server' },
  { path: '/queue', name: 'Queue', view: QueueView, needs: 'queue' },
  { path: '/summary', name: 'Summary', view: SummaryView, needs: 'run' },
  { path: '/works', name: 'Works', view: WorksView, needs: 'run' },
  { path: '/documents', name: 'Documents', view: DocumentsView, needs: 'run' },
  { path: '/ask', name: 'Ask', view: AskView, needs: 'run and server' },
  { path: '/table', name: 'Table', view: TableView, needs: 'run and server' },
  { path: '/screen', name: 'Screen', view: ScreenView, needs: 'run and server' },
  { path: '/search', name: 'Search', view: SearchView, needs: 'run' },
  { path: '/graph', name: 'Graph', view: GraphView, needs: 'run' },
  { path: '/hosts', name: 'Hosts', view: HostsView, needs: 'server' },
  { path: '/stages', name: 'Stages', view: StagesView, needs: 'run' },
];

/** The current view. A served page uses a path per view; a report uses the fragment. */
function here(isReport: boolean): URL {
  return new URL(isReport ? location.hash.slice(1) || '/' : location.pathname + location.search, 'http://page');
}

function App(props: { readonly source: Source; readonly about: About; readonly connected: boolean }): View {
  const { source, about, connected } = props;
  const isReport = source.report !== undefined;
  const [at, setAt] = useState(() => here(isReport));
  const [message, setMessage] = useState('');
  const main = useRef<HTMLElement>(null);
  const run = about.runs.find(({ id }) => id === at.searchParams.get('run')) ?? about.runs[0];
  const has = { run, queue: about.queue, server: run ?? !isReport, 'run and server': !isReport && run };
  const there = VIEWS.filter(({ needs }) => has[needs]);
  const current = there.find(({ path }) => path === at.pathname) ?? there[0];
  const place = (path: string, query: Query = {}): string =>
    (isReport ? '#' : '') + address(path, isReport || about.runs.length < 2 ? query : { run: run?.id, ...query });
  const go = (to: string, isReplaced = false): void => {
    history[isReplaced ? 'replaceState' : 'pushState'](null, '', to);
    setAt(here(isReport));
    if (isReplaced) return;
    setMessage('');
    scrollTo({ top: 0 });
    main.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    const follow = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      const isOurs = isReport
        ? link.hash.startsWith('#/')
        : link.origin === location.origin && VIEWS.some(({ path }) => path === link.pathname);
      if (!isOurs || link.target !== '' || link.hasAttribute('download')) return;
      event.preventDefault();
      go(isReport ? link.hash : link.pathname + link.search);
    };
    const back = (): void => setAt(here(isReport));
    const slash = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || !run) return;
      event.preventDefault();
      const box = document.querySelector<HTMLInputElement>('.search input');
      if (box) box.focus();
      else go(place('/search'));
    };
    const leave = new AbortController();
    const { signal } = leave;
    addEventListener('click', follow, { signal });
    addEventListener('popstate', back, { signal });
    addEventListener('keydown', slash, { signal });
    return () => leave.abort();
  });
  useEffect(() => {
    document.title = `${current?.name ?? 'DocsToKG'} · ${run?.title ?? 'DocsToKG'}`;
  }, [current, run]);
  const set = (query: Query): void => {
    const merged: Query = { ...Object.fromEntries(here(isReport).searchParams), ...query };
    go((isReport ? '#' : '') + address(here(isReport).pathname, merged), true);
  };
  const runPath = (...parts: readonly string[]): string =>
    `/${['runs', run?.id ?? '', ...parts].map(encodeURIComponent).join('/')}`;
  const scene: Scene = { source, about, run, runPath, query: at.searchParams, place, set, notify: setMessage };
  const skip = (event: Event): void => {
    event.preventDefault();
    main.current?.focus();
  };
  return html`<${SceneContext.Provider} value=${scene}>
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <header>
      <p class="eyebrow">
        ${isReport ? 'DocsToKG · report of a run' : ['DocsToKG ', html`<span class=${`connection ${connected ? '' : 'away'}`}>${connected ? 'live' : 'disconnected, reconnecting …'}</span>`]}
      </p>
      <div class="tools">
        <h1>${run?.title ?? 'Queue and hosts'}</h1>
        ${
          about.runs.length > 1 &&
          html`<select
            id="run"
            aria-label="Run"
            value=${run?.id}
            onChange=${(event: Event) => go(address(current?.path ?? '/', { run: (event.target as HTMLSelectElement).value }))}
          >
            ${about.runs.map(({ id, title }) => html`<option value=${id} selected=${id === run?.id}>${title}</option>`)}
          </select>`
        }
      </div>
    </header>
    <nav aria-label="Views">
      <ul class="places">
        ${there.map(({ path, name }) => html`<li><a href=${place(path)} aria-current=${path === current?.path ? 'page' : undefined}>${name}</a></li>`)}
      </ul>
    </nav>
    <p class="status" role="status">${message}</p>
    <main id="main" tabindex="-1" ref=${main}>
      ${current && html`<section class=${`panel ${current.path.slice(1)}`} aria-label=${current.name} key=${`${current.path} ${run?.id ?? ''}`}><${current.view} /></section>`}
    </main>
    <footer>${footer(source, about, run)}</footer>
  <//>`;
}

function footer({ report }: Source, { version, control }: About, run: Run | undefined): View {
  if (report)
    return html`<p>
      Written ${moment(report.written_at)} by docstokg ${version}. A single self-contained file. Live progress, the
      queue, control and search by meaning need a server: <code>docstokg serve ${run?.folder}</code> in the folder of
      this file.
    </p>`;
  return html`<p>
    docstokg serve ${version}.${' '}
    ${control ? 'Control is allowed from this page.' : 'Read-only: start docstokg serve with --allow-control to pause, retry, fill in tables and correct cells from this page.'}
  </p>`;
}

async function start(into: Element): Promise<void> {
  let about: About | undefined;
  let source: Source | undefined;
  let connected = false;
  const draw = (): void => {
    if (about && source) render(html`<${App} source=${source} about=${about} connected=${connected} />`, into);
  };
  try {
    source =
      (await inlinedSource()) ??
      servedSource((is) => {
        connected = is;
        draw();
      });
    about = await source.get<About>('/');
    draw();
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
