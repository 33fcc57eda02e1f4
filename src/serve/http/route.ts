import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';

/** What a route answers. */
export type Answer =
  /** Cached while the route's `version` stays the same, if it has one. */
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array }
  /** Text that is written piece by piece, as fast as the client reads, as a file to save. */
  | { readonly kind: 'pieces'; readonly type: string; readonly name: string; readonly pieces: AsyncIterable<string> }
  | { readonly kind: 'file'; readonly type: string; readonly name: string; readonly path: string }
  /** A stream of events, beginning after `lastId`. */
  | { readonly kind: 'watch'; readonly run: string | null; readonly lastId: string | null };

/** What a handler gets of a request, all of it checked. */
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

/** One operation of the interface: its path, its parameters and its answer, each described once. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Such as `/runs/{run}/works`. */
  readonly path: string;
  readonly summary: string;
  readonly pathSchema: z.ZodObject;
  readonly querySchema: z.ZodObject;
  readonly bodySchema: z.ZodType | null;
  readonly gives: Gives;
  /** What the answer depends on: the same text, the same answer. Null for answers that are not cached. */
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
