import { z } from 'zod';

import type { Lookup } from '../../works/index.ts';
import { doiPath, maybe, parseLicense, parseVersion } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { ResolveContext, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const location = z.object({
  url_for_pdf: maybe(z.string()),
  url_for_landing_page: maybe(z.string()),
  url: maybe(z.string()),
  license: maybe(z.string()),
  version: maybe(z.string()),
  host_type: maybe(z.string()),
});

export const unpaywallRecord = z.object({
  is_oa: maybe(z.boolean()),
  best_oa_location: maybe(location),
  oa_locations: maybe(z.array(location)),
});

/** Asks Unpaywall; undefined where it cannot be asked, since it demands a contact and knows DOIs only. */
export async function askUnpaywall(
  doi: string | null,
  { lookups, contact, signal }: ResolveContext,
): Promise<Lookup<z.output<typeof unpaywallRecord>> | undefined> {
  if (doi === null || contact === null) return undefined;
  const question = { service: 'unpaywall', path: `v2/${doiPath(doi)}`, parameters: { email: contact } } as const;
  return lookups.json(question, unpaywallRecord, signal);
}

/** Unpaywall: its files, or its pages where it knows no file. */
export const unpaywall: Resolver = {
  name: 'unpaywall',
  async *plans(work, context) {
    const found = await askUnpaywall(work.ids.doi, context);
    if (!found) return;
    yield* problemsOf('unpaywall', found);
    if (found.kind !== 'found') return;
    const { best_oa_location: best, oa_locations: all } = found.value;
    const locations = [...(best ? [best] : []), ...(all ?? [])];
    const hasFile = locations.some(({ url_for_pdf: file }) => file !== null && file !== '');
    for (const each of locations) {
      const details = {
        license: parseLicense(each.license),
        version: parseVersion(each.version),
        hostType: each.host_type === 'publisher' ? 'publisher' : each.host_type === 'repository' ? 'repository' : null,
      } as const;
      if (hasFile) yield* plan('unpaywall', each.url_for_pdf, { ...details, expect: 'pdf' });
      else yield* plan('unpaywall', each.url_for_landing_page ?? each.url, { ...details, expect: 'landing' });
    }
  },
};
