import type { NoticeAbout, WorkIds, WorkRecord } from '../works/index.ts';
import {
  doiPath,
  lookupText,
  noticesGiven,
  OPENALEX_SELECT,
  parseCrossrefRecord,
  parseOpenAlexRecord,
} from '../works/index.ts';
import type { Asking } from './open-download.ts';

/** What the services say of a work now. */
export interface SaidRecords {
  readonly records: readonly WorkRecord[];
  /** Notices that the work itself gives about others. */
  readonly given: readonly NoticeAbout[];
  /** A service that was asked gave no answer: what it knows is not known. */
  readonly isAway: boolean;
}

/** Where OpenAlex has the record of a work; single ones are free. */
function openAlexPath({ openalex, doi, pmid }: Pick<WorkIds, 'openalex' | 'doi' | 'pmid'>): string | undefined {
  if (openalex !== null) return `works/${openalex}`;
  if (doi !== null) return `works/doi:${doiPath(doi)}`;
  return pmid === null ? undefined : `works/pmid:${pmid}`;
}

/** Reads the record of a work at OpenAlex, and what its publisher says at Crossref. */
export async function askRecords(
  ids: Pick<WorkIds, 'openalex' | 'doi' | 'pmid'>,
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
  const path = openAlexPath(ids);
  const byOpenAlex = path === undefined ? undefined : await ask('openalex', path, { select: OPENALEX_SELECT });
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
    // An answer that cannot be read says nothing new; what is known stays.
    return undefined;
  }
}
