import { lettersOf } from '../../src/base/index.ts';
import { bareLatex, latexOf } from '../../src/parse/doctags/markup/math.ts';
import type { MarkupElement } from '../../src/parse/doctags/markup/node.ts';
import {
  child,
  children,
  findAll,
  findFirst,
  lineText,
  named,
  path,
  rawText,
  without,
} from '../../src/parse/doctags/markup/node.ts';
import { tableRows } from '../../src/parse/doctags/markup/table-grid.ts';
import { formulaParts, inlineLine, inlineText } from '../../src/parse/doctags/xml/jats-inline.ts';
import { parseXml } from '../../src/parse/doctags/xml/tree.ts';

/** A block of a paper as its publisher's own file has it, in the scorer's format. */
export interface TruthBlock {
  /** `soft` text may be there or not: names, addresses, notes, licences. */
  readonly kind:
    | 'title'
    | 'heading'
    | 'text'
    | 'list_item'
    | 'caption'
    | 'table'
    | 'formula'
    | 'code'
    | 'reference'
    | 'footnote'
    | 'soft';
  readonly text: string;
  readonly level?: number;
  /** A heading that may be marked or not: a label inside the abstract, one that the style sheet adds. */
  readonly optional?: boolean;
  readonly runin?: boolean;
  readonly ordered?: boolean;
  readonly table?: { readonly rows: readonly (readonly TruthCell[])[] };
}

interface TruthCell {
  readonly text: string;
  readonly rowspan: number;
  readonly colspan: number;
  readonly header: boolean;
}

/** The truth of a paper. */
export interface Truth {
  readonly id: string;
  readonly structured: true;
  readonly blocks: readonly TruthBlock[];
}

/** Reads the truth of a paper from its JATS file; undefined if it holds no article with a body. */
export function truthFromJats(id: string, xml: Uint8Array): Truth | undefined {
  const root = parseXml(xml);
  const article = root.name === 'article' ? root : findFirst(root, named('article'));
  const meta = path(article, 'front', 'article-meta');
  if (!article || !meta || !child(article, 'body')) return undefined;
  const walk = new Walk();
  walk.front(meta);
  walk.statements(article);
  for (const part of children(article, 'body', 'floats-group', 'floats-wrap')) walk.flow(part, 1);
  for (const back of children(article, 'back')) walk.flow(without(back, 'title', 'label'), 1);
  return { id, structured: true, blocks: walk.blocks };
}

/** The truth of the pages: a heading that none of them prints, as archives add some, is not asked. */
export function askedOf(pages: string, truth: Truth): Truth {
  const printed = lettersOf(pages);
  const isPrinted = (text: string): boolean => printed.includes(lettersOf(text));
  const blocks = truth.blocks.map((block) =>
    block.kind === 'heading' && !isPrinted(block.text) ? { ...block, optional: true } : block,
  );
  return { ...truth, blocks };
}

/** Abstracts that a PDF may leave out. */
const ASIDE = /graphical|teaser|toc|web-summary|highlights|key-points|summary|short/u;

const BLOCKS = new Set(
  `p sec list def-list disp-formula disp-formula-group disp-quote boxed-text fig fig-group table-wrap table-wrap-group
   supplementary-material media code preformat statement verse-group graphic fn-group fn ref-list glossary ack notes
   app app-group bio floats-group chem-struct-wrap`.split(/\s+/u),
);

/** Sections that archives add to a paper: its pages may have other names for them, or none. */
const ADDED =
  /^(?:associated-data|display-objects|fn-group|supplementary-(?:materials?|data)|funding-statement\d{0,3})$/u;

/** Statements that a file may have without the names that pages print them under. */
const STATEMENTS: readonly (readonly [tell: (element: MarkupElement) => boolean, names: readonly string[]])[] = [
  [
    (element) => /^(?:coi-statement|conflict|competing-interests?)$/iu.test(typeOf(element)),
    ['Competing interests', 'Conflicts of interest', 'Declaration of conflicting interests', 'Disclosure'],
  ],
  [(element) => typeOf(element) === 'con' || element.name === 'role', ['Author contributions']],
  [
    (element) =>
      /^(?:financial-disclosure|supported-by|funding)$/u.test(typeOf(element)) || element.name === 'funding-group',
    ['Funding', 'Funding statement', 'Financial support', 'Financial support and sponsorship'],
  ],
  [({ name }) => name === 'corresp', ['Correspondence', 'Corresponding author']],
  [({ name }) => name === 'bio', ['Author biography']],
  [({ name }) => name === 'license', ['Open access']],
  [({ name, attributes }) => name === 'contrib-id' && attributes['contrib-id-type'] === 'orcid', ['ORCID iDs']],
];

