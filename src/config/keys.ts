import * as z from 'zod';

import { configSchema } from './schema.ts';
import type { Flag } from './setting.ts';

export { configSchema };

export interface Key {
  readonly path: readonly string[];
  readonly name: string;
  readonly environment: string;
  readonly type: string;
  readonly range: string;
  readonly default: unknown;
  readonly sentence: string;
  readonly choices: readonly string[];
  readonly flags: readonly Flag[];
  /** Its value must never be printed. */
  readonly secret: boolean;
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly flags?: readonly Flag[];
  readonly secret?: boolean;
}

export function jsonSchema(): JsonSchema {
  return withoutOwnMetadata(fullSchema(configSchema));
}

function fullSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
}

function withoutOwnMetadata({ flags: _flags, secret: _secret, properties, ...rest }: JsonSchema): JsonSchema {
  if (!properties) return rest;
  const inner = Object.entries(properties).map(([name, value]) => [name, withoutOwnMetadata(value)] as const);
  return { ...rest, properties: Object.fromEntries(inner) };
}

function withoutNull(schema: JsonSchema): JsonSchema & { readonly type?: string } {
  const value = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const { type, ...rest } = value;
  if (typeof type === 'string' || type === undefined) return value as JsonSchema & { readonly type?: string };
  const name = type.find((each) => each !== 'null');
  return { ...rest, ...(name !== undefined && { type: name }) };
}

export function listKeys(schema: z.ZodType = configSchema): readonly Key[] {
  return collect(fullSchema(schema), []);
}

function collect(schema: JsonSchema, path: readonly string[]): Key[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const here = [...path, name];
    if (inner.properties) return collect(inner, here);
    const value = withoutNull(inner);
    return [
      {
        path: here,
        name: here.join('.'),
        environment: `DOCSTOKG_${here.map((part) => part.toUpperCase()).join('__')}`,
        type: value.enum ? 'choice' : value.type === 'object' ? 'map' : (value.type ?? 'any'),
        range: `${describeRange(value)}${value === inner ? '' : ', or null'}`,
        default: inner.default,
        sentence: inner.description ?? '',
        choices: (value.enum ?? []).map(String),
        flags: inner.flags ?? [],
        secret: inner.secret === true,
      },
    ];
  });
}

function describeRange(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.join(' | ');
  if (typeof schema.additionalProperties === 'object') return `name: ${describeRange(schema.additionalProperties)}`;
  const { minimum, maximum } = schema;
  // zod adds the bounds of safe integers, which do not help a reader.
  const upper = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && upper !== undefined) return `from ${minimum} to ${upper}`;
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) return `at least ${minimum}`;
  if (schema.pattern) return `matching ${schema.pattern}`;
  return schema.minLength ? 'not empty' : '';
}
