import { z } from 'zod';

import { count, fields, number, text } from '../../ask/shapes/index.ts';

// Schemas that the page needs too: this file imports nothing that a browser does not have.

/** Where something is on a page. */
export const box = z.object({ page: z.int(), ...fields(z.number(), 'left', 'top', 'right', 'bottom') });

/** A passage found by a search, or that an answer is made from. */
export const passage = z.object({
  rank: z.number(),
  fit: z.number().describe('Score, 0 to 1.'),
  run: z.string(),
  work: z.string().describe('The id to pass to read or cite.'),
  ...fields(z.string(), 'title', 'by'),
  year: number,
  ...fields(text, 'venue', 'doi', 'license'),
  retracted: z.boolean(),
  headings: z.array(z.string()),
  part: z.string(),
  page: number,
  text: z.string(),
  ...fields(text, 'citation', 'bibtex'),
  id: z.string().describe('The id of the passage.'),
  document: z.string(),
  boxes: z.array(box),
  link: text,
});

/** A sentence of an answer with the quotes that support it. */
export const answerSentence = z.object({
  text: z.string(),
  fit: number,
  quotes: z.array(
    z.object({
      ...fields(z.string(), 'text', 'sentence', 'document'),
      passage: z.string().describe('The id of the passage.'),
      ...fields(text, 'title', 'citation'),
      page: number,
      ...fields(z.int(), 'start', 'end'),
    }),
  ),
});

export const answerHead = z.object({
  question: z.string(),
  model: text.describe('The model that wrote the sentences; null where they are quotes.'),
  sentences: z.array(answerSentence),
  dropped: z.record(z.string(), z.int()).describe('Sentences of the model that were dropped, by reason.'),
});

/** An answer from the papers; without sentences, they do not answer. */
export const answerShape = answerHead.extend({ passages: z.array(passage) });

const phase = z.enum(['title-abstract', 'full-text']);
const shown = z.object({
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
  isTimeToSample: z.boolean(),
  agreement: z.object({ works: count, ...fields(z.number(), 'agreed', 'kappa') }).nullable(),
  reviewers: z.array(z.string()),
  conflicts: z.array(z.object({ work: z.string(), title: text, decisions: z.array(shown) })),
});
export const candidate = z.object({
  ...fields(z.string(), 'work', 'abstract'),
  rank: count.describe('0 if it is not ranked.'),
  is_sampled: z.boolean(),
  ...fields(text, 'title', 'venue', 'doi'),
  authors: z.array(z.string()),
  year: number,
  document: text.describe('The document with its full text, once there is one.'),
  decisions: z.array(shown).describe('Those of other reviewers only once all have decided.'),
});

/** Progress of a review, and the next works to decide about. */
export const screeningShape = screeningHead.extend({ next: z.array(candidate) });
