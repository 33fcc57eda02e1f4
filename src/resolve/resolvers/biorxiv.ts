import { z } from 'zod';

import { doiPath, maybe, objects, parseLicense, text } from '../../works/index.ts';
import { answerOf, unreadable } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const biorxivDetails = z.object({
  messages: maybe(z.array(z.unknown())),
  // Missing if nothing was posted under the DOI; a response with neither this nor a message is invalid.
  collection: maybe(
    objects({
      doi: z.string(),
      title: text,
      version: maybe(z.union([z.string(), z.number()])),
      type: text,
      license: text,
    }),
  ),
});

const PREFIXES = /^10\.(?:1101|64898)\//;
const SERVERS = [
  ['biorxiv', 'biorxiv_site'],
  ['medrxiv', 'medrxiv_site'],
] as const;

/**
 * bioRxiv and medRxiv: the API gives server and version, the site has the PDF, blocked for most programs. Europe
 * PMC's copy is therefore tried first; their text-mining bucket needs a paying account.
 */
export const biorxiv: Resolver = {
  name: 'biorxiv',
  async *plans(work, context) {
    const { doi } = work.ids;
    if (doi === null || !PREFIXES.test(doi)) return;
    const bare = doi.replace(/v\d{1,3}$/, '');
    for (const [server, site] of SERVERS) {
      const path = `details/${server}/${doiPath(bare)}/na/json`;
      const found = yield* answerOf('biorxiv', context, { path }, biorxivDetails);
      if (!found) continue;
      // One element per version; an unknown DOI gives an empty list with status 200.
      const { collection, messages } = found;
      if (collection === null && messages === null) yield* unreadable('biorxiv', 'neither posts nor a message');
      const latest = (collection ?? [])
        .filter((each) => compareWork(work, { doi: each.doi }).kind === 'same')
        .toSorted((a, b) => numberOf(b.version) - numberOf(a.version))[0];
      if (!latest) continue;
      if (/withdraw/i.test(latest.type ?? '') || /^withdrawn/i.test(latest.title ?? '')) return;
      const number = Math.max(1, numberOf(latest.version));
      yield* plan('biorxiv', context.services.url(site, `content/${doiPath(bare)}v${number}.full.pdf`), {
        expect: 'pdf',
        license: parseLicense(latest.license),
        version: 'submittedVersion',
        hostType: 'preprint',
      });
      return;
    }
  },
};

function numberOf(version: string | number | null): number {
  return Number(version ?? 1) || 0;
}
