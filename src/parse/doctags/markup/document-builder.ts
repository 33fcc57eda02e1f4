import type { Block, Metadata, ParsedDocument, Region, Table } from '../../document.ts';
import { detectLanguage } from '../layout/text/script.ts';
import { idsIn } from './imprint.ts';
import type { InlineText, Line, MarkupElement, Reading } from './node.ts';

/** What a block belongs to, and where it is; files without pages say no place. */
interface Place {
  readonly parent?: number | undefined;
  readonly regions?: readonly Region[];
}

export interface Item extends Place {
  readonly ordered: boolean;
  readonly depth: number;
  readonly marker?: string | undefined;
}

/**
 * Gathers the blocks of a document, numbering them in reading order. Methods return a block's number; -1 if there is no
 * text.
 */
export class DocumentBuilder {
  readonly #blocks: Block[] = [];

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get next(): number {
    return this.#blocks.length;
  }

  heading(line: Line, level: number, place: Place = {}): number {
    if (line.text === '') return -1;
    return this.#push({ ...this.#base(line, place), kind: 'heading', level: Math.max(1, level) });
  }

  text(line: Line, place: Place = {}): number {
    return this.plain('text', line, place);
  }

  /** A block that is only text. */
  plain(kind: PlainKind, line: Line, place: Place = {}): number {
    if (line.text === '') return -1;
    return this.#push({ ...this.#base(line, place), kind });
  }

  /** A display formula; empty when the source shows only an image of it. */
  formula(latex: string, place: Place = {}): number {
    return this.#push({ ...this.#base(bare(latex), place), kind: 'formula' });
  }

  code(text: string, language: string | undefined, place: Place = {}): number {
    if (text.trim() === '') return -1;
    return this.#push({ ...this.#base(bare(text), place), kind: 'code', ...(language !== undefined && { language }) });
  }

  picture(text = '', category?: string, place: Place = {}): number {
    return this.#push({
      ...this.#base(bare(text), place),
      kind: 'picture',
      ...(category !== undefined && { category }),
    });
  }

  table(table: Table, place: Place = {}): number {
    const texts = table.cells.map((cell) => cell.text).filter((text) => text !== '');
    return this.#push({ ...this.#base(bare(texts.join(' ')), place), kind: 'table', table });
  }

  listItem(line: Line, item: Item): number {
    const { ordered, depth, marker = '' } = item;
    return this.#push({
      ...this.#base(line, item),
      kind: 'list_item',
      ordered,
      depth,
      ...(marker !== '' && { marker }),
    });
  }

  /**
   * The paragraphs of an item up to its first block are its text; what follows belongs to it. Undefined if it is empty.
   */
  item(
    item: MarkupElement,
    text: InlineText,
    description: Item,
    how: {
      readonly sort: (inner: MarkupElement) => Reading | 'block';
      readonly block: (inner: MarkupElement, order: number | undefined) => void;
    },
  ): number | undefined {
    let order: number | undefined;
    const emit = (): void => {
      const line = text.take();
      if (line.text === '') return;
      if (order === undefined) order = this.listItem(line, description);
      else this.text(line, { parent: order });
    };
    text.gather(item, (inner) => {
      const reading = how.sort(inner);
      if (reading !== 'block') return reading;
      emit();
      how.block(inner, order);
      return 'skip';
    });
    emit();
    return order;
  }

  /** An entry of the reference list; identifiers that its text or links show are found when not given. */
  reference(
    line: Line,
    known: {
      readonly label?: string | undefined;
      readonly doi?: string | undefined;
      readonly arxivId?: string | undefined;
    },
    place: Place = {},
  ): number {
    if (line.text === '') return -1;
    const found = idsIn([line.text, ...line.links.map((link) => link.url)]);
    const { label = '', doi = found.doi, arxivId = found.arxivId } = known;
    return this.#push({
      ...this.#base(line, place),
      kind: 'reference',
      ...(doi !== undefined && { doi }),
      ...(arxivId !== undefined && { arxivId }),
      ...(label !== '' && { label }),
    });
  }

  document(metadata: Metadata): ParsedDocument {
    const language = metadata.language ?? this.#language();
    return { pages: [], blocks: this.#blocks, metadata: { ...metadata, ...(language !== undefined && { language }) } };
  }

  #language(): string | undefined {
    const prose = this.#blocks.filter(({ kind }) => kind === 'text' || kind === 'list_item').slice(0, 50);
    return detectLanguage(prose.map(({ text }) => text).join(' '));
  }

  #base({ text, links }: Line, { parent, regions = [] }: Place) {
    return {
      order: this.next,
      ...(parent !== undefined && parent >= 0 && { parent }),
      regions,
      text,
      ...(links.length > 0 && { links }),
    };
  }

  #push(block: Block): number {
    this.#blocks.push(block);
    return block.order;
  }
}

type PlainKind = 'title' | 'text' | 'caption' | 'footnote' | 'page_header' | 'page_footer';

export function bare(text: string): Line {
  return { text, links: [] };
}
