import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Checksum, Finding, ResolveContext, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const zenodoRecord = z.object({
  id: z.union([z.number(), z.string()]),
  doi: maybe(z.string()),
  metadata: z.object({
    access_right: maybe(z.string()),
    license: maybe(z.object({ id: maybe(z.string()) })),
  }),
  files: maybe(
    z.array(z.object({ key: z.string(), checksum: maybe(z.string()), links: z.object({ self: maybe(z.string()) }) })),
  ),
});
const zenodoSearch = z.object({ hits: z.object({ hits: z.array(zenodoRecord) }) });

type Record = z.output<typeof zenodoRecord>;

/** Zenodo: the PDFs of an open record, with their checksums. */
export const zenodo: Resolver = {
  name: 'zenodo',
  async *plans(work, context) {
    for (const record of yield* recordsOf(work, context)) {
      if (record.metadata.access_right !== null && record.metadata.access_right !== 'open') continue;
      for (const { key, checksum, links } of record.files ?? []) {
        if (!/\.pdf$/i.test(key)) continue;
        const path = `api/records/${record.id}/files/${encodeURIComponent(key)}/content`;
        yield* plan('zenodo', links.self ?? context.services.url('zenodo', path), {
          expect: 'pdf',
          license: parseLicense(record.metadata.license?.id),
          hostType: 'repository',
          robots: 'terms',
          checksum: checksumOf(checksum),
        });
      }
    }
  },
};

/** A Zenodo DOI names its record; other DOIs are searched for only when asked to be thorough. */
async function* recordsOf(
  { ids }: Work,
  { lookups, thorough, signal }: ResolveContext,
): AsyncGenerator<Finding, readonly Record[]> {
  if (ids.zenodo !== null) {
    const found = await lookups.json({ service: 'zenodo', path: `api/records/${ids.zenodo}` }, zenodoRecord, signal);
    yield* problemsOf('zenodo', found);
    return found.kind === 'found' ? [found.value] : [];
  }
  if (ids.doi === null || !thorough) return [];
  const parameters = { q: `doi:"${ids.doi.replaceAll('"', '')}"`, size: '5' };
  const found = await lookups.json({ service: 'zenodo_search', path: 'api/records', parameters }, zenodoSearch, signal);
  yield* problemsOf('zenodo', found);
  return found.kind === 'found' ? found.value.hits.hits : [];
}

function checksumOf(text: string | null): Checksum | null {
  const hex = /^md5:([0-9a-f]{32})$/i.exec(text ?? '')?.[1];
  return hex === undefined ? null : { algorithm: 'md5', hex: hex.toLowerCase() };
}
