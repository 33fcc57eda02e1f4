import type { Cell, Table, Block, Box, Page, ParsedDocument } from '../../document.ts';
import type { MarkupElement, MarkupNode } from '../markup/node.ts';
import { ListTags, ownedCaptions, tableGrid } from './structure.ts';

const ORIGIN: Readonly<Record<Cell['kind'], string>> = {
  data: 'fcel',
  'column-header': 'ched',
  'row-header': 'rhed',
  'section-row': 'srow',
};
const KINDS: Readonly<Record<string, Cell['kind']>> = {
  fcel: 'data',
  ecel: 'data',
  ched: 'column-header',
  rhed: 'row-header',
  srow: 'section-row',
};

export interface CellToken {
  readonly token: string;
  readonly text: string;
}

/** A table as a stream of cell tokens, row by row; spans as docling spells them (two-dimensional ones are all xcel). */
export function writeOtsl(table: Table): string {
  return tableGrid(table)
    .map((line, row) => `${line.map((cell, column) => cellToken(cell, row, column)).join('')}<nl>`)
    .join('');
}

function cellToken(cell: Cell | undefined, row: number, column: number): string {
  if (!cell) return '<ecel>';
  if (row !== cell.row || column !== cell.column)
    return cell.rowSpan > 1 && cell.columnSpan > 1 ? '<xcel>' : cell.columnSpan > 1 ? '<lcel>' : '<ucel>';
  const text = guardText(cell.text.replace(/\s+/g, ' ').trim());
  return text === '' ? '<ecel>' : `<${ORIGIN[cell.kind]}>${text}`;
}

/** A cell owns free lcel/xcel to its right, ucel/xcel below, and all between, which covers both spellings. */
export function readOtsl(tokens: readonly CellToken[]): Table {
  const grid: CellToken[][] = [[]];
  for (const cell of tokens) {
    if (cell.token === 'nl') grid.push([]);
    else grid.at(-1)?.push(cell);
  }
  while (grid.length > 0 && grid.at(-1)?.length === 0) grid.pop();
  const columns = grid.reduce((most, row) => Math.max(most, row.length), 0);
  const owned = grid.map(() => new Uint8Array(columns));
  const isOneOf = (row: number, column: number, first: string): boolean => {
    const token = grid[row]?.[column]?.token;
    return (token === first || token === 'xcel') && owned[row]?.[column] === 0;
  };
  const cells: Cell[] = [];
  grid.forEach((line, row) => {
    for (let column = 0; column < columns; column += 1) {
      const { token, text } = line[column] ?? { token: 'ecel', text: '' };
      if (owned[row]?.[column]) continue;
      // A continuation without an owner becomes a cell: the text of a damaged table is not lost.
      const starts = KINDS[token] !== undefined;
      let columnSpan = 1;
      let rowSpan = 1;
      if (starts) {
        while (isOneOf(row, column + columnSpan, 'lcel')) columnSpan += 1;
        while (isOneOf(row + rowSpan, column, 'ucel')) rowSpan += 1;
      }
      for (let at = row; at < row + rowSpan; at += 1) owned[at]?.fill(1, column, column + columnSpan);
      cells.push({ row, column, rowSpan, columnSpan, text, kind: KINDS[token] ?? 'data' });
    }
  });
  return { rows: grid.length, columns, cells };
}

const words = (list: string): readonly string[] => list.split(' ');

/** Elements that hold text. */
export const LEAVES: ReadonlySet<string> = new Set([
  ...words('title text paragraph caption footnote formula code page_header page_footer reference list_item'),
  ...words('handwritten_text smiles checkbox_selected checkbox_unselected key_value_region form'),
  ...[0, 1, 2, 3, 4, 5, 6].map((level) => `section_header_level_${level}`),
]);

const CONTAINERS: ReadonlySet<string> = new Set(
  words('doctag ordered_list unordered_list inline picture chart otsl table document_index'),
);

export const CELL_TOKENS: ReadonlySet<string> = new Set(words('fcel ecel ched rhed srow lcel ucel xcel nl'));

