import { z } from 'zod';

import type { License } from '../../works/index.ts';
import { maybe, osfGuidOf, parseLicense, lenient } from '../../works/index.ts';
import { problemsOf, wrongWork } from '../lookups.ts';
import type { Finding, ResolveContext, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const licenseRecord = z.object({
  data: maybe(z.object({ attributes: z.object({ name: maybe(z.string()), url: maybe(z.string()) }) })),
});
const related = z.object({ links: maybe(z.object({ related: maybe(z.object({ href: z.string() })) })) });

const osfPreprint = z.object({
  data: z.object({
    attributes: z.object({
      title: maybe(z.string()),
      is_published: maybe(z.boolean()),
      public: maybe(z.boolean()),
      date_withdrawn: maybe(z.string()),
    }),
    embeds: lenient(z.object({ license: lenient(licenseRecord) })),
    relationships: maybe(z.object({ primary_file: maybe(related), license: maybe(related) })),
    links: maybe(z.object({ preprint_doi: maybe(z.string()) })),
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

type Preprint = z.output<typeof osfPreprint>['data'];

/**
 * OSF preprints: the DOI contains the guid, the file is two requests away. OSF cannot filter by DOI. The licence is a
 * separate record, which the response may embed (developer.osf.io: `embed=license`); `license_record` has only the
 * year and the holders.
 */
export const osf: Resolver = {
  name: 'osf',
  async *plans(work, context) {
    const { lookups, services, signal } = context;
    const guid = [work.ids.doi, ...work.locations.map(({ landingUrl }) => landingUrl)]
      .map((text) => osfGuidOf(text ?? ''))
      .find((found) => found !== undefined);
    if (guid === undefined) return;
    const preprint = await lookups.json(
      { service: 'osf', path: `v2/preprints/${guid}/`, parameters: { embed: 'license' } },
      osfPreprint,
      signal,
    );
    yield* problemsOf('osf', preprint);
    if (preprint.kind !== 'found') return;
    const { attributes, relationships, links: own } = preprint.value.data;
    const sameness = compareWork(work, { doi: own?.preprint_doi, title: attributes.title });
    yield* wrongWork('osf', sameness);
    if (sameness.kind === 'other') return;
    const href = relationships?.primary_file?.links?.related?.href;
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
      license: yield* licenseOf(preprint.value.data, context),
      version: 'submittedVersion',
      hostType: 'preprint',
      sameAs: sameness.kind === 'version' ? sameness.sameAs : null,
      checksum: hex === undefined ? null : { algorithm: 'sha256', hex: hex.toLowerCase() },
    });
  },
};

async function* licenseOf(
  { embeds, relationships }: Preprint,
  { lookups, signal }: ResolveContext,
): AsyncGenerator<Finding, License | null> {
  const named = embeds?.license?.data?.attributes;
  if (named) return parseLicense(named.url ?? named.name) ?? parseLicense(named.name);
  const id = /\/licenses\/([a-z0-9]{5,40})\/?$/i.exec(relationships?.license?.links?.related?.href ?? '')?.[1];
  if (id === undefined) return null;
  const found = await lookups.json({ service: 'osf', path: `v2/licenses/${id}/` }, licenseRecord, signal);
  yield* problemsOf('osf', found);
  const said = found.kind === 'found' ? found.value.data?.attributes : undefined;
  return parseLicense(said?.url ?? said?.name);
}
