import { openGraph } from '../ask/graph.ts';
import type { KnownWork, LookupOptions } from './reference-answers.ts';

/** What a directory says of several ids; one that is missing is unknown to it. `away` says nothing about any of them. */
type AskedNames =
  | { readonly kind: 'answered'; readonly works: ReadonlyMap<string, KnownWork> }
  | { readonly kind: 'away'; readonly message: string };

/** A directory of works that knows them by the ids that records cite them under. */
export interface Directory {
  /** Under which name its answers are evidence, and which ids it knows: `openalex` for `work:openalex:W1`. */
  readonly origin: string;
  readonly ask: (ids: readonly string[], signal: AbortSignal) => Promise<AskedNames>;
}

/** What came of asking for the names of cited works. */
export interface NamedWorks {
  readonly asked: number;
  readonly named: number;
  readonly unknown: number;
  /** Not asked about, because the bound was reached or the directory was away. */
  readonly left: number;
}

/** Ids of one question: a directory takes about a hundred. */
const TOGETHER = 50;

/**
 * Asks a directory what the works are that records cite by an id alone, those that most works cite first: only then can a graph tell that
 * the DOI which a document prints is the same work, and say its title. What is answered is kept, and never asked again.
 */
export async function lookUpNames(
  path: string,
  directory: Directory,
  options: LookupOptions,
  signal: AbortSignal,
): Promise<NamedWorks> {
  const { answers, most, clock, warn } = options;
  const { origin } = directory;
  const open = namelessWorks(path, origin).filter((id) => answers.find(nameQuestion(origin, id)) === undefined);
  let [asked, named] = [0, 0];
  while (asked < Math.min(open.length, most)) {
    const ids = open.slice(asked, Math.min(asked + TOGETHER, most));
    signal.throwIfAborted();
    const answer = await directory.ask(ids, signal);
    if (answer.kind === 'away') {
      warn(`${origin} does not answer (${answer.message}): names of cited works wait for the next build`);
      break;
    }
    const readAt = new Date(clock.now()).toISOString();
    for (const id of ids)
      answers.keep(nameQuestion(origin, id), { answer: answer.works.get(id) ?? { kind: 'none' }, origin, readAt });
    asked += ids.length;
    named += ids.filter((id) => answer.works.has(id)).length;
  }
  return { asked, named, unknown: asked - named, left: open.length - asked };
}

/** What a work that is cited by an id is asked under. */
export function nameQuestion(origin: string, id: string): string {
  return `${origin}:${id}`;
}

/** Ids under which works are cited that the graph knows nothing else of. */
function namelessWorks(path: string, origin: string): string[] {
  using graph = openGraph(path);
  const prefix = `work:${origin}:`;
  const rows = graph.database
    .prepare(
      `SELECT nodes.id FROM nodes JOIN edges ON edges.target = nodes.node AND edges.kind = 'cites'
       WHERE nodes.kind = 'work' AND nodes.id >= :from AND nodes.id < :to AND json_extract(nodes.data, '$.title') IS NULL
         AND NOT EXISTS (SELECT 1 FROM edges AS same WHERE same.source = nodes.node AND same.kind = 'same_as')
       GROUP BY nodes.node ORDER BY count(*) DESC, nodes.id`,
    )
    .all({ from: prefix, to: `work:${origin};` }) as { id: string }[];
  return rows.map(({ id }) => id.slice(prefix.length));
}
