import { nodeKey } from '../../graph/index.ts';
import type { Graph } from './graph.ts';

/** Related works per document. */
const LIKE_ONE = 20;

/** Documents that these documents cite, are cited by, or are related to by citations. */
export function nearDocuments(graph: Graph, documents: Iterable<string>): Set<string> {
  const known = graph.database.prepare("SELECT 1 FROM graph_sources WHERE owner = ? AND owner NOT LIKE 'record:%'");
  const held = graph.database.prepare(
    "SELECT owner FROM graph_sources WHERE work IN (SELECT value FROM json_each(?)) AND owner NOT LIKE 'record:%'",
  );
  const near = new Set<string>();
  for (const document of documents) {
    // A document parsed after the last build is not in the graph.
    if (known.get(document) === undefined) continue;
    const around = [...graph.edgesOf(document, ['cites']), ...graph.related(document, LIKE_ONE)];
    const works = around.map(({ node }) => nodeKey(node.id));
    for (const row of held.all(JSON.stringify(works))) near.add(String(row['owner']));
  }
  return near;
}
