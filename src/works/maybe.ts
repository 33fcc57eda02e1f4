import { z } from 'zod';

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

/**
 * A list of which some entries may be odd: those that do not fit are left out, so that one costs nobody the others. A list in
 * which no entry has the right shape is an answer of another kind, and stays an error.
 */
export function those<S extends z.ZodType>(
  schema: S,
): z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<z.output<S>[], unknown[]>> {
  return z.array(z.unknown()).transform((entries, context) => {
    const parsed = entries.map((entry) => schema.safeParse(entry));
    const fitting = parsed.flatMap((each) => (each.success ? [each.data] : []));
    const [first] = parsed;
    if (entries.length > 0 && fitting.length === 0 && first && !first.success) {
      const [issue] = first.error.issues;
      context.addIssue({
        code: 'custom',
        message: issue?.message ?? 'nothing in the list fits',
        path: [0, ...(issue?.path ?? [])],
      });
    }
    return fitting;
  });
}
