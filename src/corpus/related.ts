import { AppError } from '../base/index.ts';
import type { CorpusGraph } from './corpus-graph.ts';
import type { Library, LibraryWork, LiveSearch } from '../ask/index.ts';

/** A related work, and why. */
export interface RelatedWork {
  /** Its id in the corpus, or in the graph if it is not in the corpus. */
  readonly id: string;
  readonly title: string | null;
  readonly year: number | null;
  readonly inCorpus: boolean;
  /** Works of the corpus that cite both, and works that both cite; zero if they are related by content. */
  readonly citedTogether: number;
  readonly sharedReferences: number;
  /** Similarity of its nearest passage to the title, 0 to 1; null if related by citations. */
  readonly fit: number | null;
}

/** Passages searched per requested work. */
const PASSAGES_PER_WORK = 6;

/** Works cited together with a work or citing the same works, if there is a graph; then works with similar content. */
export async function relatedWorks(
  work: LibraryWork,
  corpus: { readonly library: Library; readonly graph: CorpusGraph; readonly search: LiveSearch },
  limit: number,
  signal?: AbortSignal,
): Promise<RelatedWork[]> {
  const related = corpus.graph.exists ? byCitations(work, corpus.graph, limit) : [];
  if (related.length >= limit || work.title === null) return related;
  const known = new Set([work.document, work.id, ...related.map(({ id }) => id)]);
  const hits = await corpus.search.search(work.title, { top: limit * PASSAGES_PER_WORK, minFit: 0 }, signal);
  for (const { passage, work: cited, fit } of hits) {
    const id = cited?.id ?? passage.document;
    if (known.has(id) || known.has(passage.document) || related.length >= limit) continue;
    known.add(id).add(passage.document);
    const title = cited?.title ?? passage.title;
    const year = cited?.year ?? null;
    related.push({ id, title, year, inCorpus: true, citedTogether: 0, sharedReferences: 0, fit });
  }
  return related;
}

function byCitations(work: LibraryWork, corpusGraph: CorpusGraph, limit: number): RelatedWork[] {
  using graph = corpusGraph.open();
  for (const name of [work.document, ...(work.doi === null ? [] : [work.doi]), work.id]) {
    try {
      return graph.related(name, limit).map(({ node, cocited, coupled }) => ({
        id: node.id,
        title: node.label,
        year: node.year,
        inCorpus: node.data['inCorpus'] === true || node.data['inCorpus'] === 1,
        citedTogether: cocited,
        sharedReferences: coupled,
        fit: null,
      }));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'GRAPH_NO_NODE')) throw error;
    }
  }
  return [];
}
