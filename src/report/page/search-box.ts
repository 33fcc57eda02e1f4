import type { ReportData } from '../data.ts';
import { html } from './element.ts';
import { counted, number } from './format.ts';
import { Ranking } from './ranking.ts';
import { excerpt, marked } from './snippet.ts';

const TOP = 10;

/** The box that searches the passages, and what it finds. */
export class SearchBox {
  readonly form: HTMLElement;
  readonly results: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #data: ReportData;
  readonly #address: (passage: number) => string;
  #ranking: Promise<Ranking> | undefined;

  constructor(data: ReportData, address: (passage: number) => string) {
    this.#data = data;
    this.#address = address;
    this.input = html('input', {
      type: 'search',
      id: 'search',
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: `Search ${counted(data.passages.length, 'passage')} …`,
      'aria-controls': 'results',
      input: () => void this.#search(),
      focus: () => {
        void this.#rank();
        this.results.hidden = this.results.childElementCount === 0;
      },
      keydown: (event: KeyboardEvent) => this.#keyInBox(event),
    });
    this.form = html(
      'form',
      { role: 'search', class: 'search', submit: (event: Event) => event.preventDefault() },
      html('label', { for: 'search', class: 'hidden' }, 'Search the passages'),
      this.input,
      html('kbd', { title: 'press / to come here' }, '/'),
    );
    this.results = html('section', {
      id: 'results',
      'aria-label': 'Passages found',
      hidden: true,
      keydown: (event: KeyboardEvent) => this.#keyInResults(event),
      // The passage that was chosen takes the place of the list; the box brings it back.
      click: (event: Event) => {
        if ((event.target as Element).closest('a')) this.results.hidden = true;
      },
    });
  }

  get query(): string {
    return this.input.value.trim();
  }

  #rank(): Promise<Ranking> {
    this.#ranking ??= Ranking.of(this.#data.passages);
    return this.#ranking;
  }

  async #search(): Promise<void> {
    const asked = this.query;
    if (asked === '') {
      this.results.hidden = true;
      this.results.replaceChildren();
      return;
    }
    const ranking = await this.#rank();
    // Somebody went on typing.
    if (asked !== this.query) return;
    const found = ranking.best(asked, TOP);
    this.results.hidden = false;
    this.results.replaceChildren(
      html(
        'p',
        { class: 'hint', role: 'status' },
        found.length === 0
          ? 'No passage has any of these words.'
          : `Best ${counted(found.length, 'passage')} for these words; arrow keys choose, Enter opens, Esc clears.`,
      ),
      html('ol', {}, ...found.map(({ passage }) => this.#result(passage, asked))),
    );
  }

  #result(at: number, query: string): HTMLElement {
    const passage = this.#data.passages[at];
    const found = this.#data.documents[passage?.document ?? -1];
    if (!passage || !found) return html('li');
    const place = [...passage.headings.slice(-2), ...(passage.page > 0 ? [`page ${number(passage.page)}`] : [])].join(
      ' · ',
    );
    return html(
      'li',
      {},
      html(
        'a',
        { href: this.#address(at) },
        html('strong', {}, found.title),
        found.retracted && html('strong', { class: 'retracted' }, ' retracted'),
        html('small', {}, place),
        html('span', {}, ...marked(excerpt(passage.text, query), query)),
      ),
    );
  }

  #links(): HTMLElement[] {
    return [...this.results.querySelectorAll('a')];
  }

  #keyInBox(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#clear();
    const [first] = this.#links();
    if (event.key === 'ArrowDown' && first) {
      event.preventDefault();
      first.focus();
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      // What was typed last may not have been searched yet.
      void this.#search().then(() => this.#links()[0]?.click());
    }
  }

  #keyInResults(event: KeyboardEvent): void {
    const links = this.#links();
    const at = links.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape') this.#clear();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const to = event.key === 'ArrowDown' ? Math.min(links.length - 1, at + 1) : at - 1;
    (links[to] ?? this.input).focus();
  }

  #clear(): void {
    this.input.value = '';
    this.input.focus();
    void this.#search();
  }
}
