import * as z from 'zod';

import { fields, number, passage, text } from '../../library/shapes/index.ts';

// Schemas of answers and tables for HTTP, MCP and the page; `answers` imports only their types.
// The page is built from this file too: import nothing here that a browser does not have.

/** The row of a table that a quote is from, with the cells that it covers. */
export const quotedRow = z.object({
  table: z.string().describe('The caption of the table; empty if it has none.'),
  group: text.describe('The heading among the rows above it that it stands under; null if there is none.'),
  row: z.string().describe('The name of the row: its first cell that is not empty.'),
  cells: z.array(
    z.object({
      column: z.string().describe('The header of the column.'),
      value: z.string(),
      unit: text.describe('From the cell, the header or the row; null if none is given.'),
    }),
  ),
});

export type QuotedRow = z.output<typeof quotedRow>;

const answerQuote = z.object({
  text: z.string(),
  sentence: z.string().describe('The whole sentence that the quote is from.'),
  document: z.string(),
  passage: z.string().describe('The id of the passage.'),
  ...fields(text, 'work', 'title', 'citation', 'link'),
  page: number,
  ...fields(z.int().describe('Offset in characters into the passage.'), 'start', 'end'),
  row: quotedRow.nullable().describe('Null for a quote that is not a row of a table.'),
  cites: text.describe(
    'The works that the sentence names as its source, as it prints them: it may tell what others found. Null if none.',
  ),
  unread: z.int().describe('Signs in the quote that could not be read from the file; they are shown as U+FFFD.'),
});

/** A sentence of an answer with the quotes that support it, at least one. */
export const answerSentence = z.object({
  text: z.string(),
  fit: number.describe('How well it answers the question, 0 to 1; null if a model wrote it.'),
  quotes: z.array(answerQuote),
});

export const answerHead = z.object({
  question: z.string(),
  model: text.describe('The model that wrote the sentences; null where they are quotes.'),
  sentences: z.array(answerSentence),
  nearest: z
    .array(answerSentence)
    .describe('Where there is no answer, the sentences of the papers that come nearest: they may answer, or not.'),
  disagreements: z.array(answerSentence).describe('What papers contradict each other about, by the model.'),
  uncertain: z.array(answerSentence).describe('What the papers call uncertain or unknown, by the model.'),
  dropped: z.record(z.string(), z.int()).describe('Sentences of the model that were dropped, by reason.'),
  support: z
    .enum(['model', 'reader'])
    .nullable()
    .describe('What checked that the quotes support the sentences; null if nothing did, or they are the quotes.'),
  cut: z.boolean().describe('Whether the answer of the model was cut off; its complete sentences are given.'),
  searches: z.array(z.string()).describe('What the model searched for besides the question.'),
  failure: z
    .object({ code: z.enum(['model-empty', 'model-unreadable', 'model-cut', 'over-budget']), message: z.string() })
    .nullable()
    .describe('Why the configured model did not answer; the sentences are then quotes.'),
  note: text.describe('What to know about how the sentences were found; null if nothing.'),
});

/** An answer from the papers; without sentences, no answer was found in them. */
export const answerShape = answerHead.extend({ passages: z.array(passage) });

export const column = z
  .object({
    name: z.string(),
    question: z.string(),
    type: z.enum(['text', 'number', 'yes/no', 'choice', 'list']),
    unit: text.describe('Unit of a number; null if any is accepted.'),
    choices: z.array(z.string()).describe('The allowed values of a choice.'),
    field: text.describe('The field of the record that it shows; null for what is read in the paper.'),
  })
  .meta({ id: 'Column' });

const cellQuote = z.object({
  text: z.string(),
  page: number,
  passage: z
    .object({ id: z.string(), start: z.int(), end: z.int() })
    .nullable()
    .describe('Null for values from the graph.'),
  row: quotedRow.nullable().describe('Null for a quote that is not a row of a table.'),
});

const quotes = z.array(cellQuote).describe('What shows the value; none for values of the record.');

/** A value, or the reason why there is none, with the closest sentences of the paper. */
export const cell = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('value'),
    value: z.string(),
    from: z.enum(['record', 'statement', 'graph', 'quantity', 'extractive', 'model', 'corrected']),
    quotes,
  }),
  z.object({
    kind: z.literal('empty'),
    reason: z.string(),
    sentence: z.string().describe('The reason in words.'),
    quotes,
  }),
]);

export const tableRow = z
  .object({
    document: z.string(),
    work: z.object({ id: z.string(), title: text, year: number, apa: z.string(), doi: text }).nullable(),
    link: text,
    cells: z.array(cell).describe('In the order of the columns.'),
  })
  .meta({ id: 'TableRow' });
