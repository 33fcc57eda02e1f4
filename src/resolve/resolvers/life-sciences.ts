import * as z from 'zod';

import type { Work } from '../../works/index.ts';
import { doiPath, lenient, maybe, normalizePmcid, objects, parseLicense, text, validItems } from '../../works/index.ts';
import { answerOf, problemsOf, sameAsOf, unreadable } from '../lookups.ts';
import type { Checksum, Finding } from '../plan.ts';
import type { ResolveContext, Resolver } from '../resolver.ts';
import { checksumOf, europePmcFile, plan, pmcidAt } from '../plan.ts';
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
    const versions = await lookups.parsed({ service: 'pmc', path: '', parameters: listing }, listedVersions, signal);
    yield* problemsOf('pmc', versions);
    const own = versions.kind === 'found' ? versions.value.filter(({ id }) => id === pmcid) : [];
    if (own.length === 0) return;
    const latest = Math.max(...own.map(({ version }) => version));
    const value = yield* answerOf('pmc', context, { path: `metadata/${pmcid}.${latest}.json` }, pmcMetadata);
    if (!value || (yield* sameAsOf('pmc', samenessOfPmc(work, pmcid, value))) === undefined) return;
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

function samenessOfPmc(
  work: Work,
  pmcid: string,
  { pmcid: stated, doi, title }: z.output<typeof pmcMetadata>,
): Sameness {
  if (stated !== null && normalizePmcid(stated) !== pmcid) return { kind: 'other', why: `its id is ${stated}` };
  return doi === null ? { kind: 'same' } : compareWork(work, { doi, title });
}

/** Undefined if it is no bucket listing. */
function listedVersions(xml: string): { readonly id: string; readonly version: number }[] | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml.slice(0, 2000))) return undefined;
  const keys = xml.matchAll(/<(?:Prefix|Key)>(?:metadata\/)?(PMC\d{1,10})\.(\d{1,3})(?:\/|\.json)/g);
  return Array.from(keys, ([, id = '', version]) => ({ id, version: Number(version) }));
}

/** Splits `s3://pmc-oa-opendata/KEY?md5=HEX` into the object's key and checksum. */
function objectOf(address: string | null): { readonly key: string; readonly checksum: Checksum | null } | undefined {
  const [, key, hex] = /^s3:\/\/pmc-oa-opendata\/([^?#\s]+)(?:\?md5=([0-9a-f]{32}))?$/i.exec(address ?? '') ?? [];
  return key === undefined ? undefined : { key, checksum: checksumOf('md5', hex) };
}

const europePmcRecord = z.object({
  id: text,
  source: text,
  pmid: text,
  pmcid: text,
  doi: text,
  title: text,
  isOpenAccess: text,
  inEPMC: text,
  license: lenient(z.string()),
  authMan: lenient(z.string()),
  pubTypeList: maybe(z.object({ pubType: maybe(z.union([z.array(z.string()), z.string()])) })),
  fullTextIdList: maybe(z.object({ fullTextId: maybe(z.array(z.string())) })),
  fullTextUrlList: maybe(
    z.object({
      fullTextUrl: maybe(objects({ availabilityCode: text, documentStyle: text, site: text, url: text })),
    }),
  ),
});

/** Errors have status 200 and a message instead of the list. */
const europePmcAnswer = z.object({
  errMsg: text,
  resultList: maybe(z.object({ result: maybe(validItems(europePmcRecord)) })),
});

const FREE = new Set(['OA', 'F']);
/** Publication types of withdrawn preprints (europepmc.org/Help, "Preprint removal"). */
const TAKEN_BACK = /^preprint-(?:removal|withdrawal)$/i;

/** XML, then PDFs. Has preprints whose own sites block programs; never leads to PubMed Central's site. */
export const europePmc: Resolver = {
  name: 'europe_pmc',
  async *plans(work, context) {
    const { services } = context;
    const query = queryFor(work);
    if (query === undefined) return;
    const parameters = { query, resultType: 'core', format: 'json', pageSize: '5' };
    const found = yield* answerOf('europe_pmc', context, { path: 'search', parameters }, europePmcAnswer);
    if (!found) return;
    const { errMsg, resultList } = found;
    if (errMsg !== null) yield { kind: 'problem', resolver: 'europe_pmc', message: errMsg, at: null };
    for (const each of resultList?.result ?? []) {
      if (!isRecordOf(work, each) || [each.pubTypeList?.pubType ?? []].flat().some((type) => TAKEN_BACK.test(type)))
        continue;
      const isPreprint = each.source === 'PPR';
      const details = {
        license: parseLicense(each.license),
        hostType: 'aggregator',
        version: isPreprint ? 'submittedVersion' : each.authMan === 'Y' ? 'acceptedVersion' : null,
      } as const;
      const textId = each.fullTextIdList?.fullTextId?.[0] ?? each.pmcid;
      if (textId !== null && each.isOpenAccess === 'Y' && each.inEPMC === 'Y') {
        const url = services.url('europe_pmc', `${encodeURIComponent(textId)}/fullTextXML`);
        yield* plan('europe_pmc', url, { ...details, expect: 'xml', robots: 'terms' });
      }
      const files = (each.fullTextUrlList?.fullTextUrl ?? []).filter(
        ({ documentStyle, availabilityCode }) => documentStyle === 'pdf' && FREE.has(availabilityCode ?? ''),
      );
      for (const { url } of files.toSorted((a, b) => Number(isOwn(b.site)) - Number(isOwn(a.site)))) {
        const pmcid = pmcidAt(services, url ?? '');
        if (pmcid === undefined) yield* plan('europe_pmc', url, { ...details, expect: 'pdf' });
        else if (each.pmcid !== null && each.inEPMC === 'Y')
          yield* europePmcFile(services, 'europe_pmc', each.pmcid, details);
      }
    }
  },
};

function isOwn(site: string | null): boolean {
  return site === 'Europe_PMC';
}

/** Compares ids where both have them; a record without any must have the title. */
function isRecordOf(work: Work, { pmcid, pmid, doi, title }: z.output<typeof europePmcRecord>): boolean {
  const { ids } = work;
  if (ids.doi !== null && doi !== null) return compareWork(work, { doi, title }).kind !== 'other';
  if (ids.pmcid !== null && pmcid !== null) return normalizePmcid(pmcid) === ids.pmcid;
  if (ids.pmid !== null && pmid !== null) return pmid === ids.pmid;
  return compareWork(work, { title }).kind === 'same';
}

function queryFor({ ids }: Work): string | undefined {
  if (ids.pmcid !== null) return `PMCID:${ids.pmcid}`;
  if (ids.doi !== null) return `DOI:"${ids.doi.replaceAll('"', '')}"`;
  return ids.pmid === null ? undefined : `EXT_ID:${ids.pmid} AND SRC:MED`;
}

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

const BIORXIV_DOI = /^10\.(?:1101|64898)\//;
const SERVERS = [
  ['biorxiv', 'biorxiv_site'],
  ['medrxiv', 'medrxiv_site'],
] as const;

/** Tried after Europe PMC's copy: the site blocks most programs, and its bucket needs a paying account. */
export const biorxiv: Resolver = {
  name: 'biorxiv',
  async *plans(work, context) {
    const { doi } = work.ids;
    if (doi === null || !BIORXIV_DOI.test(doi)) return;
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
