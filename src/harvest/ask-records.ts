import { fieldsOf, parseJson } from '../base/index.ts';
import { doiPath, noticesGiven, OPENALEX_SELECT, parseCrossrefRecord, parseOpenAlexRecord } from '../works/index.ts';
import { arxivIdAt, readArxivFeed } from '../resolve/index.ts';
import type { ManifestRow } from '../download/index.ts';
import type { Asking } from './open-download.ts';

/**
 * Reads the record of a work from OpenAlex, where single records are free, and its publisher's from Crossref. `openalex`
 * is any id that OpenAlex accepts: its own, `doi:…`, `pmid:…`.
 */
export async function askRecords(
  ids: { readonly openalex: string | null; readonly doi: string | null },
  { lookups, contact }: Pick<Asking, 'lookups' | 'contact'>,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
) {
  const at = new Date(now).toISOString();
  let isAway = false;
  const ask = async (
    service: 'openalex' | 'crossref',
    path: string,
    parameters: Record<string, string>,
  ): Promise<unknown> => {
    const answer = await lookups.parsed({ service, path, parameters }, parseJson, signal);
    if (answer.kind === 'later' || answer.kind === 'problem') isAway = true;
    return answer.kind === 'found' ? answer.value : undefined;
  };
  const { openalex } = ids;
  const byOpenAlex =
    openalex === null ? undefined : await ask('openalex', `works/${openalex}`, { select: OPENALEX_SELECT });
  const byCrossref =
    ids.doi === null ? undefined : await ask('crossref', `works/${doiPath(ids.doi)}`, { mailto: contact });
  const { message } = fieldsOf(byCrossref);
  const records = [parseOpenAlexRecord(byOpenAlex, at), parseCrossrefRecord(message, at)];
  return {
    records: records.filter((each) => each !== undefined),
    /** Notices about other works that the work itself gives. */
    given: noticesGiven(message),
    /** A service did not answer. */
    isAway,
  };
}

/** Ids per request: they fit into one URL. */
const TOGETHER = 100;

/**
 * The arXiv ids of works downloaded as arXiv's latest version, by work; works requested as a specific version are
 * omitted.
 */
export function keptFromArxiv(
  rows: Iterable<Pick<ManifestRow, 'work' | 'outcome' | 'url'>>,
  { services }: Pick<Asking, 'services'>,
): Map<string, string> {
  const kept = new Map<string, string>();
  for (const { work, outcome, url } of rows) {
    const id = outcome === 'saved' && url !== null ? arxivIdAt(services, url) : undefined;
    if (id?.version === null) kept.set(work, id.id);
  }
  return kept;
}

/**
 * The latest version of each paper, by arXiv id: a hundred per request, at arXiv's documented rate. Papers without an
 * answer are omitted.
 */
export async function askArxivVersions(
  ids: readonly string[],
  { lookups }: Pick<Asking, 'lookups'>,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const parameters = { id_list: ids.slice(from, from + TOGETHER).join(','), max_results: String(TOGETHER) };
    const question = { service: 'arxiv', path: 'api/query', parameters } as const;
    const answer = await lookups.parsed(question, readArxivFeed, signal);
    const entries = answer.kind === 'found' ? answer.value : [];
    for (const { id } of entries) if (id.version !== null) versions.set(id.id, id.version);
  }
  return versions;
}
