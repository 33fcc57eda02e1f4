import type { HttpResponse, Send } from '../http/index.ts';
import type { Services } from '../resolve/index.ts';
import type { NoticeAbout, WorkRecord } from '../works/index.ts';
import { noticesGiven, parseCrossrefRecord, parseOpenAlexRecord } from '../works/index.ts';

/** Larger responses are lists, whose readers store the records themselves. */
const MOST_BYTES = 2_000_000;

/** Stores the records of single works that pass by in responses of OpenAlex and Crossref, so that none is requested twice. */
export function keepingRecords(
  send: Send,
  services: Services,
  options: {
    readonly keep: (record: WorkRecord) => void;
    /** Receives notices about other works. */
    readonly keepNotices: (given: readonly NoticeAbout[]) => void;
    readonly now: () => number;
  },
): Send {
  const bases = { openalex: services.base('openalex'), crossref: services.base('crossref') };
  return async (request, signal) => {
    const result = await send(request, signal);
    if (result.kind !== 'response' || result.response.status !== 200) return result;
    const service = (['openalex', 'crossref'] as const).find((name) => isWork(request.url, bases[name]));
    const value = service && valueIn(service, result.response);
    if (!service || value === undefined) return result;
    const at = new Date(options.now()).toISOString();
    const record = service === 'openalex' ? parseOpenAlexRecord(value, at) : parseCrossrefRecord(value, at);
    if (record) options.keep(record);
    const given = service === 'crossref' ? noticesGiven(value) : [];
    if (given.length > 0) options.keepNotices(given);
    return result;
  };
}

function isWork(url: URL, base: URL): boolean {
  return url.origin === base.origin && url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/works/`);
}

/** The record in a response, in the service's format. */
function valueIn(service: 'openalex' | 'crossref', { body }: HttpResponse): unknown {
  if (body.length > MOST_BYTES) return undefined;
  try {
    const value = JSON.parse(body.toString('utf8')) as unknown;
    return service === 'openalex' ? value : (value as { readonly message?: unknown } | null)?.message;
  } catch {
    // The caller reports it when it parses the response.
    return undefined;
  }
}
