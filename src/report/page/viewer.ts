import type { DocumentLine, DocumentPart, ReportData } from '../data.ts';
import type { Place } from './address.ts';
import { placeOf } from './address.ts';
import { html, link } from './element.ts';
import { counted, number } from './format.ts';
import { flowSheet, pageSheet, toneOf } from './sheet.ts';
import { SideList } from './side-list.ts';
import type { SideEntry } from './side-list.ts';
import { marked } from './snippet.ts';
import { field } from './works.ts';

/** A document, page by page, with what was recognised drawn on it and listed beside it. */
export class Viewer {
  readonly #data: ReportData;
  readonly #query: () => string;
  readonly #parts = new Map<number, DocumentPart>();
  readonly #stage = html('div', { class: 'reader' });
  readonly #chooser: HTMLInputElement;
  readonly #root = html('div', { class: 'viewer', keydown: (event: KeyboardEvent) => this.#key(event) });
  readonly #steps = html('div', { class: 'steps' });
  readonly #about = html('p', { class: 'hint' });
  #document = 0;
  #page = 1;
  #mode: 'blocks' | 'passages' = 'passages';
  #list: SideList | undefined;
  /** Words of a block that an address names. */
  #quote: { readonly block: number; readonly range: Place['range'] } | undefined;

  constructor(data: ReportData, query: () => string) {
    this.#data = data;
    this.#query = query;
    this.#chooser = html('input', {
      type: 'search',
      id: 'viewer-document',
      list: 'viewer-documents',
      placeholder: 'a number, or words of a title',
      autocomplete: 'off',
      focus: () => this.#chooser.select(),
      change: () => this.#choose(),
    });
  }

  content(): Node[] {
    if (this.#data.documents.length === 0) return [html('p', { class: 'hint' }, 'No document was parsed in this run.')];
    const { documents } = this.#data;
    this.#root.append(
      html('div', { class: 'choice' }, field(`Document, of ${number(documents.length)}`, this.#chooser), this.#steps),
      html(
        'datalist',
        { id: 'viewer-documents' },
        ...documents.map((_, at) => html('option', { value: this.#name(at) })),
      ),
      this.#about,
      this.#stage,
    );
    return [this.#root];
  }

  #name(at: number): string {
    return `${at + 1}. ${this.#data.documents[at]?.title ?? ''}`;
  }

  /** Goes to the document that was chosen from the list, whose number was typed, or whose title has the words. */
  #choose(): void {
    const typed = this.#chooser.value.trim().toLowerCase();
    const numbered = /^(\d{1,9})(?:\.|$)/.exec(typed);
    const wanted = typed.split(/\s+/);
    const at = numbered
      ? Number(numbered[1]) - 1
      : this.#data.documents.findIndex(({ title }) => wanted.every((word) => title.toLowerCase().includes(word)));
    if (typed !== '' && this.#data.documents[at]) location.hash = placeOf(at);
    this.#chooser.value = this.#name(this.#document);
  }

  /** Shows what an address names. */
  open(place: Place): void {
    const { page, passage, block } = place;
    // Back at the tab, a reader finds the page that was left.
    if (place.document === undefined && this.#list) return;
    const at = place.document ?? this.#document;
    const line = this.#data.documents[at];
    if (!line) return;
    this.#document = at;
    this.#chooser.value = this.#name(at);
    const found = passage === undefined ? undefined : this.#data.passages[line.passages[0] + passage];
    const first = this.#part(at)?.pages[0]?.[0] ?? 0;
    const meant = block === undefined ? undefined : this.#part(at)?.blocks[block];
    this.#page = found ? found.page : (meant?.regions[0]?.[0] ?? page ?? first);
    if (found) this.#mode = 'passages';
    if (meant) this.#mode = 'blocks';
    this.#quote = meant && block !== undefined ? { block, range: place.range } : undefined;
    this.#draw(line);
    if (meant && block !== undefined) {
      this.#list?.focus(this.#list.indexOf(block), true);
      this.#root.scrollIntoView({ block: 'start' });
      this.#stage.querySelector('.box.lit')?.scrollIntoView({ block: 'nearest' });
    }
    if (found && passage !== undefined) {
      this.#list?.focus(this.#passagesHere(line).indexOf(line.passages[0] + passage), true);
      this.#root.scrollIntoView({ block: 'start' });
      this.#stage.querySelector('.box.lit')?.scrollIntoView({ block: 'nearest' });
    }
  }

  #part(at: number): DocumentPart | undefined {
    const known = this.#parts.get(at);
    if (known) return known;
    const text = document.querySelector(`#document-${at}`)?.textContent;
    if (!text) return undefined;
    const part = JSON.parse(text) as DocumentPart;
    this.#parts.set(at, part);
    return part;
  }

  #draw(line: DocumentLine): void {
    const part = this.#part(this.#document);
    this.#drawBar(line, part);
    if (!part) {
      this.#stage.replaceChildren(
        html('p', { class: 'hint' }, 'This document is not on this page: it would have become too large.'),
      );
      return;
    }
    const events = {
      point: (block: number | undefined) => {
        this.#list?.point(block);
        this.#light(block === undefined ? [] : [block]);
      },
      choose: (block: number) => this.#list?.focus(this.#list.indexOf(block)),
    };
    const entries = this.#mode === 'blocks' ? this.#blockEntries(part) : this.#passageEntries(line);
    this.#list = new SideList(this.#mode === 'blocks' ? 'Recognised blocks' : 'Passages', entries, (blocks) =>
      this.#light(blocks),
    );
    const sheet = part.pages.length > 0 ? pageSheet(part, this.#page, events) : flowSheet(part, events);
    const side = html(
      'div',
      { class: 'beside' },
      this.#switch(line, part),
      entries.length === 0
        ? html(
            'p',
            { class: 'hint' },
            part.blocks.length === 0 ? 'No text was recognised: scanned pages need OCR.' : 'Nothing stands here.',
          )
        : this.#list.element,
    );
    this.#stage.replaceChildren(html('div', { class: 'desk' }, sheet), side);
  }

  #drawBar(line: DocumentLine, part: DocumentPart | undefined): void {
    const pages = part?.pages.map(([number]) => number) ?? [];
    const at = pages.indexOf(this.#page);
    const step = (sign: string, label: string, place: string | undefined): HTMLElement => {
      const word = html('span', { class: 'word' }, label.replace(/^\w+/, ''));
      return html(
        'button',
        {
          type: 'button',
          class: 'quiet',
          'aria-label': label,
          title: label,
          disabled: place === undefined,
          click: () => place !== undefined && (location.hash = place),
        },
        ...(label.startsWith('Next') ? [word, ` ${sign}`] : [sign, word]),
      );
    };
    const [before, after] = [pages[at - 1], pages[at + 1]];
    const page = (to: number | undefined): string | undefined =>
      to === undefined ? undefined : placeOf(this.#document, 'page', to);
    const paper = (to: number): string | undefined => (this.#data.documents[to] ? placeOf(to) : undefined);
    this.#steps.replaceChildren(
      step('«', 'Previous document', paper(this.#document - 1)),
      step('‹', 'Previous page', page(before)),
      html(
        'span',
        { role: 'status', class: 'where' },
        pages.length === 0 ? 'flowing text' : `page ${this.#page} of ${pages.length}`,
      ),
      step('›', 'Next page', page(after)),
      step('»', 'Next document', paper(this.#document + 1)),
    );
    this.#about.replaceChildren(
      line.retracted ? html('strong', { class: 'retracted' }, 'This work was retracted. ') : '',
      line.authors === '' ? '' : `${line.authors} · `,
      `${counted(line.blocks, 'block')}, ${counted(line.passages[1], 'passage')} · `,
      line.file === '' ? 'file not at hand' : link(line.file, 'open the file'),
    );
  }

  #switch(line: DocumentLine, part: DocumentPart): HTMLElement {
    const button = (mode: 'blocks' | 'passages', name: string): HTMLElement =>
      html(
        'button',
        {
          type: 'button',
          'aria-pressed': String(this.#mode === mode),
          click: () => {
            this.#mode = mode;
            this.#draw(line);
            this.#stage.querySelector<HTMLElement>('.switch [aria-pressed=true]')?.focus();
          },
        },
        name,
      );
    const onPage = part.pages.length > 0 ? ' on this page' : '';
    return html(
      'div',
      { class: 'switch', role: 'group', 'aria-label': `What is listed${onPage}` },
      button('passages', `Passages${onPage}`),
      button('blocks', `Blocks${onPage}`),
    );
  }

  #blockEntries(part: DocumentPart): SideEntry[] {
    return part.blocks.flatMap((block, at) =>
      part.pages.length > 0 && !block.regions.some(([page]) => page === this.#page)
        ? []
        : [
            {
              head: `${at} ${block.tag}`,
              tone: toneOf(block.tag),
              text: this.#blockText(block, at),
              blocks: [at],
              choose: () => this.#reveal(at),
            },
          ],
    );
  }

  /** The words that an address names are marked, else those of the query. In a table they are those of a cell. */
  #blockText({ text, rows }: DocumentPart['blocks'][number], at: number): Node[] {
    const range = this.#quote?.block === at && !rows ? this.#quote.range : undefined;
    if (!range) return marked(text, this.#query());
    const [start, end] = range;
    return [
      document.createTextNode(text.slice(0, start)),
      html('mark', {}, text.slice(start, end)),
      document.createTextNode(text.slice(end)),
    ];
  }

  /** Passages that stand on the page at least in part. */
  #passagesHere(line: DocumentLine): number[] {
    const part = this.#part(this.#document);
    const [from, count] = line.passages;
    const here = (block: number): boolean =>
      part?.blocks[block]?.regions.some(([page]) => page === this.#page) ?? false;
    return Array.from({ length: count }, (_, at) => from + at).filter(
      (at) =>
        part?.pages.length === 0 ||
        this.#data.passages[at]?.blocks.some(here) ||
        this.#data.passages[at]?.page === this.#page,
    );
  }

  #passageEntries(line: DocumentLine): SideEntry[] {
    return this.#passagesHere(line).flatMap((at) => {
      const passage = this.#data.passages[at];
      if (!passage) return [];
      const head = [
        `${at - line.passages[0] + 1}`,
        ...passage.headings.slice(-2),
        counted(passage.tokens, 'token'),
      ].join(' · ');
      return [
        {
          head,
          tone: 'passage',
          text: marked(passage.text.replaceAll(/\n{2,}/g, '\n'), this.#query()),
          blocks: passage.blocks,
          choose: () => this.#reveal(passage.blocks[0] ?? 0),
        },
      ];
    });
  }

  #reveal(block: number): void {
    this.#stage.querySelector(`.box[data-block="${block}"]`)?.scrollIntoView({ block: 'center' });
  }

  #light(blocks: readonly number[]): void {
    const lit = new Set(blocks.map(String));
    for (const box of this.#stage.querySelectorAll<HTMLElement>('.box'))
      box.classList.toggle('lit', lit.has(box.dataset['block'] ?? ''));
  }

  #key(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    const name = `${event.key === 'ArrowLeft' ? 'Previous' : 'Next'} ${event.shiftKey ? 'document' : 'page'}`;
    event.preventDefault();
    this.#steps.querySelector<HTMLElement>(`[aria-label="${name}"]`)?.click();
  }
}
