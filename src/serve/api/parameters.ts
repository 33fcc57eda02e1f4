import { z } from 'zod';

import { WORK_ORDERS } from '../../corpus/index.ts';

/** Text parameter with a length limit. */
export const words = z.string().max(1_000);

const id = z.string().min(1).max(2_048);
export const noQuery = z.strictObject({});
export const runPath = z.strictObject({ run: z.string().min(1).max(200).describe('The id of a run.') });
export const workPath = runPath.extend({ work: id.describe('The id of a work.') });
export const documentPath = runPath.extend({ document: id.describe('The id of a document.') });

const limit = z.int().min(1).max(500).optional().describe('Maximum number; default 50.');
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
