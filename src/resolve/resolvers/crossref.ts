import { z } from 'zod';

import type { License, Work } from '../../works/index.ts';
import {
  doiPath,
  lenient,
  maybe,
  normalizeDoi,
  parseArxivId,
  parseLicense,
  parseVersion,
  text,
  validItems,
} from '../../works/index.ts';
import { arxivFile, asVersion, attributedTo, lead, plan } from '../plan.ts';
import { answerOf, sameAsOf } from '../lookups.ts';
import type { Expectation, Finding, ResolveContext, Resolver } from '../plan.ts';
import type { StatedWork } from '../same-work.ts';
import { compareWork } from '../same-work.ts';
import { europePmc } from './europe-pmc.ts';
import { osf } from './osf.ts';

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

type Record = z.output<typeof crossrefWork>;
type Link = z.output<typeof link>;

/** Hosts that require a text-mining token; they have their own resolvers. */
const TOKEN_HOSTS = /^(?:api\.(?:elsevier|wiley)\.com|.*\.els-cdn\.com)$/i;
/** Relations to other versions of the same work. */
const VERSIONS = ['has-preprint', 'has-manuscript', 'is-identical-to'] as const;
const MOST_VERSIONS = 3;

/**
 * What publishers deposited: full-text links and the publisher's page, if the licence is open, and preprints. Links
 * without an open licence are for subscribers (crossref.org/documentation, "Accessing full texts"), so they are tried
 * only for works known to be open.
 */
export const crossref: Resolver = {
  name: 'crossref',
  async *plans(work, context) {
    const { lookups, contact, services } = context;
    const { doi } = work.ids;
    if (doi === null) return;
    const question = { path: `works/${doiPath(doi)}`, ...(contact !== null && { parameters: { mailto: contact } }) };
    const found = yield* answerOf('crossref', context, question, crossrefAnswer);
    if (!found) return;
    const { message } = found;
    if (!isAlias(doi, message) && (yield* sameAsOf('crossref', compareWork(work, stated(message)))) === undefined)
      return;
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
        expect: expectation(each),
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

/** A DOI merged into another returns that one's record. */
function isAlias(doi: string, { aliases }: Record): boolean {
  return (aliases ?? []).some((each) => normalizeDoi(each) === doi);
}

function stated({ DOI: doi, title, author: authors }: Record): StatedWork {
  const names = (authors ?? []).map(({ given, family, name }) => name ?? [given, family].filter(Boolean).join(' '));
  return { doi, title: title?.[0], authors: names.filter((each) => each !== '') };
}

/** Preprints named by the publisher: tried at their repositories, then by their own DOI. */
async function* versionsOf(message: Record, work: Work, context: ResolveContext): AsyncGenerator<Finding> {
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

function expectation(each: Link): Expectation {
  const type = each['content-type'] ?? '';
  // Many publishers deposit "unspecified", and some deposit a page as a PDF.
  return /xml/.test(type) ? 'xml' : 'any';
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

/**
 * The licence in force for a version: the one for that version, else an unspecific one. Open licences come first,
 * since publishers also deposit their terms of use.
 */
function licenseFor(version: string | null, { license: all }: Record, now: number): License | null {
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
