import * as z from 'zod';

import type { License, Lookup, Work } from '../../works/index.ts';
import {
  doiPath,
  lenient,
  maybe,
  normalizeDoi,
  normalizeHalId,
  objects,
  osfGuidOf,
  parseLicense,
  text,
  validItems,
} from '../../works/index.ts';
import { answerOf, problemsOf, sameAsOf } from '../lookups.ts';
import type { Finding } from '../plan.ts';
import type { ResolveContext, Resolver } from '../resolver.ts';
import { checksumOf, lead, plan } from '../plan.ts';
import type { SameAs, StatedWork } from '../same-work.ts';
import { compareWork, versionOf } from '../same-work.ts';

/** Named `key` in current records, `filename` in older ones. */
const zenodoFile = z.object({
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
  files: maybe(z.union([validItems(zenodoFile), z.object({ entries: lenient(z.record(z.string(), zenodoFile)) })])),
});
const zenodoSearch = z.object({ hits: z.object({ hits: validItems(zenodoRecord) }) });

type ZenodoRecord = z.output<typeof zenodoRecord>;

/** Zenodo: the PDFs of an open record, with their checksums. */
export const zenodo: Resolver = {
  name: 'zenodo',
  async *plans(work, context) {
    for (const record of yield* recordsOf(work, context)) {
      if (!isOpenDeposit(record)) continue;
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
            license: licenseOfDeposit(record),
            hostType: 'repository',
            robots: 'terms',
            sameAs: versionOf(compareWork(work, statedBy(record))),
            checksum: checksumOf('md5', checksum),
          },
        );
      }
    }
  },
};

/** A Zenodo DOI gives its record; other DOIs are searched only in thorough mode. */
async function* recordsOf({ ids }: Work, context: ResolveContext): AsyncGenerator<Finding, readonly ZenodoRecord[]> {
  if (ids.zenodo !== null) {
    const found = yield* answerOf('zenodo', context, { path: `api/records/${ids.zenodo}` }, zenodoRecord);
    return found ? [found] : [];
  }
  if (ids.doi === null || !context.thorough) return [];
  const parameters = { q: `doi:"${ids.doi.replaceAll('"', '')}"`, size: '5' };
  const question = { service: 'zenodo_search', path: 'api/records', parameters } as const;
  const found = yield* answerOf('zenodo', context, question, zenodoSearch);
  return (found?.hits.hits ?? []).filter((record) => isDepositOf(ids.doi, record));
}

/** Relations that make a deposit the same work; other relations do not. */
const SAME_DEPOSIT =
  /^is(?:identicalto|variantformof|versionof|previousversionof|newversionof|publishedin|originalformof|translationof)$/i;

function isOpenDeposit({ metadata, access }: ZenodoRecord): boolean {
  if (metadata.access_right !== null) return metadata.access_right === 'open';
  return access?.files !== 'restricted';
}

function licenseOfDeposit({ metadata: { license, rights } }: ZenodoRecord): License | null {
  return parseLicense((typeof license === 'string' ? license : license?.id) ?? rights?.[0]?.id);
}

function statedBy({ doi, metadata: { title, creators } }: ZenodoRecord): StatedWork {
  return { doi, title, authors: creators?.map(({ name, person_or_org: who }) => name ?? who?.name ?? null) };
}

/** Search is fuzzy: only a record with the DOI, or identical to it, counts. */
function isDepositOf(doi: string | null, { doi: own, conceptdoi, metadata }: ZenodoRecord): boolean {
  const stated = [
    own,
    conceptdoi,
    ...(metadata.related_identifiers ?? [])
      .filter(({ relation }) => SAME_DEPOSIT.test(relation ?? ''))
      .map(({ identifier }) => identifier),
  ];
  return stated.some((each) => normalizeDoi(each ?? '') === doi);
}

