import { doiPath } from '../../works/index.ts';
import { needsKey } from '../lookups.ts';
import type { Plan, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** Prefixes of most Elsevier journals. */
const ELSEVIER = /^10\.(?:1016|1006|1053|1054|1067|1078|1197|1205|2353|3182|3816)\//;
/** Prefixes of most Wiley journals. */
const WILEY =
  /^10\.(?:1002|1111|1029|1034|1046|1096|1112|1113|1348|1360|1365|1467|1474|1523|1540|1600|1601|1751|1890|2307|3162|3982)\//;

/** Files may be mined but not redistributed. */
const DETAILS = {
  expect: 'pdf',
  version: 'publishedVersion',
  hostType: 'publisher',
  robots: 'terms',
  terms: 'text-mining',
} as const satisfies Partial<Plan>;

/**
 * Elsevier's article retrieval API, enabled by name and with a key. The subscription decides what it returns; a file
 * cut to its first page is refused (elsevier.com/tdm, dev.elsevier.com).
 */
export const elsevierTdm: Resolver = {
  name: 'elsevier_tdm',
  async *plans({ ids: { doi } }, { services }) {
    if (doi === null || !ELSEVIER.test(doi)) return;
    const parameters = { httpAccept: 'application/pdf' };
    if (!services.hasKey('elsevier_tdm')) yield needsKey('elsevier_tdm', "needs a key for Elsevier's text mining");
    else
      yield* plan('elsevier_tdm', services.url('elsevier_tdm', `content/article/doi/${doiPath(doi)}`, parameters), {
        ...DETAILS,
        headers: { accept: 'application/pdf' },
        credentials: services.credentials('elsevier_tdm'),
      });
  },
};

/**
 * Wiley's text-mining service, enabled by name and with a token. The subscription decides what it returns
 * (onlinelibrary.wiley.com/library-info/resources/text-and-datamining).
 */
export const wileyTdm: Resolver = {
  name: 'wiley_tdm',
  async *plans({ ids: { doi } }, { services }) {
    if (doi === null || !WILEY.test(doi)) return;
    const url = services.url('wiley_tdm', `onlinelibrary/tdm/v1/articles/${encodeURIComponent(doi)}`);
    if (!services.hasKey('wiley_tdm')) yield needsKey('wiley_tdm', "needs a token for Wiley's text mining");
    else yield* plan('wiley_tdm', url, { ...DETAILS, credentials: services.credentials('wiley_tdm') });
  },
};
