import { z } from 'zod';

import { maybe, normalizeDoi } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Expectation, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const doajAnswer = z.object({
  results: z.array(
    z.object({
      bibjson: z.object({
        identifier: maybe(z.array(z.object({ id: maybe(z.string()), type: maybe(z.string()) }))),
        link: maybe(
          z.array(z.object({ type: maybe(z.string()), url: maybe(z.string()), content_type: maybe(z.string()) })),
        ),
      }),
    }),
  ),
});

/** DOAJ: links of articles in open journals, most of them pages. */
export const doaj: Resolver = {
  name: 'doaj',
  async *plans(work, { lookups, signal }) {
    const { doi } = work.ids;
    if (doi === null) return;
    // The query is a segment of the path; quoted, since a DOI holds what Lucene would read as its own.
    const path = `api/v4/search/articles/${encodeURIComponent(`doi:"${doi.replaceAll('"', '')}"`)}`;
    const found = await lookups.json({ service: 'doaj', path, parameters: { pageSize: '5' } }, doajAnswer, signal);
    yield* problemsOf('doaj', found);
    if (found.kind !== 'found') return;
    for (const { bibjson } of found.value.results) {
      const named = (bibjson.identifier ?? [])
        .filter(({ type }) => type === 'doi')
        .map(({ id }) => normalizeDoi(id ?? ''));
      if (named.length > 0 && !named.includes(doi)) continue;
      for (const { type, url, content_type: contentType } of bibjson.link ?? []) {
        if (type !== null && type !== 'fulltext') continue;
        yield* plan('doaj', url, {
          expect: expectation(contentType),
          version: 'publishedVersion',
          hostType: 'publisher',
        });
      }
    }
  },
};

function expectation(contentType: string | null): Expectation {
  const type = contentType?.toLowerCase() ?? '';
  return type.includes('pdf') ? 'pdf' : type.includes('xml') ? 'xml' : 'landing';
}
