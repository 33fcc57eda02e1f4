import { html } from './element.ts';

/** A part of the page that is shown alone. */
export interface Tab {
  readonly id: string;
  readonly name: string;
  /** Made when it is first looked at. */
  readonly content: () => readonly Node[];
}

/** Tabs as the pattern for them says: one tab stop, arrows move, the chosen one is in the address. */
export class Tabs {
  readonly list: HTMLElement;
  readonly panels: readonly HTMLElement[];
  readonly #tabs: readonly Tab[];
  readonly #buttons: readonly HTMLElement[];
  readonly #filled = new Set<string>();

  constructor(tabs: readonly Tab[]) {
    this.#tabs = tabs;
    this.#buttons = tabs.map(({ id, name }) =>
      html('a', { role: 'tab', id: `tab-${id}`, href: `#${id}`, 'aria-controls': id }, name),
    );
    this.list = html(
      'nav',
      { 'aria-label': 'Parts of the report' },
      html('div', { role: 'tablist', keydown: (event: KeyboardEvent) => this.#move(event) }, ...this.#buttons),
    );
    this.panels = tabs.map(({ id }) =>
      html('section', {
        role: 'tabpanel',
        id: `panel-${id}`,
        class: `panel ${id}`,
        'aria-labelledby': `tab-${id}`,
        hidden: true,
      }),
    );
    for (const [at, button] of this.#buttons.entries()) button.setAttribute('aria-controls', this.panels[at]?.id ?? '');
    addEventListener('beforeprint', () => {
      for (const { id } of tabs) if (id !== 'documents') this.#fill(id);
    });
  }

  show(id: string): void {
    this.#fill(id);
    for (const [at, tab] of this.#tabs.entries()) {
      const chosen = tab.id === id;
      this.#buttons[at]?.setAttribute('aria-selected', String(chosen));
      this.#buttons[at]?.setAttribute('tabindex', chosen ? '0' : '-1');
      const panel = this.panels[at];
      if (panel) panel.hidden = !chosen;
    }
  }

  #fill(id: string): void {
    const at = this.#tabs.findIndex((tab) => tab.id === id);
    if (this.#filled.has(id) || at < 0) return;
    this.#filled.add(id);
    this.panels[at]?.append(...(this.#tabs[at]?.content() ?? []));
  }

  #move(event: KeyboardEvent): void {
    const at = this.#buttons.indexOf(event.target as HTMLElement);
    const last = this.#buttons.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[
      event.key
    ];
    const button = to === undefined ? undefined : this.#buttons[to];
    if (!button) return;
    event.preventDefault();
    location.hash = `#${this.#tabs[to ?? 0]?.id ?? ''}`;
    button.focus();
  }
}
