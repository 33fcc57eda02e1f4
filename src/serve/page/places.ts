import type { FunctionComponent } from 'preact';

import type { View } from './scene.ts';
import { html, shown, useLoaded } from './scene.ts';
import { AskView } from './views/ask.ts';
import { FlowView } from './views/flow.ts';
import { HostsView } from './views/hosts.ts';
import { NotesView } from './views/notes.ts';
import { ConflictsView, FullTextsView, ScreenView } from './views/screen.ts';
import { SearchView } from './views/search.ts';
import { StagesView } from './views/stages.ts';
import { TableView } from './views/table.ts';
import { WorksView } from './views/works.ts';

/** What a view needs to be there; reports omit those that need a server. */
export type Need = 'run' | 'queue' | 'server' | 'run and server';

/** One screen of the page, with an address of its own. */
export interface PlacedView {
  readonly path: string;
  readonly name: string;
  readonly view: FunctionComponent;
  readonly needs: Need;
  /** A document or a work opens beside it; beside other views it opens in the library. */
  readonly hasReader?: boolean;
}

/** One of the three places: what is read, what is decided, what runs. */
export interface Place {
  readonly name: string;
  readonly icon: View;
  /** The box to search and to ask stands above its views. */
  readonly hasBox?: boolean;
  /** Parameters that its views share. */
  readonly carries?: readonly string[];
  readonly views: readonly PlacedView[];
}

const icon = (shape: string): View =>
  html`<svg viewBox="0 0 24 24" class="icon" aria-hidden="true"><path d=${shape} /></svg>`;

/** A view that is loaded when it is opened: what draws graphs and charts is more than half of the code. */
function later(load: () => Promise<FunctionComponent>): FunctionComponent {
  return () => {
    const [loaded] = useLoaded('', load);
    return shown(loaded, (view) => html`<${view} />`);
  };
}

/** The places in the order of the menu, each with its views. */
export const PLACES: readonly Place[] = [
  {
    name: 'Library',
    hasBox: true,
    icon: icon('M5 4v16M10 4v16M14.5 5l4 15M3 20h18'),
    views: [
      { path: '/works', name: 'Works', view: WorksView, needs: 'run', hasReader: true },
      { path: '/search', name: 'Search', view: SearchView, needs: 'run', hasReader: true },
      { path: '/ask', name: 'Ask', view: AskView, needs: 'run and server', hasReader: true },
      { path: '/table', name: 'Table', view: TableView, needs: 'run and server', hasReader: true },
      {
        path: '/graph',
        name: 'Graph',
        view: later(async () => (await import('./views/graph.ts')).GraphView),
        needs: 'run',
        hasReader: true,
      },
      { path: '/notes', name: 'Notes', view: NotesView, needs: 'run and server', hasReader: true },
    ],
  },
  {
    name: 'Review',
    icon: icon('M9 5h11M9 12h11M9 19h11M3.5 5l1.5 1.5L7.5 4M3.5 12l1.5 1.5L7.5 11M3.5 19l1.5 1.5L7.5 18'),
    carries: ['by', 'mark'],
    views: [
      { path: '/screen', name: 'Screen', view: ScreenView, needs: 'run and server', hasReader: true },
      { path: '/full-texts', name: 'Full texts', view: FullTextsView, needs: 'run and server', hasReader: true },
      { path: '/conflicts', name: 'Conflicts', view: ConflictsView, needs: 'run and server' },
      { path: '/flow', name: 'Flow diagram', view: FlowView, needs: 'run' },
    ],
  },
  {
    name: 'Run',
    icon: icon('M12 4a8 8 0 1 0 8 8M12 8v4l3 2M16 4h4v4'),
    views: [
      {
        path: '/now',
        name: 'Now',
        view: later(async () => (await import('./views/now.ts')).NowView),
        needs: 'run and server',
      },
      {
        path: '/queue',
        name: 'Queue',
        view: later(async () => (await import('./views/queue.ts')).QueueView),
        needs: 'queue',
      },
      { path: '/hosts', name: 'Hosts', view: HostsView, needs: 'server' },
      { path: '/stages', name: 'Stages', view: StagesView, needs: 'run' },
      {
        path: '/summary',
        name: 'Summary',
        view: later(async () => (await import('./views/summary.ts')).SummaryView),
        needs: 'run',
      },
    ],
  },
];
