import { DRAFT_PASSES } from './draft-passes.ts';
import { PAGE_PASSES } from './page-passes.ts';
import type { Pass } from './pass.ts';

/** The analysis of a document, step by step. */
export const PASSES: readonly Pass[] = [...PAGE_PASSES, ...DRAFT_PASSES];
