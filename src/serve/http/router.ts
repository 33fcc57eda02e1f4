import findMyWay from 'find-my-way';
import { z } from 'zod';

import { openApi } from '../openapi.ts';
import { Problem } from './problem.ts';
import type { Answer, Asked, Route } from './route.ts';
import { jsonRoute } from './route.ts';

/** Ids can be DOIs or titles; same limit as `api/parameters.ts`. */
const LONGEST_SEGMENT = 2_048;
const METHODS = ['GET', 'POST'] as const;
const NOTHING = (): void => undefined;

/** A matched route with validated parameters. */
export interface Matched {
  readonly route: Route;
  readonly path: unknown;
  readonly query: unknown;
}

/**
 * Matches a URL to a route and validates its parameters. Path segments are decoded individually, so none can become
 * part of a file path.
 */
export class Router {
  readonly #router = findMyWay({ maxParamLength: LONGEST_SEGMENT });

  constructor(routes: readonly Route[], version: string) {
    const document = jsonRoute({
      path: '/openapi.json',
      summary: 'This document.',
      schema: z.looseObject({ openapi: z.string() }),
      value: () => openApi(all, version),
    });
    const all: readonly Route[] = [...routes, document];
    for (const each of all) this.#router.on(each.method, each.path.replaceAll(/\{(\w+)\}/g, ':$1'), NOTHING, each);
  }

  match(method: string, url: string): Matched {
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const found = METHODS.map((each) => this.#router.find(each, path));
    const wanted = found[METHODS.indexOf((method === 'HEAD' ? 'GET' : method) as 'GET')];
    if (!wanted) {
      const allow = METHODS.filter((_, at) => found[at] !== null).join(', ');
      if (allow !== '') throw new Problem(405, 'METHOD', `method not allowed; use ${allow}`, { headers: { allow } });
      throw new Problem(404, 'NO_ROUTE', 'not found', { hint: 'see /api/v1/openapi.json for the available paths' });
    }
    const matched = wanted.store as Route;
    return {
      route: matched,
      path: checked(matched.pathSchema, wanted.params, 'path'),
      query: checked(matched.querySchema, queryOf(mark === -1 ? '' : url.slice(mark + 1)), 'query'),
    };
  }

  /** Answers a GET from within the process, as over HTTP. Not for streams and control. */
  async get(url: string, signal: AbortSignal): Promise<Answer> {
    const { route: found, path, query } = this.match('GET', url);
    return await found.handle({ path, query, signal } as Asked<never, never, never>);
  }
}

function queryOf(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(values, name)) throw new Problem(400, 'USAGE_PARAMETER', `${name.slice(0, 50)} is given twice`);
    Object.defineProperty(values, name, { value, enumerable: true });
  }
  return values;
}

/** Validates a value against its schema; the error names the first problem. */
export function checked(schema: z.ZodType, value: unknown, where: 'path' | 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new Problem(
    where === 'path' ? 404 : 400,
    'USAGE_PARAMETER',
    `${place === '' ? where : place}: ${issue?.message ?? 'invalid'}`.slice(0, 500),
  );
}
