import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { lenient, maybe, normalizePmcid, objects, parseLicense, text, validItems } from '../../works/index.ts';
import { europePmcFile, pmcidAt, plan } from '../plan.ts';
import { answerOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const record = z.object({
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
      fullTextUrl: maybe(
        objects({
          availabilityCode: text,
          documentStyle: text,
          site: text,
          url: text,
        }),
      ),
    }),
  ),
});

/** Errors have status 200 and a message instead of the list. */
const europePmcAnswer = z.object({
  errMsg: text,
  resultList: maybe(z.object({ result: maybe(validItems(record)) })),
});

const OPEN = new Set(['OA', 'F']);
/** Publication types of withdrawn preprints (europepmc.org/Help, "Preprint removal"). */
const TAKEN_BACK = /^preprint-(?:removal|withdrawal)$/i;

/**
 * Europe PMC: the article as XML, then PDFs, its own first. Includes preprints of bioRxiv, medRxiv and others, which
 * their own sites block. PubMed Central's site, which it also lists, is never requested.
 */
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
      if (!isAbout(work, each) || [each.pubTypeList?.pubType ?? []].flat().some((type) => TAKEN_BACK.test(type)))
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
        ({ documentStyle, availabilityCode }) => documentStyle === 'pdf' && OPEN.has(availabilityCode ?? ''),
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
function isAbout(work: Work, { pmcid, pmid, doi, title }: z.output<typeof record>): boolean {
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
