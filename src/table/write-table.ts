import { rowSentence } from '../ask/row-sentence/index.ts';
import { csvLine } from '../base/index.ts';
import { openRowWriter } from '../parse/index.ts';
import type { CellQuote, Table, TableRow } from './cell.ts';

export const TABLE_FORMATS = ['csv', 'markdown', 'json', 'parquet'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export function tableText(table: Table, format: Exclude<TableFormat, 'parquet'>): string {
  switch (format) {
    case 'csv':
      return [headings(table), ...table.rows.map(fields)].map((cells) => csvLine(cells)).join('');
    case 'markdown':
      return markdown(table);
    case 'json':
      return `${JSON.stringify(table)}\n`;
  }
}

function headings({ columns }: Table): string[] {
  return [
    'work',
    'document',
    'title',
    'citation',
    ...columns.flatMap(({ name }) => [name, `${name} (quote)`, `${name} (page)`, `${name} (from)`]),
  ];
}

function fields({ work, document, cells }: TableRow): (string | number | null)[] {
  return [
    work?.id ?? '',
    document,
    work?.title ?? '',
    work?.apa ?? '',
    ...cells.flatMap((cell) => {
      const [value, from] = cell.kind === 'value' ? [cell.value, cell.from] : ['', cell.sentence];
      return [value, cell.quotes.map(quoteText).join(' […] '), cell.quotes[0]?.page ?? null, from];
    }),
  ];
}

/** A row of a table is told with its columns: its cells alone say nothing. */
function quoteText({ text, row }: CellQuote): string {
  return row ? rowSentence(row) : text;
}

const LONGEST_TITLE = 60;

/** "Berg et al. (2019): Corals of the north …"; a citation without author begins with the title. */
function shortLabel(work: TableRow['work'], document: string): string {
  if (!work) return document;
  const { apa, year, title } = work;
  const authors = apa.startsWith(title ?? 'Untitled') ? '' : apa.slice(0, Math.max(0, apa.indexOf(' (')));
  const names = authors === '' ? '' : `${authors.split(',')[0] ?? ''}${/[&…]/.test(authors) ? ' et al.' : ''} `;
  const whole = title ?? document;
  const end = whole.lastIndexOf(' ', LONGEST_TITLE - 1);
  const short = whole.length <= LONGEST_TITLE ? whole : `${whole.slice(0, end > 0 ? end : LONGEST_TITLE)} …`;
  return `${names}(${year ?? 'n.d.'}): ${short}`;
}

function markdown(table: Table): string {
  const plain = (text: string): string =>
    text
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/[\\|<>[\]*_`]/g, (mark) => `\\${mark}`)
      .trim();
  const notes: string[] = [];
  const rows = table.rows.map(({ work, document, cells }) => {
    const shown = cells.map((cell) => {
      if (cell.kind === 'empty') return '';
      if (cell.quotes.length === 0) return `${plain(cell.value)}${cell.from === 'corrected' ? ' (corrected)' : ''}`;
      const marks = cell.quotes.map((quote) => {
        const where = quote.page === null ? '' : `, page ${quote.page}`;
        notes.push(`${plain(work?.title ?? document)}${where}: “${plain(quoteText(quote))}” (${cell.from})`);
        return `[${notes.length}]`;
      });
      return `${plain(cell.value)} ${marks.join(' ')}`;
    });
    return `| ${[plain(shortLabel(work, document)), ...shown].join(' | ')} |`;
  });
  const names = ['paper', ...table.columns.map(({ name }) => plain(name))];
  return [
    `| ${names.join(' | ')} |`,
    `|${names.map(() => '---').join('|')}|`,
    ...rows,
    '',
    ...notes.map((note, at) => `${at + 1}. ${note}`),
    '',
    ...table.rows.flatMap(({ work }) => (work ? [`- ${plain(work.apa)}`] : [])),
    '',
  ].join('\n');
}

export async function writeTableFile(path: string, table: Table): Promise<void> {
  const names = headings(table);
  const isPage = (name: string): boolean => name.endsWith(' (page)');
  await using writer = await openRowWriter(path, {
    metadata: { schema: 'docstokg/table/1', model: table.model ?? '' },
    columns: Object.fromEntries(names.map((name) => [name, isPage(name) ? 'integer' : 'string'])),
  });
  for (const row of table.rows) {
    const values = fields(row);
    await writer.write(
      Object.fromEntries(names.map((name, at) => [name, values[at] ?? (isPage(name) ? undefined : '')])),
    );
  }
  await writer.finish();
}
