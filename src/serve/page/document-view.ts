import { counted, flowSheet, html, pageSheet, SideList, svg, toneOf } from '../../report/page/index.ts';
import type { SideEntry } from '../../report/page/index.ts';
import type { Box, WholeDocument } from './answers.ts';
import { address, ask } from './ask.ts';
import { copyButtons } from './copy.ts';
import type { Scene } from './view.ts';
import { place } from './view.ts';

type Block = WholeDocument['blocks'][number];
/** What is listed beside the page. */
type Listed = 'blocks' | 'headings' | 'figures';
const PICTURE_PIXELS = 1_000;

/** A document, page by page: what was recognised is drawn on the page and listed beside it. */
export class DocumentView {
  readonly element = html('div', { class: 'viewer', keydown: (event: KeyboardEvent) => this.#key(event) });
  readonly #run: string;
  readonly #scene: Scene;
  readonly #stage = html('div', { class: 'reader' });
  readonly #steps = html('div', { class: 'steps' });
  #document: WholeDocument | undefined;
  #page = 1;
  #listed: Listed = 'blocks';
  #marks: readonly Box[] = [];
  #list: SideList | undefined;

  constructor(run: string, scene: Scene) {
    this.#run = run;
    this.#scene = scene;
  }

  /** Shows a document at the page and the boxes that an address names. */
  async open(id: string, query: URLSearchParams, signal: AbortSignal): Promise<void> {
    const path = `/runs/${encodeURIComponent(this.#run)}/documents/${encodeURIComponent(id)}`;
    const found = await ask<WholeDocument>(path, {}, signal);
    this.#document = found;
    const block = found.blocks.find(({ order }) => String(order) === query.get('block'));
    this.#marks = block?.regions ?? parseBoxes(query.get('at') ?? '');
    const wanted = Number(query.get('page') ?? this.#marks[0]?.page ?? found.pages[0]?.number ?? 1);
    this.#page = found.pages.some(({ number }) => number === wanted) ? wanted : (found.pages[0]?.number ?? 1);
    this.element.replaceChildren(
      html('h2', {}, found.title ?? found.id),
      html(
        'p',
        { class: 'hint' },
        [found.authors, found.year === null ? null : String(found.year), counted(found.blocks.length, 'block')]
          .filter((each) => each !== null && each !== '')
          .join(' · '),
        ' · ',
        html('a', { href: address(`${path}/file`), target: '_blank', rel: 'noreferrer' }, 'open the file'),
      ),
      html('div', { class: 'choice' }, this.#steps, ...copyButtons(found, this.#scene.tell)),
      this.#stage,
    );
    this.#draw();
    this.#stage.querySelector('.mark-box')?.scrollIntoView({ block: 'center' });
  }

  #draw(): void {
    const found = this.#document;
    if (!found) return;
    this.#drawSteps(found);
    const lines = found.blocks.map((block) => ({
      tag: [block.tag.replace('_', ' '), ...(block.level === null ? [] : [block.level])].join(' '),
      text: block.text,
      regions: block.regions.map(({ page, left, top, right, bottom }) => [page, left, top, right, bottom] as const),
      ...(block.rows && { rows: block.rows }),
    }));
    const events = {
      point: (block: number | undefined) => {
        this.#list?.point(block);
        this.#light(block === undefined ? [] : [block]);
      },
      choose: (block: number) => this.#list?.focus(this.#list.indexOf(block)),
    };
    const pages = found.pages.map(({ number, width, height }) => [number, width, height] as const);
    const isPdf = found.kind === 'pdf';
    const path = `/runs/${encodeURIComponent(this.#run)}/documents/${encodeURIComponent(found.id)}`;
    const picture = isPdf ? address(`${path}/pages/${this.#page}.png`, { width: PICTURE_PIXELS }) : undefined;
    const part = { pages, blocks: lines, images: {} };
    const sheet = pages.length > 0 ? pageSheet(part, this.#page, events, picture) : flowSheet(part, events);
    if (sheet instanceof SVGSVGElement)
      sheet.append(...this.#marks.filter(({ page }) => page === this.#page).map(markBox));
    const entries = this.#entries(found);
    this.#list = new SideList(SAID[this.#listed], entries, (blocks) => this.#light(blocks));
    const side = html(
      'div',
      { class: 'beside' },
      this.#switch(found),
      entries.length === 0 ? html('p', { class: 'hint' }, 'Nothing of that kind stands here.') : this.#list.element,
    );
    this.#stage.replaceChildren(html('div', { class: 'desk' }, sheet), side);
  }

  #entries(found: WholeDocument): SideEntry[] {
    const here = ({ regions }: Block): boolean =>
      found.pages.length === 0 || regions.some(({ page }) => page === this.#page);
    const wanted: Readonly<Record<Listed, (block: Block) => boolean>> = {
      blocks: here,
      headings: ({ tag }) => tag === 'heading' || tag === 'title' || tag === 'section_header',
      figures: ({ tag }) => tag === 'picture' || tag === 'table',
    };
    return found.blocks.flatMap((block, at): SideEntry[] => {
      if (!wanted[this.#listed](block)) return [];
      const page = block.regions[0]?.page;
      const said = block.caption ?? (block.rows?.map((row) => row.join(' · ')).join('\n') || block.text);
      return [
        {
          head: [`${at} ${block.tag.replace('_', ' ')}`, ...(page === undefined ? [] : [`page ${page}`])].join(', '),
          tone: toneOf(block.tag.replace('_', ' ')),
          text: [document.createTextNode(said === '' ? 'without a caption' : said)],
          blocks: [at],
          choose: () => this.#reveal(at, page),
        },
      ];
    });
  }

  #reveal(block: number, page: number | undefined): void {
    if (page !== undefined && page !== this.#page) {
      this.#turn(page);
      this.#light([block]);
    }
    this.#stage.querySelector(`.box[data-block="${block}"]`)?.scrollIntoView({ block: 'center' });
  }

  #turn(page: number): void {
    const found = this.#document;
    if (!found) return;
    this.#page = page;
    history.replaceState(null, '', place('/documents', { run: this.#run, document: found.id, page }));
    this.#draw();
  }

  #light(blocks: readonly number[]): void {
    const lit = new Set(blocks.map(String));
    for (const box of this.#stage.querySelectorAll<HTMLElement>('.box'))
      box.classList.toggle('lit', lit.has(box.dataset['block'] ?? ''));
  }

  #drawSteps({ pages }: WholeDocument): void {
    const at = pages.findIndex(({ number }) => number === this.#page);
    const step = (sign: string, label: string, to: number | undefined): HTMLElement =>
      html(
        'button',
        {
          type: 'button',
          class: 'quiet',
          'aria-label': label,
          disabled: to === undefined,
          click: () => to !== undefined && this.#turn(to),
        },
        sign,
      );
    this.#steps.replaceChildren(
      step('‹', 'Previous page', pages[at - 1]?.number),
      html(
        'span',
        { role: 'status', class: 'where' },
        pages.length === 0 ? 'flowing text' : `page ${this.#page} of ${pages.length}`,
      ),
      step('›', 'Next page', pages[at + 1]?.number),
    );
  }

  #switch(found: WholeDocument): HTMLElement {
    const button = (listed: Listed): HTMLElement =>
      html(
        'button',
        {
          type: 'button',
          'aria-pressed': String(this.#listed === listed),
          click: () => {
            this.#listed = listed;
            this.#draw();
            this.#stage.querySelector<HTMLElement>('.switch [aria-pressed=true]')?.focus();
          },
        },
        found.pages.length === 0 && listed === 'blocks' ? 'All blocks' : SAID[listed],
      );
    return html(
      'div',
      { class: 'switch', role: 'group', 'aria-label': 'What is listed' },
      button('blocks'),
      button('headings'),
      button('figures'),
    );
  }

  #key(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    const name = event.key === 'ArrowLeft' ? 'Previous page' : 'Next page';
    this.#steps.querySelector<HTMLElement>(`[aria-label="${name}"]`)?.click();
  }
}

const SAID: Readonly<Record<Listed, string>> = {
  blocks: 'This page',
  headings: 'Headings',
  figures: 'Figures',
};

function markBox({ left, top, right, bottom }: Box): SVGElement {
  return svg('rect', {
    class: 'mark-box',
    x: left - 2,
    y: top - 2,
    width: right - left + 4,
    height: bottom - top + 4,
    rx: 2,
  });
}

/** `3,72,90,300,104;…` as an address has it. */
function parseBoxes(text: string): Box[] {
  return text.split(';').flatMap((each) => {
    const [page, left, top, right, bottom] = each.split(',').map(Number);
    if (page === undefined || left === undefined || top === undefined || right === undefined || bottom === undefined)
      return [];
    return [page, left, top, right, bottom].every(Number.isFinite) ? [{ page, left, top, right, bottom }] : [];
  });
}

/** Boxes as an address has them; a few are enough to find the place. */
export function boxesText(boxes: readonly Box[]): string {
  return boxes
    .slice(0, 6)
    .map(({ page, left, top, right, bottom }) => [page, left, top, right, bottom].map(Math.round).join(','))
    .join(';');
}
