import { z } from 'zod';

import { lenient, maybe, objects, parseLicense, text } from '../../works/index.ts';
import { answerOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const figshareHits = objects({ id: z.number() });
const figshareArticle = z.object({
  doi: text,
  resource_doi: text,
  title: text,
  authors: lenient(objects({ full_name: text })),
  is_embargoed: maybe(z.boolean()),
  is_confidential: maybe(z.boolean()),
  license: lenient(z.object({ name: text, url: text })),
  files: maybe(
    objects({
      name: text,
      download_url: text,
      computed_md5: text,
      mimetype: text,
      is_link_only: maybe(z.boolean()),
    }),
  ),
});

/** DOIs of Figshare and the institutions it hosts. */
const OWN = /^10\.6084\/|figshare/;
const MOST_HITS = 3;

/** Figshare: the search gives the deposit, the deposit its files. */
export const figshare: Resolver = {
  name: 'figshare',
  async *plans(work, context) {
    const { doi } = work.ids;
    if (doi === null || !(OWN.test(doi) || context.thorough)) return;
    const body = OWN.test(doi) ? { doi: doi.replace(/\.v\d+$/, '') } : { resource_doi: doi };
    const hits = yield* answerOf('figshare', context, { path: 'v2/articles/search', body }, figshareHits);
    for (const { id } of (hits ?? []).slice(0, MOST_HITS)) {
      const found = yield* answerOf('figshare', context, { path: `v2/articles/${id}` }, figshareArticle);
      if (!found || found.is_embargoed || found.is_confidential) continue;
      const { doi: own, resource_doi: resource, title } = found;
      const authors = (found.authors ?? []).flatMap(({ full_name: name }) => (name === null ? [] : [name]));
      const sameness = compareWork(work, { doi: own, title, authors });
      // A deposit that names an article may be its data, so the title decides.
      const isWork =
        sameness.kind !== 'other' && (own !== null || compareWork(work, { doi: resource }).kind === 'same');
      if (!isWork) continue;
      const license = parseLicense(found.license?.url ?? found.license?.name);
      for (const file of found.files ?? []) {
        if (!/\.pdf$/i.test(file.name ?? '') && file.mimetype !== 'application/pdf') continue;
        const md5 = /^[0-9a-f]{32}$/i.exec(file.computed_md5 ?? '')?.[0];
        yield* plan('figshare', file.download_url, {
          expect: 'pdf',
          license,
          hostType: 'repository',
          sameAs: sameness.kind === 'version' ? sameness.sameAs : null,
          robots: file.is_link_only ? 'obey' : 'terms',
          checksum: md5 === undefined || file.is_link_only ? null : { algorithm: 'md5', hex: md5.toLowerCase() },
        });
      }
    }
  },
};
