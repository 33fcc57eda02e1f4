import * as z from 'zod';

import { count, fields, number, text } from '../../library/shapes/index.ts';

// The page is built from this file too: import nothing here that a browser does not have.

const phase = z.enum(['title-abstract', 'full-text']);
const decided = z.object({
  ...fields(z.string(), 'by', 'at'),
  decision: z.enum(['include', 'exclude', 'maybe']),
  phase,
  ...fields(text, 'reason', 'note'),
});
export const screeningHead = z.object({
  run: z.string(),
  protocol: z.object({
    ...fields(count, 'version', 'reviewers'),
    ...fields(z.string(), 'question', 'criteria'),
    reasons: z.array(z.string()).describe('Reasons to exclude a work.'),
    highlight: z.array(z.string()),
  }),
  phases: z.record(phase, z.object(fields(count, 'works', 'included', 'excluded', 'maybe', 'conflicts', 'undecided'))),
  sample: z
    .object({
      ...fields(count, 'population', 'read', 'found'),
      isReached: z.boolean().describe('With 95 % confidence at least 95 % of the relevant works are found.'),
      stillToRead: count.describe('Records without a relevant one until that can be said.'),
      recallAtLeast: z.number().describe('The recall that can be promised with 95 % confidence now.'),
      estimate: z.number().describe('The recall that the sample suggests.'),
    })
    .nullable(),
  own: count.describe('Works that this reviewer has decided about in this phase.'),
  isTimeToSample: z.boolean(),
  agreement: z.object({ works: count, ...fields(z.number(), 'agreed', 'kappa') }).nullable(),
  reviewers: z.array(z.string()),
  conflicts: z.array(z.object({ work: z.string(), title: text, decisions: z.array(decided) })),
});
export const candidate = z.object({
  ...fields(z.string(), 'work', 'abstract'),
  rank: count.describe('0 if it is not ranked.'),
  is_sampled: z.boolean(),
  ...fields(text, 'title', 'venue', 'doi'),
  authors: z.array(z.string()),
  year: number,
  document: text.describe('The document with its full text, once there is one.'),
  decisions: z.array(decided).describe('Those of other reviewers only once all have decided.'),
});

export const screeningShape = screeningHead.extend({ next: z.array(candidate) });
