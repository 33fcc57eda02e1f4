import { html } from './element.ts';

/** An entry beside the page: a block or a passage, and the blocks that it stands for. */
export interface SideEntry {
  readonly head: string;
  readonly tone: string;
  readonly text: readonly Node[];
  readonly blocks: readonly number[];
  readonly choose: () => void;
}

/** The entries beside the page: one tab stop, arrow keys move, and what is looked at is told. */
export class SideList {
  readonly element: HTMLElement;
  readonly #entries: readonly SideEntry[];
  readonly #items: readonly HTMLElement[];

  constructor(label: string, entries: readonly SideEntry[], look: (blocks: readonly number[]) => void) {
    this.#entries = entries;
    this.#items = entries.map((entry, at) =>
      html(
        'li',
        {
          role: 'option',
          tabindex: at === 0 ? 0 : -1,
          class: entry.tone,
          'aria-selected': 'false',
          mouseenter: () => look(entry.blocks),
          mouseleave: () => look([]),
          focus: () => this.#chosen(at, look),
          click: () => entry.choose(),
        },
        html('small', {}, entry.head),
        html('span', {}, ...entry.text),
      ),
    );
    this.element = html(
      'ol',
      { role: 'listbox', 'aria-label': label, class: 'side', keydown: (event: KeyboardEvent) => this.#move(event) },
      ...this.#items,
    );
  }

  /** Marks the entries that hold a block, and brings the first of them into view. */
  point(block: number | undefined): void {
    let seen = false;
    for (const [at, { blocks }] of this.#entries.entries()) {
      const holds = block !== undefined && blocks.includes(block);
      this.#items[at]?.classList.toggle('pointed', holds);
      if (holds && !seen) this.#reveal(at);
      seen ||= holds;
    }
  }

  /** Puts the focus on an entry; with `atTop` it becomes the first that is seen. */
  focus(at: number, atTop = false): void {
    const item = this.#items[at];
    item?.focus({ preventScroll: true });
    if (item && atTop) this.element.scrollTop = item.offsetTop;
    else this.#reveal(at);
  }

  /** The first entry that holds a block. */
  indexOf(block: number): number {
    return this.#entries.findIndex(({ blocks }) => blocks.includes(block));
  }

  /** Only the list scrolls, never the page under the reader's hands. */
  #reveal(at: number): void {
    const item = this.#items[at];
    if (!item) return;
    const [list, from, to] = [this.element, item.offsetTop, item.offsetTop + item.offsetHeight];
    if (from < list.scrollTop) list.scrollTop = from - 8;
    else if (to > list.scrollTop + list.clientHeight) list.scrollTop = Math.min(from - 8, to - list.clientHeight + 8);
  }

  #chosen(at: number, look: (blocks: readonly number[]) => void): void {
    for (const [each, item] of this.#items.entries()) {
      item.tabIndex = each === at ? 0 : -1;
      item.setAttribute('aria-selected', String(each === at));
    }
    look(this.#entries[at]?.blocks ?? []);
  }

  #move(event: KeyboardEvent): void {
    const at = this.#items.indexOf(event.target as HTMLElement);
    const last = this.#items.length - 1;
    const to = { ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last }[event.key];
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#entries[at]?.choose();
    }
    if (to === undefined || at < 0) return;
    event.preventDefault();
    this.focus(to);
  }
}
