import { z } from 'zod';

import type { Lookup } from '../../works/index.ts';
import { lenient, maybe, objects, parseLicense, text, validItems } from '../../works/index.ts';
import { lead } from '../plan.ts';
import { problemsOf } from '../lookups.ts';
import type { Expectation, ResolveContext, Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const doajAnswer = z.object({
  results: validItems(
    z.object({
      bibjson: z.object({
        title: text,
        author: lenient(objects({ name: text })),
        identifier: maybe(objects({ id: text, type: text })),
        journal: lenient(z.object({ license: maybe(z.array(z.object({ title: text, type: text }))) })),
        link: maybe(objects({ type: text, url: text, content_type: lenient(z.string()) })),
      }),
    }),
  ),
});

type Answer = z.output<typeof doajAnswer>;

/** DOAJ: links of articles in open journals, most of them pages. */
export const doaj: Resolver = {
  name: 'doaj',
  async *plans(work, context) {
    const { doi } = work.ids;
    if (doi === null) return;
    // The field is matched exactly (DOAJ's settings: bibjson.identifier.id.exact), and contains DOIs as publishers
    // wrote them.
    let found = await askDoaj(doi, context);
    const upper = doi.toUpperCase();
    if (found.kind === 'found' && found.value.results.length === 0 && upper !== doi)
      found = await askDoaj(upper, context);
    yield* problemsOf('doaj', found);
    if (found.kind !== 'found') return;
    for (const { bibjson } of found.value.results) {
      const named = (bibjson.identifier ?? []).filter(({ type }) => type?.toLowerCase() === 'doi').map(({ id }) => id);
      const authors = (bibjson.author ?? []).flatMap(({ name }) => (name === null ? [] : [name]));
      const stated = { doi: named[0], title: bibjson.title, authors };
      const sameness = named.map((each) => compareWork(work, { ...stated, doi: each }));
      if (named.length > 0 && sameness.every(({ kind }) => kind === 'other')) continue;
      if (named.length === 0 && compareWork(work, stated).kind !== 'same') continue;
      const [stateOf] = bibjson.journal?.license ?? [];
      for (const { type, url, content_type: contentType } of bibjson.link ?? []) {
        if (type !== null && type !== 'fulltext') continue;
        yield* lead(context.services, 'doaj', url, {
          expect: expectation(contentType, url),
          license: parseLicense(stateOf?.type ?? stateOf?.title),
          version: 'publishedVersion',
          hostType: 'publisher',
        });
      }
    }
  },
};

/** The query is a path segment; quoted, since DOIs contain Lucene operators. */
function askDoaj(doi: string, { lookups, signal }: ResolveContext): Promise<Lookup<Answer>> {
  const path = `api/v4/search/articles/${encodeURIComponent(`doi:"${doi.replaceAll('"', '')}"`)}`;
  return lookups.json({ service: 'doaj', path, parameters: { pageSize: '5' } }, doajAnswer, signal);
}

function expectation(contentType: string | null, url: string | null): Expectation {
  const type = contentType?.toLowerCase() ?? '';
  if (type === '') return /\.pdf($|[?#])/i.test(url ?? '') ? 'any' : 'landing';
  return type.includes('pdf') ? 'pdf' : type.includes('xml') ? 'xml' : 'landing';
}
