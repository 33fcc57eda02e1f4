import { z } from 'zod';

import type { Lookup } from '../../works/index.ts';
import { doiPath, lenient, maybe, normalizeDoi, objects, parseLicense, text } from '../../works/index.ts';
import { lead, plan } from '../plan.ts';
import { answerOf, problemsOf, sameAsOf } from '../lookups.ts';
import type { Finding, ResolveContext, Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

/** doi.org names the agency that registered a prefix, which covers all of its DOIs. */
const agencies = z.array(z.object({ RA: text }));

const dataciteAnswer = z.object({
  data: z.object({
    attributes: z.object({
      doi: text,
      titles: lenient(objects({ title: text })),
      url: text,
      contentUrl: maybe(z.union([z.string(), z.array(text)])),
      rightsList: lenient(objects({ rights: text, rightsUri: text, rightsIdentifier: text })),
      relatedIdentifiers: lenient(
        objects({
          relationType: text,
          relatedIdentifier: text,
          relatedIdentifierType: text,
        }),
      ),
    }),
  }),
});

/** Relations to the same text elsewhere; parts, supplements and sources are other texts. */
const SAME = new Set([
  'IsIdenticalTo',
  'IsVariantFormOf',
  'IsOriginalFormOf',
  'HasVersion',
  'IsVersionOf',
  'IsPublishedIn',
]);
const MOST_RELATED = 3;

/**
 * DataCite, where repositories register DOIs: files, licence, and the same text under other DOIs
 * (support.datacite.org: `contentUrl`, `rightsList`, `relatedIdentifiers`). Used only for DOIs registered there.
 */
export const datacite: Resolver = {
  name: 'datacite',
  async *plans(work, context) {
    const { services } = context;
    const { doi } = work.ids;
    // The resolvers of arXiv, Zenodo and OSF know more.
    if (doi === null || /^10\.(?:48550|5281)\//.test(doi) || !(yield* isRegistered(doi, context))) return;
    const question = { path: `dois/${doiPath(doi)}`, accept: 'application/vnd.api+json, application/json' };
    const found = yield* answerOf('datacite', context, question, dataciteAnswer);
    if (!found) return;
    const { attributes } = found.data;
    const sameness = compareWork(work, { doi: attributes.doi, title: attributes.titles?.[0]?.title });
    if ((yield* sameAsOf('datacite', sameness)) === undefined) return;
    const licenses = (attributes.rightsList ?? []).flatMap(({ rightsUri, rightsIdentifier, rights }) =>
      [rightsIdentifier, rightsUri, rights].map(parseLicense),
    );
    const details = {
      license:
        licenses.find((each) => each !== null && each.slug !== null) ?? licenses.find((each) => each !== null) ?? null,
      hostType: 'repository',
    } as const;
    for (const url of [attributes.contentUrl ?? []].flat()) yield* lead(services, 'datacite', url, details);
    // The DOI's target, unless doi.org was already tried.
    if (!context.attempted.has(services.url('doi', doiPath(doi)).href))
      yield* lead(services, 'datacite', attributes.url, { ...details, expect: 'landing' });
    const related = (attributes.relatedIdentifiers ?? [])
      .filter(({ relationType }) => SAME.has(relationType ?? ''))
      .slice(0, MOST_RELATED);
    for (const { relationType, relatedIdentifier, relatedIdentifierType } of related) {
      const other = relatedIdentifierType === 'DOI' ? normalizeDoi(relatedIdentifier ?? '') : undefined;
      if (other !== undefined && other !== doi)
        yield* plan('datacite', services.url('doi', doiPath(other)), {
          ...details,
          license: null,
          hostType: null,
          expect: 'landing',
          robots: 'terms',
          sameAs: { doi: other, evidence: `DataCite: ${relationType ?? ''}` },
        });
      if (relatedIdentifierType === 'URL' && /\.pdf($|[?#])/i.test(relatedIdentifier ?? ''))
        yield* lead(services, 'datacite', relatedIdentifier, details);
    }
  },
};

async function* isRegistered(doi: string, { lookups, signal }: ResolveContext): AsyncGenerator<Finding, boolean> {
  const prefix = doi.slice(0, doi.indexOf('/'));
  const ask = async (): Promise<Lookup<string>> => {
    const found = await lookups.json({ service: 'doi', path: `doiRA/${prefix}` }, agencies);
    return found.kind === 'found' ? { ...found, value: found.value[0]?.RA ?? '' } : found;
  };
  const agency = await lookups.sharedAnswer(`doiRA ${prefix}`, ask, signal);
  yield* problemsOf('datacite', agency);
  return agency.kind === 'known' && agency.text === 'DataCite';
}
