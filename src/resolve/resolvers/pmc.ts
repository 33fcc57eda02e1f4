import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, normalizePmcid, parseLicense, text } from '../../works/index.ts';
import { answerOf, problemsOf, sameAsOf, unreadable } from '../lookups.ts';
import type { Checksum, Finding, ResolveContext, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import type { Sameness } from '../same-work.ts';
import { compareWork } from '../same-work.ts';

const pmcMetadata = z.object({
  pmcid: text,
  doi: text,
  title: text,
  is_manuscript: maybe(z.boolean()),
  is_retracted: maybe(z.boolean()),
  license_code: text,
  pdf_url: text,
  xml_url: text,
});

const idConversion = z.object({ records: maybe(z.array(z.object({ pmcid: text }))) });

/** PubMed Central's cloud service, meant for programs: versions, metadata, then files with their MD5. */
export const pmc: Resolver = {
  name: 'pmc',
  async *plans(work, context) {
    const { lookups, signal } = context;
    const pmcid = yield* pmcidOf(work, context);
    if (pmcid === undefined) return;
    const listing = { 'list-type': '2', prefix: `${pmcid}.`, delimiter: '/' };
    const versions = await lookups.text({ service: 'pmc', path: '', parameters: listing }, signal);
    yield* problemsOf('pmc', versions);
    if (versions.kind !== 'found') return;
    const latest = latestVersion(versions.value, pmcid);
    if (latest === 'unreadable') yield* unreadable('pmc', 'not a bucket listing');
    if (typeof latest !== 'number') return;
    const value = yield* answerOf('pmc', context, { path: `metadata/${pmcid}.${latest}.json` }, pmcMetadata);
    if (!value || (yield* sameAsOf('pmc', isAbout(work, pmcid, value))) === undefined) return;
    if (value.is_retracted && context.retracted === 'skip') return;
    const details = {
      license: parseLicense(value.license_code),
      version: value.is_manuscript ? 'acceptedVersion' : 'publishedVersion',
      hostType: 'repository',
      robots: 'terms',
    } as const;
    for (const [address, expect] of [
      [value.pdf_url, 'pdf'],
      [value.xml_url, 'xml'],
    ] as const) {
      const object = objectOf(address);
      if (!object) continue;
      const url = context.services.url('pmc', object.key);
      yield* plan('pmc', url, { ...details, expect, checksum: object.checksum });
    }
  },
};

/** The PMCID, looked up by PMID or DOI if the work is likely to have one. */
async function* pmcidOf({ ids }: Work, context: ResolveContext): AsyncGenerator<Finding, string | undefined> {
  const { contact, thorough } = context;
  if (ids.pmcid !== null) return ids.pmcid;
  const known = ids.pmid ?? (thorough ? ids.doi : null);
  if (known === null) return undefined;
  const parameters = { ids: known, format: 'json', tool: 'docstokg', ...(contact !== null && { email: contact }) };
  const question = { service: 'ncbi', path: 'tools/idconv/api/v1/articles/', parameters } as const;
  const found = yield* answerOf('pmc', context, question, idConversion);
  return normalizePmcid(found?.records?.[0]?.pmcid ?? '');
}

/** Whether the metadata has the requested id and, where both are known, the work's DOI. */
function isAbout(work: Work, pmcid: string, { pmcid: stated, doi, title }: z.output<typeof pmcMetadata>): Sameness {
  if (stated !== null && normalizePmcid(stated) !== pmcid) return { kind: 'other', why: `its id is ${stated}` };
  return doi === null ? { kind: 'same' } : compareWork(work, { doi, title });
}

function latestVersion(xml: string, pmcid: string): number | 'unreadable' | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml.slice(0, 2000))) return 'unreadable';
  const versions = [...xml.matchAll(/<(?:Prefix|Key)>(?:metadata\/)?(PMC\d{1,10})\.(\d{1,3})(?:\/|\.json)/g)]
    .filter(([, id]) => id === pmcid)
    .map(([, , version]) => Number(version));
  return versions.length > 0 ? Math.max(...versions) : undefined;
}

/** Splits `s3://pmc-oa-opendata/KEY?md5=HEX` into the object's key and checksum. */
function objectOf(address: string | null): { readonly key: string; readonly checksum: Checksum | null } | undefined {
  const [, key, hex] = /^s3:\/\/pmc-oa-opendata\/([^?#\s]+)(?:\?md5=([0-9a-f]{32}))?$/i.exec(address ?? '') ?? [];
  if (key === undefined) return undefined;
  return { key, checksum: hex === undefined ? null : { algorithm: 'md5', hex: hex.toLowerCase() } };
}
