import type { Contribution, EdgeStatement, NodeStatement, OpenReference } from '../contribution.ts';
import { RANK } from '../contribution.ts';
import type { EdgeKind, NodeKind } from '../schema.ts';
import type { Reading } from './reading.ts';
import type { Stretch } from './sentences.ts';

/** Stands for the document's work until it is known which that is. */
export const THIS_WORK = '@work';

/** What an extractor says about how it found something. */
export interface Method {
  readonly name: string;
  readonly version: number;
}

/** Collects what is said about one document. */
export class Statements {
  readonly nodes: NodeStatement[] = [];
  readonly edges: EdgeStatement[] = [];
  readonly references: OpenReference[] = [];
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Says that there is a node; its id begins with its kind. */
  node(
    kind: NodeKind,
    id: string,
    label: string,
    more: { readonly year?: number | null; readonly rank?: number; readonly data?: NodeStatement['data'] } = {},
  ): string {
    const whole = `${kind}:${id}`;
    this.nodes.push({
      id: whole,
      kind,
      label: label.slice(0, 500),
      year: more.year ?? null,
      rank: more.rank ?? RANK.document,
      data: more.data ?? {},
    });
    return whole;
  }

  /** Says that there is an edge, because of what stands at a place. */
  edge(
    edge: { readonly source: string; readonly kind: EdgeKind; readonly target: string },
    where: { readonly block: number; readonly stretch: Stretch },
    method: Method,
    more: { readonly score?: number; readonly detail?: Readonly<Record<string, unknown>> } = {},
  ): void {
    this.edges.push({
      ...edge,
      evidence: {
        place: this.#reading.place(where.block, where.stretch),
        method: method.name,
        version: method.version,
        score: Math.round((more.score ?? 1) * 1000) / 1000,
        detail: more.detail ?? {},
      },
    });
  }

  /** A sentence as a node of its own, with its place. */
  passage(block: number, stretch: Stretch, section: string | null): string {
    const text = this.#reading.document.blocks[block]?.text.slice(stretch.start, stretch.end) ?? '';
    const id = this.node('passage', `${this.#reading.owner}#${block}:${stretch.start}`, text, { data: { section } });
    this.edge(
      { source: THIS_WORK, kind: 'contains', target: id },
      { block, stretch },
      { name: 'sentence', version: 1 },
      { detail: { section } },
    );
    return id;
  }
}

/** The work of a document put where it was left open. */
export function withWork(contribution: Contribution, work: string): Contribution {
  const named = (id: string): string => (id === THIS_WORK ? work : id);
  return {
    ...contribution,
    work,
    edges: contribution.edges.map((edge) => ({ ...edge, source: named(edge.source), target: named(edge.target) })),
  };
}
