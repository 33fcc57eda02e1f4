import findMyWay from 'find-my-way';
import * as z from 'zod';

import { problem } from '../api/shapes.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import { Problem } from './problem.ts';
import type { Answer, Route } from './route.ts';
import { LONGEST_SEGMENT, route } from './route.ts';

const METHODS = ['GET', 'POST'] as const;
const NOTHING = (): void => undefined;

export interface Router {
  /** The route of a request, and the values of its named parts. */
  readonly match: (method: string, url: string) => { readonly route: Route; readonly named: object };
  /** Answers a GET from within the process, as over HTTP. Not for streams and control. */
  get(url: string, signal: AbortSignal): Promise<Answer>;
}

/** Finds the route of a URL. Path segments are decoded one by one, so that none can form a file path. */
export function createRouter(routes: readonly Route[], runs: ReadonlyMap<string, RunWatch>, version: string): Router {
  const document = route({
    path: '/openapi.json',
    summary: 'This document.',
    schema: z.looseObject({ openapi: z.string() }),
    value: () => openApi(all, version),
  });
  const all: readonly Route[] = [...routes, document];
  const paths = findMyWay({ maxParamLength: LONGEST_SEGMENT });
  for (const each of all) paths.on(each.method, each.path.replaceAll(/\{(\w+)\}/g, ':$1'), NOTHING, each);

  const match = (method: string, url: string): { readonly route: Route; readonly named: object } => {
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const found = METHODS.map((each) => paths.find(each, path));
    const wanted = found[METHODS.indexOf((method === 'HEAD' ? 'GET' : method) as 'GET')];
    if (!wanted) {
      const allow = METHODS.filter((_, at) => found[at] !== null).join(', ');
      if (allow !== '') throw new Problem(405, 'METHOD', `method not allowed; use ${allow}`, { headers: { allow } });
      throw new Problem(404, 'NO_ROUTE', 'not found', { hint: 'see /api/v1/openapi.json for the available paths' });
    }
    const { pathSchema, querySchema } = wanted.store as Route;
    const given = checked(pathSchema, typed(pathSchema, wanted.params), 'path') as { readonly run?: string };
    const query = queryOf(mark === -1 ? '' : url.slice(mark + 1));
    const named = {
      path: given,
      run: given.run === undefined ? undefined : runNamed(given.run, runs),
      query: checked(querySchema, typed(querySchema, query), 'query'),
    };
    return { route: wanted.store as Route, named };
  };

  return {
    match,
    async get(url: string, signal: AbortSignal): Promise<Answer> {
      const { route: found, named } = match('GET', url);
      return await found.handle({ ...named, signal } as never);
    },
  };
}

export function runNamed(id: string, runs: ReadonlyMap<string, RunWatch>): RunWatch {
  const run = runs.get(id);
  if (run) return run;
  throw new Problem(404, 'NO_RUN', `run not found: ${id.slice(0, 100)}`, { hint: 'see /api/v1/ for the runs' });
}

function queryOf(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(values, name)) throw new Problem(400, 'USAGE_PARAMETER', `${name.slice(0, 50)} is given twice`);
    Object.defineProperty(values, name, { value, enumerable: true });
  }
  return values;
}

/** Parameters are text; those whose schema is a number or a boolean become one, if they look like it. */
function typed(schema: z.ZodObject, values: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, text = '']) => {
      let field = schema.shape[name] as z.ZodType | undefined;
      while (field instanceof z.ZodOptional || field instanceof z.ZodDefault) field = field.unwrap() as z.ZodType;
      const isNumber = field instanceof z.ZodNumber && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text);
      const isBoolean = field instanceof z.ZodBoolean && /^(?:true|false)$/.test(text);
      return [name, isNumber ? Number(text) : isBoolean ? text === 'true' : text];
    }),
  );
}

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

type Json = Record<string, unknown>;

function openApi(routes: readonly Route[], version: string): Json {
  const components: Json = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const { $schema: _schema, $defs, ...rest } = relinked(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
    Object.assign(components, $defs);
    return rest;
  };
  // Adds the schema of an error to the components.
  schemaOf(z.object({ it: problem }), 'output');
  const schema = { $ref: '#/components/schemas/Problem' };
  const problemAnswer = { description: 'An error (RFC 9457).', content: { 'application/problem+json': { schema } } };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { types, schema: given } = route.gives;
    const content = given ? { schema: schemaOf(given, 'output') } : {};
    const answer = Object.fromEntries(types.map((type) => [type.split(';')[0] ?? type, content]));
    (paths[route.path] ??= {})[route.method.toLowerCase()] = {
      summary: route.summary,
      operationId: operationId(route),
      parameters: [
        ...parameters(schemaOf(route.pathSchema, 'input'), 'path'),
        ...parameters(schemaOf(route.querySchema, 'input'), 'query'),
      ],
      ...(route.bodySchema && {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemaOf(route.bodySchema, 'input') } },
        },
      }),
      responses: { 200: { description: 'The answer.', content: answer }, default: problemAnswer },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'docstokg serve',
      version,
      description: 'The current state of corpora, a queue and hosts. Times are ISO 8601; unknown values are null.',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function parameters(schema: Json, where: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z]+/).filter((word) => word !== '');
  return [method.toLowerCase(), ...words].join('_');
}

/** Moves references to named schemas to the components. */
function relinked(value: object): Json {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}