const figshareHits = objects({ id: z.number() });
const figshareArticle = z.object({
  doi: text,
  resource_doi: text,
  title: text,
  authors: lenient(objects({ full_name: text })),
  is_embargoed: maybe(z.boolean()),
  is_confidential: maybe(z.boolean()),
  license: lenient(z.object({ name: text, url: text })),
  files: maybe(
    objects({
      name: text,
      download_url: text,
      computed_md5: text,
      mimetype: text,
      is_link_only: maybe(z.boolean()),
    }),
  ),
});

/** DOIs of Figshare and the institutions it hosts. */
const FIGSHARE_DOI = /^10\.6084\/|figshare/;
const MOST_HITS = 3;

/** Figshare: the search gives the deposit, the deposit its files. */
export const figshare: Resolver = {
  name: 'figshare',
  async *plans(work, context) {
    const { doi } = work.ids;
    if (doi === null || !(FIGSHARE_DOI.test(doi) || context.thorough)) return;
    const body = FIGSHARE_DOI.test(doi) ? { doi: doi.replace(/\.v\d+$/, '') } : { resource_doi: doi };
    const hits = yield* answerOf('figshare', context, { path: 'v2/articles/search', body }, figshareHits);
    for (const { id } of (hits ?? []).slice(0, MOST_HITS)) {
      const found = yield* answerOf('figshare', context, { path: `v2/articles/${id}` }, figshareArticle);
      if (!found || found.is_embargoed || found.is_confidential) continue;
      const { doi: own, resource_doi: resource, title } = found;
      const authors = found.authors?.map(({ full_name: name }) => name);
      const sameness = compareWork(work, { doi: own, title, authors });
      // A deposit that names an article may be its data, so the title decides.
      const isWork =
        sameness.kind !== 'other' && (own !== null || compareWork(work, { doi: resource }).kind === 'same');
      if (!isWork) continue;
      const license = parseLicense(found.license?.url ?? found.license?.name);
      for (const file of found.files ?? []) {
        if (!/\.pdf$/i.test(file.name ?? '') && file.mimetype !== 'application/pdf') continue;
        yield* plan('figshare', file.download_url, {
          expect: 'pdf',
          license,
          hostType: 'repository',
          sameAs: versionOf(sameness),
          robots: file.is_link_only ? 'obey' : 'terms',
          checksum: file.is_link_only ? null : checksumOf('md5', file.computed_md5),
        });
      }
    }
  },
};

const licenseRecord = z.object({
  data: maybe(z.object({ attributes: z.object({ name: text, url: text }) })),
});
const osfLink = z.object({ links: maybe(z.object({ related: maybe(z.object({ href: z.string() })) })) });

const osfPreprint = z.object({
  data: z.object({
    attributes: z.object({
      title: text,
      is_published: maybe(z.boolean()),
      public: maybe(z.boolean()),
      date_withdrawn: text,
    }),
    embeds: lenient(z.object({ license: lenient(licenseRecord) })),
    relationships: maybe(z.object({ primary_file: maybe(osfLink), license: maybe(osfLink) })),
    links: maybe(z.object({ preprint_doi: text })),
  }),
});

const osfFile = z.object({
  data: z.object({
    attributes: z.object({ extra: maybe(z.object({ hashes: maybe(z.object({ sha256: text })) })) }),
    links: z.object({ download: text }),
  }),
});

/** OSF cannot filter by DOI, but the DOI contains the guid. `license_record` has only year and holders. */
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
    yield* plan('osf', links.download ?? services.url('osf', `v2/files/${id}/download`), {
      expect: 'pdf',
      license: yield* osfLicense(preprint.data, context),
      version: 'submittedVersion',
      hostType: 'preprint',
      sameAs,
      checksum: checksumOf('sha256', facts.extra?.hashes?.sha256),
    });
  },
};

