import { z } from 'zod';

import { EMPTY_REASONS, readTable, savedTables } from '../../answers/index.ts';
import type { JsonObject } from '../answer.ts';
import { scalarText } from '../answer.ts';
import { ANSWER, CUTS, PAGING, RUN, runsNamed, tool, WORKS } from '../tool.ts';

/** The cells of a saved table. */
export const tableTool = tool({
  name: 'table',
  title: 'Read a table',
  description:
    'Reads the tables that were filled in with "docstokg table": one row per paper, one column per question, each cell with a value, where it is from and its quote, or the reason why it is empty. Without the id of a table, it lists the tables. A cell that is "corrected" was set by a person.',
  input: z.strictObject({
    ...RUN,
    table: z.string().max(100).optional().describe('The id of a table; default: list the tables.'),
    columns: z.array(z.string().max(500)).max(50).optional().describe('Only these columns.'),
    ...WORKS,
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    tables: z.array(
      z.object({ run: z.string(), table: z.string(), columns: z.array(z.string()), model: z.string().nullable() }),
    ),
    cells: z.array(
      z.object({
        run: z.string(),
        work: z.string(),
        title: z.string(),
        column: z.string(),
        value: z.string().nullable(),
        from: z.string().describe('Where the value is from, or why there is none.'),
        page: z.number().nullable(),
        quote: z.string(),
        ...CUTS,
      }),
    ),
  }),
  async ask({ run, table: id, columns: wanted, works }, runs) {
    const tables: JsonObject[] = [];
    const cells: JsonObject[] = [];
    for (const { id: of, corpus, search: kept } of runsNamed(run, runs))
      for (const { id: table, columns, model } of savedTables(corpus)) {
        if (id !== undefined && table !== id) continue;
        const names = columns.map(({ name }) => name);
        tables.push({ run: of, table, columns: names, model });
        if (id === undefined) continue;
        const search = works === undefined ? {} : { works: corpus.chooseWorks(works) };
        const { rows } = await kept.use((session) => readTable(corpus, session, id, { search }));
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
                  : { value: null, from: EMPTY_REASONS[cell.reason] }),
                page: cell.quote?.page ?? null,
                quote: cell.quote?.text ?? '',
              });
      }
    const none = id === undefined ? 'No tables; docstokg table fills one in.' : `There is no table ${id}.`;
    return {
      head: { tables },
      list: 'cells',
      summary: tables.map(tableLine).join('\n') || none,
      items: cells.map((data) => ({ data, text: 'quote', line })),
    };
  },
});

function tableLine({ table, columns, model }: JsonObject): string {
  const by = model === null ? 'without a model' : `by ${scalarText(model)}`;
  return `Table ${scalarText(table)}, ${by}: ${(columns as string[]).join(', ')}`;
}

function line({ title, work, run, column, value, from, page, quote }: JsonObject): string {
  const shown = value === null ? `empty: ${scalarText(from)}` : `${scalarText(value)} (${scalarText(from)})`;
  const where = `work ${scalarText(work)} of ${scalarText(run)}${page === null ? '' : `, p. ${scalarText(page)}`}`;
  return `${scalarText(title)} · ${where}\n${scalarText(column)}: ${shown}${quote === '' ? '' : `\n${scalarText(quote)}`}`;
}
