import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';

/** The response of a route. */
export type Answer =
  /** Cached while `version` is unchanged, if the route has one. */
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array }
  /** Text streamed as a file download. */
  | { readonly kind: 'pieces'; readonly type: string; readonly name: string; readonly pieces: AsyncIterable<string> }
  | { readonly kind: 'file'; readonly type: string; readonly name: string; readonly path: string }
  /** Values streamed one per line as they are made; leaving the loop stops the work. */
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<unknown> }
  /** An event stream that starts after `lastId`. */
  | { readonly kind: 'watch'; readonly run: string | null; readonly lastId: string | null };

/** The validated parts of a request. */
export interface Asked<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

/** Response type: JSON of a schema, lines of JSON, or bytes of one of these media types. */
export type Gives =
  | { readonly kind: 'json'; readonly schema: z.ZodType }
  /** One JSON value of the schema per line. */
  | { readonly kind: 'lines'; readonly schema: z.ZodType }
  | { readonly kind: 'bytes'; readonly types: readonly string[] };

/** One API operation: path, parameters and response, described once. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** For example `/runs/{run}/works`. */
  readonly path: string;
  readonly summary: string;
  readonly pathSchema: z.ZodObject;
  readonly querySchema: z.ZodObject;
  readonly bodySchema: z.ZodType | null;
  readonly gives: Gives;
  /** Version of the response: equal versions give equal responses. Null disables caching. */
  readonly version: (asked: Asked<never, never, never>) => string | null;
  readonly handle: (asked: Asked<never, never, never>) => Answer | Promise<Answer>;
}

/** Infers the parameter types of a route's handler. */
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
