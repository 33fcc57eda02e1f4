import type { Page, ParsedDocument, Region, Table } from '../../document.ts';
import { doctagsTokens, CELL_TOKENS, LEAVES, PICTURE_CLASSES, boxFromGrid, GRID, readOtsl } from './doctags.ts';
import { bare, DocumentBuilder } from '../markup/document-builder.ts';
import { oneLine } from '../markup/node.ts';

const OWNERS: ReadonlySet<string> = new Set(['otsl', 'table', 'document_index', 'picture', 'chart']);

/**
 * Reads DocTags tolerantly: unclosed elements end where the next begins, unknown tags are text, both spellings of spans
 * are understood. Without `pages`, a page measures 500 by 500 like the grid.
 */
export function readDoctags(source: string, options: { readonly pages?: readonly Page[] } = {}): ParsedDocument {
  const reader = new DoctagsReader(options.pages ?? []);
  for (const token of doctagsTokens(source)) {
    if (token.kind === 'text') reader.text(token.text);
    else if (token.kind === 'open') reader.open(token.name);
    else reader.close(token.name);
  }
  return reader.finish();
}

/** Turns tags into blocks, keeping count of pages and lists. */
class DoctagsReader {
  readonly #pages: readonly Page[];
  readonly #builder = new DocumentBuilder();
  /** Whether each open list is ordered, outermost first. */
  readonly #lists: boolean[] = [];
  /** The last item on each level of the open lists. */
  readonly #items: number[] = [];
  #page = 1;
  #located = false;
  /** The element whose text is being read. */
  #leaf: OpenElement | undefined;
  /** The table or picture it may be inside. */
  #owner: OpenElement | undefined;
  /** The running line it may be part of. */
  #inline: OpenElement | undefined;

  constructor(pages: readonly Page[]) {
    this.#pages = pages;
  }

  text(text: string): void {
    if (this.#leaf) this.#leaf.text += text;
    else if (this.#owner) {
      const cell = this.#owner.cells.at(-1);
      if (cell && cell.token !== 'nl') cell.text += text;
    } else if (this.#inline) this.#inline.text += text;
    else if (text.trim() !== '') this.#add({ ...element('text'), text });
  }

  open(name: string): void {
    if (name === 'doctag') return;
    if (name === 'page_break') {
      this.#endAll();
      this.#page += 1;
    } else if (name.startsWith('loc_')) this.#locate(Number(name.slice(4)));
    else if (CELL_TOKENS.has(name) && this.#owner) {
      this.#endLeaf();
      this.#owner.cells.push({ token: name, text: '' });
    } else if (this.#owner && PICTURE_CLASSES.has(name) && (name !== 'table' || this.#isPicture()))
      this.#owner.category ??= name;
    else if (/^(?:key|value|link)_\d+$/.test(name)) this.text(' ');
    else if (name.startsWith('_') && name.endsWith('_')) {
      if (this.#leaf?.name === 'code') this.#leaf.language = name.slice(1, -1);
    } else if (name === 'ordered_list' || name === 'unordered_list') {
      this.#endAll();
      this.#lists.push(name === 'ordered_list');
    } else if (name === 'inline') this.#openInline();
    else if (OWNERS.has(name)) {
      this.#endAll();
      this.#owner = element(name);
    } else if (LEAVES.has(name)) this.#openLeaf(name);
  }

  close(name: string): void {
    if (name === 'doctag') this.#endAll();
    else if (name === 'ordered_list' || name === 'unordered_list') {
      this.#endAll();
      this.#lists.pop();
      this.#items.length = Math.min(this.#items.length, this.#lists.length);
    } else if (name === 'inline') {
      this.#endLeaf();
      this.#endInline();
    } else if (this.#owner?.name === name) this.#endOwner();
    else if (this.#leaf?.name === name) this.#endLeaf();
    else if (/^(?:key|value)_\d+$/.test(name)) this.text(' ');
  }

  #isPicture(): boolean {
    return this.#owner?.name === 'picture' || this.#owner?.name === 'chart';
  }

  #openLeaf(name: string): void {
    const current = this.#leaf;
    if (current && current.text.trim() === '') {
      // `<text><reference>` is one reference; `<list_item><text>` is one item.
      if (current.name === 'text' && name === 'reference') {
        current.name = 'reference';
        return;
      }
      if (current.name === 'list_item' && (name === 'text' || name === 'paragraph')) return;
    }
    if (current?.name === 'code' && name === 'caption') {
      this.#owner = current;
      this.#leaf = element('caption');
      return;
    }
    if (this.#owner && name !== 'caption' && name !== 'footnote' && name !== 'smiles') this.#endAll();
    else this.#endLeaf();
    this.#leaf = element(name);
  }

  #openInline(): void {
    const item = this.#leaf?.name === 'list_item' && this.#leaf.text.trim() === '' ? this.#leaf : undefined;
    if (!item) this.#endAll();
    this.#leaf = undefined;
    this.#inline = item ?? element(this.#lists.length > 0 ? 'list_item' : 'text');
  }

  #locate(value: number): void {
    const target = this.#leaf ?? (this.#owner && this.#owner.cells.length === 0 ? this.#owner : this.#inline);
    if (target && (target.text.trim() === '' || target.name === 'code')) target.locations.push(value);
  }

  #endAll(): void {
    this.#endOwner();
    this.#endLeaf();
    this.#endInline();
  }

  #endLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = undefined;
    if (!leaf) return;
    if (this.#owner) this.#owner.parts.push(leaf);
    else if (this.#inline) this.#inline.text += ` ${leaf.text.trim()} `;
    else this.#add(leaf);
  }

  #endInline(): void {
    const inline = this.#inline;
    this.#inline = undefined;
    if (inline) this.#add(inline);
  }

  #endOwner(): void {
    const owner = this.#owner;
    if (!owner) return;
    this.#endLeaf();
    this.#owner = undefined;
    this.#add(owner);
  }

  #add(element: OpenElement): void {
    const order = this.#write(element, this.#regions(element.locations));
    for (const part of element.parts) {
      const kind = part.name === 'footnote' || part.name === 'caption' ? part.name : 'text';
      this.#builder.plain(kind, bare(oneLine(part.text)), { parent: order, regions: this.#regions(part.locations) });
    }
  }

