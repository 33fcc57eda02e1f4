import { rawCode } from '../markup/code-text.ts';
import { InlineText, type Line } from '../markup/inline-text.ts';
import { bareLatex, latexOf } from '../markup/math.ts';
import { child, children, findFirst, rawText, type MarkupElement } from '../markup/node.ts';
import { layOutTable } from '../markup/table-grid.ts';
import { writeTeiReference } from './tei-citation.ts';
import { addTeiInline, teiLine, type TeiWalk } from './tei-inline.ts';

const BLOCKS = new Set([
  'div',
  'div1',
  'div2',
  'div3',
  'div4',
  'p',
  'ab',
  'list',
  'table',
  'figure',
  'head',
  'listBibl',
  'quote',
  'q',
  'lg',
  'sp',
  'floatingText',
  'body',
  'front',
  'back',
  'group',
  'text',
  'titlePage',
  'argument',
  'epigraph',
]);

function isBlock(element: MarkupElement): boolean {
  if (element.name === 'formula')
    return element.attributes['rend'] === 'display' || element.attributes['id'] !== undefined;
  if (element.name === 'note') return ['foot', 'end', 'bottom'].includes(element.attributes['place'] ?? '');
  if (element.name === 'code' || element.name === 'eg') return rawText(element).includes('\n');
  return BLOCKS.has(element.name);
}

/** A division: its head one level below where the walk is, then its content. */
export function writeTeiDivision(walk: TeiWalk, division: MarkupElement): void {
  const head = child(division, 'head');
  const line = head ? headLine(walk, head) : undefined;
  if (line && line.text !== '') walk.builder.heading(line, walk.level + depthOf(head));
  const inner = line && line.text !== '' ? { ...walk, level: walk.level + 1 } : walk;
  writeFlow(inner, division, (node) => node === head);
}

/** GROBID keeps the number of a section beside its title, and all sections on one level. */
function headLine(walk: TeiWalk, head: MarkupElement): Line {
  const number = head.attributes['n'];
  const line = teiLine(head, walk);
  return number === undefined || line.text.startsWith(number) ? line : { text: `${number} ${line.text}`, links: [] };
}

function depthOf(head: MarkupElement | undefined): number {
  const parts = head?.attributes['n']?.split('.').filter((part) => part !== '') ?? [];
  return Math.max(0, parts.length - 1);
}

function writeFlow(
  walk: TeiWalk,
  element: MarkupElement,
  skip: (node: MarkupElement) => boolean = () => false,
  emit = (line: Line): void => void walk.builder.text(line),
): void {
  const text = new InlineText();
  const flush = (): void => {
    const line = text.take();
    if (line.text !== '') emit(line);
    for (const note of walk.notes.splice(0)) writeNote(walk, note);
  };
  for (const node of element.children) {
    if (typeof node === 'string') text.add(node);
    else if (skip(node)) continue;
    else if (isBlock(node)) {
      flush();
      writeBlock(walk, node);
    } else addTeiInline(text, node, walk);
  }
  flush();
}

function writeNote(walk: TeiWalk, note: MarkupElement): void {
  const line = teiLine(note, { ...walk, notes: [] });
  const number = note.attributes['n'];
  walk.builder.footnote(number === undefined ? line : { text: `${number} ${line.text}`, links: [] });
}

function writeBlock(walk: TeiWalk, element: MarkupElement): void {
  switch (element.name) {
    case 'head':
      walk.builder.heading(headLine(walk, element), walk.level);
      return;
    case 'list':
      writeList(walk, element, 0);
      return;
    case 'table':
      writeTable(walk, element);
      return;
    case 'figure':
      writeFigure(walk, element);
      return;
    case 'formula':
      walk.builder.formula(formulaLatex(element));
      return;
    case 'code':
    case 'eg':
      walk.builder.code(rawCode(rawText(element)), element.attributes['lang']);
      return;
    case 'note':
      writeNote(walk, element);
      return;
    case 'listBibl':
      for (const entry of children(element, 'biblStruct', 'bibl', 'biblFull')) writeTeiReference(walk, entry);
      return;
    case 'p':
    case 'ab':
    case 'quote':
    case 'q':
      writeFlow(walk, element);
      return;
    default:
      writeTeiDivision(walk, element);
  }
}

