import { html, number } from '../../report/page/index.ts';
import type { List } from './answers.ts';
import { fault } from './view.ts';

/** Rows that come page by page, never all at once. */
export class PagedRows<T> {
  readonly body = html('tbody');
  readonly more: HTMLButtonElement;
  readonly status = html('p', { class: 'hint', role: 'status' });
  readonly #load: (cursor: string | undefined) => Promise<List<T>>;
  readonly #row: (item: T) => HTMLElement;
  readonly #name: readonly [one: string, many: string];
  #next: string | null = null;
  #asked = 0;

  constructor(
    load: (cursor: string | undefined) => Promise<List<T>>,
    row: (item: T) => HTMLElement,
    name: readonly [one: string, many: string],
  ) {
    this.#load = load;
    this.#row = row;
    this.#name = name;
    this.more = html(
      'button',
      { type: 'button', class: 'quiet', hidden: true, click: () => void this.#further() },
      'Show more',
    );
  }

  /** Begins again: what is asked for has changed. */
  async refresh(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const page = await this.#load(undefined);
      if (asked !== this.#asked) return;
      this.body.replaceChildren(...page.items.map(this.#row));
      this.#shown(page);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return;
      this.body.replaceChildren(html('tr', {}, html('td', {}, fault(error))));
    }
  }

  async #further(): Promise<void> {
    this.more.disabled = true;
    const asked = this.#asked;
    try {
      const page = await this.#load(this.#next ?? undefined);
      if (asked !== this.#asked) return;
      const from = this.body.rows.length;
      this.body.append(...page.items.map(this.#row));
      this.#shown(page);
      this.body.rows[from]?.querySelector<HTMLElement>('a, button')?.focus();
    } finally {
      this.more.disabled = false;
    }
  }

  #shown({ next, total }: List<T>): void {
    this.#next = next;
    this.more.hidden = next === null;
    const rows = this.body.rows.length;
    const [one, many] = this.#name;
    this.status.textContent =
      rows === 0
        ? `No ${many}.`
        : `${number(rows)}${typeof total === 'number' ? ` of ${number(total)}` : next === null ? '' : ' or more'} ${rows === 1 ? one : many}`;
  }
}
