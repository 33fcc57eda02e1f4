import * as z from 'zod';

import type { Lookup, Work } from '../../works/index.ts';
import {
  doiPath,
  lenient,
  maybe,
  normalizeDoi,
  objects,
  parseArxivId,
  parseLicense,
  parseVersion,
  pmcidFromField,
  text,
  validItems,
} from '../../works/index.ts';
import { answerOf, needsKey, problemsOf, sameAsOf } from '../lookups.ts';
import type { Expectation } from '../plan.ts';
import type { ResolveContext, Resolver } from '../resolver.ts';
import { arxivFile, arxivIdAt, europePmcFile, lead } from '../plan.ts';
import { compareWork, versionOf } from '../same-work.ts';

const unpaywallLocation = z.object({
  url_for_pdf: text,
  url_for_landing_page: text,
  url: text,
  license: lenient(z.string()),
  version: lenient(z.string()),
  host_type: lenient(z.string()),
});

const unpaywallRecord = z.object({
  doi: text,
  best_oa_location: maybe(unpaywallLocation),
  oa_locations: maybe(validItems(unpaywallLocation)),
});

/** Unpaywall: its files, then its pages, since a listed file may be gone. */
export const unpaywall: Resolver = {
  name: 'unpaywall',
  async *plans(work, context) {
    const { services, contact } = context;
    const { doi } = work.ids;
    // It requires both.
    if (doi === null || contact === null) return;
    const question = { path: `v2/${doiPath(doi)}`, parameters: { email: contact } };
    const found = yield* answerOf('unpaywall', context, question, unpaywallRecord);
    if (!found || (yield* sameAsOf('unpaywall', compareWork(work, { doi: found.doi }))) === undefined) return;
    const { best_oa_location: best, oa_locations: all } = found;
    const locations = [...(best ? [best] : []), ...(all ?? [])].map((each) => ({
      file: each.url_for_pdf === '' ? null : each.url_for_pdf,
      page: each.url_for_landing_page ?? each.url,
      details: {
        license: parseLicense(each.license),
        version: parseVersion(each.version),
        hostType: each.host_type === 'publisher' ? 'publisher' : each.host_type === 'repository' ? 'repository' : null,
      } as const,
    }));
    for (const { file, details } of locations) yield* lead(services, 'unpaywall', file, { ...details, expect: 'pdf' });
    for (const { file, page, details } of locations) {
      // The `doi` resolver handles the page of a listed file.
      if (file !== null && services.isOf('doi', page ?? '')) continue;
      if (page !== file) yield* lead(services, 'unpaywall', page, { ...details, expect: 'landing' });
    }
  },
};

const doajAnswer = z.object({
  results: validItems(
    z.object({
      bibjson: z.object({
        title: text,
        author: lenient(objects({ name: text })),
        identifier: maybe(objects({ id: text, type: text })),
        journal: lenient(z.object({ license: maybe(z.array(z.object({ title: text, type: text }))) })),
        link: maybe(objects({ type: text, url: text, content_type: lenient(z.string()) })),
      }),
    }),
  ),
});

/** DOAJ: links of articles in open journals, most of them pages. */
export const doaj: Resolver = {
  name: 'doaj',
  async *plans(work, context) {
    const { doi } = work.ids;
    if (doi === null) return;
    // The field is matched exactly (DOAJ's settings: bibjson.identifier.id.exact), and contains DOIs as publishers
    // wrote them.
    let found = await askDoaj(doi, context);
    const upper = doi.toUpperCase();
    if (found.kind === 'found' && found.value.results.length === 0 && upper !== doi)
      found = await askDoaj(upper, context);
    yield* problemsOf('doaj', found);
    if (found.kind !== 'found') return;
    for (const { bibjson } of found.value.results) {
      const named = (bibjson.identifier ?? []).filter(({ type }) => type?.toLowerCase() === 'doi').map(({ id }) => id);
      const stated = { title: bibjson.title, authors: bibjson.author?.map(({ name }) => name) };
      const isOther = (doi: string | null): boolean => compareWork(work, { ...stated, doi }).kind === 'other';
      if (named.length > 0 ? named.every(isOther) : compareWork(work, stated).kind !== 'same') continue;
      const [stateOf] = bibjson.journal?.license ?? [];
      for (const { type, url, content_type: contentType } of bibjson.link ?? []) {
        if (type !== null && type !== 'fulltext') continue;
        yield* lead(context.services, 'doaj', url, {
          expect: expectationOf(contentType, url),
          license: parseLicense(stateOf?.type ?? stateOf?.title),
          version: 'publishedVersion',
          hostType: 'publisher',
        });
      }
    }
  },
};

