import { z } from 'zod';

/** A number of seconds that is at least `min`. */
export const seconds = (min: number): z.ZodNumber => z.number().min(min);
