import type { CitedWork } from '../../works/index.ts';
import { citedLine } from '../../works/index.ts';
import { parseReference, withoutLabel } from '../link/parse-reference.ts';
import type { KnownWork, LookupOptions, ReferenceAnswer, StoredAnswers } from './answers.ts';
import { findAnswer, nameQuestion, questionOf } from './answers.ts';

/** The answer about one reference; `away` means that the catalogue gave none. */
type AskedReference = ReferenceAnswer | { readonly kind: 'away'; readonly message: string };

/** A catalogue that is searched for printed references. */
export interface Catalogue {
  /** Its name in evidence. */
  readonly origin: string;
  readonly ask: (cited: CitedWork, signal: AbortSignal) => Promise<AskedReference>;
}

/** How many references were looked up, and with what result. */
export interface LookedUp {
  readonly asked: number;
  readonly found: number;
  /** Some works are similar, none is certain. */
  readonly doubtful: number;
  readonly unknown: number;
  /** No answer came: the next build asks again. */
  readonly unanswered: number;
  /** Not asked, because the limit was reached or the service did not answer. */
  readonly left: number;
}

/** Questions to a catalogue at a time. */
const CONCURRENCY = 4;
/** A catalogue that failed to answer so many times in a row is not asked again in this run. */
const MOST_FAILURES = 3;

/** Asks a catalogue about printed references, in their order. Answers are stored and never asked for again. */
export async function lookUpReferences(
  references: readonly string[],
  catalogue: Catalogue,
  options: LookupOptions,
  signal: AbortSignal,
): Promise<LookedUp> {
  const { answers, most, clock, warn } = options;
  const open = unanswered(references, answers);
  const count = { asked: 0, found: 0, doubtful: 0, none: 0, away: 0 };
  let [next, silent] = [0, 0];
  const ask = async (): Promise<void> => {
    while (next < Math.min(open.length, most) && silent < MOST_FAILURES) {
      const text = open[next++] ?? '';
      signal.throwIfAborted();
      const answer = await catalogue.ask(citedWorkOf(text), signal);
      count.asked += 1;
      count[answer.kind] += 1;
      if (answer.kind === 'away') {
        silent += 1;
        if (silent === MOST_FAILURES)
          warn(`${catalogue.origin} does not answer (${answer.message}): references wait for the next build`);
        continue;
      }
      silent = 0;
      const readAt = new Date(clock.now()).toISOString();
      answers.set(questionOf(text), { answer, origin: catalogue.origin, readAt });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, ask));
  return {
    asked: count.asked,
    found: count.found,
    doubtful: count.doubtful,
    unknown: count.none,
    unanswered: count.away,
    left: open.length - count.asked,
  };
}

/** References that were not asked about, each once. */
function unanswered(references: readonly string[], answers: StoredAnswers): string[] {
  const asked = new Set<string>();
  return references.filter((text) => {
    const question = questionOf(text);
    if (asked.has(question) || citedLine(withoutLabel(text)) === undefined || answers.get(question)) return false;
    asked.add(question);
    return true;
  });
}

/** A printed reference as a work to search for. */
function citedWorkOf(text: string): CitedWork {
  const { title, authors, year } = parseReference(text);
  return { title, authors, year, text: withoutLabel(text).slice(0, 2_000) };
}

/** The answer about several ids: an id that is missing is unknown; `away` means that there was no answer. */
type AskedNames =
  | { readonly kind: 'answered'; readonly works: ReadonlyMap<string, KnownWork> }
  | { readonly kind: 'away'; readonly message: string };

/** A service that names works by the ids that records cite. */
export interface Directory {
  /** Its name in evidence, and the kind of its ids: `openalex` for `work:openalex:W1`. */
  readonly origin: string;
  readonly ask: (ids: readonly string[], signal: AbortSignal) => Promise<AskedNames>;
}

/** How many cited works were looked up, and with what result. */
export interface NamedWorks {
  readonly asked: number;
  readonly named: number;
  readonly unknown: number;
  /** Not asked about, because the bound was reached or the directory was away. */
  readonly left: number;
}

/** Ids in one request: a directory takes about a hundred. */
const IDS_PER_REQUEST = 50;

/**
 * Asks a directory for the title and DOI of works that records cite by an id alone, in their order. With the DOI the graph
 * can join them with works that documents cite. Answers are stored and never asked for again.
 */
export async function lookUpNames(
  cited: readonly string[],
  directory: Directory,
  options: LookupOptions,
  signal: AbortSignal,
): Promise<NamedWorks> {
  const { answers, most, clock, warn } = options;
  const { origin } = directory;
  const open = cited.filter((id) => findAnswer(answers, nameQuestion(origin, id)) === undefined);
  let [asked, named] = [0, 0];
  while (asked < Math.min(open.length, most)) {
    const ids = open.slice(asked, Math.min(asked + IDS_PER_REQUEST, most));
    signal.throwIfAborted();
    const answer = await directory.ask(ids, signal);
    if (answer.kind === 'away') {
      warn(`${origin} does not answer (${answer.message}): names of cited works wait for the next build`);
      break;
    }
    const readAt = new Date(clock.now()).toISOString();
    for (const id of ids)
      answers.set(questionOf(nameQuestion(origin, id)), {
        answer: answer.works.get(id) ?? { kind: 'none' },
        origin,
        readAt,
      });
    asked += ids.length;
    named += ids.filter((id) => answer.works.has(id)).length;
  }
  return { asked, named, unknown: asked - named, left: open.length - asked };
}
