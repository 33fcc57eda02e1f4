import * as z from 'zod';

import { AppError, plural } from '../base/index.ts';
import type { Corpus, LibraryWork, SearchEvent, SearchSession } from '../corpus/index.ts';
import type { Screening } from '../screen/index.ts';
import { screeningOnDemand } from '../screen/index.ts';

export interface AskedRun {
  readonly id: string;
  readonly corpus: Corpus;
  readonly search: { use<T>(work: (session: SearchSession) => T | Promise<T>): Promise<T> };
  readonly screening: () => Screening;
  readonly warn?: (message: string) => void;
}

/** Index and screening are opened on first use. */
export function askedRun(id: string, corpus: Corpus, tell: (event: SearchEvent) => void): AskedRun & AsyncDisposable {
  const opened = new AsyncDisposableStack();
  return {
    id,
    corpus,
    search: opened.use(corpus.liveSearch({ tell })),
    screening: opened.use(screeningOnDemand(corpus)),
    warn: (message) => tell({ kind: 'message', level: 'warn', message }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Fields<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;
/** `usesModel`: whether a configured model may write the answer. */
type Ask<Asked, Head, Item> = (
  asked: Asked,
  runs: readonly AskedRun[],
  signal: AbortSignal,
  usesModel?: boolean,
) => Promise<Answered<Head, Item>>;

/** An answer: a head and a list of items, and the head as a sentence. */
export interface Answered<Head, Item> {
  readonly head: Head;
  readonly summary: string;
  readonly items: readonly Item[];
  /** For lists that are not in memory: the cursor after `count` items; null at the end. */
  readonly cursorAfter?: ((count: number) => Promise<string | null>) | undefined;
}

/** A question to corpora, described once: routes, the OpenAPI document and MCP tools are made of it. */
export interface Question {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly head: z.ZodRawShape;
  readonly list: string;
  readonly item: z.ZodObject;
  /** The field of an item that may be cut if it is too long. */
  readonly text?: string | undefined;
  /** Fields that assistants do not get, to save tokens. */
  readonly omitted: readonly string[];
  readonly line: (item: never) => string;
  readonly ask: Ask<Readonly<Record<string, unknown>>, object, object>;
}

export function question<Input extends z.ZodRawShape, Head extends z.ZodRawShape, Item extends z.ZodRawShape>(
  of: Pick<Question, 'name' | 'title' | 'description' | 'list'> & {
    readonly input: Input;
    readonly head: Head;
    readonly item: Item;
    readonly text?: keyof Item & string;
    readonly omitted?: readonly (keyof Item & string)[];
    readonly line: (item: Fields<Item>) => string;
    readonly ask: Ask<Fields<Input> & { readonly cursor?: string }, Fields<Head>, Fields<Item>>;
  },
): Question {
  const { input, item, omitted = [], ask } = of;
  return {
    ...of,
    input: z.strictObject(input),
    item: z.object(item),
    omitted,
    ask: (asked, ...more) => ask(asked as never, ...more),
  };
}

/** Selects works; a list in a file of this machine (`@FILE`) is for the command line only. */
export const worksChoice = z
  .string()
  .max(2_000)
  .regex(/^[^@]/, 'expected a saved set, included, excluded, a filter or ids')
  .describe(
    'Only these works: a saved set, included, excluded, a filter such as year:2020-2022, or comma-separated ids.',
  );

export function oneRun(runs: readonly AskedRun[]): AskedRun {
  const [first, second] = runs;
  if (first && !second) return first;
  throw new AppError('USAGE_RUN', 'several corpora are open', {
    hint: `run is one of ${runs.map(({ id }) => id).join(', ')}`,
  });
}

export async function workNamed(
  name: string,
  runs: readonly AskedRun[],
): Promise<{ readonly run: AskedRun; readonly work: LibraryWork }> {
  for (const run of runs) {
    const work = await run.corpus.library.work(name);
    if (work) return { run, work };
  }
  throw new AppError('USAGE_WORK', `unknown work "${name.slice(0, 100)}"`, {
    hint: 'use an id returned by search or works, or a DOI',
  });
}

/** "1 work", "3 works". */
export function counted(count: number, one: string, many?: string): string {
  return `${count} ${plural(count, one, many)}`;
}

export function workLine({ title, authors, year }: Pick<LibraryWork, 'title' | 'authors' | 'year'>): string {
  const [first = '', ...others] = authors;
  const head = `${first}${others.length > 0 ? ' et al.' : ''}${year === null ? '' : ` (${year})`}`;
  const stop = head === '' || head.endsWith('.') ? '' : '.';
  return `${head}${stop} ${title ?? 'Without a title'}`.trim();
}
