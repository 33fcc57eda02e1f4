import type { z } from 'zod';

/** A field that services leave out, or send as null: both become null. */
export function maybe<S extends z.ZodType>(
  schema: S,
): z.ZodPipe<z.ZodOptional<z.ZodNullable<S>>, z.ZodTransform<z.output<S> | null, z.output<S> | null | undefined>> {
  return schema.nullish().transform((value) => value ?? null);
}

/** A field that is welcome but not needed: whatever shape it comes in, it costs nobody the rest of the record. */
export function welcome<S extends z.ZodType>(schema: S): z.ZodCatch<ReturnType<typeof maybe<S>>> {
  return maybe(schema).catch(null);
}
