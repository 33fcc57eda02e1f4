import type { IncomingMessage } from 'node:http';
import * as z from 'zod';

import type { RunWatch } from '../watch/run-watch.ts';

export type Answer =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array }
  | { readonly kind: 'pieces'; readonly type: string; readonly name: string; readonly pieces: AsyncIterable<string> }
  | { readonly kind: 'file'; readonly type: string; readonly name: string; readonly path: string }
  /** Values streamed one per line as they are made; leaving the loop stops the work. */
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<unknown> }
  | { readonly kind: 'events'; readonly events: AsyncIterable<string> };

/** Media types of the response, and the schema of its JSON or of each of its lines. */
interface Gives {
  readonly types: readonly string[];
  readonly schema?: z.ZodType;
}

/** Ids can be DOIs or titles. */
export const LONGEST_SEGMENT = 2_048;
const id = z.string().min(1).max(LONGEST_SEGMENT);
const PATH_PARAMETERS = {
  run: z.string().min(1).max(200).describe('The id of a run.'),
  work: id.describe('The id of a work.'),
  document: id.describe('The id of a document.'),
  page: z.int().min(1).max(100_000).describe('Page number, starting at 1.'),
  table: z.string().min(1).max(100).describe('The id of a table.'),
  job: z.int().min(0).max(Number.MAX_SAFE_INTEGER).describe('The id of a job.'),
};
type Parameters = typeof PATH_PARAMETERS;
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

interface Asked<Path extends string, Query extends z.ZodRawShape, Body extends z.ZodType> {
  readonly path: { readonly [Name in NamesIn<Path> & keyof Parameters]: z.output<Parameters[Name]> };
  readonly run: 'run' extends NamesIn<Path> ? RunWatch : undefined;
  readonly query: z.output<z.ZodObject<Query>>;
  readonly body: z.output<Body>;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** For example `/runs/{run}/works`. */
  readonly path: string;
  readonly summary: string;
  readonly pathSchema: z.ZodObject;
  readonly querySchema: z.ZodObject;
  readonly bodySchema: z.ZodType | undefined;
  readonly gives: Gives;
  /** Receives an `Asked` typed by the route's path and schemas. */
  readonly handle: (asked: never) => Answer | Promise<Answer>;
}

/** Describes a route: a POST if it has a body. `schema` and `value` are short for an answer in JSON. */
export function route<
  const P extends string,
  Q extends z.ZodRawShape = z.ZodRawShape,
  B extends z.ZodType = z.ZodUndefined,
>(
  described: { readonly path: P; readonly summary: string; readonly query?: Q; readonly body?: B } & (
    | { readonly schema: z.ZodType; readonly value: (asked: Asked<P, Q, B>) => unknown }
    | { readonly gives: Gives; readonly handle: (asked: Asked<P, Q, B>) => Answer | Promise<Answer> }
  ),
): Route {
  const { path, summary, query, body } = described;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof Parameters);
  return {
    method: body ? 'POST' : 'GET',
    path,
    summary,
    pathSchema: z.strictObject(Object.fromEntries(names.map((name) => [name, PATH_PARAMETERS[name]]))),
    querySchema: z.strictObject(query ?? {}),
    bodySchema: body,
    ...('value' in described
      ? {
          gives: { types: ['application/json'], schema: described.schema },
          handle: async (asked: Asked<P, Q, B>) => ({ kind: 'json', value: await described.value(asked) }),
        }
      : { gives: described.gives, handle: described.handle }),
  };
}