async function* osfLicense(
  { embeds, relationships }: z.output<typeof osfPreprint>['data'],
  context: ResolveContext,
): AsyncGenerator<Finding, License | null> {
  const named = embeds?.license?.data?.attributes;
  if (named) return parseLicense(named.url ?? named.name) ?? parseLicense(named.name);
  const id = /\/licenses\/([a-z0-9]{5,40})\/?$/i.exec(relationships?.license?.links?.related?.href ?? '')?.[1];
  if (id === undefined) return null;
  const found = yield* answerOf('osf', context, { path: `v2/licenses/${id}/` }, licenseRecord);
  return parseLicense(found?.data?.attributes.url ?? found?.data?.attributes.name);
}

const halTexts = maybe(z.union([z.string(), z.array(z.string())]));

const halDocument = z.object({
  halId_s: text,
  doiId_s: halTexts,
  title_s: halTexts,
  authFullName_s: halTexts,
  fileMain_s: halTexts,
  files_s: halTexts,
  licence_s: halTexts,
  linkExtId_s: halTexts,
  linkExtUrl_s: halTexts,
});

const halAnswer = z.object({ response: z.object({ docs: validItems(halDocument) }) });

const FIELDS = Object.keys(halDocument.shape).join(',');
/** External copies that anyone may read; ISTEX and others are for members. */
const OPEN_ELSEWHERE = new Set(['arxiv', 'openaccess', 'pubmedcentral', 'biorxiv']);

/**
 * The main file of a deposit, or an open copy elsewhere. `doiId_s` is matched exactly, `doiId_id` ignores case
 * (api.archives-ouvertes.fr/docs/search, "schema/fields").
 */
export const hal: Resolver = {
  name: 'hal',
  async *plans(work, context) {
    const { services } = context;
    const { doi, hal: id } = work.ids;
    const query =
      id !== null
        ? `halId_s:"${quoted(id)}"`
        : doi !== null
          ? `doiId_s:"${quoted(doi)}" OR doiId_id:"${quoted(doi)}"`
          : undefined;
    if (query === undefined) return;
    const parameters = { q: query, fl: FIELDS, wt: 'json', rows: '5' };
    const found = yield* answerOf('hal', context, { path: 'search/', parameters }, halAnswer);
    for (const each of found?.response.docs ?? []) {
      const sameness = sameAsHal(work, each);
      if (sameness === undefined) continue;
      const details = {
        license: parseLicense(listOf(each.licence_s)[0]),
        hostType: 'repository',
        sameAs: sameness,
      } as const;
      const [file] = listOf(each.fileMain_s ?? each.files_s);
      if (file !== undefined) yield* lead(services, 'hal', file, { ...details, expect: 'pdf' });
      const [where] = listOf(each.linkExtId_s);
      if (file === undefined && OPEN_ELSEWHERE.has(where?.toLowerCase() ?? ''))
        yield* lead(services, 'hal', listOf(each.linkExtUrl_s)[0], { ...details, hostType: null });
    }
  },
};

/** The deposit's own DOI if it differs, null if it does not, undefined for another work. */
function sameAsHal(work: Work, each: z.output<typeof halDocument>): SameAs | null | undefined {
  if (work.ids.hal !== null && normalizeHalId(each.halId_s ?? '') === work.ids.hal) return null;
  const dois = listOf(each.doiId_s);
  const sameness = (dois.length > 0 ? dois : [null])
    .map((doi) => compareWork(work, { doi, title: listOf(each.title_s)[0], authors: listOf(each.authFullName_s) }))
    .find(({ kind }) => kind === 'same' || kind === 'version');
  return sameness && versionOf(sameness);
}

function listOf(value: string | readonly string[] | null): string[] {
  return value === null ? [] : [value].flat();
}

/** Within quotes Solr interprets only the quote and the backslash. */
function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

/** doi.org names the agency that registered a prefix, which covers all of its DOIs. */
const agencies = z.array(z.object({ RA: text }));

