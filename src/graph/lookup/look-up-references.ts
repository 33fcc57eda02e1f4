import type { CitedWork } from '../../works/index.ts';
import { citedLine } from '../../works/index.ts';
import { parseReference, withoutLabel } from '../link/parse-reference.ts';
import { openGraph } from '../ask/graph.ts';
import type { LookupOptions, ReferenceAnswer, ReferenceAnswers } from './reference-answers.ts';
import { questionOf } from './reference-answers.ts';

/** What asking about one reference came to; `away` says nothing about the reference. */
export type AskedReference = ReferenceAnswer | { readonly kind: 'away'; readonly message: string };

/** The catalogue that is asked. */
export interface Catalogue {
  /** Under which name its answers are evidence. */
  readonly origin: string;
  readonly ask: (cited: CitedWork, signal: AbortSignal) => Promise<AskedReference>;
}

/** What came of looking references up. */
export interface LookedUp {
  readonly asked: number;
  readonly found: number;
  /** Works that may be the one, and none that surely is. */
  readonly doubtful: number;
  readonly unknown: number;
  /** Asked about without an answer: the next build asks again. */
  readonly unanswered: number;
  /** Not asked about, because the bound was reached or the catalogue was away. */
  readonly left: number;
}

const TOGETHER = 4;
/** A catalogue that has not answered so many times in a row is away. */
const PATIENCE = 3;

/**
 * Asks a catalogue about the references of a graph that carry no identifier and mean no work of the graph: those that most documents
 * cite come first. What is answered is kept, and never asked again.
 */
export async function lookUpReferences(
  path: string,
  catalogue: Catalogue,
  options: LookupOptions,
  signal: AbortSignal,
): Promise<LookedUp> {
  const { answers, most, clock, warn } = options;
  const open = openReferences(path, answers);
  const count = { asked: 0, found: 0, doubtful: 0, none: 0, away: 0 };
  let [next, silent] = [0, 0];
  const ask = async (): Promise<void> => {
    while (next < Math.min(open.length, most) && silent < PATIENCE) {
      const text = open[next++] ?? '';
      signal.throwIfAborted();
      const answer = await catalogue.ask(citedWorkOf(text), signal);
      count.asked += 1;
      count[answer.kind] += 1;
      if (answer.kind === 'away') {
        silent += 1;
        if (silent === PATIENCE)
          warn(`${catalogue.origin} does not answer (${answer.message}): references wait for the next build`);
        continue;
      }
      silent = 0;
      answers.keep(text, { answer, origin: catalogue.origin, readAt: new Date(clock.now()).toISOString() });
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, ask));
  return {
    asked: count.asked,
    found: count.found,
    doubtful: count.doubtful,
    unknown: count.none,
    unanswered: count.away,
    left: open.length - count.asked,
  };
}

/** Prints of the references that nothing is known about, each once. */
function openReferences(path: string, answers: ReferenceAnswers): string[] {
  using graph = openGraph(path);
  const rows = graph.database
    .prepare(
      `SELECT min(text) AS text FROM printed JOIN evidence USING (owner, part)
       WHERE evidence.kind = 'resolves_to' AND evidence.method = 'reference-print'
       GROUP BY evidence.target ORDER BY count(DISTINCT owner) DESC, evidence.target`,
    )
    .all() as { text: string }[];
  const asked = new Set<string>();
  return rows.flatMap(({ text }) => {
    const question = questionOf(text);
    if (asked.has(question) || citedLine(withoutLabel(text)) === undefined || answers.find(text)) return [];
    asked.add(question);
    return [text];
  });
}

/** A printed reference as a work to search for. */
function citedWorkOf(text: string): CitedWork {
  const { title, authors, year } = parseReference(text);
  return { title, authors, year, text: withoutLabel(text).slice(0, 2_000) };
}