/** What a picture shows; single tokens without a closing tag. */
export const PICTURE_CLASSES: ReadonlySet<string> = new Set([
  ...words('bar_chart box_plot flow_chart line_chart pie_chart scatter_plot table full_page_image page_thumbnail'),
  ...words('photograph chemistry_structure bar_code icon logo qr_code signature stamp engineering_drawing'),
  ...words('screenshot_from_computer screenshot_from_manual geographical_map topographical_map calendar'),
  ...words('crossword_puzzle music other cad_drawing chart decoration electrical_diagram map heatmap illustration'),
  ...words('infographic chemistry_markush_structure chemistry_molecular_structure natural_image person picture_group'),
  ...words('remote_sensing scatter_chart screenshot stacked_bar_chart stratigraphic_chart ui_element'),
]);

/** Classes whose picture is written as `chart`. */
const CHART_CLASSES: ReadonlySet<string> = new Set(
  words('pie_chart bar_chart stacked_bar_chart line_chart flow_chart scatter_chart scatter_plot heatmap'),
);

const LANGUAGES = words(
  'Ada Awk Bash bc C C# C++ CMake COBOL CSS Ceylon Clojure Crystal Cuda Cython D Dart dc Dockerfile Elixir Erlang FORTRAN Forth Go HTML Haskell Haxe Java JavaScript Julia Kotlin Lisp Lua Matlab MoonScript Nim OCaml ObjectiveC Octave PHP Pascal Perl Prolog Python Racket Ruby Rust SML SQL Scala Scheme Swift TypeScript VisualBasic XML YAML',
);
const BY_LOWER_NAME = new Map(LANGUAGES.map((name) => [name.toLowerCase(), name]));
const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  `cpp=C++ cs=C# csharp=C# f90=FORTRAN golang=Go js=JavaScript kt=Kotlin objective-c=ObjectiveC py=Python python3=Python
   rb=Ruby rs=Rust sh=Bash shell=Bash ts=TypeScript vb=VisualBasic yml=YAML`
    .split(/\s+/)
    .map((pair) => pair.split('=')),
);

export function labelOf(kind: Block['kind']): string {
  return kind === 'heading' ? 'section_header' : kind;
}

export function codeLanguage(name: string | undefined): string {
  if (name === undefined) return 'unknown';
  const lower = name.toLowerCase();
  return BY_LOWER_NAME.get(lower) ?? ALIASES[lower] ?? 'unknown';
}

/** True for a tag of the closed vocabulary; everything else between angle brackets is text. */
function isKnownTag(name: string): boolean {
  return (
    LEAVES.has(name) ||
    CONTAINERS.has(name) ||
    CELL_TOKENS.has(name) ||
    PICTURE_CLASSES.has(name) ||
    name === 'page_break' ||
    /^(?:loc|key|value|link)_\d{1,6}$/.test(name) ||
    (/^_[^<>\s]{1,24}_$/.test(name) && (name === '_unknown_' || BY_LOWER_NAME.has(name.slice(1, -1).toLowerCase())))
  );
}

/** Positions are given on a grid of this many steps in each direction, whatever the page's size. */
export const GRID = 500;

