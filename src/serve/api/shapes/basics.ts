import { z } from 'zod';

// Building blocks of responses. The OpenAPI document is generated from these schemas, and tests check real responses
// against them.

export const text = z.string().nullable();

export const number = z.number().nullable();

export const count = z.int().min(0);

export const at = z.string().nullable().describe('ISO 8601.');

export const counts = z.record(z.string(), count);

export const next = text.describe('Cursor of the next page; null on the last page.');

export function page<T extends z.ZodType>(item: T): z.ZodObject<{ items: z.ZodArray<T>; next: typeof text }> {
  return z.object({ items: z.array(item), next });
}

export const stage = z.object({
  name: z.enum(['works', 'saved', 'parsed', 'chunked', 'embedded']),
  done: count,
  failed: count,
  of: number,
  per_minute: number,
  seconds_left: number,
});

export const tried = z
  .object({
    run: z.string(),
    at: z.string(),
    outcome: z.string(),
    reason: z.string(),
    sentence: text,
    detail: text,
    resolver: text,
    url: text,
    file: text,
    attempts: z.array(
      z.object({
        resolver: z.string(),
        host: z.string(),
        url: z.string(),
        status: number,
        reason: z.string(),
        sentence: text,
        bytes: z.number(),
        duration_ms: z.number(),
        started_at: z.string(),
      }),
    ),
  })
  .meta({ id: 'Tried' });
