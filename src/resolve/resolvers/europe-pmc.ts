import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const record = z.object({
  pmcid: maybe(z.string()),
  isOpenAccess: maybe(z.string()),
  inEPMC: maybe(z.string()),
  license: maybe(z.string()),
  fullTextUrlList: maybe(
    z.object({
      fullTextUrl: maybe(
        z.array(
          z.object({ availabilityCode: maybe(z.string()), documentStyle: maybe(z.string()), url: maybe(z.string()) }),
        ),
      ),
    }),
  ),
});

/** Errors come as status 200 with a message in place of the list. */
const europePmcAnswer = z.object({
  errMsg: maybe(z.string()),
  resultList: maybe(z.object({ result: maybe(z.array(record)) })),
});

const OPEN = new Set(['OA', 'F']);

/** Europe PMC: the article as XML, then its PDFs. */
export const europePmc: Resolver = {
  name: 'europe_pmc',
  async *plans(work, { lookups, services, signal }) {
    const query = queryFor(work);
    if (query === undefined) return;
    const found = await lookups.json(
      {
        service: 'europe_pmc',
        path: 'search',
        parameters: { query, resultType: 'core', format: 'json', pageSize: '5' },
      },
      europePmcAnswer,
      signal,
    );
    yield* problemsOf('europe_pmc', found);
    if (found.kind !== 'found') return;
    const { errMsg, resultList } = found.value;
    if (errMsg !== null) yield { kind: 'problem', resolver: 'europe_pmc', message: errMsg, at: null };
    for (const { pmcid, isOpenAccess, inEPMC, license, fullTextUrlList } of resultList?.result ?? []) {
      const details = { license: parseLicense(license), hostType: 'aggregator' } as const;
      if (pmcid !== null && isOpenAccess === 'Y' && inEPMC === 'Y') {
        const url = services.url('europe_pmc', `${encodeURIComponent(pmcid)}/fullTextXML`);
        yield* plan('europe_pmc', url, { ...details, expect: 'xml', robots: 'terms' });
      }
      for (const each of fullTextUrlList?.fullTextUrl ?? []) {
        if (each.documentStyle === 'pdf' && OPEN.has(each.availabilityCode ?? '')) {
          yield* plan('europe_pmc', each.url, { ...details, expect: 'pdf' });
        }
      }
    }
  },
};

function queryFor({ ids }: Work): string | undefined {
  if (ids.pmcid !== null) return `PMCID:${ids.pmcid}`;
  if (ids.doi !== null) return `DOI:"${ids.doi.replaceAll('"', '')}"`;
  return ids.pmid === null ? undefined : `EXT_ID:${ids.pmid} AND SRC:MED`;
}
