import type { Block, Link, Metadata, ParsedDocument, Table } from '../../document.ts';
import { detectLanguage } from '../layout/text/script.ts';
import { findArxivId, findDoi } from './imprint.ts';
import type { Line } from './node.ts';

type Attached = { readonly parent?: number };

/** Gathers the blocks of a document without pages, numbering them in reading order. */
export class DocumentBuilder {
  readonly #blocks: Block[] = [];

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** The order the next block will have. */
  get next(): number {
    return this.#blocks.length;
  }

  title(line: Line): number {
    return this.#plain('title', line, {});
  }

  heading(line: Line, level: number): number {
    if (line.text === '') return -1;
    return this.#push({ ...this.#base(line, {}), kind: 'heading', level: Math.max(1, level) });
  }

  text(line: Line, attached: Attached = {}): number {
    return this.#plain('text', line, attached);
  }

  caption(line: Line, attached: Attached = {}): number {
    return this.#plain('caption', line, attached);
  }

  footnote(line: Line, attached: Attached = {}): number {
    return this.#plain('footnote', line, attached);
  }

  /** A display formula; empty when the source shows only an image of it. */
  formula(latex: string): number {
    return this.#push({ order: this.next, regions: [], text: latex, kind: 'formula' });
  }

  code(text: string, language?: string): number {
    if (text.trim() === '') return -1;
    return this.#push({
      order: this.next,
      regions: [],
      text,
      kind: 'code',
      ...(language !== undefined && { language }),
    });
  }

  picture(text = '', category?: string, attached: Attached = {}): number {
    return this.#push({
      order: this.next,
      regions: [],
      text,
      kind: 'picture',
      ...attached,
      ...(category !== undefined && { category }),
    });
  }

  table(table: Table): number {
    const text = table.cells
      .map((cell) => cell.text)
      .filter((cell) => cell !== '')
      .join(' ');
    return this.#push({ order: this.next, regions: [], text, kind: 'table', table });
  }

  listItem(
    line: Line,
    item: { readonly ordered: boolean; readonly depth: number; readonly marker?: string; readonly parent?: number },
  ): number {
    return this.#push({
      ...this.#base(line, item.parent === undefined ? {} : { parent: item.parent }),
      kind: 'list_item',
      ordered: item.ordered,
      depth: item.depth,
      ...(item.marker !== undefined && item.marker !== '' && { marker: item.marker }),
    });
  }

  /** An entry of the reference list; identifiers that its text or links show are found when not given. */
  reference(line: Line, known: { readonly label?: string; readonly doi?: string; readonly arxivId?: string }): number {
    if (line.text === '') return -1;
    const urls = line.links.map((link) => link.url);
    const doi = known.doi ?? findDoi(line.text) ?? firstOf(urls, findDoi);
    const arxivId = known.arxivId ?? findArxivId(line.text) ?? firstOf(urls, findArxivId);
    return this.#push({
      ...this.#base(line, {}),
      kind: 'reference',
      ...(doi !== undefined && { doi }),
      ...(arxivId !== undefined && { arxivId }),
      ...(known.label !== undefined && known.label !== '' && { label: known.label }),
    });
  }

  /** The finished document. */
  document(metadata: Metadata): ParsedDocument {
    const language = metadata.language ?? this.#language();
    return { pages: [], blocks: this.#blocks, metadata: { ...metadata, ...(language !== undefined && { language }) } };
  }

  #language(): string | undefined {
    const prose = this.#blocks.filter(({ kind }) => kind === 'text' || kind === 'list_item').slice(0, 50);
    return detectLanguage(prose.map(({ text }) => text).join(' '));
  }

  #plain(kind: 'title' | 'text' | 'caption' | 'footnote', line: Line, attached: Attached): number {
    if (line.text === '') return -1;
    return this.#push({ ...this.#base(line, attached), kind });
  }

  #base(
    line: Line,
    attached: Attached,
  ): { order: number; regions: []; text: string; parent?: number; links?: readonly Link[] } {
    return {
      order: this.next,
      ...attached,
      regions: [],
      text: line.text,
      ...(line.links.length > 0 && { links: line.links }),
    };
  }

  #push(block: Block): number {
    this.#blocks.push(block);
    return block.order;
  }
}

function firstOf<T>(texts: readonly string[], find: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = find(text);
    if (found !== undefined) return found;
  }
  return undefined;
}
