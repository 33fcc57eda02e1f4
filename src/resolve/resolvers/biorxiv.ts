import { z } from 'zod';

import { doiPath, maybe, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

export const biorxivDetails = z.object({
  collection: z.array(
    z.object({ doi: z.string(), version: maybe(z.union([z.string(), z.number()])), license: maybe(z.string()) }),
  ),
});

const PREFIXES = /^10\.(?:1101|64898)\//;
const SERVERS = [
  ['biorxiv', 'biorxiv_site'],
  ['medrxiv', 'medrxiv_site'],
] as const;

/** bioRxiv and medRxiv: the API says which server and version, the site has the PDF. */
export const biorxiv: Resolver = {
  name: 'biorxiv',
  async *plans(work, { lookups, services, signal }) {
    const { doi } = work.ids;
    if (doi === null || !PREFIXES.test(doi)) return;
    for (const [server, site] of SERVERS) {
      const path = `details/${server}/${doiPath(doi)}/na/json`;
      const found = await lookups.json({ service: 'biorxiv', path }, biorxivDetails, signal);
      yield* problemsOf('biorxiv', found);
      if (found.kind !== 'found') continue;
      // One element per version; an unknown DOI is an empty list with status 200.
      const latest = found.value.collection.toSorted((a, b) => Number(b.version) - Number(a.version))[0];
      if (!latest) continue;
      yield* plan('biorxiv', services.url(site, `content/${doiPath(doi)}v${Number(latest.version ?? 1)}.full.pdf`), {
        expect: 'pdf',
        license: parseLicense(latest.license),
        version: 'submittedVersion',
        hostType: 'preprint',
      });
      return;
    }
  },
};
