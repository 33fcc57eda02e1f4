import * as z from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, text } from '../../works/index.ts';
import { answerOf } from '../lookups.ts';
import type { Finding, Plan } from '../plan.ts';
import type { ResolveContext, Resolver } from '../resolver.ts';
import { plan } from '../plan.ts';

const waybackAvailability = z.object({
  archived_snapshots: z.object({
    closest: maybe(z.object({ status: text, available: maybe(z.boolean()), timestamp: text })),
  }),
});

const TIMESTAMP = /^\d{14}$/;

/** One column; the first row names it. */
const waybackCaptures = z
  .array(z.array(z.string()))
  .refine(([header]) => header === undefined || header[0] === 'timestamp', 'not a capture index')
  .transform((rows) => rows.filter(([timestamp = '']) => TIMESTAMP.test(timestamp)));

/** Reasons that mean the file is gone rather than closed: only these lead to the archive. */
const GONE = new Set(['not-found', 'soft-404', 'connection-failed', 'server-error', 'timeout']);
const MOST_URLS = 5;

/** Internet Archive captures of files that are gone. Runs last, when that is known. */
export const wayback: Resolver = {
  name: 'wayback',
  isLast: true,
  async *plans(work, context) {
    for (const url of goneUrls(work, context).slice(0, MOST_URLS)) {
      const capture = yield* captureOf(url, context);
      if (capture === undefined) continue;
      // `id_` returns the original bytes, without toolbar and rewritten links.
      yield* plan('wayback', `${context.services.base('wayback').href}web/${capture.timestamp}id_/${url}`, {
        expect: capture.isFile ? 'pdf' : 'any',
        hostType: 'archive',
        robots: 'terms',
        headers: { accept: '*/*' },
        ...known(work, url),
      });
    }
  },
};

/** Files at open locations that are gone or were not tried, and other URLs that are gone. */
function goneUrls({ locations }: Work, { attempted, services }: ResolveContext): string[] {
  const open = locations.filter(({ isOpen }) => isOpen);
  const files = open.flatMap(({ pdfUrl }) => (pdfUrl === null ? [] : (URL.parse(pdfUrl)?.href ?? [])));
  return [...new Set([...files, ...attempted.keys()])].filter((url) => {
    const reason = attempted.get(url);
    return (reason === undefined || GONE.has(reason)) && !services.isAt('wayback', url);
  });
}

/** The full index gives the media type of a capture; the quick one, used if that fails, does not. */
async function* captureOf(
  url: string,
  context: ResolveContext,
): AsyncGenerator<Finding, { readonly timestamp: string; readonly isFile: boolean } | undefined> {
  const path = 'cdx/search/cdx?filter=statuscode:200&filter=mimetype:application/pdf';
  const parameters = { url, output: 'json', fl: 'timestamp', collapse: 'digest', limit: '-1' };
  const captures = yield* answerOf('wayback', context, { service: 'wayback_cdx', path, parameters }, waybackCaptures);
  if (captures) {
    const [timestamp] = captures.at(-1) ?? [];
    return timestamp === undefined ? undefined : { timestamp, isFile: true };
  }
  const question = { service: 'wayback_availability', path: 'wayback/available', parameters: { url } } as const;
  const closest = (yield* answerOf('wayback', context, question, waybackAvailability))?.archived_snapshots.closest;
  const timestamp = closest?.timestamp ?? '';
  return closest?.available && closest.status === '200' && TIMESTAMP.test(timestamp)
    ? { timestamp, isFile: false }
    : undefined;
}

function known(work: Work, url: string): Partial<Pick<Plan, 'license' | 'version'>> {
  const location = work.locations.find(({ pdfUrl }) => pdfUrl !== null && URL.parse(pdfUrl)?.href === url);
  return location ? { license: location.license, version: location.version } : {};
}
