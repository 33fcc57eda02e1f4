import { z } from 'zod';

import { answerPassage, answerSentence, answerShape, work } from '../../../questions/shapes/index.ts';
import { at, count, counts, number, stage, text, tried } from './basics.ts';
import { problem } from './operating.ts';

// Schemas for works, documents, passages, answers, tables, the drawn graph and the summary.

export const wholeWork = work.extend({
  abstract: text,
  url: text,
  apa: text,
  bibtex: text,
  file: z.boolean(),
  history: z.array(tried),
});

const facet = z.array(z.object({ value: z.string(), works: count, sentence: text }));

export const facets = z.object({
  outcome: facet,
  reason: facet,
  licence: facet,
  version: facet,
  type: facet,
  year: facet,
});

const step = z.enum(['success', 'failure', 'needs-ocr']).nullable();

export const documentLine = z
  .object({
    id: z.string(),
    work: text,
    title: text,
    authors: text,
    year: number,
    parsed: step,
    chunked: step,
    embedded: step,
    failure: text,
  })
  .meta({ id: 'Document' });

const box = z.object({ page: z.int(), left: z.number(), top: z.number(), right: z.number(), bottom: z.number() });

export const wholeDocument = z.object({
  id: z.string(),
  work: text,
  title: text,
  authors: text,
  year: number,
  kind: text,
  apa: text,
  bibtex: text,
  pages: z.array(z.object({ number: z.int(), width: z.number(), height: z.number() })),
  blocks: z.array(
    z.object({
      order: z.int(),
      tag: z.string(),
      level: number,
      text: z.string(),
      regions: z.array(box),
      rows: z.array(z.array(z.string())).nullable(),
      caption: text,
    }),
  ),
  next: number.describe('The next block; null at the end.'),
});

const failure = z.object({ kind: z.literal('error'), problem }).describe('The last line, where the work failed.');

export const answerLine = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.literal('passages'), passages: z.array(answerPassage) })
    .describe('Sent again where the question is asked in other words.'),
  z.object({ kind: z.literal('sentence'), sentence: answerSentence }).describe('A sentence that passed the gate.'),
  z.object({ kind: z.literal('answer'), answer: answerShape }).describe('The whole answer: the last line.'),
  failure,
]);

const column = z
  .object({
    name: z.string(),
    question: z.string(),
    type: z.enum(['text', 'number', 'yes/no', 'choice']),
    unit: text,
    choices: z.array(z.string()),
    field: text.describe('The field of the record that it shows; null for what is read in the paper.'),
  })
  .meta({ id: 'Column' });

const tableHead = {
  id: z.string(),
  columns: z.array(column),
  model: text.describe('The model that filled it in; null where none was asked.'),
};

const cellQuote = z
  .object({
    text: z.string(),
    page: number,
    passage: z.object({ id: z.string(), start: z.int(), end: z.int() }).nullable(),
  })
  .nullable();

const tableRow = z
  .object({
    document: z.string(),
    work: z.object({ id: z.string(), title: text, year: number, apa: z.string(), doi: text }).nullable(),
    link: text,
    cells: z
      .array(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('value'), value: z.string(), from: z.string(), quote: cellQuote }),
          z.object({ kind: z.literal('empty'), reason: z.string(), sentence: z.string(), quote: cellQuote }),
        ]),
      )
      .describe('In the order of the columns.'),
  })
  .meta({ id: 'TableRow' });

export const row = z.object({ row: tableRow.nullable() });

export const tables = z.object({ items: z.array(z.object({ ...tableHead, at })) });

export const table = z.object({
  ...tableHead,
  rows: z.array(tableRow),
  next: text.describe('Cursor of the next rows; null at the end.'),
});

export const tableLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('row'), row: tableRow }).describe('A row that was filled in now.'),
  z
    .object({
      kind: z.literal('table'),
      table: z.string().describe('The id of the table.'),
      rows: count,
      filled: count.describe('Rows filled in now.'),
      failed: count,
      over_budget: count,
    })
    .describe('The last line.'),
  failure,
]);

export const drawnWorks = z.object({ items: z.array(z.object({ id: z.string(), label: z.string() })) });

export const picture = z.object({
  nodes: z.array(
    z
      .object({ id: z.string(), kind: z.string(), label: z.string(), year: number, x: z.number(), y: z.number() })
      .loose(),
  ),
  edges: z.array(z.object({ source: z.int(), target: z.int(), kind: z.string() }).loose()),
  leftOut: z.record(z.string(), count),
});

export const account = z.object({
  asked: z.record(z.string(), z.unknown()).nullable(),
  prisma: z
    .object({
      identified: count,
      screened: count,
      not_screened: count,
      excluded: count,
      sought: count,
      not_retrieved: count,
      retrieved: count,
      excluded_by_full_text: count,
      excluded_by_full_text_reasons: counts,
      included: count,
    })
    .loose(),
  counts: counts.describe('Each count of the corpus; docs/reference has a sentence for each.'),
  outcomes: counts,
  by_resolver: counts,
  listed_by_file: counts,
  unreadable_by_file: counts,
  reasons: z.array(z.object({ value: z.string(), works: count, sentence: text })),
  licences: z.array(z.object({ value: z.string(), works: count })),
  stages: z.array(stage),
  run: z.unknown().describe('The latest summary written by the run.'),
});
