import type { Block, HeadedSection, ParsedDocument, Stretch } from '../../parse/index.ts';
import { sectionOfHeading } from '../../parse/index.ts';
import type {
  Contribution,
  EdgeKind,
  EdgeStatement,
  Evidence,
  NodeKind,
  NodeStatement,
  OpenReference,
  TextPlace,
} from '../schema.ts';
import { RANK, thousandths } from '../schema.ts';

export interface ReadBlock {
  readonly block: Block;
  readonly section: string | null;
  /** The part of the paper, as its headings say. */
  readonly part: HeadedSection | undefined;
  readonly sentences: readonly Stretch[];
}

interface Place {
  readonly block: number;
  readonly stretch: Stretch;
}

interface Sentence extends Place {
  readonly section: string | null;
}

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

  sentenceAt(block: number, at: number): Sentence | undefined {
    const read = this.#byOrder.get(block);
    const stretch = read?.sentences.find(({ start, end }) => at >= start && at < end);
    return read && stretch && { block, stretch, section: read.section };
  }

  /** A place as evidence; the text may be that of a cell of the block. */
  place({ block: order, stretch: { start, end } }: Place, text = this.document.blocks[order]?.text ?? ''): TextPlace {
    const regions = this.document.blocks[order]?.regions ?? [];
    const round = (value: number): number => Math.round(value * 10) / 10;
    return {
      kind: 'text',
      fileSha256: this.fileSha256,
      block: order,
      start,
      end,
      quote: text.slice(start, end),
      page: regions[0]?.page ?? null,
      boxes: regions.map(({ page, box }) => [page, ...[box.left, box.top, box.right, box.bottom].map(round)]),
    };
  }
}

const SPEAKING: ReadonlySet<Block['kind']> = new Set(['text', 'list_item', 'caption', 'footnote']);

function proseOf(blocks: readonly Block[]): ReadBlock[] {
  const found: ReadBlock[] = [];
  let section: string | null = null;
  let part: { readonly name: HeadedSection; readonly level: number } | undefined;
  const lastResults = blocks.findLastIndex((block) => isHeading(block) && sectionOfHeading(block.text) === 'results');
  for (const [at, block] of blocks.entries()) {
    if (isHeading(block)) {
      section = block.text;
      const name = sectionOfHeading(block.text);
      if (name !== undefined) part = { name, level: block.level };
      // A heading without a known name belongs to the part before it. But in a paper without results, a review, the first
      // one beside the introduction ends it.
      else if (part?.name === 'introduction' && block.level <= part.level && at > lastResults) part = undefined;
    }
    if (SPEAKING.has(block.kind) && block.text.length > 3)
      found.push({ block, section, part: part?.name, sentences: sentencesOf(block.text) });
  }
  return found;
}

function isHeading(block: Block): block is Block & { readonly kind: 'heading' } {
  return block.kind === 'heading';
}

const END =
  /[.!?؟۔]["”’')\]]*(?:(?<!\d\.)\d{1,3}(?:[,–-]\d{1,3})*)?\s+(?=["“‘'([«¿¡]?[\p{Lu}\p{Lo}\d])|[。！？][”’」』）]*/gu;
/** Abbreviations whose full stop ends no sentence, and initials. */
const NO_END =
  /(?<![\p{L}\p{M}\p{N}])(?:et al|e\.g|i\.e|cf|vs|ca|approx|resp|no|nos|fig|figs|eq|eqs|ref|refs|tab|sect|vol|pp?|ed|eds|dr|mr|mrs|prof|st|inc|ltd|co|corp|sp|spp|var|subsp|viz|al|\p{L})\.["”’')\]]*\s+$/iu;
const LONGEST = 1_200;

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

export interface Method {
  readonly name: string;
  readonly version: number;
}

interface Edge {
  /** The document's work unless something else is named. */
  readonly source?: string;
  readonly kind: EdgeKind;
  readonly target: string;
  readonly score?: number;
}

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

  edge(edge: Edge, where: Place | TextPlace, method: Method, detail: Evidence['detail'] = {}): void {
    const { source = THIS_WORK, kind, target, score = 1 } = edge;
    const place = 'quote' in where ? where : this.#reading.place(where);
    const evidence = { place, method: method.name, version: method.version, score: thousandths(score), detail };
    this.edges.push({ source, kind, target, evidence });
  }

  passage({ section, ...where }: Sentence): string {
    const { block, start, quote } = this.#reading.place(where);
    const target = this.node('passage', `${this.#reading.owner}#${block}:${start}`, quote, { data: { section } });
    this.edge({ kind: 'contains', target }, where, { name: 'sentence', version: 1 }, { section });
    return target;
  }
}

export function withWork(contribution: Contribution, work: string): Contribution {
  const named = (id: string): string => (id === THIS_WORK ? work : id);
  return {
    ...contribution,
    work,
    edges: contribution.edges.map((edge) => ({ ...edge, source: named(edge.source), target: named(edge.target) })),
  };
}
