import * as z from 'zod';

import type { License, Work } from '../../works/index.ts';
import {
  doiPath,
  lenient,
  maybe,
  normalizeDoi,
  objects,
  parseArxivId,
  parseLicense,
  parseVersion,
  text,
  validItems,
} from '../../works/index.ts';
import { answerOf, crossrefQuestion, needsKey, sameAsOf } from '../lookups.ts';
import type { Finding, Plan } from '../plan.ts';
import type { ResolveContext, Resolver } from '../resolver.ts';
import { arxivFile, asVersion, attributedTo, lead, plan } from '../plan.ts';
import type { StatedWork } from '../same-work.ts';
import { compareWork } from '../same-work.ts';
import { europePmc } from './life-sciences.ts';
import { osf } from './repositories.ts';

const link = z.object({
  URL: z.string(),
  'content-type': text,
  'content-version': text,
  'intended-application': text,
});
const license = z.object({
  URL: z.string(),
  'content-version': text,
  start: maybe(z.object({ timestamp: maybe(z.number()), 'date-time': text })),
});
const related = z.object({ 'id-type': text, id: text });
const author = z.object({ given: text, family: text, name: text });

const crossrefWork = z.object({
  DOI: text,
  /** DOIs merged into this one. */
  aliases: lenient(z.array(z.string())),
  title: maybe(z.array(z.string())),
  author: lenient(validItems(author)),
  link: maybe(validItems(link)),
  license: maybe(validItems(license)),
  resource: maybe(z.object({ primary: maybe(z.object({ URL: text })) })),
  relation: lenient(z.record(z.string(), lenient(validItems(related)))),
});
const crossrefAnswer = z.object({ message: crossrefWork });

type CrossrefRecord = z.output<typeof crossrefWork>;
type Link = z.output<typeof link>;

/** Hosts that require a text-mining token; they have their own resolvers. */
const TOKEN_HOSTS = /^(?:api\.(?:elsevier|wiley)\.com|.*\.els-cdn\.com)$/i;
const VERSIONS = ['has-preprint', 'has-manuscript', 'is-identical-to'] as const;
const MOST_VERSIONS = 3;

/**
 * Links without an open licence are for subscribers (crossref.org/documentation, "Accessing full texts"), so they are
 * tried only for works known to be open.
 */
export const crossref: Resolver = {
  name: 'crossref',
  async *plans(work, context) {
    const { lookups, contact, services } = context;
    const { doi } = work.ids;
    if (doi === null) return;
    const found = yield* answerOf('crossref', context, crossrefQuestion(doi, contact), crossrefAnswer);
    if (!found) return;
    const { message } = found;
    // A DOI merged into another returns that one's record.
    const isAlias = message.aliases?.some((each) => normalizeDoi(each) === doi) ?? false;
    if (!isAlias && (yield* sameAsOf('crossref', compareWork(work, stated(message)))) === undefined) return;
    const links = (message.link ?? []).filter(
      (each) =>
        each['intended-application'] !== 'similarity-checking' &&
        !TOKEN_HOSTS.test(URL.parse(each.URL)?.hostname ?? ''),
    );
    const at = lookups.now();
    for (const each of links.toSorted((a, b) => rank(a) - rank(b))) {
      const licence = licenseFor(each['content-version'], message, at);
      if (!isOpen(licence) && work.isOpen !== true) continue;
      yield* lead(services, 'crossref', each.URL, {
        // Many publishers deposit "unspecified", and some deposit a page as a PDF.
        expect: /xml/.test(each['content-type'] ?? '') ? 'xml' : 'any',
        isPromised: each['content-type'] === 'application/pdf',
        license: licence,
        version: parseVersion(each['content-version']),
        hostType: 'publisher',
      });
    }
    const licence = licenseFor('vor', message, at);
    if (isOpen(licence))
      yield* lead(services, 'crossref', message.resource?.primary?.URL, {
        expect: 'landing',
        license: licence,
        version: 'publishedVersion',
        hostType: 'publisher',
      });
    yield* versionsOf(message, work, context);
  },
};

function stated({ DOI: doi, title, author: authors }: CrossrefRecord): StatedWork {
  const names = (authors ?? []).map(({ given, family, name }) => name ?? [given, family].filter(Boolean).join(' '));
  return { doi, title: title?.[0], authors: names.filter((each) => each !== '') };
}

