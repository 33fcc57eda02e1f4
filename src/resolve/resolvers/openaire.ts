import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import {
  lenient,
  maybe,
  normalizeDoi,
  objects,
  parseArxivId,
  parseLicense,
  pmcidFromField,
  text,
  validItems,
} from '../../works/index.ts';
import { lead } from '../plan.ts';
import { answerOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const pid = z.object({ scheme: text, value: text });

const openaireAnswer = z.object({
  results: validItems(
    z.object({
      mainTitle: text,
      pids: maybe(validItems(pid)),
      instances: maybe(
        objects({
          pids: maybe(validItems(pid)),
          alternateIdentifiers: maybe(validItems(pid)),
          license: lenient(z.string()),
          accessRight: lenient(z.object({ label: text })),
          type: lenient(z.string()),
          urls: maybe(validItems(z.string())),
        }),
      ),
    }),
  ),
});

type Product = z.output<typeof openaireAnswer>['results'][number];

const OPEN = new Set(['OPEN', 'OPEN ACCESS', 'OPEN SOURCE']);

/** OpenAIRE: URLs of open copies, mostly pages. It merges records, so ids are checked. */
export const openaire: Resolver = {
  name: 'openaire',
  async *plans(work, context) {
    const { services } = context;
    const { doi, arxiv, pmcid, pmid } = work.ids;
    const asked = doi ?? arxiv?.id ?? pmcid ?? pmid;
    if (asked === null) return;
    const parameters = { pid: asked, pageSize: '5' };
    const found = yield* answerOf(
      'openaire',
      context,
      { path: 'graph/v3/research-products', parameters },
      openaireAnswer,
    );
    for (const product of found?.results ?? []) {
      if (!isAbout(work, product)) continue;
      for (const { license, accessRight, type, urls } of product.instances ?? []) {
        if (!OPEN.has(accessRight?.label?.toUpperCase() ?? '')) continue;
        for (const url of urls ?? []) {
          // The `doi` resolver handles the DOI's page.
          if (services.isOf('doi', url)) continue;
          yield* lead(services, 'openaire', url, {
            license: parseLicense(license),
            version: /preprint/i.test(type ?? '') ? 'submittedVersion' : null,
            hostType: 'repository',
          });
        }
      }
    }
  },
};

/** One of its ids, or of a copy's, is the work's; without ids the title decides. */
function isAbout(work: Work, { mainTitle, pids, instances }: Product): boolean {
  const { ids } = work;
  const stated = [
    ...(pids ?? []),
    ...(instances ?? []).flatMap((each) => [...(each.pids ?? []), ...(each.alternateIdentifiers ?? [])]),
  ];
  if (stated.length === 0) return compareWork(work, { title: mainTitle }).kind === 'same';
  return stated.some(({ scheme, value }) => {
    const text = value ?? '';
    switch (scheme?.toLowerCase() ?? '') {
      case 'doi':
        return ids.doi !== null && normalizeDoi(text) === ids.doi;
      case 'arxiv':
        return ids.arxiv !== null && parseArxivId(`arxiv:${text.replace(/^arxiv:/i, '')}`)?.id === ids.arxiv.id;
      case 'pmc':
        return ids.pmcid !== null && pmcidFromField(text) === ids.pmcid;
      case 'pmid':
        return ids.pmid !== null && text.trim() === ids.pmid;
      default:
        return false;
    }
  });
}
