import { basename, resolve } from 'node:path';

import { z } from 'zod';

import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { Corpus, LibraryWork, LiveSearch, SearchEvent } from '../corpus/index.ts';
import { openCorpus } from '../corpus/index.ts';
import type { Screening } from '../screen/index.ts';
import { screeningOnDemand } from '../screen/index.ts';
import type { AnswerDraft, JsonObject } from './answer.ts';

export interface McpRun {
  readonly id: string;
  readonly corpus: Corpus;
  readonly search: LiveSearch;
  /** Its screening, opened on first use. */
  readonly screening: () => Screening;
}

/** Opens run folders; rejects folders without a corpus. Adds a number to duplicate names. */
export async function openRuns(
  folders: readonly string[],
  configFor: (folder: string) => Config,
  tell: (event: SearchEvent) => void,
): Promise<{ readonly runs: readonly McpRun[] } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const runs: McpRun[] = [];
  for (const folder of folders) {
    const corpus: Corpus = stack.use(await openCorpus(folder, { config: configFor(folder) }));
    await corpus.library.require();
    const search = stack.use(corpus.liveSearch(tell));
    const screening = stack.use(screeningOnDemand(folder, corpus.config));
    const name = basename(resolve(folder));
    let id = name;
    for (let number = 2; runs.some((run) => run.id === id); number += 1) id = `${name}-${number}`;
    runs.push({ id, corpus, search, screening });
  }
  const opened = stack.move();
  return { runs, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

type Asked = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly ask: (asked: Asked, runs: readonly McpRun[], signal: AbortSignal) => Promise<AnswerDraft>;
}

export const DEFAULT_TOKENS = 8_000;

const PARAMETERS = {
  run: z.string().max(300).optional().describe('Name of the corpus; default: all.'),
  max_tokens: z
    .int()
    .min(500)
    .max(20_000)
    .default(DEFAULT_TOKENS)
    .describe('Maximum number of tokens in the answer; use the cursor for the rest.'),
  cursor: z.string().max(1_000).optional().describe('next_cursor of the previous answer, to continue.'),
};

const CUTS = {
  cut: z.boolean().optional().describe('The text is cut; use the cursor for the rest.'),
  continued: z.boolean().optional().describe('The text continues from the previous answer.'),
};

type Fields<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** Describes a tool: its parameters, and an answer that has a head and a list of items, each also as readable text. */
export function tool<Input extends z.ZodRawShape, Head extends z.ZodRawShape, Item extends z.ZodRawShape>(of: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Besides the parameters of every tool. */
  readonly input: Input;
  readonly head: Head;
  readonly list: string;
  readonly item: Item;
  /** The field of an item that may be cut if it is too long. */
  readonly text?: keyof Item & string;
  readonly line: (item: Fields<Item>) => string;
  readonly ask: (
    asked: Fields<Input & typeof PARAMETERS>,
    runs: readonly McpRun[],
    signal: AbortSignal,
  ) => Promise<{
    readonly head: Fields<Head>;
    readonly summary: string;
    readonly items: readonly Fields<Item>[];
    readonly cursorAfter?: AnswerDraft['cursorAfter'];
  }>;
}): Tool {
  const { name, title, description, input, head, list, item, text, line, ask } = of;
  return {
    name,
    title,
    description,
    input: z.strictObject({ ...input, ...PARAMETERS }),
    output: z.object({
      notice: z.string().describe('How to treat quoted text.'),
      next_cursor: z.string().nullable().describe('Cursor of the next part; null at the end.'),
      ...head,
      [list]: z.array(z.object({ ...item, ...(text !== undefined && CUTS) })),
    }),
    ask: async (asked, runs, signal) => {
      const answer = await ask(asked as never, runs, signal);
      return {
        ...answer,
        head: answer.head as JsonObject,
        list,
        items: answer.items.map((data) => ({ data: data as JsonObject, text, line: (shown) => line(shown as never) })),
      };
    },
  };
}

/** Selects works; a list in a file of this machine (`@FILE`) is for the command line only. */
export const WORKS = {
  works: z
    .string()
    .max(2_000)
    .regex(/^[^@]/, 'expected a saved set, included, a filter or ids')
    .optional()
    .describe('Only these works: a saved set, included, a filter such as year:2020-2022, or ids with commas.'),
};

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
