import * as z from 'zod';

/** Commands, or groups of commands, that accept options for settings. */
export type FlagPlace =
  | 'database'
  | 'download'
  | 'queue-run'
  | 'stage'
  | 'doctags'
  | 'chunk'
  | 'embed'
  | 'format'
  | 'data-root'
  | 'serve'
  | 'findings'
  | 'graph-build'
  | 'ask'
  | 'table'
  | 'store';

export interface Flag {
  readonly option: string;
  readonly at: FlagPlace;
}

export function flag(option: string, ...places: FlagPlace[]): { readonly flags: readonly Flag[] } {
  return { flags: places.map((at) => ({ option, at })) };
}

export const secret = (): z.ZodString => z.string().meta({ secret: true });

export const seconds = (min: number): z.ZodNumber => z.number().min(min);

/** An optional text, empty by default. */
export const text = (sentence: string, metadata?: ReturnType<typeof flag>) =>
  setting(z.string().default(''), sentence, metadata);

export const toggle = (value: boolean, sentence: string, metadata?: ReturnType<typeof flag>) =>
  setting(z.boolean().default(value), sentence, metadata);

export function setting<Schema extends z.ZodType>(
  schema: Schema,
  sentence: string,
  metadata?: ReturnType<typeof flag>,
): Schema {
  const described = schema.describe(sentence);
  return metadata ? described.meta(metadata) : described;
}