function typeOf({ attributes }: MarkupElement): string {
  return attributes['fn-type'] ?? attributes['content-type'] ?? '';
}

/** Most letters of a label in front of a note. */
const LABEL_LETTERS = 60;

/** A link of a reference: files have DOIs that pages do not print, and leave others out that pages do. */
const REFERENCE_LINK =
  /[\s,;]{0,3}(?:(?:https?:\/\/)?(?:dx\.)?doi\.org\/|doi\s?:?)\s?10\.\d{4,9}\/\S+|\s?\[?PM(?:C?ID)\s?:\s?\w+\]?/giu;

/** The words of a reference without its links, which truth and parser are compared by. */
export function withoutLinks(reference: string): string {
  return reference.replaceAll(REFERENCE_LINK, '').trim();
}

const HEADING_PARTS = ['title', 'label', 'sec-meta', 'object-id', 'subtitle', 'caption'];

class Walk {
  readonly blocks: TruthBlock[] = [];
  #isSoft = false;

  front(meta: MarkupElement): void {
    const group = child(meta, 'title-group');
    const title = child(group, 'article-title');
    this.#add('title', textOf(title && without(title, 'xref', 'fn'), ...children(group, 'subtitle')));
    for (const part of children(meta))
      if (!['abstract', 'trans-abstract', 'title-group', 'contrib-group', 'kwd-group'].includes(part.name))
        this.#add('soft', spaced(part));
    for (const contributor of findAll(meta, named('contrib'))) this.#add('soft', spaced(contributor));
    for (const affiliation of findAll(meta, named('aff'))) this.#add('soft', spaced(affiliation));
    for (const abstract of children(meta, 'abstract', 'trans-abstract')) this.#abstract(abstract);
    for (const words of children(meta, 'kwd-group')) this.#add('soft', `Keywords ${spaced(words)}`);
  }

  /** Names that pages may print above what the file says by its elements alone. */
  statements(article: MarkupElement): void {
    for (const [tells, names] of STATEMENTS)
      if (findFirst(article, tells)) for (const name of names) this.#implied(name, 1);
  }