function formulaLatex(formula: MarkupElement): string {
  const math = child(formula, 'math');
  return math
    ? latexOf(math)
    : bareLatex(
        formula.children
          .map((node) => (typeof node === 'string' ? node : node.name === 'label' ? '' : rawText(node)))
          .join(''),
      );
}

function writeList(walk: TeiWalk, list: MarkupElement, depth: number, parent?: number): void {
  const kind = list.attributes['type'] ?? list.attributes['rend'] ?? '';
  const ordered = /^(?:ordered|numbered)/.test(kind);
  let label = '';
  let number = 0;
  for (const part of children(list)) {
    if (part.name === 'head') walk.builder.text(teiLine(part, walk));
    else if (part.name === 'label') label = teiLine(part, walk).text;
    else if (part.name === 'item') {
      number += 1;
      const marker = part.attributes['n'] ?? (ordered ? `${number}.` : undefined);
      let order: number | undefined;
      const lead = label;
      label = '';
      const nested = (node: MarkupElement): boolean => node.name === 'list';
      const joined = {
        ...part,
        children: part.children.flatMap((node) =>
          typeof node !== 'string' && node.name === 'p' ? [' ', ...node.children, ' '] : [node],
        ),
      };
      writeFlow(walk, joined, nested, (line) => {
        const shown = lead === '' || order !== undefined ? line : { text: `${lead} ${line.text}`, links: [] };
        if (order === undefined)
          order = walk.builder.listItem(shown, {
            ordered,
            depth,
            ...(marker !== undefined && { marker }),
            ...(parent !== undefined && { parent }),
          });
        else walk.builder.text(shown, { parent: order });
      });
      for (const inner of children(part, 'list')) writeList(walk, inner, depth + 1, order);
    }
  }
}

/** Rows and cells carry spans as `rows` and `cols`, and say by `role` whether they are heads. */
function writeTable(walk: TeiWalk, table: MarkupElement): number | undefined {
  const rows = children(table, 'row').map((row) => ({
    part: row.attributes['role'] === 'label' ? ('head' as const) : ('body' as const),
    cells: children(row, 'cell').map((cell) => ({
      name: cell.attributes['role'] === 'label' ? 'th' : 'td',
      attributes: { colspan: cell.attributes['cols'] ?? '1', rowspan: cell.attributes['rows'] ?? '1' },
      children: cell.children,
    })),
  }));
  if (rows.length === 0) return undefined;
  const order = walk.builder.table(layOutTable(rows, (cell) => teiLine(cell, walk).text));
  const head = child(table, 'head');
  if (head) walk.builder.caption(teiLine(head, walk), { parent: order });
  return order;
}

/** A figure, or, with `type="table"`, a table with its caption. */
function writeFigure(walk: TeiWalk, figure: MarkupElement): void {
  const table = findFirst(figure, (element) => element.name === 'table');
  const owner =
    (table ? writeTable(walk, table) : undefined) ??
    walk.builder.picture('', figure.attributes['type'] === 'table' ? 'table' : undefined);
  const text = new InlineText();
  for (const part of children(figure, 'head', 'figDesc', 'p')) {
    text.space();
    for (const node of part.children) addTeiInline(text, node, walk);
  }
  if (text.isEmpty) for (const part of children(figure, 'label')) text.add(rawText(part));
  walk.builder.caption(text.take(), { parent: owner });
  for (const note of [...walk.notes.splice(0), ...children(figure, 'note')])
    walk.builder.footnote(teiLine(note, { ...walk, notes: [] }), { parent: owner });
}
