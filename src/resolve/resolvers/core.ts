import { z } from 'zod';

import { maybe, normalizeDoi, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

export const coreAnswer = z.object({
  results: z.array(
    z.object({
      doi: maybe(z.string()),
      downloadUrl: maybe(z.string()),
      sourceFulltextUrls: maybe(z.union([z.array(z.string()), z.string()])),
      license: maybe(z.string()),
    }),
  ),
});

/** CORE: the copy it keeps, then where it found it; either may be a page. It answers nobody without a key. */
export const core: Resolver = {
  name: 'core',
  async *plans(work, { lookups, services, signal }) {
    const { doi } = work.ids;
    if (doi === null) return;
    if (!services.hasKey('core')) {
      yield { kind: 'problem', resolver: 'core', message: 'needs a CORE key', at: null };
      return;
    }
    const parameters = { q: `doi:"${doi.replaceAll('"', '')}"`, limit: '3' };
    // Without the slash at its end the path is answered by a redirect.
    const found = await lookups.json({ service: 'core', path: 'v3/search/works/', parameters }, coreAnswer, signal);
    yield* problemsOf('core', found);
    if (found.kind !== 'found') return;
    for (const { doi: named, downloadUrl, sourceFulltextUrls, license } of found.value.results) {
      if (named !== null && normalizeDoi(named) !== doi) continue;
      for (const url of [downloadUrl, ...[sourceFulltextUrls ?? []].flat()]) {
        // An abstract page of arXiv leads to what the arXiv resolver has already tried.
        if (url !== null && /arxiv\.org\/abs\//i.test(url)) continue;
        yield* plan('core', url, { license: parseLicense(license), hostType: 'aggregator' });
      }
    }
  },
};