  #abstract(abstract: MarkupElement): void {
    const before = this.#isSoft;
    this.#isSoft ||= ASIDE.test(abstract.attributes['abstract-type'] ?? '') || abstract.name === 'trans-abstract';
    const title = textOf(child(abstract, 'title')) || 'Abstract';
    this.blocks.push({ kind: 'heading', text: title, level: 1, optional: true });
    for (const part of children(without(abstract, 'title')))
      if (part.name === 'sec') {
        this.#heading(part, 2, true);
        this.flow(without(part, 'title', 'label'), 3);
      } else this.block(part, 2);
    this.#isSoft = before;
  }

  /** Mixed content: runs of text become paragraphs, blocks between them are kept. */
  flow(element: MarkupElement, level: number, kind: 'text' | 'list_item' = 'text'): void {
    const text = inlineText([]);
    const flush = (): void => this.#add(kind, text.take().text);
    text.gather(element, (inner) => {
      if (!BLOCKS.has(inner.name)) return 'inline';
      flush();
      this.block(inner, level);
      return 'skip';
    });
    flush();
  }

  block(element: MarkupElement, level: number): void {
    switch (element.name) {
      case 'sec':
      case 'app':
      case 'glossary':
      case 'notes':
      case 'ack':
        this.#section(element, level);
        return;
      case 'boxed-text':
        this.#add('caption', textOf(child(element, 'label'), child(child(element, 'caption') ?? element, 'title')));
        this.flow(without(element, ...HEADING_PARTS), level);
        return;
      case 'list':
        for (const item of findAll(element, named('list-item'))) this.#item(item, element);
        return;
      case 'def-list':
        for (const item of findAll(element, named('def-item'))) this.#add('list_item', spaced(item));
        return;
      case 'disp-formula':
        this.#add('formula', formula(element));
        return;
      case 'fig':
      case 'fig-group':
      case 'table-wrap-group':
      case 'chem-struct-wrap':
        this.#caption(element);
        for (const part of children(element, 'fig', 'table-wrap')) this.block(part, level);
        return;
      case 'table-wrap':
        this.#table(element);
        return;
      case 'code':
      case 'preformat':
        this.#add('code', rawText(element));
        return;
      case 'ref-list':
        this.#references(element, level);
        return;
      case 'supplementary-material':
      case 'media':
      case 'graphic':
      case 'fn-group':
      case 'fn':
      case 'bio':
        this.#label(element);
        this.#add('soft', spaced(element));
        return;
      case 'p':
        this.#runIn(element);
        this.flow(element, level);
        return;
      default:
        this.flow(element, level);
    }
  }

  #section(section: MarkupElement, level: number): void {
    const { attributes } = section;
    const isAdded = [attributes['sec-type'], attributes['content-type'], attributes['id']].some((each = '') =>
      ADDED.test(each),
    );
    const isHeaded = this.#heading(section, level, this.#isSoft || isAdded);
    if (!isHeaded && section.name === 'ack') this.#implied('Acknowledgements', level);
    this.flow(without(section, ...HEADING_PARTS), level + 1);
  }

  #heading(section: MarkupElement, level: number, optional: boolean): boolean {
    const title = child(section, 'title') ?? child(child(section, 'caption'), 'title');
    const text = textOf(child(section, 'label'), title);
    if (text === '') return false;
    this.blocks.push({ kind: 'heading', text, level, ...(optional && { optional }) });
    return true;
  }

  /** "Funding." in bold or "Contributors:" in front of a note, which pages may set as a heading. */
  #label(notes: MarkupElement): void {
    for (const paragraph of findAll(notes, named('p'))) {
      this.#runIn(paragraph);
      const [first] = paragraph.children;
      const [, name = ''] = (typeof first === 'string' && /^\s*(\p{Lu}[^.:]{2,59}):\s/u.exec(first)) || [];
      if (name !== '') this.#implied(name, 1);
    }
  }

  /** A name in bold in front of a sentence, or of one further on in a paragraph of statements. */
  #runIn(paragraph: MarkupElement): void {
    paragraph.children.forEach((node, at) => {
      const label = typeof node === 'object' && node.name === 'bold' ? textOf(node) : '';
      if (label === '' || label.length >= LABEL_LETTERS || (at > 0 && !/[.:]$/u.test(label))) return;
      this.#implied(label.replace(/[.:]$/u, ''), 1);
    });
  }

  #implied(text: string, level: number): void {
    this.blocks.push({ kind: 'heading', text, level, optional: true });
  }

  #item(item: MarkupElement, list: MarkupElement): void {
    const ordered = !/^(?:bullet|simple|unordered|none)$/iu.test(list.attributes['list-type'] ?? 'bullet');
    const own = children(item, 'p').map((part) => without(part, 'list', 'def-list', 'fig', 'table-wrap'));
    this.#add('list_item', textOf(child(item, 'label'), ...own), { ordered });
  }

  #caption(float: MarkupElement): void {
    const caption = child(float, 'caption');
    const parts = children(caption).flatMap((part) => (part.name === 'p' || part.name === 'title' ? [part] : []));
    this.#add('caption', textOf(child(float, 'label'), ...parts));
  }

  #table(wrap: MarkupElement): void {
    this.#caption(wrap);
    for (const table of findAll(wrap, named('table'))) {
      const rows = tableRows(table).map(({ part, cells }) =>
        cells.map((cell): TruthCell => {
          const span = (name: string): number => Number(cell.attributes[name] ?? 1) || 1;
          const header = part === 'head' || cell.name === 'th';
          return { text: textOf(cell), rowspan: span('rowspan'), colspan: span('colspan'), header };
        }),
      );
      const text = rows
        .flat()
        .map((cell) => cell.text)
        .join(' ');
      if (text.trim() !== '') this.#add('table', text, { table: { rows: withoutSpacerColumns(withoutSpacers(rows)) } });
    }
    for (const foot of children(wrap, 'table-wrap-foot', 'fn-group', 'fn')) this.#add('soft', spaced(foot));
  }

  #references(list: MarkupElement, level: number): void {
    const entries = children(list, 'ref');
    if (!this.#heading(list, level, false) && entries.length > 0) this.#implied('References', level);
    for (const entry of entries) {
      const holder = child(entry, 'citation-alternatives') ?? entry;
      const kinds = ['mixed-citation', 'element-citation', 'nlm-citation', 'citation'];
      const citations = kinds.map((kind) => children(holder, kind)).find((own) => own.length > 0) ?? [];
      const texts = (holder === entry ? citations : citations.slice(0, 1)).map((each) =>
        spaced(without(each, 'label', 'pub-id')),
      );
      this.#add('reference', withoutLinks(texts.join(' ')));
    }
    for (const part of children(list, 'ref-list')) this.#references(part, level + 1);
  }

  #add(kind: TruthBlock['kind'], text: string, more: Partial<TruthBlock> = {}): void {
    const isText = kind === 'text' || kind === 'list_item' || kind === 'code';
    if (text.trim() !== '')
      this.blocks.push({ kind: this.#isSoft && isText ? 'soft' : kind, text: text.trim(), ...more });
  }
}

