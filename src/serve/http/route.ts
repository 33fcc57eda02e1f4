import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';

import type { Answer } from './answer.ts';

/** What a route has of a request once all of it was checked. */
export interface Asked<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

/** What a route gives: JSON of a shape, or bytes of one of these types. */
export type Gives =
  | { readonly kind: 'json'; readonly schema: z.ZodType }
  | { readonly kind: 'bytes'; readonly types: readonly string[] };

/** A question that the interface answers: its place, its parameters, its answer, each described once. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Such as `/runs/{run}/works`. */
  readonly path: string;
  readonly summary: string;
  readonly pathSchema: z.ZodObject;
  readonly querySchema: z.ZodObject;
  readonly bodySchema: z.ZodType | null;
  readonly gives: Gives;
  /** What the answer depends on, as one text: the same text, the same answer. Null for what is asked anew every time. */
  readonly version: (asked: Asked<never, never, never>) => string | null;
  readonly handle: (asked: Asked<never, never, never>) => Answer | Promise<Answer>;
}

/** A route whose handler knows the types of its parameters. */
export function route<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(described: {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly pathSchema: P;
  readonly querySchema: Q;
  readonly bodySchema?: B;
  readonly gives: Gives;
  readonly version?: (asked: Asked<z.output<P>, z.output<Q>, z.output<B>>) => string | null;
  readonly handle: (asked: Asked<z.output<P>, z.output<Q>, z.output<B>>) => Answer | Promise<Answer>;
}): Route {
  const { method = 'GET', bodySchema = null, version = () => null, ...rest } = described;
  return { ...rest, method, bodySchema, version };
}
