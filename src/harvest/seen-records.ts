import type { HttpResponse, Send } from '../http/index.ts';
import type { Services } from '../resolve/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { parseCrossrefRecord, parseOpenAlexRecord } from '../works/index.ts';

/** Larger answers are lists, which their reader keeps itself. */
const MOST_BYTES = 2_000_000;

/** Passes on what is asked, and keeps what OpenAlex and Crossref say about single works on the way: nobody is asked twice. */
export function keepingRecords(
  send: Send,
  services: Services,
  options: { readonly keep: (record: WorkRecord) => void; readonly now: () => number },
): Send {
  const bases = { openalex: services.base('openalex'), crossref: services.base('crossref') };
  return async (request, signal) => {
    const result = await send(request, signal);
    if (result.kind !== 'response' || result.response.status !== 200) return result;
    const service = (['openalex', 'crossref'] as const).find((name) => isWork(request.url, bases[name]));
    const record = service && recordIn(service, result.response, new Date(options.now()).toISOString());
    if (record) options.keep(record);
    return result;
  };
}

function isWork(url: URL, base: URL): boolean {
  return url.origin === base.origin && url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/works/`);
}

function recordIn(service: 'openalex' | 'crossref', { body }: HttpResponse, at: string): WorkRecord | undefined {
  if (body.length > MOST_BYTES) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    // Whoever asked is told so by its own reading of it.
    return undefined;
  }
  if (service === 'openalex') return parseOpenAlexRecord(value, at);
  return parseCrossrefRecord((value as { readonly message?: unknown } | null)?.message, at);
}
