import * as z from 'zod';

import { readTable, savedTables } from '../table/index.ts';
import { rowSentence } from '../ask/row-sentence/index.ts';
import { quotedRow } from '../ask/shapes/index.ts';
import { counted, question, worksChoice } from './question.ts';
import { fields, number, text } from '../library/shapes/index.ts';

const saved = z.object({
  ...fields(z.string(), 'run', 'table'),
  columns: z.array(z.string()),
  model: text,
});
const cellFields = z.object({
  ...fields(z.string(), 'run', 'work', 'title', 'column', 'quote'),
  value: text,
  from: z.string().describe('Where the value is from, or why there is none.'),
  page: number.describe('Of the first quote.'),
  row: quotedRow.nullable().describe('Row and column of the table that the first quote is from.'),
});

export const tableQuestion = question({
  name: 'table',
  title: 'Read a table',
  description:
    'Reads the tables that were filled in with "docstokg table": one row per paper, one column per question, each cell with a value, where it is from and its quote, or the reason why it is empty. Without the id of a table, it lists the tables. A cell that is "corrected" was set by a person.',
  input: {
    table: z.string().max(100).optional().describe('The id of a table; default: list the tables.'),
    columns: z.array(z.string().max(500)).max(50).optional().describe('Only these columns.'),
    works: worksChoice.optional(),
  },
  head: {
    tables: z.array(saved),
    works_screened_out: z
      .int()
      .describe('Works without cells because screening excluded them; 0 if `works` is given, such as excluded.'),
  },
  list: 'cells',
  item: cellFields.shape,
  text: 'quote',
  line: ({ title, work, run, column, value, from, page, quote }) => {
    const shown = value === null ? `empty: ${from}` : `${value} (${from})`;
    const where = `work ${work} of ${run}${page === null ? '' : `, p. ${page}`}`;
    return `${title} · ${where}\n${column}: ${shown}${quote === '' ? '' : `\n${quote}`}`;
  },
  async ask({ table: id, columns: wanted, works }, runs) {
    const tables: z.output<typeof saved>[] = [];
    const cells: z.output<typeof cellFields>[] = [];
    let screenedOut = 0;
    for (const { id: of, corpus, search: kept } of runs)
      for (const { id: table, columns, model } of await savedTables(corpus)) {
        if (id !== undefined && table !== id) continue;
        const names = columns.map(({ name }) => name);
        tables.push({ run: of, table, columns: names, model });
        if (id === undefined) continue;
        const search = { works: corpus.chooseWorks(works) };
        const { rows, ...read } = await kept.use((session) => readTable(corpus, session, id, { search }));
        screenedOut += read.screenedOut;
        for (const row of rows)
          for (const [at, cell] of row.cells.entries())
            if (wanted?.includes(names[at] ?? '') !== false)
              cells.push({
                run: of,
                work: row.work?.id ?? row.document,
                title: row.work?.title ?? row.document,
                column: names[at] ?? '',
                ...(cell.kind === 'value'
                  ? { value: cell.value, from: cell.from }
                  : { value: null, from: cell.sentence }),
                page: cell.quotes[0]?.page ?? null,
                quote: cell.quotes.map((quote) => (quote.row ? rowSentence(quote.row) : quote.text)).join(' […] '),
                row: cell.quotes[0]?.row ?? null,
              });
      }
    const none = id === undefined ? 'No tables; docstokg table fills one in.' : `There is no table ${id}.`;
    return {
      head: { tables, works_screened_out: screenedOut },
      summary: `${
        tables
          .map(({ table, columns, model }) => {
            const by = model === null ? 'without a model' : `by ${model}`;
            return `Table ${table}, ${by}: ${columns.join(', ')}`;
          })
          .join('\n') || none
      }${screenedOut === 0 ? '' : `\nWithout ${counted(screenedOut, 'work')} that screening excluded.`}`,
      items: cells,
    };
  },
});
