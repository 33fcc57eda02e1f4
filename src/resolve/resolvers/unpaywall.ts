import { z } from 'zod';

import type { Lookup, Work } from '../../works/index.ts';
import { doiPath, lenient, maybe, parseLicense, parseVersion, text, validItems } from '../../works/index.ts';
import { lead } from '../plan.ts';
import { problemsOf, sameAsOf } from '../lookups.ts';
import type { ResolveContext, Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const location = z.object({
  url_for_pdf: text,
  url_for_landing_page: text,
  url: text,
  license: lenient(z.string()),
  version: lenient(z.string()),
  host_type: lenient(z.string()),
});

export const unpaywallRecord = z.object({
  doi: text,
  title: text,
  is_oa: maybe(z.boolean()),
  best_oa_location: maybe(location),
  oa_locations: maybe(validItems(location)),
});

/** Queries Unpaywall; undefined without a contact address or a DOI, both of which it requires. */
export async function askUnpaywall(
  doi: string | null,
  { lookups, contact, signal }: ResolveContext,
): Promise<Lookup<z.output<typeof unpaywallRecord>> | undefined> {
  if (doi === null || contact === null) return undefined;
  const question = { service: 'unpaywall', path: `v2/${doiPath(doi)}`, parameters: { email: contact } } as const;
  return lookups.json(question, unpaywallRecord, signal);
}

/** The record's open locations, if it is about the work. */
export function openLocations(record: z.output<typeof unpaywallRecord>, work: Work): z.output<typeof location>[] {
  if (compareWork(work, { doi: record.doi }).kind === 'other') return [];
  const { best_oa_location: best, oa_locations: all } = record;
  return [...(best ? [best] : []), ...(all ?? [])];
}

/** Unpaywall: its files, then its pages, since a listed file may be gone. */
export const unpaywall: Resolver = {
  name: 'unpaywall',
  async *plans(work, context) {
    const { services } = context;
    const found = await askUnpaywall(work.ids.doi, context);
    if (!found) return;
    yield* problemsOf('unpaywall', found);
    if (found.kind !== 'found') return;
    if ((yield* sameAsOf('unpaywall', compareWork(work, { doi: found.value.doi }))) === undefined) return;
    const locations = openLocations(found.value, work).map((each) => ({
      file: each.url_for_pdf === '' ? null : each.url_for_pdf,
      page: each.url_for_landing_page ?? each.url,
      details: {
        license: parseLicense(each.license),
        version: parseVersion(each.version),
        hostType: each.host_type === 'publisher' ? 'publisher' : each.host_type === 'repository' ? 'repository' : null,
      } as const,
    }));
    for (const { file, details } of locations) yield* lead(services, 'unpaywall', file, { ...details, expect: 'pdf' });
    for (const { file, page, details } of locations) {
      // The `doi` resolver handles the page of a listed file.
      if (file !== null && services.isOf('doi', page ?? '')) continue;
      if (page !== file) yield* lead(services, 'unpaywall', page, { ...details, expect: 'landing' });
    }
  },
};
