import { z } from 'zod';

import { AppError } from '../base/index.ts';
import type { Corpus, LibraryWork, LiveSearch } from '../corpus/index.ts';
import type { AnswerDraft } from './answer.ts';

/** A corpus that is asked, under the name by which an assistant tells it from others. */
export interface McpRun {
  readonly id: string;
  readonly corpus: Corpus;
  readonly search: LiveSearch;
}

/** A question that an assistant can put. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly ask: (asked: z.output<Input>, runs: readonly McpRun[], signal: AbortSignal) => Promise<AnswerDraft>;
}

/** Keeps the type of a tool's input while it stands among others. */
export function tool<Input extends z.ZodObject>(of: Tool<Input>): Tool {
  return of;
}

export const DEFAULT_TOKENS = 8_000;

/** What every tool takes. */
export const PAGING = {
  max_tokens: z
    .int()
    .min(500)
    .max(20_000)
    .default(DEFAULT_TOKENS)
    .describe('Most tokens of the answer; what is left out comes with the cursor.'),
  cursor: z.string().max(1_000).optional().describe('The next_cursor of the answer before, to go on.'),
};

export const RUN = {
  run: z.string().max(300).optional().describe('Name of the corpus; all of them where it is left out.'),
};

/** What every answer says. */
export const ANSWER = {
  notice: z.string().describe('How quoted text is to be taken.'),
  next_cursor: z.string().nullable().describe('Where the answer goes on; null at its end.'),
};

/** Marks of a text that was cut. */
export const CUTS = {
  cut: z.boolean().optional().describe('The text goes on behind the cursor.'),
  continued: z.boolean().optional().describe('The text began in the answer before.'),
};

/** The runs that are meant. */
export function runsNamed(name: string | undefined, runs: readonly McpRun[]): readonly McpRun[] {
  if (name === undefined) return runs;
  const named = runs.filter(({ id }) => id === name);
  if (named.length > 0) return named;
  throw new AppError('USAGE_RUN', `unknown corpus "${name.slice(0, 100)}"`, {
    hint: `open corpora: ${runs.map(({ id }) => id).join(', ')}`,
  });
}

/** A work and the first of the runs that has it. */
export async function workNamed(
  name: string,
  run: string | undefined,
  runs: readonly McpRun[],
): Promise<{ readonly run: McpRun; readonly work: LibraryWork }> {
  for (const each of runsNamed(run, runs)) {
    const work = await each.corpus.library.work(name);
    if (work) return { run: each, work };
  }
  throw new AppError('USAGE_WORK', `unknown work "${name.slice(0, 100)}"`, {
    hint: 'use an id returned by search or works, or a DOI',
  });
}

/** One line that names a work. */
export function workLine(work: {
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
}): string {
  const [first, ...others] = work.authors;
  const by = first === undefined ? '' : `${first}${others.length > 0 ? ' et al.' : ''}`;
  const year = work.year === null ? '' : ` (${work.year})`;
  return `${by}${year}${by === '' && year === '' ? '' : '. '}${work.title ?? 'Without a title'}`;
}
