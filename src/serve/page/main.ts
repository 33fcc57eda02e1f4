import { html } from '../../report/page/index.ts';
import { accountView } from './account.ts';
import type { About, Run } from './answers.ts';
import { ask, Refusal } from './ask.ts';
import { documentsView } from './documents.ts';
import { graphView } from './graph.ts';
import { hostsView } from './hosts.ts';
import { Live } from './live.ts';
import { nowView } from './now.ts';
import { queueView } from './queue.ts';
import { searchView } from './search.ts';
import type { Scene, View } from './view.ts';
import { fault, place } from './view.ts';
import { worksView } from './works.ts';

interface Page {
  readonly path: string;
  readonly name: string;
  readonly view: View;
  readonly isThere: (about: About, run: Run | undefined) => boolean;
}

const PAGES: readonly Page[] = [
  { path: '/now', name: 'Now', view: nowView, isThere: () => true },
  { path: '/queue', name: 'Queue', view: queueView, isThere: ({ queue }) => queue },
  { path: '/hosts', name: 'Hosts', view: hostsView, isThere: () => true },
  { path: '/works', name: 'Works', view: worksView, isThere: (_, run) => run !== undefined },
  { path: '/documents', name: 'Documents', view: documentsView, isThere: (_, run) => run !== undefined },
  { path: '/search', name: 'Search', view: searchView, isThere: (_, run) => run !== undefined },
  { path: '/graph', name: 'Graph', view: graphView, isThere: (_, run) => run?.has_graph === true },
  { path: '/account', name: 'Account', view: accountView, isThere: (_, run) => run !== undefined },
];

/** The whole page: one header, one connection for what happens, and the view that the address names. */
class App {
  readonly #about: About;
  readonly #title = html('h1', { tabindex: -1 });
  readonly #links = html('ul', { class: 'places' });
  readonly #main = html('main', { id: 'main', tabindex: -1 });
  readonly #told = html('p', { class: 'told', role: 'status' });
  readonly #link = html('span', { class: 'connection' });
  readonly #live = new Live((connected) => {
    this.#link.textContent = connected ? 'live' : 'not connected, trying again …';
    this.#link.classList.toggle('away', !connected);
  });
  readonly #runs: HTMLSelectElement;
  #leave = new AbortController();
  #shown = '';

  constructor(about: About, into: Element) {
    this.#about = about;
    this.#runs = html(
      'select',
      { id: 'run', 'aria-label': 'Run', hidden: about.runs.length < 2, change: () => this.#chooseRun() },
      ...about.runs.map(({ id, title }) => html('option', { value: id }, title)),
    );
    into.replaceChildren(
      html(
        'div',
        { id: 'report' },
        html('a', { class: 'skip', href: '#main', click: (event: Event) => this.#skip(event) }, 'Skip to the content'),
        html(
          'header',
          { class: 'slim' },
          html('p', { class: 'eyebrow' }, 'DocsToKG ', this.#link),
          html('div', { class: 'tools' }, this.#title, this.#runs),
        ),
        html('nav', { 'aria-label': 'Pages' }, this.#links),
        this.#told,
        this.#main,
        html(
          'footer',
          {},
          html(
            'p',
            {},
            `docstokg serve ${about.version}. ${about.steering ? 'Steering is allowed from this page.' : 'Read only: docstokg serve --allow-steering lets this page pause and retry.'}`,
          ),
        ),
      ),
    );
    addEventListener('popstate', () => {
      // A part of the page was named, not another page.
      if (this.#shown !== location.pathname + location.search) this.#route();
    });
    document.addEventListener('click', (event) => this.#follow(event));
    addEventListener('keydown', (event) => this.#key(event));
  }

  start(): void {
    this.#live.connect();
    this.#route();
  }

  #route(): void {
    this.#leave.abort();
    this.#leave = new AbortController();
    this.#shown = location.pathname + location.search;
    const query = new URLSearchParams(location.search);
    const run = this.#about.runs.find(({ id }) => id === query.get('run')) ?? this.#about.runs[0];
    const there = PAGES.filter(({ isThere }) => isThere(this.#about, run));
    const page = there.find(({ path }) => path === location.pathname) ?? there[0];
    if (!page) return;
    if (run) this.#runs.value = run.id;
    this.#title.textContent = run?.title ?? 'Queue and hosts';
    document.title = `${page.name} · ${run?.title ?? 'DocsToKG'}`;
    this.#told.textContent = '';
    this.#links.replaceChildren(
      ...there.map(({ path, name }) =>
        html(
          'li',
          {},
          html('a', { href: place(path, { run: run?.id }), 'aria-current': path === page.path && 'page' }, name),
        ),
      ),
    );
    const panel = html('section', { class: `panel ${page.path.slice(1)}`, 'aria-label': page.name });
    this.#main.replaceChildren(panel);
    const scene: Scene = {
      about: this.#about,
      run,
      query,
      live: this.#live,
      go: (path, values, replace) => this.#go(place(path, { run: run?.id, ...values }), replace),
      tell: (text) => (this.#told.textContent = text),
    };
    const { signal } = this.#leave;
    Promise.resolve(page.view(panel, scene, signal)).catch((error: unknown) => {
      if (!signal.aborted) panel.replaceChildren(fault(error));
    });
  }

  #go(address: string, replace = false): void {
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#route();
    scrollTo({ top: 0 });
  }

  /** Links inside the page need no new one. */
  #follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.hash !== '' && link.pathname === location.pathname) return;
    const isHere = link.origin === location.origin && PAGES.some(({ path }) => path === link.pathname);
    if (!isHere || link.target !== '' || link.hasAttribute('download')) return;
    event.preventDefault();
    this.#go(link.pathname + link.search);
    this.#main.focus({ preventScroll: true });
  }

  #chooseRun(): void {
    this.#go(place(location.pathname, { run: this.#runs.value }));
  }

  #skip(event: Event): void {
    event.preventDefault();
    this.#main.focus();
  }

  /** A slash leads to the search, as in the report. */
  #key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const box = document.querySelector<HTMLInputElement>('#search');
    if (box) box.focus();
    else this.#go(place('/search', { run: this.#runs.value }));
  }
}

async function start(into: Element): Promise<void> {
  try {
    new App(await ask<About>('/'), into).start();
  } catch (error) {
    const said =
      error instanceof Refusal && error.status === 401
        ? html(
            'p',
            { class: 'note', role: 'alert' },
            'Open the link that docstokg serve printed: it carries the token that lets you in.',
          )
        : fault(error);
    into.replaceChildren(html('div', { id: 'report' }, html('h1', {}, 'DocsToKG'), said));
  }
}

const app = document.querySelector('#app');
if (app) void start(app);
