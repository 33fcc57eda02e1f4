import { z } from 'zod';

import type { Flag } from './flag.ts';
import type { Plain } from './plain.ts';
import { configSchema } from './schema.ts';

/** One setting as people see it. */
export interface Key {
  readonly path: readonly string[];
  readonly name: string;
  readonly environment: string;
  readonly type: string;
  readonly range: string;
  readonly default: unknown;
  readonly sentence: string;
  /** What it may be, where that is one of a few words. */
  readonly choices: readonly string[];
  /** The options of the command line that set it. */
  readonly flags: readonly Flag[];
  /** All that is asked of a value, where it can be told without the schema. */
  readonly plain: Plain | null;
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly flags?: readonly Flag[];
}

/** The schema of configuration files as JSON Schema, for editors. */
export function jsonSchema(): JsonSchema {
  return withoutFlags(fullSchema(configSchema));
}

function fullSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
}

function withoutFlags(schema: JsonSchema): JsonSchema {
  const { properties, ...rest } = Object.fromEntries(
    Object.entries(schema).filter(([name]) => name !== 'flags'),
  ) as JsonSchema;
  if (!properties) return rest;
  const inner = Object.entries(properties).map(([name, value]) => [name, withoutFlags(value)] as const);
  return { ...rest, properties: Object.fromEntries(inner) };
}

/** The name of the environment variable that sets a key. */
function environmentName(path: readonly string[]): string {
  return `DOCSTOKG_${path.map((part) => part.toUpperCase()).join('__')}`;
}

/** What a key that may be null is otherwise; a key that may not be null is itself. */
function withoutNull(schema: JsonSchema): JsonSchema & { readonly type?: string } {
  const value = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const { type, ...rest } = value;
  if (typeof type === 'string' || type === undefined) return value as JsonSchema & { readonly type?: string };
  const name = type.find((each) => each !== 'null');
  return { ...rest, ...(name !== undefined && { type: name }) };
}

/** Every key of a schema, the program's own unless told otherwise, in its order. */
export function listKeys(schema: z.ZodType = configSchema): readonly Key[] {
  return collect(fullSchema(schema), [], schema);
}

function collect(schema: JsonSchema, path: readonly string[], source: z.ZodType): Key[] {
  const section = unwrapped(source);
  const shape = section instanceof z.ZodObject ? (section.shape as Readonly<Record<string, z.ZodType>>) : {};
  // Where a section has a rule between its settings, no setting can be told good by itself.
  const free = section.def.checks === undefined;
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const here = [...path, name];
    const own = shape[name];
    if (inner.properties && own) return collect(inner, here, own);
    // A key that may be null is listed as what it is otherwise.
    const value = withoutNull(inner);
    return [
      {
        path: here,
        name: here.join('.'),
        environment: environmentName(here),
        type: value.enum ? 'choice' : value.type === 'object' ? 'map' : (value.type ?? 'any'),
        range: `${describeRange(value)}${value === inner ? '' : ', or null'}`,
        default: inner.default,
        sentence: inner.description ?? '',
        choices: (value.enum ?? []).map(String),
        flags: inner.flags ?? [],
        plain: free && own ? plainOf(unwrapped(own), value) : null,
      },
    ];
  });
}

/** The schema of a setting without what it has for a default. */
function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}

/** Checks that JSON Schema tells in full. */
const TOLD = new Set(['min_length', 'greater_than', 'less_than', 'number_format']);

/** Null for all that is more than a plain value within plain bounds. */
function plainOf(schema: z.ZodType, told: JsonSchema): Plain | null {
  if (schema.def.checks?.some((check) => !TOLD.has(check._zod.def.check))) return null;
  if (told.exclusiveMinimum !== undefined || told.exclusiveMaximum !== undefined) return null;
  if (schema.type === 'boolean') return { kind: 'boolean' };
  if (schema.type === 'enum') return { kind: 'choice', choices: told.enum ?? [] };
  if (schema.type === 'string' && told.format === undefined && told.pattern === undefined)
    return { kind: 'text', minLength: told.minLength ?? 0 };
  if (schema.type !== 'number') return null;
  const { minimum: min = -Number.MAX_VALUE, maximum: max = Number.MAX_VALUE } = told;
  return { kind: 'number', whole: told.type === 'integer', min, max };
}

function describeRange(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.join(' | ');
  if (typeof schema.additionalProperties === 'object') return `name: ${describeRange(schema.additionalProperties)}`;
  const { minimum, maximum } = schema;
  // zod writes the bounds of safe integers down; nobody needs to read them.
  const upper = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && upper !== undefined) return `from ${minimum} to ${upper}`;
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) return `at least ${minimum}`;
  if (schema.pattern) return `matching ${schema.pattern}`;
  return schema.minLength ? 'not empty' : '';
}
