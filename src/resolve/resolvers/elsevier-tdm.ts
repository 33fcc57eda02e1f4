import { doiPath } from '../../works/index.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** Prefixes of most Elsevier journals. */
const PREFIXES = /^10\.(?:1016|1006|1053|1054|1067|1078|1197|1205|2353|3182|3816)\//;

/**
 * Elsevier's article retrieval API, enabled by name and with a key. The subscription decides what it returns; a file
 * cut to its first page is refused. Files may be mined but not redistributed (elsevier.com/tdm, dev.elsevier.com).
 */
export const elsevierTdm: Resolver = {
  name: 'elsevier_tdm',
  async *plans(work, { services }) {
    const { doi } = work.ids;
    if (doi === null || !PREFIXES.test(doi)) return;
    if (!services.hasKey('elsevier_tdm')) {
      yield {
        kind: 'problem',
        resolver: 'elsevier_tdm',
        message: "needs a key for Elsevier's text mining",
        at: null,
        wantsKey: true,
      };
      return;
    }
    const url = services.url('elsevier_tdm', `content/article/doi/${doiPath(doi)}`, { httpAccept: 'application/pdf' });
    yield* plan('elsevier_tdm', url, {
      expect: 'pdf',
      version: 'publishedVersion',
      hostType: 'publisher',
      robots: 'terms',
      headers: { accept: 'application/pdf' },
      credentials: services.credentials('elsevier_tdm'),
      terms: 'text-mining',
    });
  },
};
