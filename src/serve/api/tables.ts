import { z } from 'zod';

import type { TableRow } from '../../answers/index.ts';
import {
  columnsFrom,
  correctCell,
  EMPTY_REASONS,
  fillTable,
  openWriter,
  readTable,
  savedTables,
  tableOptions,
} from '../../answers/index.ts';
import { eventStream } from '../../corpus/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { checkControl, runOf, searchableRun } from './context.ts';
import { noQuery, runPath, wholeNumber, worksChoice } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';
import { Turns } from './turns.ts';

const ROWS = 200;
const tablePath = runPath.extend({ table: z.string().min(1).max(100).describe('The id of a table.') });
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

/** Routes for tables, equivalent to `docstokg table`. Filling and correcting need control to be allowed. */
export function tableRoutes(context: Context): Route[] {
  // Two fills at a time would read the same papers.
  const turns = new Turns(1);
  return [
    route({
      path: '/runs/{run}/tables',
      summary: 'The tables of a run, newest first.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.tables },
      handle: ({ path }) => ({
        kind: 'json',
        value: {
          items: savedTables(runOf(context, path.run).corpus).map(({ at, ...table }) => ({
            ...table,
            at: new Date(at).toISOString(),
          })),
        },
      }),
    }),
    route({
      path: '/runs/{run}/tables/{table}',
      summary: 'The rows of a table as they are now, with corrections.',
      pathSchema: tablePath,
      querySchema: z.strictObject({
        works: worksChoice.optional(),
        limit: wholeNumber(1, 1_000).optional().describe(`Maximum number of rows; default ${ROWS}.`),
        cursor: wholeNumber(0, 1_000_000_000).optional().describe('`next` of the previous rows.'),
      }),
      gives: { kind: 'json', schema: shapes.table },
      handle: async ({ path, query: { works, limit = ROWS, cursor = 0 } }) => {
        const run = searchableRun(context, path.run);
        const search = works === undefined ? {} : { works: run.corpus.chooseWorks(works) };
        const { rows, next, ...table } = await run.search.use((session) =>
          readTable(run.corpus, session, path.table, { search, limit, from: cursor }),
        );
        const value = { ...table, rows: rows.map(shownRow), next: next === null ? null : String(next) };
        return { kind: 'json', value };
      },
    }),
    route({
      method: 'POST',
      path: '/runs/{run}/tables',
      summary:
        'Fills in a table, streamed row by row; a client that disconnects stops it, and the same request resumes.',
      pathSchema: runPath,
      querySchema: noQuery,
      bodySchema: given,
      gives: { kind: 'lines', schema: shapes.tableLine },
      handle: ({ path, body, signal }) => {
        checkControl(context, 'fill in tables');
        const { corpus, search: kept } = searchableRun(context, path.run);
        const columns = columnsFrom(body.columns);
        const search = body.works === undefined ? {} : { works: corpus.chooseWorks(body.works) };
        const lines = eventStream<Line>(async (tell, stop) => {
          using _turn = await turns.take(stop);
          await using opened = new AsyncDisposableStack();
          const writer = openWriter(corpus, opened);
          const table = await kept.use((session) =>
            fillTable(
              corpus,
              session,
              {
                columns,
                search,
                writer,
                budget: writer?.budget,
                options: tableOptions(corpus, writer !== undefined),
                filled: (row) => tell({ kind: 'row', row: shownRow(row) }),
              },
              stop,
            ),
          );
          const { succeeded: filled, failed } = table.outcome;
          const rows = table.rows.length;
          tell({ kind: 'table', table: table.id, rows, filled, failed, over_budget: table.overBudget });
        }, signal);
        return { kind: 'lines', lines };
      },
    }),
    route({
      method: 'POST',
      path: '/runs/{run}/tables/{table}/cells',
      summary: 'Corrects a cell, or undoes the correction; later runs keep it, also with another model.',
      pathSchema: tablePath,
      querySchema: noQuery,
      bodySchema: correction,
      gives: { kind: 'json', schema: shapes.row },
      handle: async ({ path, body }) => {
        checkControl(context, 'correct cells');
        const { corpus, search } = searchableRun(context, path.run);
        const row = await search.use((session) => correctCell(corpus, session, path.table, body));
        return { kind: 'json', value: { row: row ? shownRow(row) : null } };
      },
    }),
  ];
}

/** A row with the reason of each empty cell as a sentence. */
function shownRow({ cells, ...row }: TableRow): Extract<Line, { kind: 'row' }>['row'] {
  return {
    ...row,
    cells: cells.map((cell) => (cell.kind === 'empty' ? { ...cell, sentence: EMPTY_REASONS[cell.reason] } : cell)),
  };
}
