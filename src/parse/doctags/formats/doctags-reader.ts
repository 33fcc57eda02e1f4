import type { Page, ParsedDocument, Region, Table } from '../../document.ts';
import { parseDoctags, CELL_TOKENS, LEAVES, PICTURE_CLASSES, boxFromGrid, GRID, readOtsl } from './doctags.ts';
import { bare, DocumentBuilder } from '../markup/document-builder.ts';
import type { MarkupElement } from '../markup/node.ts';
import { oneLine } from '../markup/node.ts';

/** Unclosed elements end where the next begins, unknown tags are text. Pages default to the grid. */
export function readDoctags(source: string, options: { readonly pages?: readonly Page[] } = {}): ParsedDocument {
  const reader = new DoctagsReader(options.pages ?? []);
  reader.flow(parseDoctags(source));
  return reader.finish();
}

class DoctagsReader {
  readonly #pages: readonly Page[];
  readonly #builder = new DocumentBuilder();
  /** The open lists, outermost first, with the last item of each. */
  readonly #lists: { readonly ordered: boolean; last?: number }[] = [];
  #page = 1;
  #located = false;

  constructor(pages: readonly Page[]) {
    this.#pages = pages;
  }

  /** Writes what an element holds; text between elements is a paragraph. */
  flow(holder: MarkupElement): void {
    for (const node of holder.children)
      if (typeof node !== 'string') this.#element(node);
      else if (node.trim() !== '') this.#add({ ...draft('text'), text: node });
  }

  #element(element: MarkupElement): void {
    switch (element.name) {
      case 'doctag':
        this.flow(element);
        break;
      case 'page_break':
        this.#page += 1;
        break;
      case 'ordered_list':
      case 'unordered_list':
        this.#lists.push({ ordered: element.name === 'ordered_list' });
        this.flow(element);
        this.#lists.pop();
        break;
      case 'otsl':
      case 'table':
      case 'document_index':
      case 'picture':
      case 'chart':
        this.#float(element);
        break;
      case 'inline':
        this.#leaf(element, this.#lists.length > 0 ? 'list_item' : 'text');
        break;
      default:
        if (LEAVES.has(element.name)) this.#leaf(element, element.name);
    }
  }

  #float(element: MarkupElement): void {
    const float = draft(element.name);
    for (const node of element.children) {
      const cell = float.cells.at(-1);
      if (typeof node === 'string') {
        if (cell && cell.token !== 'nl') cell.text += node;
      } else if (node.name === 'page_break') this.#page += 1;
      else if (node.name.startsWith('loc_')) {
        if (!cell) float.locations.push(Number(node.name.slice(4)));
      } else if (CELL_TOKENS.has(node.name)) float.cells.push({ token: node.name, text: '' });
      else if (LEAVES.has(node.name)) float.parts.push(partOf(node));
      else if (PICTURE_CLASSES.has(node.name)) float.category ??= node.name;
    }
    this.#add(float);
  }

  /** An element that holds text. Other elements in it end the text; what follows them is a paragraph. */
  #leaf(element: MarkupElement, name: string): void {
    let leaf = draft(name);
    const fill = (holder: MarkupElement): void => {
      for (const node of holder.children) {
        const isBlank = leaf.text.trim() === '';
        if (typeof node === 'string') leaf.text += node;
        else if (node.name.startsWith('loc_')) {
          if (isBlank || leaf.name === 'code') leaf.locations.push(Number(node.name.slice(4)));
        } else if (/^_.*_$/.test(node.name)) leaf.language = node.name.slice(1, -1);
        else if (leaf.name === 'code' && node.name === 'caption') leaf.parts.push(partOf(node));
        else if (leaf.name === 'text' && node.name === 'reference' && isBlank) {
          leaf.name = 'reference';
          fill(node);
        } else if (leaf.name === 'list_item' && /^(?:text|paragraph|inline)$/.test(node.name) && isBlank) fill(node);
        else if (holder.name === 'inline' && LEAVES.has(node.name)) leaf.text += ` ${partOf(node).text.trim()} `;
        else {
          this.#add(leaf);
          this.#element(node);
          leaf = draft('text');
        }
      }
    };
    fill(element);
    this.#add(leaf);
  }

  #add(element: Draft): void {
    const order = this.#write(element, this.#regions(element.locations));
    for (const part of element.parts) {
      const kind = part.name === 'footnote' || part.name === 'caption' ? part.name : 'text';
      this.#builder.plain(kind, bare(oneLine(part.text)), { parent: order, regions: this.#regions(part.locations) });
    }
  }

  #write(element: Draft, regions: readonly Region[]): number {
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

  finish(): ParsedDocument {
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
    const list = this.#lists.at(-1);
    const order = this.#builder.listItem(bare(text), {
      parent: this.#lists.at(-2)?.last,
      regions,
      ordered: list?.ordered ?? false,
      depth: Math.max(0, this.#lists.length - 1),
      marker: name === 'checkbox_selected' ? '☒' : name === 'checkbox_unselected' ? '☐' : undefined,
    });
    if (list) list.last = order;
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

function tableOf({ cells }: Draft): Table {
  return readOtsl(cells.map(({ token, text }) => ({ token, text: oneLine(text) })));
}

function partOf(element: MarkupElement): Draft {
  const part = draft(element.name);
  for (const node of element.children)
    if (typeof node === 'string') part.text += node;
    else if (node.name.startsWith('loc_')) part.locations.push(Number(node.name.slice(4)));
  return part;
}

function draft(name: string): Draft {
  return { name, text: '', locations: [], cells: [], parts: [], category: undefined, language: undefined };
}

interface Draft {
  name: string;
  text: string;
  readonly locations: number[];
  readonly cells: { token: string; text: string }[];
  /** Captions and notes inside a table, a picture or code. */
  readonly parts: Draft[];
  category: string | undefined;
  language: string | undefined;
}
