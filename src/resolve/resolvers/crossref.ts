import { z } from 'zod';

import { doiPath, maybe, parseLicense, parseVersion } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Expectation, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const link = z.object({
  URL: z.string(),
  'content-type': maybe(z.string()),
  'content-version': maybe(z.string()),
  'intended-application': maybe(z.string()),
});
const license = z.object({
  URL: z.string(),
  'content-version': maybe(z.string()),
  start: maybe(z.object({ timestamp: maybe(z.number()) })),
});

export const crossrefWork = z.object({ link: maybe(z.array(link)), license: maybe(z.array(license)) });
export const crossrefAnswer = z.object({ message: crossrefWork });

type Link = z.output<typeof link>;

/** Hosts whose links open only to a token for text mining. */
const TOKEN_HOSTS = /^(?:api\.(?:elsevier|wiley)\.com|.*\.els-cdn\.com)$/i;

/** Links that publishers deposited. Each is a statement, not a promise: what comes is looked at. */
export const crossref: Resolver = {
  name: 'crossref',
  async *plans(work, { lookups, contact, signal }) {
    const { doi } = work.ids;
    if (doi === null) return;
    const found = await lookups.json(
      {
        service: 'crossref',
        path: `works/${doiPath(doi)}`,
        ...(contact !== null && { parameters: { mailto: contact } }),
      },
      crossrefAnswer,
      signal,
    );
    yield* problemsOf('crossref', found);
    if (found.kind !== 'found') return;
    const { message } = found.value;
    const links = (message.link ?? []).filter(
      (each) =>
        each['intended-application'] !== 'similarity-checking' &&
        !TOKEN_HOSTS.test(URL.parse(each.URL)?.hostname ?? ''),
    );
    for (const each of links.toSorted((a, b) => rank(a) - rank(b))) {
      yield* plan('crossref', each.URL, {
        expect: expectation(each),
        isPromised: each['content-type'] === 'application/pdf',
        license: licenseFor(each, message.license ?? []),
        version: parseVersion(each['content-version']),
        hostType: 'publisher',
      });
    }
  },
};

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

/** The licence for the same version of the text, else for any version; a text-mining licence is no reader's licence. */
function licenseFor(each: Link, licenses: readonly z.output<typeof license>[]): ReturnType<typeof parseLicense> {
  const usable = licenses.filter(({ 'content-version': version }) => version !== 'tdm');
  const same = usable.find(({ 'content-version': version }) => version === each['content-version']);
  const any = usable.find(({ 'content-version': version }) => version === 'unspecified') ?? usable[0];
  return parseLicense((same ?? any)?.URL);
}
