import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

export type Answer =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array }
  /** Text streamed as a file download. */
  | { readonly kind: 'pieces'; readonly type: string; readonly name: string; readonly pieces: AsyncIterable<string> }
  | { readonly kind: 'file'; readonly type: string; readonly name: string; readonly path: string }
  /** Values streamed one per line as they are made; leaving the loop stops the work. */
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<unknown> }
  /** An event stream that starts after `lastId`. */
  | { readonly kind: 'watch'; readonly run: string | null; readonly lastId: string | null };

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
  readonly handle: (asked: Asked<never, never, never>) => Answer | Promise<Answer>;
}

const NONE = z.strictObject({});

interface Described<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> {
  /** Default: GET, or POST with a body. */
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly pathSchema?: P;
  readonly querySchema?: Q;
  readonly bodySchema?: B;
}

type AskedOf<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = Asked<
  z.output<P>,
  z.output<Q>,
  z.output<B>
>;

/** Infers the parameter types of a route; `schema` and `value` are short for an answer in JSON. */
export function route<
  P extends z.ZodObject = typeof NONE,
  Q extends z.ZodObject = typeof NONE,
  B extends z.ZodType = z.ZodUndefined,
>(
  described: Described<P, Q, B> &
    (
      | { readonly schema: z.ZodType; readonly value: (asked: AskedOf<P, Q, B>) => unknown }
      | { readonly gives: Gives; readonly handle: (asked: AskedOf<P, Q, B>) => Answer | Promise<Answer> }
    ),
): Route {
  const { bodySchema = null, method = bodySchema === null ? 'GET' : 'POST' } = described;
  const route = { pathSchema: NONE, querySchema: NONE, ...described, method, bodySchema };
  if ('handle' in route) return route;
  const { schema, value, ...rest } = route;
  return {
    ...rest,
    gives: { kind: 'json', schema },
    handle: async (asked: AskedOf<P, Q, B>) => ({ kind: 'json', value: await value(asked) }),
  };
}