const dataciteAnswer = z.object({
  data: z.object({
    attributes: z.object({
      doi: text,
      titles: lenient(objects({ title: text })),
      url: text,
      contentUrl: maybe(z.union([z.string(), z.array(text)])),
      rightsList: lenient(objects({ rights: text, rightsUri: text, rightsIdentifier: text })),
      relatedIdentifiers: lenient(
        objects({ relationType: text, relatedIdentifier: text, relatedIdentifierType: text }),
      ),
    }),
  }),
});

/** Relations to the same text elsewhere; parts, supplements and sources are other texts. */
const SAME_TEXT = new Set(
  'IsIdenticalTo IsVariantFormOf IsOriginalFormOf HasVersion IsVersionOf IsPublishedIn'.split(' '),
);
const MOST_RELATED = 3;

/** Files, licence, and the same text under other DOIs (support.datacite.org). For DOIs registered there. */
export const datacite: Resolver = {
  name: 'datacite',
  async *plans(work, context) {
    const { services } = context;
    const { doi } = work.ids;
    // The resolvers of arXiv, Zenodo and OSF know more.
    if (doi === null || /^10\.(?:48550|5281)\//.test(doi) || !(yield* isRegistered(doi, context))) return;
    const question = { path: `dois/${doiPath(doi)}`, accept: 'application/vnd.api+json, application/json' };
    const found = yield* answerOf('datacite', context, question, dataciteAnswer);
    if (!found) return;
    const { attributes } = found.data;
    const sameness = compareWork(work, { doi: attributes.doi, title: attributes.titles?.[0]?.title });
    if ((yield* sameAsOf('datacite', sameness)) === undefined) return;
    const licenses = (attributes.rightsList ?? []).flatMap(({ rightsUri, rightsIdentifier, rights }) =>
      [rightsIdentifier, rightsUri, rights].map(parseLicense),
    );
    const details = {
      license:
        licenses.find((each) => each !== null && each.slug !== null) ?? licenses.find((each) => each !== null) ?? null,
      hostType: 'repository',
    } as const;
    for (const url of [attributes.contentUrl ?? []].flat()) yield* lead(services, 'datacite', url, details);
    // The DOI's target, unless doi.org was already tried.
    if (!context.attempted.has(services.url('doi', doiPath(doi)).href))
      yield* lead(services, 'datacite', attributes.url, { ...details, expect: 'landing' });
    const related = (attributes.relatedIdentifiers ?? [])
      .filter(({ relationType }) => SAME_TEXT.has(relationType ?? ''))
      .slice(0, MOST_RELATED);
    for (const { relationType, relatedIdentifier, relatedIdentifierType } of related) {
      const other = relatedIdentifierType === 'DOI' ? normalizeDoi(relatedIdentifier ?? '') : undefined;
      if (other !== undefined && other !== doi)
        yield* plan('datacite', services.url('doi', doiPath(other)), {
          ...details,
          license: null,
          hostType: null,
          expect: 'landing',
          robots: 'terms',
          sameAs: { doi: other, evidence: `DataCite: ${relationType ?? ''}` },
        });
      if (relatedIdentifierType === 'URL' && /\.pdf($|[?#])/i.test(relatedIdentifier ?? ''))
        yield* lead(services, 'datacite', relatedIdentifier, details);
    }
  },
};

async function* isRegistered(doi: string, { lookups, signal }: ResolveContext): AsyncGenerator<Finding, boolean> {
  const prefix = doi.slice(0, doi.indexOf('/'));
  const ask = async (): Promise<Lookup<string>> => {
    const found = await lookups.json({ service: 'doi', path: `doiRA/${prefix}` }, agencies);
    return found.kind === 'found' ? { ...found, value: found.value[0]?.RA ?? '' } : found;
  };
  const agency = await lookups.sharedAnswer(`doiRA ${prefix}`, ask, signal);
  yield* problemsOf('datacite', agency);
  return agency.kind === 'known' && agency.text === 'DataCite';
}
