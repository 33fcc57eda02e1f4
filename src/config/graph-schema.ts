import * as z from 'zod';

import { flag } from './setting.ts';

/** What a graph is built with beside the documents. */
export const graphSchema = z.strictObject({
  lookup: z
    .boolean()
    .default(false)
    .describe(
      'Look up cited works known only by OpenAlex id in OpenAlex, and unmatched references without an identifier in Crossref; needs http.contact.',
    )
    .meta(flag('--lookup', 'graph-build')),
  lookup_most: z
    .int()
    .min(1)
    .default(1_000)
    .describe('Maximum number of references, and of works by id, to look up per build; the most cited first.')
    .meta(flag('--lookup-most <n>', 'graph-build')),
});
