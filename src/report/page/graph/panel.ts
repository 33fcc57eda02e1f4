import type { GraphPicture, PictureEdge, PictureEdgeKind, PictureEvidence } from '../../../graph/picture/index.ts';
import { html } from '../element.ts';
import { counted, number } from '../format.ts';
import { field } from '../works.ts';
import { GraphCanvas } from './canvas.ts';
import { groupsOf, relationName } from './groups.ts';

/** Where the pictures come from: a page in a file has them inside, a served one asks for them. */
export interface GraphSource {
  /** The works whose surroundings can be looked at: author, year, title. */
  readonly works: readonly { readonly id: string; readonly label: string }[];
  readonly load: (at: number) => Promise<GraphPicture>;
  /** The address of a work's picture. */
  readonly workPlace: (at: number) => string;
  /** Where a piece of evidence can be read; undefined where it is not at hand. */
  readonly evidencePlace: (evidence: PictureEvidence) => string | undefined;
}

/** Shown from the start; the other kinds are a click away. */
const FIRST_SHOWN: readonly PictureEdgeKind[] = ['cites', 'version_of', 'retracts', 'related'];

/** The surroundings of a work: a drawing by year, and beside it everything in it as lists, each edge with its sentences. */
export class GraphPanel {
  readonly #source: GraphSource;
  readonly #canvas = new GraphCanvas({ node: (at) => this.#pickNode(at), edge: (at) => this.#pickEdge(at) });
  readonly #chooser: HTMLInputElement;
  readonly #filters = html('fieldset', { class: 'kinds' });
  readonly #lists = html('div', { class: 'around', tabindex: -1 });
  readonly #about = html('p', { class: 'hint', role: 'status' });
  readonly #items = new Map<number, HTMLDetailsElement>();
  #shown = new Set<PictureEdgeKind>(FIRST_SHOWN);
  #picture: GraphPicture | undefined;
  #at: number | undefined;

