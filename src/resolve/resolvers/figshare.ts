import { z } from 'zod';

import { maybe, parseLicense, validItems, lenient } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const figshareHits = validItems(z.object({ id: z.number() }));
const figshareArticle = z.object({
  doi: maybe(z.string()),
  resource_doi: maybe(z.string()),
  title: maybe(z.string()),
  authors: lenient(validItems(z.object({ full_name: maybe(z.string()) }))),
  is_embargoed: maybe(z.boolean()),
  is_confidential: maybe(z.boolean()),
  license: lenient(z.object({ name: maybe(z.string()), url: maybe(z.string()) })),
  files: maybe(
    validItems(
      z.object({
        name: maybe(z.string()),
        download_url: maybe(z.string()),
        computed_md5: maybe(z.string()),
        mimetype: maybe(z.string()),
        is_link_only: maybe(z.boolean()),
      }),
    ),
  ),
});

/** DOIs of Figshare and the institutions it hosts. */
const OWN = /^10\.6084\/|figshare/;
const MOST_HITS = 3;

/** Figshare: the search gives the deposit, the deposit its files. */
export const figshare: Resolver = {
  name: 'figshare',
  async *plans(work, { lookups, thorough, signal }) {
    const { doi } = work.ids;
    if (doi === null || !(OWN.test(doi) || thorough)) return;
    const body = OWN.test(doi) ? { doi: doi.replace(/\.v\d+$/, '') } : { resource_doi: doi };
    const hits = await lookups.json({ service: 'figshare', path: 'v2/articles/search', body }, figshareHits, signal);
    yield* problemsOf('figshare', hits);
    if (hits.kind !== 'found') return;
    for (const { id } of hits.value.slice(0, MOST_HITS)) {
      const found = await lookups.json({ service: 'figshare', path: `v2/articles/${id}` }, figshareArticle, signal);
      yield* problemsOf('figshare', found);
      if (found.kind !== 'found' || found.value.is_embargoed || found.value.is_confidential) continue;
      const { doi: own, resource_doi: resource, title } = found.value;
      const authors = (found.value.authors ?? []).flatMap(({ full_name: name }) => (name === null ? [] : [name]));
      const sameness = compareWork(work, { doi: own, title, authors });
      // A deposit that names an article may be its data, so the title decides.
      const isWork =
        sameness.kind !== 'other' && (own !== null || compareWork(work, { doi: resource }).kind === 'same');
      if (!isWork) continue;
      const license = parseLicense(found.value.license?.url ?? found.value.license?.name);
      for (const file of found.value.files ?? []) {
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
