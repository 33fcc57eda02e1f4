import { z } from 'zod';

// Schemas that the page needs too: this file imports nothing that a browser does not have.

const text = z.string().nullable();

/** Where something is on a page. */
export const box = z.object({
  page: z.int(),
  left: z.number(),
  top: z.number(),
  right: z.number(),
  bottom: z.number(),
});

/** A passage found by a search. */
export const passage = z.object({
  rank: z.number(),
  fit: z.number().describe('Score, 0 to 1.'),
  run: z.string(),
  work: z.string().describe('The id to pass to read or cite.'),
  title: z.string(),
  by: z.string(),
  year: z.number().nullable(),
  venue: text,
  doi: text,
  license: text,
  retracted: z.boolean(),
  headings: z.array(z.string()),
  part: z.string(),
  page: z.number().nullable(),
  text: z.string(),
  citation: text,
  bibtex: text,
  id: z.string().describe('The id of the passage.'),
  document: z.string(),
  boxes: z.array(box),
  link: text,
});

const number = z.number().nullable();

/** A work in a list. */
export const work = z
  .object({
    id: z.string(),
    title: text,
    authors: text,
    year: number,
    venue: text,
    doi: text,
    type: text,
    outcome: z.string(),
    reason: text,
    sentence: text,
    resolver: text,
    licence: text,
    version: text,
    bytes: number,
    document: text,
    retracted: z.boolean(),
    citations: number,
    at: text.describe('ISO 8601.'),
  })
  .meta({ id: 'Work' });

/** A sentence of an answer with the quotes that support it. */
export const answerSentence = z.object({
  text: z.string(),
  fit: number,
  quotes: z.array(
    z.object({
      text: z.string(),
      sentence: z.string(),
      passage: z.string().describe('The id of the passage.'),
      document: z.string(),
      title: text,
      page: number,
      start: z.int(),
      end: z.int(),
      citation: text,
    }),
  ),
});

/** A passage that an answer is made from, or that comes nearest. */
export const answerPassage = z.object({
  run: z.string(),
  work: z.string(),
  id: z.string(),
  document: z.string(),
  title: z.string(),
  page: number,
  part: z.string(),
  text: z.string(),
  citation: text,
});

export const answerHead = z.object({
  question: z.string(),
  model: text.describe('The model that wrote the sentences; null where they are quotes.'),
  sentences: z.array(answerSentence),
  dropped: z.record(z.string(), z.int()).describe('Sentences of the model that were dropped, by reason.'),
});

/** An answer from the papers; without sentences, they do not answer. */
export const answerShape = answerHead.extend({ passages: z.array(answerPassage) });

const count = z.int().min(0);
const phase = z.enum(['title-abstract', 'full-text']);
const shown = z.object({
  by: z.string(),
  decision: z.enum(['include', 'exclude', 'maybe']),
  phase,
  reason: text,
  note: text,
  at: z.string(),
});
const counts = z.object({
  works: count,
  included: count,
  excluded: count,
  maybe: count,
  conflicts: count,
  undecided: count,
});
export const screeningHead = z.object({
  run: z.string(),
  protocol: z.object({
    version: count,
    reviewers: count,
    question: z.string(),
    criteria: z.string(),
    reasons: z.array(z.string()).describe('Reasons to exclude a work.'),
    highlight: z.array(z.string()),
  }),
  phases: z.record(phase, counts),
  sample: z
    .object({
      population: count,
      read: count,
      found: count,
      isReached: z.boolean().describe('With 95 % confidence at least 95 % of the relevant works are found.'),
      stillToRead: count.describe('Records without a relevant one until that can be said.'),
      recallAtLeast: z.number().describe('The recall that can be promised with 95 % confidence now.'),
      estimate: z.number().describe('The recall that the sample suggests.'),
    })
    .nullable(),
  isTimeToSample: z.boolean(),
  agreement: z.object({ works: count, agreed: z.number(), kappa: z.number() }).nullable(),
  reviewers: z.array(z.string()),
  conflicts: z.array(z.object({ work: z.string(), title: text, decisions: z.array(shown) })),
});
export const candidate = z.object({
  work: z.string(),
  rank: count.describe('0 if it is not ranked.'),
  is_sampled: z.boolean(),
  title: text,
  abstract: z.string(),
  authors: z.array(z.string()),
  year: z.number().nullable(),
  venue: text,
  doi: text,
  document: text.describe('The document with its full text, once there is one.'),
  decisions: z.array(shown).describe('Those of other reviewers only once all have decided.'),
});

/** Progress of a review, and the next works to decide about. */
export const screeningShape = screeningHead.extend({ next: z.array(candidate) });