/** A position on the grid, rounded as Python rounds (half to even) and kept inside. */
export function toGrid(coordinate: number, size: number): number {
  if (!(size > 0)) return 0;
  return Math.min(GRID - 1, Math.max(0, roundHalfEven((GRID * coordinate) / size)));
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

export function locationTokens(box: Box, page: Page): string {
  return [
    toGrid(box.left, page.width),
    toGrid(box.top, page.height),
    toGrid(box.right, page.width),
    toGrid(box.bottom, page.height),
  ]
    .map((value) => `<loc_${value}>`)
    .join('');
}

export function boxFromGrid(
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
  page: { readonly width: number; readonly height: number },
): Box {
  return {
    left: (left * page.width) / GRID,
    top: (top * page.height) / GRID,
    right: (right * page.width) / GRID,
    bottom: (bottom * page.height) / GRID,
  };
}

const TAG = /<(\/?)([A-Za-z_][^<>\s/]{0,40})(\/?)>/g;
const LANGUAGE = /^_[^<>\s]{1,24}_$/;
/** How far to search for the end of an element; longer ones count as unclosed. */
const LOOK_AHEAD = 50_000;
// A zero-width character after the bracket distinguishes text that looks like a tag.
const GUARD = '\u200B';

interface Growing extends MarkupElement {
  readonly children: MarkupNode[];
}

/** Without escapes, a name is a tag only where one is allowed. Open elements end where the next begins. */
export function parseDoctags(source: string): MarkupElement {
  const root: Growing = { name: 'doctag', attributes: {}, children: [] };
  const open = [root];
  let top = root;
  let from = 0;
  let previous = '';
  for (const match of source.matchAll(TAG)) {
    const [whole, slash, name = ''] = match;
    const end = match.index + whole.length;
    const adjacent = from === match.index;
    const isLanguage = top.name === 'code' && LANGUAGE.test(name) && adjacent;
    if (!isLanguage && !isKnownTag(name)) continue;
    if (slash === '/') {
      if (!closes(open, name)) continue;
    } else if (!isLanguage && !canOpen(source, end, name, { top: top.name, previous, adjacent })) continue;
    if (!adjacent) top.children.push(unguard(source.slice(from, match.index)));
    from = end;
    previous = name;
    const isClass = isPicture(top.name) && PICTURE_CLASSES.has(name);
    if (SPACES.test(name)) top.children.push(' ');
    else if (slash === '/') {
      const last = open.findLastIndex((each) => each.name === name);
      if (last !== -1) open.length = Math.max(1, last);
    } else {
      const element: Growing = { name, attributes: {}, children: [] };
      const isHolder = !isLanguage && !isClass && (LEAVES.has(name) || CONTAINERS.has(name));
      if (isHolder) open.length = open.findLastIndex((each) => holds(each.name, name)) + 1;
      open.at(-1)?.children.push(element);
      if (isHolder) open.push(element);
    }
    top = open.at(-1) ?? root;
  }
  if (from < source.length) top.children.push(unguard(source.slice(from)));
  return root;
}

function closes(open: readonly MarkupElement[], name: string): boolean {
  if (open.some((each) => each.name === name)) return true;
  // A stray end tag between elements is ignored; inside a text it is text.
  return !LEAVES.has(open.at(-1)?.name ?? '') || SPACES.test(name);
}

/** Parts of a form, whose tags only keep their texts apart. */
const SPACES = /^(?:key|value|link)_\d+$/;

const INSIDE: Readonly<Record<string, RegExp>> = {
  text: /^(?:reference|loc_\d+)$/,
  code: /^(?:caption|loc_\d+)$/,
  otsl: /^(?:caption|footnote|loc_\d+)$/,
  table: /^(?:caption|footnote|loc_\d+)$/,
  document_index: /^(?:caption|footnote|loc_\d+)$/,
  picture: /^(?:caption|footnote|smiles|loc_\d+)$/,
  chart: /^(?:caption|footnote|smiles|loc_\d+)$/,
};
const HOLDS_ANYTHING = new Set(
  `doctag ordered_list unordered_list inline list_item key_value_region form`.split(/\s+/),
);

function isPicture(name: string): boolean {
  return name === 'picture' || name === 'chart';
}

function holds(holder: string, name: string): boolean {
  return HOLDS_ANYTHING.has(holder) || INSIDE[holder]?.test(name) === true;
}

function canOpen(
  source: string,
  end: number,
  name: string,
  state: { readonly top: string; readonly previous: string; readonly adjacent: boolean },
): boolean {
  const { top, previous } = state;
  const isHead = state.adjacent && (previous === top || previous.startsWith('loc_') || LANGUAGE.test(previous));
  const inTable = top === 'otsl' || top === 'table' || top === 'document_index';
  const inPicture = isPicture(top);
  if (name.startsWith('loc_')) return isHead || inTable || inPicture || top === 'doctag' || top === 'inline';
  if (CELL_TOKENS.has(name)) return inTable || inPicture;
  if (inPicture && PICTURE_CLASSES.has(name)) return isHead;
  if (
    name === 'table' &&
    !/^(?:\s*<loc_\d+\/?>)*\s*<(?:fcel|ecel|ched|rhed|srow|caption)\/?>/.test(source.slice(end, end + 200))
  )
    return false;
  if (!LEAVES.has(name) && !CONTAINERS.has(name) && PICTURE_CLASSES.has(name)) return false;
  if (holds(top, name)) return true;
  // Inside an element that holds text only: a new element where the old one is not closed before it begins again.
  const ahead = source.slice(end, end + LOOK_AHEAD);
  const closing = ahead.indexOf(`</${top}>`);
  const again = ahead.indexOf(`<${top}>`);
  return closing === -1 || (again !== -1 && again < closing) || name === top || name === 'page_break';
}

function guardText(text: string): string {
  if (!text.includes('<')) return text;
  return text.replace(TAG, (whole: string, _slash: string, name: string) =>
    isKnownTag(name) ? `<${GUARD}${whole.slice(1)}` : whole,
  );
}

function unguard(text: string): string {
  return text.includes(`<${GUARD}`) ? text.replaceAll(`<${GUARD}`, '<') : text;
}

/** Writes a document as DocTags. Nothing is escaped: that is the format. */
export function writeDoctags(document: ParsedDocument): string {
  return new DoctagsWriter(document).write();
}

class DoctagsWriter {
  readonly #document: ParsedDocument;
  readonly #pages: ReadonlyMap<number, Page>;
  readonly #captions: ReadonlyMap<number, readonly Block[]>;
  readonly #parts: string[] = [];
  readonly #lists = new ListTags({ ordered: 'ordered_list', unordered: 'unordered_list' }, (tag) =>
    this.#parts.push(tag),
  );
  #page = 1;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#pages = new Map(document.pages.map((page) => [page.number, page]));
    this.#captions = ownedCaptions(document.blocks);
  }

  write(): string {
    for (const block of this.#document.blocks) {
      if (block.kind === 'caption' && block.parent !== undefined && this.#captions.has(block.parent)) continue;
      this.#turnPage(block);
      this.#lists.fit(block);
      this.#parts.push(this.#element(block));
    }
    this.#lists.close(0);
    // A list's first item follows its opening tag directly, as everywhere in the format.
    const lines = this.#parts.map((part) => (/^<(?:un)?ordered_list>$/.test(part) ? part : `${part}\n`)).join('');
    return `<doctag>${lines === '' ? '\n' : lines}</doctag>`;
  }

  #turnPage(block: Block): void {
    const page = block.regions[0]?.page ?? 1;
    if (page > this.#page) this.#lists.close(0);
    // One break per page, so that an empty page does not shift later page numbers.
    for (; this.#page < page; this.#page += 1) this.#parts.push('<page_break>');
  }

  #element(block: Block): string {
    const at = this.#locations(block);
    const captions = (this.#captions.get(block.order) ?? []).map((caption) => this.#element(caption)).join('');
    if (block.kind === 'heading')
      return paired(`section_header_level_${Math.min(6, Math.max(1, block.level))}`, at + plain(block.text));
    // Docling reads it as text; readers that know the tag, as a reference.
    if (block.kind === 'reference')
      return paired('text', at + paired('reference', plain(labelled(block.label, block.text))));
    if (block.kind === 'code')
      return paired('code', `${at}<_${codeLanguage(block.language)}_>${guardCode(block.text)}${captions}`);
    if (block.kind === 'table') return paired('otsl', at + writeOtsl(block.table) + captions);
    if (block.kind !== 'picture') return paired(block.kind, at + plain(block.text));
    const { category = '' } = block;
    const tag = CHART_CLASSES.has(category) ? 'chart' : 'picture';
    return paired(tag, at + (PICTURE_CLASSES.has(category) ? `<${category}>` : '') + captions);
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