/** Rows of nothing but empty cells, which some publishers draw rules with, are not printed. */
function withoutSpacers(rows: readonly (readonly TruthCell[])[]): TruthCell[][] {
  const isSpacer = rows.map((row) => row.every(({ text }) => text.trim() === ''));
  return rows.flatMap((row, at) => {
    if (isSpacer[at]) return [];
    const spacers = (rowspan: number): number => isSpacer.slice(at, at + rowspan).filter(Boolean).length;
    return [row.map((cell) => ({ ...cell, rowspan: cell.rowspan - spacers(cell.rowspan) }))];
  });
}

/** Columns of nothing but empty cells, which other publishers keep columns apart with, are not printed either. */
function withoutSpacerColumns(rows: readonly (readonly TruthCell[])[]): TruthCell[][] {
  // Columns with a cell of their own, and those of them with words.
  const [own, used] = [new Set<number>(), new Set<number>()];
  const places = placesOf(rows);
  rows.forEach((row, at) =>
    row.forEach(({ text, colspan }, index) => {
      if (colspan > 1) return;
      const column = places[at]?.[index] ?? 0;
      own.add(column);
      if (text.trim() !== '') used.add(column);
    }),
  );
  const isSpacer = (column: number): boolean => own.has(column) && !used.has(column);
  return rows.map((row, at) =>
    row.flatMap((cell, index) => {
      const from = places[at]?.[index] ?? 0;
      const columns = Array.from({ length: cell.colspan }, (_, each) => from + each);
      const colspan = columns.filter((column) => !isSpacer(column)).length;
      return colspan > 0 ? [{ ...cell, colspan }] : cell.text.trim() === '' ? [] : [{ ...cell, colspan: 1 }];
    }),
  );
}

/** The column that each cell begins in, below cells that span rows. */
function placesOf(rows: readonly (readonly TruthCell[])[]): number[][] {
  const until: number[] = [];
  return rows.map((row, at) => {
    let column = 0;
    return row.map(({ rowspan, colspan }) => {
      while ((until[column] ?? 0) > at) column += 1;
      const from = column;
      for (column = from; column < from + colspan; column += 1) until[column] = at + rowspan;
      return from;
    });
  });
}

function textOf(...elements: readonly (MarkupElement | undefined)[]): string {
  return inlineLine([], ...elements).text;
}

/** All the words of an element, apart from each other. */
function spaced(element: MarkupElement): string {
  return element.children
    .map((node) => (typeof node === 'string' ? node : spaced(node)))
    .join(' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

function formula(element: MarkupElement): string {
  const { math, tex } = formulaParts(element);
  if (tex) return bareLatex(rawText(tex));
  return math ? latexOf(math) : lineText(element);
}
