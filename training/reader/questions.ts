import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as z from 'zod';

/** The written questions, one JSON object per line. */
export const QUESTIONS = join(import.meta.dirname, 'questions.jsonl');
const LONGEST_FIELD = 400;

const text = z.string().min(1).max(LONGEST_FIELD);
/** Candidates that answer, by `evidenceHash`: no text of a paper is stored, and another numbering does no harm. */
const evidence = z.array(z.string().regex(/^[0-9a-f]{12}$/));

const answered = z.strictObject({
  paper: text,
  kind: text,
  evidence: evidence.min(1),
  /** The question in the words of the paper, and in others. */
  question: text,
  otherWords: text,
  /** Once more in others, as somebody types it; later lines have it. */
  thirdWords: text.optional(),
});

/** A question near to the paper's subject that the paper does not answer, and what looks most like an answer. */
const absent = z.strictObject({ paper: text, absent: text, near: evidence.optional() });

/** A column of a table over many papers; without evidence if the paper does not say it. */
const column = z.strictObject({ paper: text, column: text, question: text, type: text, evidence });

/** A line of the written questions. */
export const writtenQuestion = z.union([answered, absent, column]);
export type WrittenQuestion = z.infer<typeof writtenQuestion>;

/** Reads the written questions; a line that is not as described is an error. */
export function readQuestions(path: string): WrittenQuestion[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => writtenQuestion.parse(JSON.parse(line)));
}

/** Names a candidate by its letters and digits, so that another spacing or hyphen does no harm. */
export function evidenceHash(candidate: string): string {
  const letters = candidate
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
  return createHash('sha256').update(letters).digest('hex').slice(0, 12);
}
