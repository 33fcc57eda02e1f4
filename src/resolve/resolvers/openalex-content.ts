import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const CREDITS = 100;

/**
 * Copies hosted by OpenAlex. They need a key and cost a hundred credits each; the response redirects to a signed URL,
 * which does not receive the key. The copy has no licence, so the best location's is used.
 */
export const openalexContent: Resolver = {
  name: 'openalex_content',
  async *plans(work, { services }) {
    const { openalex } = work.ids;
    if (openalex === null || (!work.content.pdf && !work.content.tei)) return;
    if (!services.hasKey('openalex_content')) {
      yield {
        kind: 'problem',
        resolver: 'openalex_content',
        message: 'needs an OpenAlex key',
        at: null,
        wantsKey: true,
      };
      return;
    }
    const best = work.locations.find(({ isOpen }) => isOpen);
    const shared = {
      license: best?.license ?? null,
      version: best?.version ?? null,
      hostType: 'aggregator',
      robots: 'terms',
      credentials: services.credentials('openalex_content'),
      credits: CREDITS,
    } as const;
    if (work.content.pdf) {
      yield* plan('openalex_content', services.url('openalex_content', `works/${openalex}.pdf`), {
        ...shared,
        expect: 'pdf',
      });
    }
    if (work.content.tei) {
      const url = services.url('openalex_content', `works/${openalex}.grobid-xml`);
      yield* plan('openalex_content', url, { ...shared, expect: 'xml' });
    }
  },
};
