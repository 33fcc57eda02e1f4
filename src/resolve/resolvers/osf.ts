import { z } from 'zod';

import type { License } from '../../works/index.ts';
import { lenient, maybe, osfGuidOf, parseLicense, text } from '../../works/index.ts';
import { answerOf, sameAsOf } from '../lookups.ts';
import type { Finding, ResolveContext, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const licenseRecord = z.object({
  data: maybe(z.object({ attributes: z.object({ name: text, url: text }) })),
});
const related = z.object({ links: maybe(z.object({ related: maybe(z.object({ href: z.string() })) })) });

const osfPreprint = z.object({
  data: z.object({
    attributes: z.object({
      title: text,
      is_published: maybe(z.boolean()),
      public: maybe(z.boolean()),
      date_withdrawn: text,
    }),
    embeds: lenient(z.object({ license: lenient(licenseRecord) })),
    relationships: maybe(z.object({ primary_file: maybe(related), license: maybe(related) })),
    links: maybe(z.object({ preprint_doi: text })),
  }),
});

const file = z.object({
  attributes: z.object({
    name: text,
    extra: maybe(z.object({ hashes: maybe(z.object({ sha256: text })) })),
  }),
  links: z.object({ download: text }),
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
    const { services } = context;
    const guid = [work.ids.doi, ...work.locations.map(({ landingUrl }) => landingUrl)]
      .map((text) => osfGuidOf(text ?? ''))
      .find((found) => found !== undefined);
    if (guid === undefined) return;
    const question = { path: `v2/preprints/${guid}/`, parameters: { embed: 'license' } };
    const preprint = yield* answerOf('osf', context, question, osfPreprint);
    if (!preprint) return;
    const { attributes, relationships, links: own } = preprint.data;
    const sameness = compareWork(work, { doi: own?.preprint_doi, title: attributes.title });
    const sameAs = yield* sameAsOf('osf', sameness);
    if (sameAs === undefined) return;
    const href = relationships?.primary_file?.links?.related?.href;
    if (attributes.date_withdrawn !== null || attributes.is_published === false || href === undefined) return;
    // Only the id is taken from the link: the key must not follow it to another host.
    const id = /\/files\/([a-z0-9]{5,40})\/?$/i.exec(href)?.[1];
    if (id === undefined) return;
    const found = yield* answerOf('osf', context, { path: `v2/files/${id}/` }, osfFile);
    if (!found) return;
    const { links, attributes: facts } = found.data;
    const hex = /^[0-9a-f]{64}$/i.exec(facts.extra?.hashes?.sha256 ?? '')?.[0];
    yield* plan('osf', links.download ?? services.url('osf', `v2/files/${id}/download`), {
      expect: 'pdf',
      license: yield* licenseOf(preprint.data, context),
      version: 'submittedVersion',
      hostType: 'preprint',
      sameAs,
      checksum: hex === undefined ? null : { algorithm: 'sha256', hex: hex.toLowerCase() },
    });
  },
};

async function* licenseOf(
  { embeds, relationships }: Preprint,
  context: ResolveContext,
): AsyncGenerator<Finding, License | null> {
  const named = embeds?.license?.data?.attributes;
  if (named) return parseLicense(named.url ?? named.name) ?? parseLicense(named.name);
  const id = /\/licenses\/([a-z0-9]{5,40})\/?$/i.exec(relationships?.license?.links?.related?.href ?? '')?.[1];
  if (id === undefined) return null;
  const found = yield* answerOf('osf', context, { path: `v2/licenses/${id}/` }, licenseRecord);
  return parseLicense(found?.data?.attributes.url ?? found?.data?.attributes.name);
}
