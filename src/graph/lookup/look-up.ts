import type { CitedWork } from '../../works/index.ts';
import { citedLine } from '../../works/index.ts';
import type { Clock, Warn } from '../../base/index.ts';
import { lettersOf, sha256 } from '../../base/index.ts';
import { parseReference, withoutLabel } from '../link/parse-reference.ts';
import type { Contribution, EdgeStatement, MetadataPlace, NodeStatement, TextPlace } from '../schema.ts';
import { RANK, thousandths } from '../schema.ts';

/** The answer about one reference; `away` means that the catalogue gave none. */
type AskedReference = ReferenceAnswer | { readonly kind: 'away'; readonly message: string };

export interface Catalogue {
  /** Its name in evidence. */
  readonly origin: string;
  readonly ask: (cited: CitedWork, signal: AbortSignal) => Promise<AskedReference>;
}

/** What became of the references. */
export interface LookedUp {
  readonly asked: number;
  readonly found: number;
  /** Some works are similar, none is certain. */
  readonly doubtful: number;
  readonly unknown: number;
  /** No answer came: the next build asks again. */
  readonly unanswered: number;
  /** Not asked, because the limit was reached or the service did not respond. */
  readonly left: number;
}

const CONCURRENCY = 4;
/** After this many failures in a row a catalogue is not asked again in this run. */
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
      const { title, authors, year } = parseReference(text);
      const cited = { title, authors, year, text: withoutLabel(text).slice(0, 2_000) };
      const answer = await catalogue.ask(cited, signal);
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

function unanswered(references: readonly string[], answers: StoredAnswers): string[] {
  const asked = new Set<string>();
  return references.filter((text) => {
    const question = questionOf(text);
    if (asked.has(question) || citedLine(withoutLabel(text)) === undefined || answers.get(question)) return false;
    asked.add(question);
    return true;
  });
}

/** The answer about several ids: a missing id is unknown; `away` means no response. */
type AskedNames =
  | { readonly kind: 'answered'; readonly works: ReadonlyMap<string, KnownWork> }
  | { readonly kind: 'away'; readonly message: string };

export interface Directory {
  /** Its name in evidence, and the kind of its ids: `openalex` for `work:openalex:W1`. */
  readonly origin: string;
  readonly ask: (ids: readonly string[], signal: AbortSignal) => Promise<AskedNames>;
}

/** What became of the ids. */
export interface NamedWorks {
  readonly asked: number;
  readonly named: number;
  readonly unknown: number;
  /** Not asked, because the limit was reached or the directory did not respond. */
  readonly left: number;
}

/** Ids in one request: a directory takes about a hundred. */
const IDS_PER_REQUEST = 50;

/** With the DOI of a work that a record cites by an id, the graph joins it with works that documents cite. */
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

interface FoundWork extends Omit<KnownWork, 'kind'> {
  readonly kind: 'found';
  readonly doi: string;
  readonly title: string;
  /** 0 to 1: how well it matches the printed reference. */
  readonly score: number;
}

type ReferenceAnswer = FoundWork | { readonly kind: 'doubtful' } | { readonly kind: 'none' };

export interface KnownWork {
  readonly kind: 'known';
  readonly doi: string | null;
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
}

export interface StoredAnswer {
  readonly answer: ReferenceAnswer | KnownWork;
  readonly origin: string;
  readonly readAt: string;
}

export interface StoredAnswers {
  get(question: string): StoredAnswer | undefined;
  set(question: string, answer: StoredAnswer): void;
}

interface LookupOptions {
  readonly answers: StoredAnswers;
  readonly most: number;
  readonly clock: Clock;
  readonly warn: Warn;
}

/** The stored answer about a reference; spacing, punctuation and its number do not matter. */
export function findAnswer(answers: Pick<StoredAnswers, 'get'> | undefined, text: string): StoredAnswer | undefined {
  return answers?.get(questionOf(text));
}

function questionOf(text: string): string {
  return sha256(lettersOf(withoutLabel(text)));
}

function nameQuestion(origin: string, id: string): string {
  return `${origin}:${id}`;
}

const METHOD = { method: 'reference-lookup', version: 1 };

/** Resolves references that a catalogue has answered; the others are still compared with the works of the graph. */
export function withAnswers(
  contribution: Contribution,
  answerTo: (text: string) => StoredAnswer | undefined,
): Contribution {
  const nodes: NodeStatement[] = [];
  const edges: EdgeStatement[] = [];
  const references = contribution.references.filter(({ id, text, place }) => {
    const kept = answerTo(text);
    if (kept?.answer.kind !== 'found') return true;
    const { answer: found, origin, readAt } = kept;
    const target = `work:doi:${found.doi.toLowerCase()}`;
    if (target === contribution.work) return true;
    const { title, year } = found;
    const data = workData(found);
    nodes.push({ id: target, kind: 'work', label: title.slice(0, 500), year, rank: RANK.reference, data });
    // The list proves that something is cited, the catalogue that it is this work.
    const places: readonly (TextPlace | MetadataPlace)[] = [place, { kind: 'metadata', origin, readAt }];
    for (const each of places) {
      const detail = { identifier: target.slice('work:'.length), origin };
      const evidence = { place: each, ...METHOD, score: thousandths(found.score), detail };
      edges.push({ source: id, kind: 'resolves_to', target, evidence });
      edges.push({ source: contribution.work, kind: 'cites', target, evidence });
    }
    return false;
  });
  if (nodes.length === 0) return contribution;
  return {
    ...contribution,
    nodes: [...contribution.nodes, ...nodes],
    edges: [...contribution.edges, ...edges],
    references,
  };
}

function workData({ title, authors, year, venue }: FoundWork | KnownWork): NodeStatement['data'] {
  return { title, authors, year, source: venue, volume: null, pages: null };
}

const BY_ID = /^work:([a-z]+):(.+)$/;

/** Gives works that a record cites by an id their DOI and title where a directory knows them. */
export function withNames(
  contribution: Contribution,
  answerTo: (question: string) => StoredAnswer | undefined,
): Contribution {
  const known = new Map<string, KnownWork>();
  for (const { source, kind, target } of contribution.edges) {
    const [, origin = '', id = ''] = BY_ID.exec(target) ?? [];
    const answer =
      kind === 'cites' && source === contribution.work ? answerTo(nameQuestion(origin, id))?.answer : undefined;
    if (answer?.kind === 'known') known.set(target, answer);
  }
  if (known.size === 0) return contribution;
  const renamed = (id: string): string => {
    const doi = known.get(id)?.doi ?? null;
    return doi === null ? id : `work:doi:${doi.toLowerCase()}`;
  };
  return {
    ...contribution,
    nodes: contribution.nodes.map((node) => {
      const work = known.get(node.id);
      if (!work) return node;
      const label = work.title?.slice(0, 500) ?? node.label;
      // A directory is more reliable than a printed list.
      return { ...node, id: renamed(node.id), label, year: work.year, rank: RANK.mention, data: workData(work) };
    }),
    edges: contribution.edges.flatMap((edge) => {
      if (edge.kind !== 'cites' || !known.has(edge.target)) return [edge];
      const target = renamed(edge.target);
      // A record may list its own id, but no work cites itself.
      if (target === edge.source) return [];
      const detail = { ...edge.evidence.detail, cited_as: edge.target.slice('work:'.length) };
      return [{ ...edge, target, evidence: { ...edge.evidence, detail } }];
    }),
  };
}
