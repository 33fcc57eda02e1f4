import { z } from 'zod';

import { lenient, maybe, objects, parseLicense, text, validItems } from '../../works/index.ts';
import { answerOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const springerAnswer = z.object({
  records: maybe(
    objects({
      doi: text,
      title: text,
      openaccess: lenient(z.union([z.string(), z.boolean()])),
      license: lenient(z.string()),
      url: lenient(validItems(z.object({ format: text, value: text }))),
    }),
  ),
});

/** Prefixes of Springer, Nature, BioMed Central and Palgrave; others would waste the daily quota. */
const PREFIXES = /^10\.(?:1007|1038|1186|1057|1140|1245|1251|1361|1365|1378|1379|1617|1023|1134|1208|1891)\//;

/** Springer Nature's open access API: JATS with a free key, then the PDF named in its record. */
export const springerNature: Resolver = {
  name: 'springer_nature',
  async *plans(work, context) {
    const { services } = context;
    const { doi } = work.ids;
    if (doi === null || !PREFIXES.test(doi) || !services.hasKey('springer_nature')) return;
    const q = `doi:${doi}`;
    const question = { path: 'openaccess/json', parameters: { q, p: '1', s: '1' } };
    const found = yield* answerOf('springer_nature', context, question, springerAnswer);
    for (const record of found?.records ?? []) {
      if (compareWork(work, { doi: record.doi, title: record.title }).kind === 'other') continue;
      const details = {
        license: parseLicense(record.license),
        version: 'publishedVersion',
        hostType: 'publisher',
      } as const;
      yield* plan('springer_nature', services.url('springer_nature', 'openaccess/jats', { q }), {
        ...details,
        expect: 'xml',
        robots: 'terms',
        credentials: services.credentials('springer_nature'),
      });
      for (const { format, value } of record.url ?? [])
        if (format === 'pdf') yield* plan('springer_nature', value, { ...details, expect: 'pdf' });
    }
  },
};