  /** Writes an element without its captions and notes. */
  #write(element: OpenElement, regions: readonly Region[]): number {
    const builder = this.#builder;
    const text = oneLine(element.text);
    const heading = /^section_header_level_(\d)$/.exec(element.name);
    if (heading) return builder.heading(bare(text), Number(heading[1]), { regions });
    switch (element.name) {
      case 'list_item':
      case 'checkbox_selected':
      case 'checkbox_unselected':
        return this.#item(element.name, text, regions);
      case 'otsl':
      case 'table':
      case 'document_index':
        return builder.table(tableOf(element), { regions });
      case 'picture':
      case 'chart': {
        const order = builder.picture('', element.category ?? (element.name === 'chart' ? 'chart' : undefined), {
          regions,
        });
        // The data that a chart shows.
        if (element.cells.length > 0) builder.table(tableOf(element), { parent: order });
        return order;
      }
      case 'code':
        return builder.code(
          element.text.replace(/^\n+/, '').trimEnd(),
          element.language === 'unknown' ? undefined : element.language,
          { regions },
        );
      case 'reference': {
        const label = /^\[([^\]]{1,24})\]\s*/.exec(text);
        const rest = text.slice(label?.[0].length ?? 0);
        return builder.reference(bare(rest === '' ? text : rest), { label: label?.[1] }, { regions });
      }
      case 'formula':
        return builder.formula(text, { regions });
      case 'title':
      case 'caption':
      case 'footnote':
      case 'page_header':
      case 'page_footer':
        return builder.plain(element.name, bare(text), { regions });
      default:
        return builder.text(bare(text), { regions });
    }
  }

  /** Closes what is open and returns the document. */
  finish(): ParsedDocument {
    this.#endAll();
    const { blocks } = this.#builder;
    const title = blocks.find((block) => block.kind === 'title');
    const pages = this.#located || this.#page > 1 ? this.#page : 0;
    return {
      pages:
        this.#pages.length > 0
          ? this.#pages
          : Array.from({ length: pages }, (_, index) => ({ number: index + 1, width: GRID, height: GRID })),
      blocks,
      metadata: {
        ...(title && { title: title.text }),
        authors: [],
        ...((this.#pages.length || pages) > 0 && { pageCount: this.#pages.length || pages }),
        needsOcr: [],
        quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
      },
    };
  }

  #item(name: string, text: string, regions: readonly Region[]): number {
    if (text === '') return -1;
    const depth = Math.max(0, this.#lists.length - 1);
    const order = this.#builder.listItem(bare(text), {
      parent: depth > 0 ? this.#items[depth - 1] : undefined,
      regions,
      ordered: this.#lists.at(-1) ?? false,
      depth,
      marker: name === 'checkbox_selected' ? '☒' : name === 'checkbox_unselected' ? '☐' : undefined,
    });
    this.#items.length = depth;
    this.#items[depth] = order;
    return order;
  }

  /** One region per quadruple. One that starts higher without being in a further column is on the next page. */
  #regions(locations: readonly number[]): Region[] {
    const regions: Region[] = [];
    let page = this.#page;
    for (let index = 0; index + 4 <= locations.length; index += 4) {
      const grid = locations.slice(index, index + 4);
      const previous = locations.slice(Math.max(0, index - 4), index);
      const [left = 0, top = 0] = grid;
      const [, previousTop = 0, previousRight = 0] = previous;
      if (index > 0 && top <= previousTop && left < previousRight) page += 1;
      regions.push({
        page,
        box: boxFromGrid(grid, this.#pages.find(({ number }) => number === page) ?? { width: GRID, height: GRID }),
      });
    }
    if (regions.length > 0) this.#located = true;
    return regions;
  }
}

function tableOf({ cells }: OpenElement): Table {
  return readOtsl(cells.map(({ token, text }) => ({ token, text: oneLine(text) })));
}

function element(name: string): OpenElement {
  return { name, text: '', locations: [], cells: [], parts: [], category: undefined, language: undefined };
}

/** An element while it is being read. */
interface OpenElement {
  name: string;
  text: string;
  readonly locations: number[];
  readonly cells: { token: string; text: string }[];
  /** Captions and notes inside a table, a picture or code. */
  readonly parts: OpenElement[];
  category: string | undefined;
  language: string | undefined;
}
