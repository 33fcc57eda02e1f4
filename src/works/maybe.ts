import { z } from 'zod';

/** A missing or null field becomes null. */
export function maybe<S extends z.ZodType>(
  schema: S,
): z.ZodPipe<z.ZodOptional<z.ZodNullable<S>>, z.ZodTransform<z.output<S> | null, z.output<S> | null | undefined>> {
  return schema.nullish().transform((value) => value ?? null);
}

/** An optional field: a wrong type becomes null instead of failing the record. */
export function lenient<S extends z.ZodType>(schema: S): z.ZodCatch<ReturnType<typeof maybe<S>>> {
  return maybe(schema).catch(null);
}

/** A list of objects from which invalid ones are dropped. */
export function objects<S extends z.ZodRawShape>(shape: S): ReturnType<typeof validItems<z.ZodObject<S>>> {
  return validItems(z.object(shape));
}

/** A text field that may be missing. */
export const text = maybe(z.string());

/** A list from which invalid entries are dropped. A non-empty list without any valid entry is an error. */
export function validItems<S extends z.ZodType>(
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
