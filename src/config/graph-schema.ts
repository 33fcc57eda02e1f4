import * as z from 'zod';

import { flag } from './setting.ts';

/** What a graph is built with beside the documents. */
export const graphSchema = z.strictObject({
  lookup: z
    .boolean()
    .default(false)
    .describe(
      'Asks OpenAlex what the works are that records cite by its ids alone, and Crossref about references that carry no identifier and mean no work of the graph; needs http.contact.',
    )
    .meta(flag('--lookup', 'graph-build')),
  lookup_most: z
    .int()
    .min(1)
    .default(1_000)
    .describe('Most references, and most works by id, that one build asks about, those that most documents cite first.')
    .meta(flag('--lookup-most <n>', 'graph-build')),
});
