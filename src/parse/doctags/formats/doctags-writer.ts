import type { Block, Page, ParsedDocument } from '../../document.ts';
import { guardText } from './doctags-tokens.ts';
import { locationTokens } from './location.ts';
import { writeOtsl } from './otsl.ts';
import { CHART_CLASSES, codeLanguage, PICTURE_CLASSES } from './vocabulary.ts';

/** Writes a document as DocTags. Nothing is escaped: that is the format. */
export function writeDoctags(document: ParsedDocument): string {
  return new DoctagsWriter(document).write();
}

class DoctagsWriter {
  readonly #document: ParsedDocument;
  readonly #pages: ReadonlyMap<number, Page>;
  readonly #captions: ReadonlyMap<number, readonly Block[]>;
  readonly #parts: string[] = [];
  /** Open lists, outermost first. */
  readonly #lists: ('ordered_list' | 'unordered_list')[] = [];
  #page: number | undefined;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#pages = new Map(document.pages.map((page) => [page.number, page]));
    const owners = new Set(document.blocks.filter(ownsCaptions).map((block) => block.order));
    this.#captions = Map.groupBy(
      document.blocks.filter(({ kind, parent = -1 }) => kind === 'caption' && owners.has(parent)),
      ({ parent = -1 }) => parent,
    );
  }

  write(): string {
    for (const block of this.#document.blocks) {
      if (block.kind === 'caption' && block.parent !== undefined && this.#captions.has(block.parent)) continue;
      this.#turnPage(block);
      this.#fitLists(block);
      this.#parts.push(this.#element(block));
    }
    this.#closeLists(0);
    let text = '<doctag>';
    this.#parts.forEach((part, index) => {
      const previous = this.#parts[index - 1];
      // A list's first item follows its opening tag directly, as everywhere in the format.
      if (index > 0 && previous !== '<ordered_list>' && previous !== '<unordered_list>') text += '\n';
      text += part;
    });
    return `${text}\n</doctag>`;
  }

  #turnPage(block: Block): void {
    const page = block.regions[0]?.page;
    if (page === undefined) return;
    if (this.#page !== undefined && page > this.#page) {
      this.#closeLists(0);
      // One break per page, so that an empty page does not shift later page numbers.
      for (let turned = this.#page; turned < page; turned += 1) this.#parts.push('<page_break>');
    } else if (this.#page === undefined && page > 1)
      for (let turned = 1; turned < page; turned += 1) this.#parts.push('<page_break>');
    if (this.#page === undefined || page > this.#page) this.#page = page;
  }

  #fitLists(block: Block): void {
    if (block.kind !== 'list_item') {
      this.#closeLists(0);
      return;
    }
    const tag = block.ordered ? 'ordered_list' : 'unordered_list';
    const wanted = Math.max(0, block.depth) + 1;
    this.#closeLists(wanted);
    if (this.#lists.length === wanted && this.#lists.at(-1) !== tag) this.#closeLists(wanted - 1);
    while (this.#lists.length < wanted) {
      this.#lists.push(tag);
      this.#parts.push(`<${tag}>`);
    }
  }

  #closeLists(depth: number): void {
    while (this.#lists.length > depth) this.#parts.push(`</${this.#lists.pop() ?? 'unordered_list'}>`);
  }

  #element(block: Block): string {
    const at = this.#locations(block);
    const captions = (this.#captions.get(block.order) ?? []).map((caption) => this.#element(caption)).join('');
    switch (block.kind) {
      case 'heading':
        return paired(`section_header_level_${Math.min(6, Math.max(1, block.level))}`, at + plain(block.text));
      case 'reference':
        // Docling reads it as text; readers that know the tag, as a reference.
        return paired('text', at + paired('reference', plain(labelled(block.label, block.text))));
      case 'code':
        return paired('code', `${at}<_${codeLanguage(block.language)}_>${guardCode(block.text)}${captions}`);
      case 'picture': {
        const category =
          block.category !== undefined && PICTURE_CLASSES.has(block.category) ? block.category : undefined;
        const tag = category !== undefined && CHART_CLASSES.has(category) ? 'chart' : 'picture';
        return paired(tag, at + (category === undefined ? '' : `<${category}>`) + captions);
      }
      case 'table':
        return paired('otsl', at + writeOtsl(block.table) + captions);
      case 'formula':
      case 'title':
      case 'text':
      case 'caption':
      case 'footnote':
      case 'page_header':
      case 'page_footer':
      case 'list_item':
      default:
        return paired(block.kind, at + plain(block.text));
    }
  }

  #locations(block: Block): string {
    let tokens = '';
    for (const region of block.regions) {
      const page = this.#pages.get(region.page);
      if (page) tokens += locationTokens(region.box, page);
    }
    return tokens;
  }
}

function ownsCaptions(block: Block): boolean {
  return block.kind === 'table' || block.kind === 'picture' || block.kind === 'code';
}

function paired(tag: string, body: string): string {
  return `<${tag}>${body}</${tag}>`;
}

/** Only code preserves line breaks. */
function plain(text: string): string {
  return guardText(text.replace(/\s+/g, (run) => (/[\r\n]/.test(run) ? ' ' : run))).trim();
}

/** Code ends at its closing tag; only that and a caption tag must not appear in it. */
function guardCode(text: string): string {
  return text.replace(/<(?=\/?(?:code|caption)>|_[^<>\s]{1,24}_>|loc_\d)/g, '<\u200B');
}

/** A reference with its label in front, unless its text already begins with it. */
export function labelled(label: string | undefined, text: string): string {
  if (label === undefined || label === '') return text;
  const bare = text.replace(/^[[(]/, '');
  return bare.startsWith(label) && !/^[\p{L}\p{N}]/u.test(bare.slice(label.length)) ? text : `[${label}] ${text}`;
}
