import type { NoticeAbout, WorkRecord } from '../works/index.ts';
import {
  doiPath,
  lookupText,
  noticesGiven,
  OPENALEX_SELECT,
  parseCrossrefRecord,
  parseOpenAlexRecord,
} from '../works/index.ts';
import type { Asking } from './open-download.ts';

/** The current records of a work. */
export interface SaidRecords {
  readonly records: readonly WorkRecord[];
  /** Notices about other works that the work itself gives. */
  readonly given: readonly NoticeAbout[];
  /** A service did not answer. */
  readonly isAway: boolean;
}

/**
 * Reads the record of a work from OpenAlex, where single records are free, and its publisher's from Crossref. `openalex`
 * is any id that OpenAlex accepts: its own, `doi:…`, `pmid:…`.
 */
export async function askRecords(
  ids: { readonly openalex: string | null; readonly doi: string | null },
  { send, services, contact }: Pick<Asking, 'send' | 'services' | 'contact'>,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<SaidRecords> {
  const at = new Date(now).toISOString();
  let isAway = false;
  const ask = async (
    service: 'openalex' | 'crossref',
    path: string,
    parameters: Record<string, string>,
  ): Promise<unknown> => {
    const request = {
      url: services.url(service, path, parameters),
      credentials: services.credentials(service),
      robots: 'terms' as const,
      pool: service,
    };
    const answer = await lookupText(send, request, signal);
    if (answer.kind === 'later' || answer.kind === 'problem') isAway = true;
    return answer.kind === 'found' ? parsed(answer.value) : undefined;
  };
  const { openalex } = ids;
  const byOpenAlex =
    openalex === null ? undefined : await ask('openalex', `works/${openalex}`, { select: OPENALEX_SELECT });
  const byCrossref =
    ids.doi === null
      ? undefined
      : ((await ask('crossref', `works/${doiPath(ids.doi)}`, { mailto: contact })) as
          | { message?: unknown }
          | undefined);
  const records = [parseOpenAlexRecord(byOpenAlex, at), parseCrossrefRecord(byCrossref?.message, at)];
  return {
    records: records.filter((each) => each !== undefined),
    given: noticesGiven(byCrossref?.message),
    isAway,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An unreadable answer changes nothing.
    return undefined;
  }
}
