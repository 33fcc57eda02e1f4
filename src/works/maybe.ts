import type { z } from 'zod';

/** A field that services leave out, or send as null: both become null. */
export function maybe<S extends z.ZodType>(
  schema: S,
): z.ZodPipe<z.ZodOptional<z.ZodNullable<S>>, z.ZodTransform<z.output<S> | null, z.output<S> | null | undefined>> {
  return schema.nullish().transform((value) => value ?? null);
}
