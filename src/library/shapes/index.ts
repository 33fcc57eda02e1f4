import * as z from 'zod';

// Schemas of requests and answers for HTTP, MCP and the page; `ask` imports only their types: zod loads slowly.
// The page is built from this file too: import nothing here that a browser does not have.

export const text = z.string().nullable();
export const number = z.number().nullable();
export const count = z.int().min(0);

export function fields<T extends z.ZodType, Name extends string>(type: T, ...names: readonly Name[]): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Name, T>;
}

const words = z.string().max(1_000).optional();

/** Filters of works. A facet takes several values with commas. */
export const workFilter = z.object({
  q: words.describe('Words, or prefixes of words, in title, authors, venue or ids.'),
  outcome: words.describe(
    'saved, failed, parked, skipped, waiting, local, or missing for all without a text; comma-separated.',
  ),
  reason: words.describe('Why a work has no full text, as account lists them; comma-separated.'),
  licence: words.describe('Such as cc-by; none for unknown; comma-separated.'),
  version: words.describe('publishedVersion, acceptedVersion, submittedVersion, none.'),
  type: words.describe('Such as article or preprint; comma-separated.'),
  label: words.describe('Screening result: included, excluded, none; comma-separated.'),
  year: words.describe('2020, 2018-2022, 2018-, -2022, none.'),
  author: words.describe('Part of an author’s name.'),
  venue: words.describe('Part of the name of a journal or repository.'),
  retracted: z.boolean().optional(),
});

export const passageFilter = z.object({
  year: words.describe('Only works from these years: 2020, 2018-2022, 2018-, -2022.'),
  author: words.describe('Only works by this author: part of a name, or an ORCID.'),
  venue: words.describe('Only works from this journal or repository: part of its name.'),
  type: words.describe('Only works of this type, such as article or preprint.'),
  license: words.describe('Only works under these licences, such as cc-by; comma-separated.'),
  section: words.describe('Only these sections, comma-separated; front matter and reference lists only if named.'),
  has: z.enum(['table', 'figure']).optional().describe('Only passages that contain one.'),
});

export const work = z
  .object({
    id: z.string(),
    outcome: z
      .enum(['saved', 'local', 'parked', 'failed', 'skipped', 'waiting', 'unreadable'])
      .describe('local: a paper of the user; parked: tried again later; skipped: unavailable; waiting: not tried yet.'),
    ...fields(text, 'title', 'authors', 'venue', 'doi', 'type', 'reason', 'sentence'),
    ...fields(text, 'resolver', 'licence', 'version', 'document'),
    ...fields(number, 'year', 'bytes', 'citations'),
    retracted: z.boolean(),
    at: text.describe('ISO 8601.'),
  })
  .meta({ id: 'Work' });

export const documentHead = { id: z.string(), ...fields(text, 'work', 'title', 'authors'), year: number };

/** A document in a list: the outcome of each of its steps, null before it. */
export const citation = z.object({
  block: z.int().describe('The block that cites.'),
  page: number.describe('Its first page; null for documents without pages.'),
  printed: z.string().describe('The callout as it is printed: "[3, 5]", "Smith 2014".'),
  sentence: z.string(),
  references: z.array(z.int()).describe('The blocks of the list of references that it names.'),
});

export const documentLine = z
  .object({
    ...documentHead,
    ...fields(z.enum(['success', 'failure', 'needs-ocr']).nullable(), 'parsed', 'chunked', 'embedded'),
    failure: text.describe('Why the last step failed.'),
  })
  .meta({ id: 'Document' });

export const stepCount = z.object({
  name: z.enum(['works', 'saved', 'parsed', 'chunked', 'embedded']),
  ...fields(count, 'done', 'failed'),
  of: number.describe('How many are expected at this step; null if unknown.'),
});

export const runEvent = z.object({
  kind: z.enum(['work', 'stage', 'host']),
  level: z.enum(['info', 'warn', 'error']),
  at: z.string().describe('ISO 8601, by the clock of the run.'),
  text: z.string(),
  ...fields(text, 'work', 'document', 'host', 'reason'),
});

export const box = z.object({ page: z.int(), ...fields(z.number(), 'left', 'top', 'right', 'bottom') });

export const passage = z.object({
  rank: z.number(),
  fit: z.number().describe('Score, 0 to 1.'),
  found_by: z.enum(['words', 'meaning', 'words and meaning']).describe('Which of the two put it among the first.'),
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

/** What a person wrote beside a paper, or a sentence that a person marked in it. */
export const note = z.object({
  id: z.string(),
  work: z.string(),
  title: z.string().nullable(),
  document: z.string().nullable().describe('Null for a note about the work itself.'),
  page: z.int().nullable().describe('The page of the quote, starting at 1.'),
  quote: z.string().nullable().describe('The words of the paper that it is about.'),
  text: z.string().describe('Empty where only the quote was marked.'),
  by: z.string(),
  at: z.string().describe('When it was last changed.'),
  removed: z.boolean().describe('A removed note can be restored.'),
});
