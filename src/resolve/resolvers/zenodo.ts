import { z } from 'zod';

import type { License, Work } from '../../works/index.ts';
import { lenient, maybe, normalizeDoi, objects, parseLicense, text, validItems } from '../../works/index.ts';
import { answerOf } from '../lookups.ts';
import type { Checksum, Finding, Plan, ResolveContext, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { compareWork } from '../same-work.ts';

/** Named `key` in current records, `filename` in older ones. */
const file = z.object({
  key: text,
  filename: text,
  checksum: text,
  links: maybe(z.object({ self: text, content: text, download: text })),
});

const zenodoRecord = z.object({
  id: z.union([z.number(), z.string()]),
  doi: text,
  conceptdoi: text,
  metadata: z.object({
    title: text,
    creators: lenient(objects({ name: text, person_or_org: maybe(z.object({ name: text })) })),
    related_identifiers: lenient(objects({ identifier: text, relation: lenient(z.string()) })),
    access_right: text,
    license: lenient(z.union([z.object({ id: text }), z.string()])),
    rights: lenient(objects({ id: text })),
  }),
  // InvenioRDM's form of `access_right`.
  access: lenient(z.object({ files: text })),
  // A list, or an object by name in InvenioRDM's form.
  files: maybe(z.union([validItems(file), z.object({ entries: lenient(z.record(z.string(), file)) })])),
});
const zenodoSearch = z.object({ hits: z.object({ hits: validItems(zenodoRecord) }) });

type Record = z.output<typeof zenodoRecord>;

/** Zenodo: the PDFs of an open record, with their checksums. */
export const zenodo: Resolver = {
  name: 'zenodo',
  async *plans(work, context) {
    for (const record of yield* recordsOf(work, context)) {
      if (!isOpen(record)) continue;
      const files = Array.isArray(record.files) ? record.files : Object.values(record.files?.entries ?? {});
      for (const { key: name, filename, checksum, links } of files) {
        const key = name ?? filename ?? '';
        if (!/\.pdf$/i.test(key)) continue;
        const path = `api/records/${record.id}/files/${encodeURIComponent(key)}/content`;
        yield* plan(
          'zenodo',
          links?.content ?? links?.download ?? links?.self ?? context.services.url('zenodo', path),
          {
            expect: 'pdf',
            license: licenseOf(record),
            hostType: 'repository',
            robots: 'terms',
            sameAs: sameAsOf(work, record),
            checksum: checksumOf(checksum),
          },
        );
      }
    }
  },
};

/** A Zenodo DOI gives its record; other DOIs are searched only in thorough mode. */
async function* recordsOf({ ids }: Work, context: ResolveContext): AsyncGenerator<Finding, readonly Record[]> {
  if (ids.zenodo !== null) {
    const found = yield* answerOf('zenodo', context, { path: `api/records/${ids.zenodo}` }, zenodoRecord);
    return found ? [found] : [];
  }
  if (ids.doi === null || !context.thorough) return [];
  const parameters = { q: `doi:"${ids.doi.replaceAll('"', '')}"`, size: '5' };
  const question = { service: 'zenodo_search', path: 'api/records', parameters } as const;
  const found = yield* answerOf('zenodo', context, question, zenodoSearch);
  return (found?.hits.hits ?? []).filter((record) => isAbout(ids.doi, record));
}

/** Relations that make a deposit the same work; other relations do not. */
const SAME =
  /^is(?:identicalto|variantformof|versionof|previousversionof|newversionof|publishedin|originalformof|translationof)$/i;

function isOpen({ metadata, access }: Record): boolean {
  if (metadata.access_right !== null) return metadata.access_right === 'open';
  return access?.files !== 'restricted';
}

function licenseOf({ metadata: { license, rights } }: Record): License | null {
  return parseLicense((typeof license === 'string' ? license : license?.id) ?? rights?.[0]?.id);
}

/** Search is fuzzy: only a record with the DOI, or identical to it, counts. */
function isAbout(doi: string | null, { doi: own, conceptdoi, metadata }: Record): boolean {
  const stated = [
    own,
    conceptdoi,
    ...(metadata.related_identifiers ?? [])
      .filter(({ relation }) => SAME.test(relation ?? ''))
      .map(({ identifier }) => identifier),
  ];
  return stated.some((each) => normalizeDoi(each ?? '') === doi);
}

function sameAsOf(work: Work, { doi, metadata }: Record): Plan['sameAs'] {
  const authors = (metadata.creators ?? []).flatMap(({ name, person_or_org: who }) => name ?? who?.name ?? []);
  const sameness = compareWork(work, { doi, title: metadata.title, authors });
  return sameness.kind === 'version' ? sameness.sameAs : null;
}

function checksumOf(text: string | null): Checksum | null {
  const hex = /^(?:md5:)?([0-9a-f]{32})$/i.exec(text ?? '')?.[1];
  return hex === undefined ? null : { algorithm: 'md5', hex: hex.toLowerCase() };
}
