import { z } from 'zod';

const count = z.int().min(0);
const text = z.string().nullable();
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

/** Progress of a review, and the next works to decide about. */
export const screening = z.object({
  protocol: z.object({
    version: count,
    reviewers: count,
    question: z.string(),
    criteria: z.string(),
    reasons: z.array(z.string()),
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
  next: z.array(
    z.object({
      work: z.string(),
      rank: count,
      is_sampled: z.boolean(),
      title: text,
      abstract: text,
      authors: z.array(z.string()),
      year: text,
      venue: text,
      doi: text,
      document: text.describe('The document with its full text, once there is one.'),
      decisions: z.array(shown).describe('Those of other reviewers only once all have decided.'),
    }),
  ),
});
