import type { Page, ParsedDocument } from '../../document.ts';
import { doctagsTokens } from './doctags-tokens.ts';
import { DoctagsBlocks, type OpenElement } from './doctags-blocks.ts';
import { CELL_TOKENS, LEAVES, PICTURE_CLASSES } from './vocabulary.ts';

const OWNERS: ReadonlySet<string> = new Set(['otsl', 'table', 'document_index', 'picture', 'chart']);

/**
 * Reads DocTags, tolerantly: unclosed elements end where the next begins, unknown tags are text, both spellings of
 * spans and of single tokens are understood. `pages` gives the sizes that locations refer to; without it a page
 * measures 500 by 500, the grid itself.
 */
export function readDoctags(source: string, options: { readonly pages?: readonly Page[] } = {}): ParsedDocument {
  const reader = new DoctagsReader(new DoctagsBlocks(options.pages ?? []));
  for (const token of doctagsTokens(source)) {
    if (token.kind === 'text') reader.text(token.text);
    else if (token.kind === 'open') reader.open(token.name);
    else reader.close(token.name);
  }
  return reader.finish();
}

class DoctagsReader {
  readonly #blocks: DoctagsBlocks;
  /** The element whose text is being read. */
  #leaf: OpenElement | undefined;
  /** The table or picture it may be inside. */
  #owner: OpenElement | undefined;
  /** The running line it may be part of. */
  #inline: OpenElement | undefined;

  constructor(blocks: DoctagsBlocks) {
    this.#blocks = blocks;
  }

  text(text: string): void {
    if (this.#leaf) this.#leaf.text += text;
    else if (this.#owner) {
      const cell = this.#owner.cells.at(-1);
      if (cell && cell.token !== 'nl') cell.text += text;
    } else if (this.#inline) this.#inline.text += text;
    else if (text.trim() !== '') this.#blocks.add({ ...element('text'), text });
  }

  open(name: string): void {
    if (name === 'doctag') return;
    if (name === 'page_break') {
      this.#endAll();
      this.#blocks.turnPage();
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
      this.#blocks.openList(name === 'ordered_list');
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
      this.#blocks.closeList();
    } else if (name === 'inline') {
      this.#endLeaf();
      this.#endInline();
    } else if (this.#owner?.name === name) this.#endOwner();
    else if (this.#leaf?.name === name) this.#endLeaf();
    else if (/^(?:key|value)_\d+$/.test(name)) this.text(' ');
  }

  finish(): ParsedDocument {
    this.#endAll();
    return this.#blocks.document();
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
    this.#inline = item ?? element(this.#blocks.isInList ? 'list_item' : 'text');
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
    else this.#blocks.add(leaf);
  }

  #endInline(): void {
    const inline = this.#inline;
    this.#inline = undefined;
    if (inline) this.#blocks.add(inline);
  }

  #endOwner(): void {
    const owner = this.#owner;
    if (!owner) return;
    this.#endLeaf();
    this.#owner = undefined;
    this.#blocks.add(owner);
  }
}

function element(name: string): OpenElement {
  return { name, text: '', locations: [], cells: [], parts: [], category: undefined, language: undefined };
}
