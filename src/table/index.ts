export type { Column } from './cell.ts';
export { checkedColumns, columnsFrom, parseColumn, parseColumns } from './columns.ts';
export { estimateTable, fillTable } from './fill-table.ts';
export type { FilledTable } from './fill-table.ts';
export { correctCell, readTable, savedTables, tablesStamp } from './saved-tables.ts';
export type { TableFormat } from './write-table.ts';
export { TABLE_FORMATS, tableText, writeTableFile } from './write-table.ts';
