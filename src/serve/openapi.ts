import { z } from 'zod';

import { problem } from './api/shapes/operating.ts';
import type { Route } from './http/route.ts';
import { LINES_TYPE } from './http/send.ts';

type Json = Record<string, unknown>;

/** The OpenAPI document of the routes, from their request and response schemas. */
export function openApi(routes: readonly Route[], version: string): Json {
  const components: Json = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const {
      $schema: _schema,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & {
      $defs?: Json;
    };
    for (const [name, value] of Object.entries($defs ?? {})) components[name] = relinked(value);
    return relinked(rest) as Json;
  };
  const problemAnswer = {
    description: 'An error (RFC 9457).',
    content: { 'application/problem+json': { schema: schemaOf(z.object({ it: problem }), 'output') } },
  };
  // The schema of a problem is one of the components.
  problemAnswer.content['application/problem+json'].schema = { $ref: '#/components/schemas/Problem' };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const answer =
      route.gives.kind === 'json'
        ? { 'application/json': { schema: schemaOf(route.gives.schema, 'output') } }
        : route.gives.kind === 'lines'
          ? { [LINES_TYPE]: { schema: schemaOf(route.gives.schema, 'output') } }
          : Object.fromEntries(route.gives.types.map((type) => [type.split(';')[0] ?? type, {}]));
    (paths[route.path] ??= {})[route.method.toLowerCase()] = {
      summary: route.summary,
      operationId: operationId(route),
      parameters: [
        ...parameters(schemaOf(route.pathSchema, 'output'), 'path'),
        ...parameters(schemaOf(route.querySchema, 'output'), 'query'),
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
function relinked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as unknown;
}
