import { readFile } from 'node:fs/promises';

import type { Block, ParsedDocument } from '../../parse/index.ts';
import type { WorkItem } from '../../stage/index.ts';
import type {
  Contribution,
  EdgeKind,
  EdgeStatement,
  NodeKind,
  NodeStatement,
  OpenReference,
  TextPlace,
} from '../schema.ts';
import { RANK } from '../schema.ts';

/** A block of running text with its sentences and the heading above it. */
export interface ReadBlock {
  readonly block: Block;
  readonly section: string | null;
  readonly sentences: readonly Stretch[];
}

/** A document prepared for extractors. */
export class Reading {
  readonly document: ParsedDocument;
  /** Prefix of ids that belong to the document. */
  readonly owner: string;
  readonly fileSha256: string | null;
  /** Paragraphs, list items, captions and notes, without the reference list. */
  readonly prose: readonly ReadBlock[];
  readonly #byOrder: ReadonlyMap<number, ReadBlock>;

  constructor(owner: string, document: ParsedDocument, fileSha256: string | null) {
    this.owner = owner;
    this.document = document;
    this.fileSha256 = fileSha256;
    this.prose = proseOf(document.blocks);
    this.#byOrder = new Map(this.prose.map((read) => [read.block.order, read]));
  }

  sentenceAt(block: number, at: number): { readonly stretch: Stretch; readonly section: string | null } | undefined {
    const read = this.#byOrder.get(block);
    const stretch = read?.sentences.find(({ start, end }) => at >= start && at < end);
    return read && stretch && { stretch, section: read.section };
  }

  /** The evidence place of a stretch of a block. */
  place(order: number, { start, end }: Stretch): TextPlace {
    const block = this.document.blocks[order];
    return {
      kind: 'text',
      fileSha256: this.fileSha256,
      block: order,
      start,
      end,
      quote: (block?.text ?? '').slice(start, end),
      ...placeOnPage(block),
    };
  }
}

export function placeOnPage(block: Block | undefined): Pick<TextPlace, 'page' | 'boxes'> {
  const regions = block?.regions ?? [];
  const round = (value: number): number => Math.round(value * 10) / 10;
  return {
    page: regions[0]?.page ?? null,
    boxes: regions.map(({ page, box }) => [page, round(box.left), round(box.top), round(box.right), round(box.bottom)]),
  };
}

const SPEAKING: ReadonlySet<Block['kind']> = new Set(['text', 'list_item', 'caption', 'footnote']);

function proseOf(blocks: readonly Block[]): ReadBlock[] {
  const found: ReadBlock[] = [];
  let section: string | null = null;
  for (const block of blocks) {
    if (block.kind === 'heading') section = block.text;
    if (SPEAKING.has(block.kind) && block.text.length > 3)
      found.push({ block, section, sentences: sentencesOf(block.text) });
  }
  return found;
}

/** A stretch of a text, by character offsets. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

const END =
  /[.!?؟۔]["”’')\]]*(?:(?<!\d\.)\d{1,3}(?:[,–-]\d{1,3})*)?\s+(?=["“‘'([«¿¡]?[\p{Lu}\p{Lo}\d])|[。！？][”’」』）]*/gu;
/** Abbreviations whose full stop ends no sentence, and initials. */
const NO_END =
  /(?<![\p{L}\p{M}\p{N}])(?:et al|e\.g|i\.e|cf|vs|ca|approx|resp|no|nos|fig|figs|eq|eqs|ref|refs|tab|sect|vol|pp?|ed|eds|dr|mr|mrs|prof|st|inc|ltd|co|corp|sp|spp|var|subsp|viz|al|\p{L})\.["”’')\]]*\s+$/iu;
const LONGEST = 1_200;

/** The sentences of a text, without the spaces between them. */
export function sentencesOf(text: string): Stretch[] {
  const found: Stretch[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (NO_END.test(text.slice(Math.max(0, end - 14), end))) continue;
    push(found, text, start, end);
    start = end;
  }
  push(found, text, start, text.length);
  return found;
}

function push(found: Stretch[], text: string, start: number, end: number): void {
  const part = text.slice(start, end);
  const from = start + (part.length - part.trimStart().length);
  const to = from + part.trim().length;
  for (let at = from; at < to; at += LONGEST) found.push({ start: at, end: Math.min(to, at + LONGEST) });
}

/** Placeholder id of the document's work. */
export const THIS_WORK = '@work';

/** Name and version of the extractor that found something. */
export interface Method {
  readonly name: string;
  readonly version: number;
}

/** Collects the nodes and edges of one document. */
export class Statements {
  readonly nodes: NodeStatement[] = [];
  readonly edges: EdgeStatement[] = [];
  readonly references: OpenReference[] = [];
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Adds a node and returns its id, which begins with its kind. */
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

  /** Adds an edge with its evidence. */
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

  /** Adds a sentence as a node and returns its id. */
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

/** Replaces the placeholder by the id of the work. */
export function withWork(contribution: Contribution, work: string): Contribution {
  const named = (id: string): string => (id === THIS_WORK ? work : id);
  return {
    ...contribution,
    work,
    edges: contribution.edges.map((edge) => ({ ...edge, source: named(edge.source), target: named(edge.target) })),
  };
}

interface Sidecar {
  readonly source_sha256?: string;
  readonly title?: string;
  readonly authors?: readonly string[];
  readonly doi?: string;
}

/** What the DocTags stage stored beside a document. */
export async function readSidecar({ inputs }: WorkItem): Promise<Sidecar> {
  const path = inputs['sidecar'];
  return path === undefined ? {} : (JSON.parse(await readFile(path, 'utf8')) as Sidecar);
}
