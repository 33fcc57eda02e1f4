import * as z from 'zod';

import { openWriter } from '../../ask/index.ts';
import { columnsFrom, correctCell, estimateTable, fillTable, readTable, savedTables } from '../../table/index.ts';
import { eventStream } from '../../corpus/index.ts';
import { worksChoice } from '../../questions/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import { LINES_TYPE } from '../http/send.ts';
import type { Context } from './context.ts';
import { checkControl, turnsOf } from './context.ts';
import * as shapes from './shapes.ts';

const ROWS = 200;
const given = z.strictObject({
  columns: z
    .array(z.union([z.string().min(1).max(1_000), z.looseObject({ name: z.string() })]))
    .min(1)
    .max(50)
    .describe('NAME, NAME:TYPE, NAME:number:UNIT, or objects with name, question, type, unit, choices.'),
  works: worksChoice.optional(),
});
const correction = z.strictObject({
  work: z.string().min(1).max(2_048).describe('The id of the work, or the name of its document.'),
  column: z.string().min(1).max(500),
  value: z.string().max(500).nullable().describe('Empty for an empty cell; null goes back to what was found.'),
});
type Line = z.output<typeof shapes.tableLine>;
type TableRow = Extract<Line, { kind: 'row' }>['row'];

export function tableRoutes(context: Context): Route[] {
  // Two concurrent fills would read the same papers.
  const turns = turnsOf(context.clock, { fill: 1 });
  return [
    route({
      path: '/runs/{run}/tables',
      summary: 'The tables of a run, newest first.',
      schema: shapes.tables,
      value: async ({ run }) => ({
        items: (await savedTables(run.corpus)).map(({ at, ...table }) => ({
          ...table,
          at: new Date(at).toISOString(),
        })),
      }),
    }),
    route({
      path: '/runs/{run}/tables/{table}',
      summary: 'The rows of a table as they are now, with corrections.',
      query: {
        works: worksChoice.optional(),
        limit: z.int().min(1).max(1_000).optional().describe(`Maximum number of rows; default ${ROWS}.`),
        cursor: z.int().min(0).max(1_000_000_000).optional().describe('`next` of the previous rows.'),
      },
      schema: shapes.table,
      value: async ({ run, path, query: { works, limit = ROWS, cursor = 0 } }) => {
        const search = { works: run.corpus.chooseWorks(works) };
        const { rows, next, screenedOut, ...table } = await run.search.use((session) =>
          readTable(run.corpus, session, path.table, { search, limit, from: cursor }),
        );
        return { ...table, rows, works_screened_out: screenedOut, next: next === null ? null : String(next) };
      },
    }),
    route({
      path: '/runs/{run}/tables',
      summary:
        'Fills in a table, streamed row by row; a client that disconnects stops it, and the same request resumes.',
      body: given,
      gives: { types: [LINES_TYPE], schema: shapes.tableLine },
      handle: ({ run, body, signal }) => {
        checkControl(context, 'fill in tables');
        const { corpus, search: kept } = run;
        const columns = columnsFrom(body.columns);
        const search = { works: corpus.chooseWorks(body.works) };
        const lines = eventStream<Line>(async (tell, stop) => {
          using _turn = await turns.take('fill', stop);
          await using opened = new AsyncDisposableStack();
          const writer = openWriter(corpus, opened);
          const filled = (row: TableRow): void => tell({ kind: 'row', row });
          const request = { columns, search, writer, filled };
          const table = await kept.use((session) => fillTable(corpus, session, request, stop));
          const { succeeded, failed } = table.outcome;
          tell({
            kind: 'table',
            table: table.id,
            rows: table.rows.length,
            filled: succeeded,
            failed,
            over_budget: table.overBudget,
            works_screened_out: table.screenedOut,
          });
        }, signal);
        return { kind: 'lines', lines };
      },
    }),
    route({
      path: '/runs/{run}/tables/estimate',
      summary: 'About what a model would cost to fill in a table; it is not asked.',
      body: given,
      schema: shapes.tableEstimate,
      value: async ({ run: { corpus, search: kept }, body, signal }) => {
        checkControl(context, 'fill in tables');
        await using opened = new AsyncDisposableStack();
        const columns = columnsFrom(body.columns);
        const request = {
          columns,
          search: { works: corpus.chooseWorks(body.works) },
          writer: openWriter(corpus, opened),
        };
        const estimate = await kept.use((session) => estimateTable(corpus, session, request, signal));
        const { inputTokens, mostOutputTokens, mostUsd, ...counts } = estimate;
        return { ...counts, input_tokens: inputTokens, most_output_tokens: mostOutputTokens, most_usd: mostUsd };
      },
    }),
    route({
      path: '/runs/{run}/tables/{table}/cells',
      summary: 'Corrects a cell, or undoes the correction; later runs keep it, also with another model.',
      body: correction,
      schema: shapes.row,
      value: async ({ run, path, body }) => {
        checkControl(context, 'correct cells');
        const row = await run.search.use((session) => correctCell(run.corpus, session, path.table, body));
        return { row: row ?? null };
      },
    }),
  ];
}
