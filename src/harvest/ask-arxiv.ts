import { arxivIdAt, readArxivFeed } from '../resolve/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { lookupText } from '../works/index.ts';
import type { Asking } from './open-download.ts';

/** Ids per request: they fit into one URL. */
const TOGETHER = 100;

/** The arXiv ids of works downloaded as arXiv's latest version, by work; works requested as a certain version are left out. */
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
 * answer are left out.
 */
export async function askArxivVersions(
  ids: readonly string[],
  { send, services }: Pick<Asking, 'send' | 'services'>,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const some = ids.slice(from, from + TOGETHER);
    const url = services.url('arxiv', 'api/query', { id_list: some.join(','), max_results: String(TOGETHER) });
    const answer = await lookupText(send, { url, robots: 'terms', pool: 'arxiv' }, signal);
    const entries = answer.kind === 'found' ? (readArxivFeed(answer.value) ?? []) : [];
    for (const { id } of entries) if (id.version !== null) versions.set(id.id, id.version);
  }
  return versions;
}
