import type { Clock, Warn } from '../../base/index.ts';
import { sha256 } from '../../base/index.ts';
import { lettersOf } from '../link/letters.ts';
import { withoutLabel } from '../link/parse-reference.ts';
import type { Contribution, EdgeStatement, MetadataPlace, NodeStatement, TextPlace } from '../contribution.ts';
import { RANK } from '../contribution.ts';

/** The registered work that a catalogue found for a printed reference. */
interface FoundWork {
  readonly kind: 'found';
  readonly doi: string;
  readonly title: string;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
  /** 0 to 1: how well it matches the printed reference. */
  readonly score: number;
}

/** A catalogue's answer about a printed reference; `doubtful` means that some works are similar and none is certain. */
export type ReferenceAnswer = FoundWork | { readonly kind: 'doubtful' } | { readonly kind: 'none' };

/** The work behind an id that a record cites. */
export interface KnownWork {
  readonly kind: 'known';
  readonly doi: string | null;
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
}

/** A stored answer, with the service and the time. */
export interface StoredAnswer {
  readonly answer: ReferenceAnswer | KnownWork;
  readonly origin: string;
  readonly readAt: string;
}

/** Stored answers by question. */
export interface StoredAnswers {
  get(question: string): StoredAnswer | undefined;
  set(question: string, answer: StoredAnswer): void;
}

/** Where answers are stored, and how many questions are asked at most. */
export interface LookupOptions {
  readonly answers: StoredAnswers;
  readonly most: number;
  readonly clock: Clock;
  readonly warn: Warn;
}

/** The stored answer about a reference; spacing, punctuation and its number do not matter. */
export function findAnswer(answers: Pick<StoredAnswers, 'get'> | undefined, text: string): StoredAnswer | undefined {
  return answers?.get(questionOf(text));
}

/** The key of a reference: a hash of its letters and digits, without the number in front. */
export function questionOf(text: string): string {
  return sha256(lettersOf(withoutLabel(text)));
}

/** The key under which the name of a work that is cited by an id is stored. */
export function nameQuestion(origin: string, id: string): string {
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
    // The list is evidence that something is cited, the catalogue that it is this work.
    const places: readonly (TextPlace | MetadataPlace)[] = [place, { kind: 'metadata', origin, readAt }];
    for (const each of places) {
      const score = Math.round(found.score * 1000) / 1000;
      const evidence = {
        place: each,
        ...METHOD,
        score,
        detail: { identifier: `doi:${found.doi.toLowerCase()}`, origin },
      };
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

/** What a catalogue says of a work, as the data of its node. */
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
  return {
    ...contribution,
    nodes: contribution.nodes.map((node) => {
      const work = known.get(node.id);
      return work ? namedNode(node, work) : node;
    }),
    edges: contribution.edges.flatMap((edge) => {
      const work = edge.kind === 'cites' ? known.get(edge.target) : undefined;
      return work ? namedEdge(edge, work) : [edge];
    }),
  };
}

function namedNode(node: NodeStatement, work: KnownWork): NodeStatement {
  const label = work.title?.slice(0, 500) ?? node.label;
  // A directory is believed more than a printed list.
  return { ...node, id: nodeId(node.id, work.doi), label, year: work.year, rank: RANK.mention, data: workData(work) };
}

/** Drops the edge of a record that lists its own id: no work cites itself. */
function namedEdge(edge: EdgeStatement, { doi }: KnownWork): EdgeStatement[] {
  const target = nodeId(edge.target, doi);
  if (target === edge.source) return [];
  const { evidence } = edge;
  return [
    { ...edge, target, evidence: { ...evidence, detail: { ...evidence.detail, cited_as: edge.target.slice(5) } } },
  ];
}

function nodeId(id: string, doi: string | null): string {
  return doi === null ? id : `work:doi:${doi.toLowerCase()}`;
}