/** Preprints named by the publisher: tried at their repositories, then by their own DOI. */
async function* versionsOf(message: CrossrefRecord, work: Work, context: ResolveContext): AsyncGenerator<Finding> {
  const { services } = context;
  const named = VERSIONS.flatMap((relation) =>
    (message.relation?.[relation] ?? []).map((each) => ({ ...each, relation })),
  );
  for (const { 'id-type': type, id, relation } of named.slice(0, MOST_VERSIONS)) {
    const arxivId = parseArxivId(type === 'arxiv' ? `arxiv:${id ?? ''}` : (id ?? ''));
    const doi = type === 'doi' ? normalizeDoi(id ?? '') : undefined;
    const sameAs = doi === undefined ? null : { doi, evidence: `Crossref: ${relation}` };
    if (arxivId) yield* arxivFile(services, 'crossref', arxivId, { sameAs });
    else if (sameAs !== null) {
      const version = asVersion(work, sameAs.doi);
      for (const resolver of [europePmc, osf])
        if (resolver === osf || /^10\.(?:1101|64898|21203|20944)\//.test(sameAs.doi))
          yield* attributedTo('crossref', resolver.plans(version, context), sameAs);
      yield* plan('crossref', services.url('doi', doiPath(sameAs.doi)), {
        expect: 'landing',
        robots: 'terms',
        version: relation === 'has-preprint' ? 'submittedVersion' : null,
        sameAs,
      });
    }
  }
}

function rank(each: Link): number {
  const type = each['content-type'] ?? '';
  if (type === 'application/pdf') return each['content-version'] === 'vor' ? 0 : 1;
  if (/xml/.test(type)) return 2;
  return /pdf/i.test(each.URL) ? 3 : 4;
}

/** Start of a licence; always in force if not given. */
function startOf(start: z.output<typeof license>['start']): number {
  return start?.timestamp ?? (Date.parse(start?.['date-time'] ?? '') || 0);
}

/** A licence that allows anyone to read: Creative Commons or public domain. */
function isOpen(licence: License | null): boolean {
  return licence !== null && licence.slug !== null;
}

/** Open licences come first, since publishers also deposit their terms of use. */
function licenseFor(version: string | null, { license: all }: CrossrefRecord, now: number): License | null {
  const usable = (all ?? []).filter(
    ({ URL: url, 'content-version': applies, start }) =>
      applies !== 'tdm' && parseLicense(url) !== null && startOf(start) <= now,
  );
  const fitting = [
    ...usable.filter(({ 'content-version': applies }) => applies === version),
    ...usable.filter(({ 'content-version': applies }) => applies === 'unspecified' || applies === null),
    ...usable.filter(({ 'content-version': applies }) => version === 'unspecified' && applies === 'vor'),
  ].map(({ URL: url }) => parseLicense(url));
  return fitting.find(isOpen) ?? fitting[0] ?? null;
}

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
const SPRINGER_DOI = /^10\.(?:1007|1038|1186|1057|1140|1245|1251|1361|1365|1378|1379|1617|1023|1134|1208|1891)\//;

/** Springer Nature's open access API: JATS with a free key, then the PDF named in its record. */
export const springerNature: Resolver = {
  name: 'springer_nature',
  async *plans(work, context) {
    const { services } = context;
    const { doi } = work.ids;
    if (doi === null || !SPRINGER_DOI.test(doi) || !services.hasKey('springer_nature')) return;
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

const ELSEVIER = /^10\.(?:1016|1006|1053|1054|1067|1078|1197|1205|2353|3182|3816)\//;
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

/** Returns what the subscription covers; a file cut to its first page is refused (dev.elsevier.com). */
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

/** Returns what the subscription covers (onlinelibrary.wiley.com, "text and datamining"). */
export const wileyTdm: Resolver = {
  name: 'wiley_tdm',
  async *plans({ ids: { doi } }, { services }) {
    if (doi === null || !WILEY.test(doi)) return;
    const url = services.url('wiley_tdm', `onlinelibrary/tdm/v1/articles/${encodeURIComponent(doi)}`);
    if (!services.hasKey('wiley_tdm')) yield needsKey('wiley_tdm', "needs a token for Wiley's text mining");
    else yield* plan('wiley_tdm', url, { ...DETAILS, credentials: services.credentials('wiley_tdm') });
  },
};
