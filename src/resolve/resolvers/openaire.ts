import { z } from 'zod';

import { maybe, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const openaireAnswer = z.object({
  results: z.array(
    z.object({
      instances: maybe(
        z.array(
          z.object({
            license: maybe(z.string()),
            accessRight: maybe(z.object({ label: maybe(z.string()) })),
            urls: maybe(z.array(z.string())),
          }),
        ),
      ),
    }),
  ),
});

const OPEN = new Set(['OPEN', 'OPEN SOURCE']);

/** OpenAIRE: addresses of open instances, most of them pages. */
export const openaire: Resolver = {
  name: 'openaire',
  async *plans(work, { lookups, services, signal }) {
    const { doi, arxiv, pmcid, pmid } = work.ids;
    const pid = doi ?? arxiv?.id ?? pmcid ?? pmid;
    if (pid === null) return;
    const parameters = { pid, pageSize: '5' };
    const found = await lookups.json(
      { service: 'openaire', path: 'graph/v3/research-products', parameters },
      openaireAnswer,
      signal,
    );
    yield* problemsOf('openaire', found);
    if (found.kind !== 'found') return;
    for (const { license, accessRight, urls } of found.value.results.flatMap(({ instances }) => instances ?? [])) {
      if (!OPEN.has(accessRight?.label?.toUpperCase() ?? '')) continue;
      for (const url of urls ?? []) {
        // The page behind the DOI is the business of the `doi` resolver.
        if (services.isAt('doi', url) || /^https?:\/\/(dx\.)?doi\.org\//i.test(url)) continue;
        yield* plan('openaire', url, { license: parseLicense(license), hostType: 'repository' });
      }
    }
  },
};
