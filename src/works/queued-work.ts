import { workFromObject, workFromText } from './lists/listed-work.ts';
import type { Work } from './work.ts';
import { namedWork } from './work.ts';
import { NO_IDS } from './ids/work-ids.ts';

/**
 * The work in a queue payload: ours, a record or list entry enqueued by another program, or just the job's id and a
 * URL.
 */
export function workFromPayload(id: string, payload: unknown): Work {
  if (isWork(payload)) return payload;
  const listed =
    typeof payload === 'string'
      ? workFromText(payload)
      : payload !== null && typeof payload === 'object'
        ? workFromObject(payload, 1)
        : undefined;
  if (listed?.kind === 'work') return listed.work;
  const byId = workFromText(id);
  return byId.kind === 'work' ? byId.work : namedWork(id, NO_IDS, { urls: urlsOf(payload), title: titleOf(payload) });
}

function isWork(payload: unknown): payload is Work {
  if (payload === null || typeof payload !== 'object') return false;
  const { id, ids, locations, urls, isComplete } = payload as Partial<Work>;
  return (
    typeof id === 'string' &&
    ids !== null &&
    typeof ids === 'object' &&
    Array.isArray(locations) &&
    Array.isArray(urls) &&
    typeof isComplete === 'boolean'
  );
}

function urlsOf(payload: unknown): string[] {
  const { url, pdf_url: pdfUrl } = (payload ?? {}) as { readonly url?: unknown; readonly pdf_url?: unknown };
  return [url, pdfUrl]
    .map((each) => (typeof each === 'string' && /^https?:/i.test(each) ? URL.parse(each)?.href : undefined))
    .filter((each) => each !== undefined);
}

function titleOf(payload: unknown): string | null {
  const { title } = (payload ?? {}) as { readonly title?: unknown };
  return typeof title === 'string' ? title.slice(0, 2000) : null;
}
