import { z } from 'zod';

import { WORK_ORDERS } from '../../corpus/index.ts';

/** Text parameter with a length limit. */
export const words = z.string().max(1_000);

export function wholeNumber(least: number, most: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(least).max(most));
}

export const share = z
  .string()
  .regex(/^\d{1,3}(?:\.\d{1,10})?$/)
  .transform(Number)
  .pipe(z.number().min(0).max(1));

export const yesOrNo = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .pipe(z.boolean());

/** Selects works; a list in a file of the server (`@FILE`) is for the command line only. */
export const worksChoice = words
  .regex(/^[^@]/, 'expected a saved set, included, a filter or ids')
  .describe('A saved set, included, a filter such as year:2020-2022, or comma-separated ids.');

const id = z.string().min(1).max(2_048);
export const noQuery = z.strictObject({});
export const runPath = z.strictObject({ run: z.string().min(1).max(200).describe('The id of a run.') });
export const workPath = runPath.extend({ work: id.describe('The id of a work.') });
export const documentPath = runPath.extend({ document: id.describe('The id of a document.') });

const limit = wholeNumber(1, 500).optional().describe('Maximum number; default 50.');
const cursor = z.string().max(4_000).optional().describe('`next` of the previous page.');
export const pageQuery = { limit, cursor };

export const workFilter = {
  q: words.optional().describe('Words, or prefixes of words, in title, authors, venue or ids.'),
  outcome: words.optional().describe('saved, failed, parked, skipped, waiting, own, missing; comma-separated.'),
  reason: words.optional().describe('Why a work has no full text; comma-separated.'),
  licence: words.optional().describe('Such as cc-by; none for unknown; comma-separated.'),
  version: words.optional().describe('publishedVersion, acceptedVersion, submittedVersion, none.'),
  type: words.optional().describe('Such as article or preprint; comma-separated.'),
  label: words.optional().describe('Screening result: included, excluded, none; comma-separated.'),
  year: words.optional().describe('2020, 2018-2022, 2018-, -2022, none.'),
};

export const worksQuery = z.strictObject({
  ...pageQuery,
  ...workFilter,
  sort: z.enum(WORK_ORDERS).optional(),
  order: z.enum(['asc', 'desc']).optional(),
});
