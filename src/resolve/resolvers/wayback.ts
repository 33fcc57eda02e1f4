import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, text } from '../../works/index.ts';
import { answerOf, problemsOf, unreadable } from '../lookups.ts';
import type { Finding, ResolveContext, Resolver } from '../plan.ts';
import { plan } from '../plan.ts';
import { askUnpaywall, openLocations } from './catalogues.ts';

const waybackAvailability = z.object({
  archived_snapshots: z.object({
    closest: maybe(z.object({ status: text, available: maybe(z.boolean()), timestamp: text })),
  }),
});

/** Reasons that mean the file is gone rather than closed: only these lead to the archive. */
const GONE = new Set(['not-found', 'soft-404', 'connection-failed', 'server-error', 'timeout']);
const MOST_URLS = 5;
const TIMESTAMP = /^\d{14}$/;

/** Internet Archive captures of files that are gone. Runs last, when that is known. */
export const wayback: Resolver = {
  name: 'wayback',
  isLast: true,
  async *plans(work, context) {
    for (const url of (await goneUrls(work, context)).slice(0, MOST_URLS)) {
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
async function goneUrls(work: Work, context: ResolveContext): Promise<string[]> {
  const { attempted } = context;
  const listed = work.locations.filter(({ isOpen }) => isOpen).map(({ pdfUrl }) => pdfUrl);
  const record = await askUnpaywall(work.ids.doi, context);
  const more = record?.kind === 'found' ? openLocations(record.value, work).map(({ url_for_pdf: url }) => url) : [];
  const files = [...listed, ...more].flatMap((url) => (url === null ? [] : [URL.parse(url)?.href ?? '']));
  const urls = new Set([...files.filter((url) => url !== ''), ...attempted.keys()]);
  return [...urls].filter((url) => {
    const reason = attempted.get(url);
    return (reason === undefined || GONE.has(reason)) && !context.services.isAt('wayback', url);
  });
}

/**
 * The full index gives the media type of a capture, so it is queried first. If it fails, the quick index is used,
 * which does not.
 */
async function* captureOf(
  url: string,
  context: ResolveContext,
): AsyncGenerator<Finding, { readonly timestamp: string; readonly isFile: boolean } | undefined> {
  const full = await context.lookups.text(
    {
      service: 'wayback_cdx',
      path: 'cdx/search/cdx?filter=statuscode:200&filter=mimetype:application/pdf',
      parameters: {
        url,
        output: 'json',
        fl: 'timestamp,original,mimetype,statuscode,digest',
        collapse: 'digest',
        limit: '-1',
      },
    },
    context.signal,
  );
  yield* problemsOf('wayback', full);
  const captures = full.kind === 'found' ? readCdx(full.value) : undefined;
  if (full.kind === 'found' && captures === undefined) yield* unreadable('wayback', 'not a capture index');
  if (captures !== undefined) {
    const last = captures.at(-1);
    return last && { timestamp: last.timestamp, isFile: true };
  }
  const question = { service: 'wayback_availability', path: 'wayback/available', parameters: { url } } as const;
  const closest = (yield* answerOf('wayback', context, question, waybackAvailability))?.archived_snapshots.closest;
  const timestamp = closest?.timestamp ?? '';
  return closest?.available && closest.status === '200' && TIMESTAMP.test(timestamp)
    ? { timestamp, isFile: false }
    : undefined;
}

/** Metadata of the original location. */
function known(
  work: Work,
  url: string,
): {
  readonly license?: Work['locations'][number]['license'];
  readonly version?: Work['locations'][number]['version'];
} {
  const location = work.locations.find(({ pdfUrl }) => pdfUrl !== null && URL.parse(pdfUrl)?.href === url);
  return location ? { license: location.license, version: location.version } : {};
}

interface Capture {
  readonly timestamp: string;
  readonly original: string;
  readonly mimetype: string;
  readonly status: string;
}

const COLUMNS = ['urlkey', 'timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length'];

/**
 * Parses both forms of the index: JSON, whose first row names the columns, and text with fixed columns. An empty
 * response is an empty list; undefined means another format.
 */
export function readCdx(text: string): Capture[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) {
    const captures = trimmed.split('\n').flatMap((line) => capture(COLUMNS, line.split(' ')));
    return captures.length === 0 && trimmed !== '' ? undefined : captures;
  }
  let rows: unknown;
  try {
    rows = JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  if (!Array.isArray(rows)) return undefined;
  const [header, ...rest] = rows as unknown[];
  if (header === undefined) return [];
  if (!isRow(header) || !header.includes('timestamp')) return undefined;
  return rest.flatMap((row) => (isRow(row) ? capture(header, row) : []));
}

function isRow(row: unknown): row is string[] {
  return Array.isArray(row) && row.every((cell) => typeof cell === 'string');
}

function capture(columns: readonly string[], cells: readonly string[]): Capture[] {
  const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
  const timestamp = cell('timestamp');
  if (!/^\d{14}$/.test(timestamp)) return [];
  return [{ timestamp, original: cell('original'), mimetype: cell('mimetype'), status: cell('statuscode') }];
}
