import { fieldsOf, parseJson } from '../../base/index.ts';
import { doiPath, noticesGiven, OPENALEX_SELECT, parseCrossrefRecord, parseOpenAlexRecord } from '../../works/index.ts';
import type { Services } from '../../resolve/index.ts';
import { arxivIdAt, readArxivFeed } from '../../resolve/index.ts';
import type { Records } from '../../database/index.ts';
import type { Asking } from '../download/open-download.ts';

/** Asks OpenAlex, where single records are free, by any id it accepts (`doi:…`, `pmid:…`), and Crossref. */
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
    isAway,
  };
}

/** Ids per request: they fit into one URL. */
const TOGETHER = 100;

/** Works downloaded as arXiv's latest version, by the ids of their records, with their arXiv ids. */
export function keptFromArxiv(records: Records, services: Services): (readonly [work: string, arxiv: string])[] {
  return [...records.lastRows()].flatMap(({ work, outcome, url }) => {
    const id = outcome === 'saved' && url !== null ? arxivIdAt(services, url) : undefined;
    return id?.version === null ? [[records.get(work)?.id ?? work, id.id] as const] : [];
  });
}

/** At arXiv's documented rate. */
export async function noteArxivVersions(
  works: readonly (readonly [work: string, arxiv: string])[],
  records: Records,
  { lookups }: Pick<Asking, 'lookups'>,
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < works.length; from += TOGETHER) {
    const some = works.slice(from, from + TOGETHER);
    const parameters = { id_list: some.map(([, arxiv]) => arxiv).join(','), max_results: String(TOGETHER) };
    const question = { service: 'arxiv', path: 'api/query', parameters } as const;
    const answer = await lookups.parsed(question, readArxivFeed, signal);
    const versions = new Map(answer.kind === 'found' ? answer.value.map(({ id }) => [id.id, id.version]) : []);
    records.noteArxivVersions(
      some.flatMap(([work, arxiv]) => {
        const version = versions.get(arxiv) ?? null;
        return version === null ? [] : [[work, version] as const];
      }),
    );
  }
}
