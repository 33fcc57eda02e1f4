import type { Table } from '../../../src/parse/index.ts';
import { element as tag, escapeXml } from './xml-text.ts';

/** An HTML table; rows with only column heads form the thead. */
export function htmlTable(
  table: Table,
  classes: { readonly table?: string; readonly row?: string; readonly cell?: string } = {},
): string {
  const rows = Array.from({ length: table.rows }, (_unused, row) => {
    const cells = table.cells.filter((cell) => cell.row === row);
    const markup = cells.map((cell) =>
      tag(
        cell.kind === 'data' ? 'td' : 'th',
        {
          class: classes.cell,
          scope: cell.kind === 'row-header' ? 'row' : cell.kind === 'column-header' ? 'col' : undefined,
          rowspan: cell.rowSpan > 1 ? cell.rowSpan : undefined,
          colspan: cell.columnSpan > 1 ? cell.columnSpan : undefined,
        },
        escapeXml(cell.text),
      ),
    );
    return {
      isHead: cells.every((cell) => cell.kind === 'column-header'),
      markup: tag('tr', { class: classes.row }, markup.join('')),
    };
  });
  const part = (name: string, isHead: boolean): string => {
    const chosen = rows.filter((row) => row.isHead === isHead);
    return tag(name, {}, chosen.map((row) => row.markup).join('\n'));
  };
  return tag('table', { class: classes.table }, part('thead', true) + part('tbody', false));
}
