import { z } from 'zod';

import { lenient, maybe, objects, parseArxivId, parseLicense, text, validItems } from '../../works/index.ts';
import { arxivFile, lead } from '../plan.ts';
import { needsKey, problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const id = maybe(z.union([z.string(), z.number()]));

const coreAnswer = z.object({
  results: objects({
    doi: text,
    arxivId: id,
    title: text,
    authors: lenient(validItems(z.object({ name: text }))),
    downloadUrl: text,
    sourceFulltextUrls: maybe(z.union([z.array(z.string()), z.string()])),
    identifiers: lenient(validItems(z.object({ identifier: text, type: text }))),
    links: lenient(validItems(z.object({ type: text, url: text }))),
    license: lenient(z.string()),
  }),
});

/**
 * CORE: its own copy, then the original location; either may be a page. Without a key CORE allows about a hundred
 * tokens a day; a refusal for that reason is not retried.
 */
export const core: Resolver = {
  name: 'core',
  async *plans(work, { lookups, services, signal }) {
    const { doi } = work.ids;
    if (doi === null) return;
    const parameters = { q: `doi:"${doi.replaceAll('"', '')}"`, limit: '3' };
    // Without the trailing slash CORE redirects.
    const found = await lookups.json({ service: 'core', path: 'v3/search/works/', parameters }, coreAnswer, signal);
    const problems = problemsOf('core', found);
    if (services.hasKey('core')) yield* problems;
    else if (problems.length > 0) yield needsKey('core', 'needs a CORE key');
    if (found.kind !== 'found') return;
    for (const each of found.value.results) {
      const authors = (each.authors ?? []).flatMap(({ name }) => (name === null ? [] : [name]));
      const sameness = compareWork(work, { doi: each.doi, title: each.title, authors });
      if (sameness.kind === 'other') continue;
      const details = {
        license: parseLicense(each.license),
        hostType: 'aggregator',
        sameAs: sameness.kind === 'version' ? sameness.sameAs : null,
      } as const;
      const linked = (each.links ?? []).filter(({ type }) => type === 'download').map(({ url }) => url);
      for (const url of [each.downloadUrl, ...linked, ...[each.sourceFulltextUrls ?? []].flat()])
        yield* lead(services, 'core', url, details);
      const named = (each.identifiers ?? []).find(({ type }) => type === 'ARXIV_ID')?.identifier ?? null;
      const arxiv = parseArxivId(`arxiv:${each.arxivId ?? named ?? ''}`);
      if (arxiv) yield* arxivFile(services, 'core', arxiv);
    }
  },
};