  constructor(source: GraphSource) {
    this.#source = source;
    this.#chooser = html('input', {
      type: 'search',
      id: 'graph-work',
      list: 'graph-works',
      placeholder: 'a number, or words of a title',
      autocomplete: 'off',
      focus: () => this.#chooser.select(),
      change: () => this.#choose(),
    });
  }

  content(): Node[] {
    const button = (name: string, label: string, how: 'in' | 'out' | 'all'): HTMLElement =>
      html(
        'button',
        { type: 'button', class: 'quiet', 'aria-label': label, click: () => this.#canvas.zoom(how) },
        name,
      );
    const { works } = this.#source;
    return [
      html(
        'div',
        { class: 'surroundings' },
        html(
          'div',
          { class: 'choice' },
          field(`Work, of ${number(works.length)}`, this.#chooser),
          html(
            'div',
            { class: 'steps' },
            button('+', 'Nearer', 'in'),
            button('−', 'Farther', 'out'),
            button('All', 'Show all', 'all'),
          ),
        ),
        html('datalist', { id: 'graph-works' }, ...works.map((_, at) => html('option', { value: this.#name(at) }))),
        this.#filters,
        this.#about,
        html('div', { class: 'reader wide' }, html('div', { class: 'desk' }, this.#canvas.element), this.#lists),
      ),
    ];
  }

  /** Shows the surroundings of a work. */
  async open(at = this.#at ?? 0): Promise<void> {
    if (!this.#source.works[at] || (at === this.#at && this.#picture)) return;
    this.#at = at;
    this.#chooser.value = this.#name(at);
    const picture = await this.#source.load(at);
    // Another one may have been asked for meanwhile.
    if (this.#at !== at) return;
    this.#picture = picture;
    this.#drawFilters(picture);
    this.#draw();
  }

  #name(at: number): string {
    return `${at + 1}. ${this.#source.works[at]?.label ?? ''}`;
  }

  #choose(): void {
    const typed = this.#chooser.value.trim().toLowerCase();
    const numbered = /^(\d{1,9})(?:\.|$)/.exec(typed);
    const wanted = typed.split(/\s+/);
    const at = numbered
      ? Number(numbered[1]) - 1
      : this.#source.works.findIndex(({ label }) => wanted.every((word) => label.toLowerCase().includes(word)));
    if (typed !== '' && this.#source.works[at]) location.hash = this.#source.workPlace(at);
    this.#chooser.value = this.#name(this.#at ?? 0);
  }

  #drawFilters(picture: GraphPicture): void {
    const counts = new Map<PictureEdgeKind, number>();
    for (const { kind, source, target } of picture.edges)
      if (source === 0 || target === 0) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (![...counts.keys()].some((kind) => this.#shown.has(kind))) this.#shown = new Set(counts.keys());
    this.#filters.replaceChildren(
      html('legend', {}, 'Kinds of edges'),
      ...[...counts].map(([kind, count]) => {
        const box = html('input', { type: 'checkbox', name: kind, checked: this.#shown.has(kind) });
        box.addEventListener('change', () => {
          if (box.checked) this.#shown.add(kind);
          else this.#shown.delete(kind);
          this.#draw();
        });
        return html('label', {}, box, ` ${relationName(kind)} (${number(count)})`);
      }),
    );
  }

  #draw(): void {
    const picture = this.#picture;
    if (!picture) return;
    const shown = ({ kind }: PictureEdge): boolean => this.#shown.has(kind);
    this.#drawLists(picture, shown);
    const left = Object.entries(picture.leftOut).map(
      ([kind, count]) => `${number(count)} more: ${relationName(kind as PictureEdgeKind)}`,
    );
    const drawn = new Set(picture.edges.filter(shown).flatMap(({ source, target }) => [source, target]));
    this.#about.textContent = [
      `${counted(picture.edges.filter(shown).length, 'edge')} and ${counted(drawn.size, 'node')}. Larger: cited more often. Ctrl and the wheel zoom`,
      ...left,
    ].join('; ');
    try {
      this.#canvas.draw(picture, shown);
    } catch (error) {
      // Without WebGL there is no drawing; the lists have it all.
      this.#canvas.element.replaceChildren(
        html(
          'p',
          { class: 'hint' },
          `There is no drawing here (${error instanceof Error ? error.message : String(error)}).`,
        ),
      );
    }
  }

  #drawLists(picture: GraphPicture, shown: (edge: PictureEdge) => boolean): void {
    this.#items.clear();
    const own = picture.nodes[0];
    this.#lists.replaceChildren(
      html('h3', {}, own?.label ?? ''),
      ...groupsOf(picture, shown).map(({ name, edges }) =>
        html(
          'section',
          {},
          html('h4', {}, `${name} (${number(edges.length)})`),
          html('ul', {}, ...edges.map(({ at, other }) => html('li', {}, this.#item(picture, at, other)))),
        ),
      ),
    );
  }

  #item(picture: GraphPicture, edge: number, other: number): HTMLElement {
    const [node, { evidence = [], shared } = {}] = [picture.nodes[other], picture.edges[edge]];
    const looked = this.#source.works.findIndex(({ id }) => id === node?.id);
    const item = html(
      'details',
      { toggle: () => this.#canvas.choose(item.open ? other : undefined) },
      html(
        'summary',
        {},
        node?.label ?? '',
        node && node.cited > 0 && html('small', {}, ` cited ${number(node.cited)}×`),
      ),
      shared &&
        html('p', {}, `Cited together by ${counted(shared[0], 'work')}; ${counted(shared[1], 'work')} cited by both.`),
      evidence.length > 0 && html('ul', {}, ...evidence.map((each) => html('li', {}, ...this.#evidence(each)))),
      looked >= 0 && html('p', {}, html('a', { href: this.#source.workPlace(looked) }, 'Look from this work')),
    );
    this.#items.set(edge, item);
    return item;
  }

  #evidence(evidence: PictureEvidence): (Node | string)[] {
    if (evidence.quote === null) return [`said by ${evidence.origin ?? 'a catalogue'}`];
    const place = this.#source.evidencePlace(evidence);
    const where = evidence.page === null ? 'in the text' : `page ${evidence.page}`;
    return [
      html('q', {}, evidence.quote),
      ' ',
      place === undefined ? html('small', {}, where) : html('a', { href: place }, where),
    ];
  }

  /** Opens the entry of the first edge of a node. */
  #pickNode(node: number): void {
    const { edges = [] } = this.#picture ?? {};
    const own = edges.findIndex(
      ({ source, target }, at) => this.#items.has(at) && (source === node || target === node),
    );
    this.#pickEdge(own);
  }

  #pickEdge(edge: number): void {
    const item = this.#items.get(edge);
    if (!item) return;
    for (const other of this.#items.values()) if (other !== item) other.open = false;
    item.open = true;
    item.querySelector('summary')?.focus({ preventScroll: true });
    this.#lists.scrollTop = item.offsetTop - this.#lists.offsetTop - 8;
  }
}