/** The query is a path segment; quoted, since DOIs contain Lucene operators. */
function askDoaj(doi: string, { lookups, signal }: ResolveContext): Promise<Lookup<z.output<typeof doajAnswer>>> {
  const path = `api/v4/search/articles/${encodeURIComponent(`doi:"${doi.replaceAll('"', '')}"`)}`;
  return lookups.json({ service: 'doaj', path, parameters: { pageSize: '5' } }, doajAnswer, signal);
}

function expectationOf(contentType: string | null, url: string | null): Expectation {
  const type = contentType?.toLowerCase() ?? '';
  if (type === '') return /\.pdf($|[?#])/i.test(url ?? '') ? 'any' : 'landing';
  return type.includes('pdf') ? 'pdf' : type.includes('xml') ? 'xml' : 'landing';
}

const externalId = maybe(z.union([z.string(), z.number()]));

const semanticScholarPaper = z.object({
  title: text,
  externalIds: maybe(z.object({ DOI: externalId, ArXiv: externalId, PubMedCentral: externalId })),
  openAccessPdf: maybe(z.object({ url: text, status: lenient(z.string()), license: lenient(z.string()) })),
});

/** Semantic Scholar's open PDF, which may be a page, then the locations of its other ids. */
export const semanticScholar: Resolver = {
  name: 'semantic_scholar',
  async *plans(work, context) {
    const { services } = context;
    const paper = paperId(work);
    if (paper === undefined) return;
    const parameters = { fields: 'title,externalIds,isOpenAccess,openAccessPdf' };
    const question = { path: `graph/v1/paper/${encodeURIComponent(paper)}`, parameters };
    const found = yield* answerOf('semantic_scholar', context, question, semanticScholarPaper);
    if (!found) return;
    const { openAccessPdf: file, externalIds: ids, title } = found;
    // A record merges preprint and article, so its DOI may be the other's: the title decides.
    const doi = textOf(ids?.DOI);
    const sameAs = yield* sameAsOf('semantic_scholar', compareWork(work, { doi, title }));
    if (sameAs === undefined) return;
    const details = { license: parseLicense(file?.license), sameAs };
    // A paper closed at the publisher may be open at arXiv.
    if (file && (file.status !== 'CLOSED' || arxivIdAt(services, file.url ?? '')))
      yield* lead(services, 'semantic_scholar', file.url, details);
    const arxiv = parseArxivId(`arxiv:${textOf(ids?.ArXiv) ?? ''}`);
    if (arxiv) yield* arxivFile(services, 'semantic_scholar', arxiv);
    const pmcid = pmcidFromField(textOf(ids?.PubMedCentral) ?? '');
    if (pmcid !== undefined) yield* europePmcFile(services, 'semantic_scholar', pmcid);
  },
};

function paperId({ ids }: Work): string | undefined {
  if (ids.doi !== null) return `DOI:${ids.doi}`;
  if (ids.arxiv !== null) return `ARXIV:${ids.arxiv.id}`;
  if (ids.pmcid !== null) return `PMCID:${ids.pmcid.slice(3)}`;
  return ids.pmid === null ? undefined : `PMID:${ids.pmid}`;
}

function textOf(id: string | number | null | undefined): string | null {
  return id === null || id === undefined ? null : String(id);
}

const coreAnswer = z.object({
  results: objects({
    doi: text,
    arxivId: externalId,
    title: text,
    authors: lenient(validItems(z.object({ name: text }))),
    downloadUrl: text,
    sourceFulltextUrls: maybe(z.union([z.array(z.string()), z.string()])),
    identifiers: lenient(validItems(z.object({ identifier: text, type: text }))),
    links: lenient(validItems(z.object({ type: text, url: text }))),
    license: lenient(z.string()),
  }),
});

/** Without a key CORE allows about a hundred tokens a day: a refusal is then not retried. */
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
      const authors = each.authors?.map(({ name }) => name);
      const sameness = compareWork(work, { doi: each.doi, title: each.title, authors });
      if (sameness.kind === 'other') continue;
      const details = {
        license: parseLicense(each.license),
        hostType: 'aggregator',
        sameAs: versionOf(sameness),
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

const OPEN_ACCESS = new Set(['OPEN', 'OPEN ACCESS', 'OPEN SOURCE']);

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
      if (!isProductOf(work, product)) continue;
      for (const { license, accessRight, type, urls } of product.instances ?? []) {
        if (!OPEN_ACCESS.has(accessRight?.label?.toUpperCase() ?? '')) continue;
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
function isProductOf(work: Work, { mainTitle, pids, instances }: Product): boolean {
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
