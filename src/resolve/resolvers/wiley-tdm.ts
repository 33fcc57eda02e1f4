import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** Prefixes of most Wiley journals. */
const PREFIXES =
  /^10\.(?:1002|1111|1029|1034|1046|1096|1112|1113|1348|1360|1365|1467|1474|1523|1540|1600|1601|1751|1890|2307|3162|3982)\//;

/**
 * Wiley's text-mining service, enabled by name and with a token. The subscription decides what it returns. Files may
 * be mined but not redistributed (onlinelibrary.wiley.com/library-info/resources/text-and-datamining).
 */
export const wileyTdm: Resolver = {
  name: 'wiley_tdm',
  async *plans(work, { services }) {
    const { doi } = work.ids;
    if (doi === null || !PREFIXES.test(doi)) return;
    if (!services.hasKey('wiley_tdm')) {
      yield {
        kind: 'problem',
        resolver: 'wiley_tdm',
        message: "needs a token for Wiley's text mining",
        at: null,
        wantsKey: true,
      };
      return;
    }
    const url = services.url('wiley_tdm', `onlinelibrary/tdm/v1/articles/${encodeURIComponent(doi)}`);
    yield* plan('wiley_tdm', url, {
      expect: 'pdf',
      version: 'publishedVersion',
      hostType: 'publisher',
      robots: 'terms',
      credentials: services.credentials('wiley_tdm'),
      terms: 'text-mining',
    });
  },
};
