import { z } from 'zod';

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
