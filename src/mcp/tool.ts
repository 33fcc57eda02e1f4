import { z } from 'zod';

import { AppError } from '../base/index.ts';
import type { Corpus, LibraryWork, LiveSearch } from '../corpus/index.ts';
import type { Screening } from '../screen/index.ts';
import type { AnswerDraft } from './answer.ts';

/** An open corpus and its name. */
export interface McpRun {
  readonly id: string;
  readonly corpus: Corpus;
  readonly search: LiveSearch;
  /** Its screening, opened when it is first asked for. */
  readonly screening: () => Screening;
}

/** A tool offered to assistants. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly ask: (asked: z.output<Input>, runs: readonly McpRun[], signal: AbortSignal) => Promise<AnswerDraft>;
}

/** Preserves the input type of a tool inside a list. */
export function tool<Input extends z.ZodObject>(of: Tool<Input>): Tool {
  return of;
}

export const DEFAULT_TOKENS = 8_000;

/** Parameters of every tool. */
export const PAGING = {
  max_tokens: z
    .int()
    .min(500)
    .max(20_000)
    .default(DEFAULT_TOKENS)
    .describe('Maximum number of tokens in the answer; use the cursor for the rest.'),
  cursor: z.string().max(1_000).optional().describe('next_cursor of the previous answer, to continue.'),
};

export const RUN = {
  run: z.string().max(300).optional().describe('Name of the corpus; default: all.'),
};

/** Which works are meant; a list in a file of this machine (`@FILE`) is for the command line only. */
export const WORKS = {
  works: z
    .string()
    .max(2_000)
    .regex(/^[^@]/, 'expected a saved set, included, a filter or ids')
    .optional()
    .describe('Only these works: a saved set, included, a filter such as year:2020-2022, or ids with commas.'),
};

/** Fields of every answer. */
export const ANSWER = {
  notice: z.string().describe('How to treat quoted text.'),
  next_cursor: z.string().nullable().describe('Cursor of the next part; null at the end.'),
};

/** Flags of a text that was cut. */
export const CUTS = {
  cut: z.boolean().optional().describe('The text is cut; use the cursor for the rest.'),
  continued: z.boolean().optional().describe('The text continues from the previous answer.'),
};

/** The named run, or all. */
export function runsNamed(name: string | undefined, runs: readonly McpRun[]): readonly McpRun[] {
  if (name === undefined) return runs;
  const named = runs.filter(({ id }) => id === name);
  if (named.length > 0) return named;
  throw new AppError('USAGE_RUN', `unknown corpus "${name.slice(0, 100)}"`, {
    hint: `open corpora: ${runs.map(({ id }) => id).join(', ')}`,
  });
}

/** Finds a work and the first run that contains it. */
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

/** A work in one line. */
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
