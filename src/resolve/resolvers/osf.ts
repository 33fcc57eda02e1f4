import { z } from 'zod';

import { maybe, osfGuidOf, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const osfPreprint = z.object({
  data: z.object({
    attributes: z.object({
      is_published: maybe(z.boolean()),
      public: maybe(z.boolean()),
      date_withdrawn: maybe(z.string()),
      license_record: maybe(z.object({ name: maybe(z.string()) })),
    }),
    relationships: maybe(
      z.object({
        primary_file: maybe(z.object({ links: z.object({ related: z.object({ href: z.string() }) }) })),
      }),
    ),
  }),
});

const file = z.object({
  attributes: z.object({
    name: maybe(z.string()),
    extra: maybe(z.object({ hashes: maybe(z.object({ sha256: maybe(z.string()) })) })),
  }),
  links: z.object({ download: maybe(z.string()) }),
});
const osfFile = z.object({ data: file });
export const osfFiles = z.object({ data: z.array(file) });

/** OSF preprints: the guid is in the DOI, the file two hops behind it. Filtering by DOI is not possible there. */
export const osf: Resolver = {
  name: 'osf',
  async *plans(work, { lookups, services, signal }) {
    const guid = [work.ids.doi, ...work.locations.map(({ landingUrl }) => landingUrl)]
      .map((text) => osfGuidOf(text ?? ''))
      .find((found) => found !== undefined);
    if (guid === undefined) return;
    const preprint = await lookups.json({ service: 'osf', path: `v2/preprints/${guid}/` }, osfPreprint, signal);
    yield* problemsOf('osf', preprint);
    if (preprint.kind !== 'found') return;
    const { attributes, relationships } = preprint.value.data;
    const href = relationships?.primary_file?.links.related.href;
    if (attributes.date_withdrawn !== null || attributes.is_published === false || href === undefined) return;
    // Only the id is taken from the link: the key must not follow it to another host.
    const id = /\/files\/([a-z0-9]{5,40})\/?$/i.exec(href)?.[1];
    if (id === undefined) return;
    const found = await lookups.json({ service: 'osf', path: `v2/files/${id}/` }, osfFile, signal);
    yield* problemsOf('osf', found);
    if (found.kind !== 'found') return;
    const { links, attributes: facts } = found.value.data;
    const hex = /^[0-9a-f]{64}$/i.exec(facts.extra?.hashes?.sha256 ?? '')?.[0];
    yield* plan('osf', links.download ?? services.url('osf', `v2/files/${id}/download`), {
      expect: 'pdf',
      license: parseLicense(attributes.license_record?.name),
      version: 'submittedVersion',
      hostType: 'preprint',
      checksum: hex === undefined ? null : { algorithm: 'sha256', hex: hex.toLowerCase() },
    });
  },
};
