import type { Cell, Table } from '../../../src/parse/index.ts';
import type { Inline } from '../paper.ts';

/** Text that is already markup; any other text is escaped when a template inserts it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template may insert. Lists are joined; what is undefined, empty or false is left out. */
type Part = Markup | string | number | false | undefined | readonly Part[];

// Characters not allowed in XML 1.0.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function write(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (part === undefined || part === false) return '';
  if (typeof part === 'object') return part.map(write).join('');
  return String(part)
    .replaceAll(FORBIDDEN, '')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** XML or HTML from a template. A line break and the indentation after it are not part of the markup. */
export function markup(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const texts = template.map((text) => text.replaceAll(/\n\s*/g, ''));
  return new Markup(texts.map((text, index) => text + write(parts[index])).join(''));
}

/** The parts that are not empty, each on a line of its own. */
export function lines(parts: readonly Part[], separator = '\n'): Markup {
  return new Markup(
    parts
      .map(write)
      .filter((text) => text !== '')
      .join(separator),
  );
}

/** How a format writes inline elements. */
export interface InlineTags {
  readonly italic: (text: string) => Markup;
  readonly sub: (text: string) => Markup;
  readonly sup: (text: string) => Markup;
  readonly cite: (reference: number) => Markup;
  readonly note: (note: number) => Markup;
  readonly pointer: (to: 'table' | 'figure' | 'formula', number: number, text: string) => Markup;
}

/** Inline text as markup; citations become `[3, 7]` after a space. */
export function writeInlines(inlines: readonly Inline[], tags: InlineTags): Part {
  return inlines.map((inline) => {
    switch (inline.kind) {
      case 'text':
        return inline.text;
      case 'italic':
      case 'sub':
      case 'sup':
        return tags[inline.kind](inline.text);
      case 'cite':
        return markup` [${lines(inline.references.map(tags.cite), ', ')}]`;
      case 'note':
        return tags.note(inline.note);
      case 'pointer':
        return tags.pointer(inline.to, inline.number, inline.text);
    }
  });
}

/** The thead and tbody of a table; rows with only column heads form the thead. */
export function tableRows(table: Table, writeCell: (cell: Cell) => Markup, rowClass?: string): Markup {
  const rows = Array.from({ length: table.rows }, (_unused, row) => table.cells.filter((cell) => cell.row === row));
  const part = (isHead: boolean): Markup =>
    lines(
      rows
        .filter((cells) => cells.every(({ kind }) => kind === 'column-header') === isHead)
        .map((cells) => markup`<tr${classed(rowClass)}>${cells.map(writeCell)}</tr>`),
    );
  return markup`<thead>${part(true)}</thead><tbody>${part(false)}</tbody>`;
}

export function spans({ rowSpan, columnSpan }: Cell): Part {
  return [rowSpan > 1 && markup` rowspan="${rowSpan}"`, columnSpan > 1 && markup` colspan="${columnSpan}"`];
}

function classed(name: string | undefined): Part {
  return name && markup` class="${name}"`;
}

export function htmlTable(
  table: Table,
  classes: { readonly table?: string; readonly row?: string; readonly cell?: string } = {},
): Markup {
  const writeCell = (cell: Cell): Markup => {
    const attributes = [classed(classes.cell), SCOPES[cell.kind], spans(cell)];
    return cell.kind === 'data'
      ? markup`<td${attributes}>${cell.text}</td>`
      : markup`<th${attributes}>${cell.text}</th>`;
  };
  return markup`<table${classed(classes.table)}>${tableRows(table, writeCell, classes.row)}</table>`;
}

const SCOPES: Readonly<Partial<Record<Cell['kind'], Markup>>> = {
  'row-header': markup` scope="row"`,
  'column-header': markup` scope="col"`,
};

/** URL of a licence text; undefined if it has none. */
export function licenseUrl(license: string | undefined): string | undefined {
  if (license === undefined) return undefined;
  const name = license.toLowerCase();
  if (name === 'cc0' || name === 'public-domain') return 'https://creativecommons.org/publicdomain/zero/1.0/';
  const kind = /^cc-(by(?:-nc)?(?:-nd|-sa)?)$/.exec(name)?.[1];
  return kind ? `https://creativecommons.org/licenses/${kind}/4.0/` : undefined;
}
