import { readdirSync } from 'node:fs';

import { openPdf } from '../../src/parse/doctags/engines/pdfium.ts';
import { textInFileOrder } from '../../src/parse/doctags/inspect.ts';
import { parseMarkup } from '../../src/parse/doctags/parse-markup.ts';
import { parsePdf } from '../../src/parse/doctags/pdf.ts';
import type { ParsedDocument } from '../../src/parse/document.ts';
import { askedOf, truthFromJats, withoutLinks } from './jats-truth.ts';

/** What the scorer says of a document. */
export interface Scores {
  readonly overall: number;
  readonly textSim: number;
  readonly bowF1: number;
  readonly titleOk: number | null;
  readonly headF1: number;
  readonly headTruth: number;
  readonly headLevel: number | null;
  readonly tables: { readonly truth: number; readonly detF1: number; readonly teds: number } | null;
  readonly listF1: number | null;
  readonly captionF1: number | null;
  readonly footnoteF1: number | null;
  readonly refF1: number | null;
  readonly paraF1: number;
  readonly formulaRatio: number | null;
  readonly furnitureLeak: number | null;
  readonly hyphenResidue: number;
}

const tablesOf = ({ tables }: Scores): Scores['tables'] => (tables !== null && tables.truth > 0 ? tables : null);

/** The columns of the table and how they are read; null if a document has nothing of the kind. */
export const READ = {
  overall: ({ overall }: Scores) => overall,
  text: ({ textSim }: Scores) => textSim,
  // Scored apart, on the plain text of the engine.
  plain: () => null,
  bow: ({ bowF1 }: Scores) => bowF1,
  title: ({ titleOk }: Scores) => titleOk,
  headF1: ({ headTruth, headF1 }: Scores) => (headTruth > 0 ? headF1 : null),
  hlevel: ({ headLevel }: Scores) => headLevel,
  tabDet: (scores: Scores) => tablesOf(scores)?.detF1 ?? null,
  teds: (scores: Scores) => tablesOf(scores)?.teds ?? null,
  list: ({ listF1 }: Scores) => listF1,
  capt: ({ captionF1 }: Scores) => captionF1,
  foot: ({ footnoteF1 }: Scores) => footnoteF1,
  refs: ({ refF1 }: Scores) => refF1,
  para: ({ paraF1 }: Scores) => paraF1,
  formula: ({ formulaRatio }: Scores) => formulaRatio,
  leak: ({ furnitureLeak }: Scores) => furnitureLeak,
  hyph: ({ hyphenResidue }: Scores) => hyphenResidue,
} as const;

export type Column = keyof typeof READ;
export const COLUMNS = Object.keys(READ) as readonly Column[];

/** Documents of one kind, their parser, targets and reference scores. */
export interface ScoreSet {
  readonly name: string;
  readonly folder: string;
  readonly extension: string;
  /** The truth file of a document, or the output of another tool used as reference. */
  readonly truth: string;
  /** Reads the truth of a document from its file and its pages, if that is not in the scorer's format. */
  readonly readTruth?: (id: string, bytes: Uint8Array, pdf: Uint8Array) => Promise<unknown>;
  /** The part of the set that each document is in; others are not scored. */
  readonly parts?: ReadonlyMap<string, string>;
  /** Manifest entry by which documents were held out during development. */
  readonly halvedBy?: 'publisher' | 'family';
  /** Held-out groups that were opened later: their scores say nothing about unseen papers. */
  readonly opened?: RegExp;
  /** Minimum score of every document. */
  readonly least?: number;
  readonly parse: (bytes: Uint8Array, without: readonly string[]) => Promise<ParsedDocument>;
  /** The plain text of the engine: no document's text may be much worse. */
  readonly plain?: (bytes: Uint8Array) => Promise<string>;
  readonly targets: Readonly<Partial<Record<Column, number>>>;
  /** Published or measured overall scores of other tools. */
  readonly others: Readonly<Record<string, number>>;
}

export const LOWER_IS_BETTER: ReadonlySet<Column> = new Set<Column>(['leak', 'hyph']);

/** PDFs with their truth beside them. */
const PDF = {
  extension: '.pdf',
  truth: '.truth.json',
  parse: (bytes: Uint8Array, without: readonly string[]) => parsePdf(bytes, { without }),
  plain: plainText,
  others: {},
};

export const SETS: readonly ScoreSet[] = [
  {
    ...PDF,
    name: 'pdf',
    folder: 'pdf',
    targets: {
      overall: 0.965,
      text: 0.97,
      title: 1,
      headF1: 0.94,
      tabDet: 0.95,
      teds: 0.8,
      list: 0.8,
      capt: 0.95,
      foot: 0.8,
      refs: 0.92,
      para: 0.9,
      leak: 0.01,
    },
    others: { pdftotext: 0.407, 'pdf-inspector md': 0.667, 'liteparse md': 0.683, 'tuned heuristics': 0.905 },
  },
  {
    ...PDF,
    name: 'pmc',
    folder: 'pmc',
    halvedBy: 'publisher',
    opened: /^(?:Nature|Hindawi|Springer|Elsevier|John Wiley)/u,
    least: 0.7,
    targets: {
      overall: 0.9,
      text: 0.965,
      title: 0.95,
      headF1: 0.9,
      tabDet: 0.9,
      teds: 0.8,
      list: 0.75,
      capt: 0.93,
      refs: 0.92,
      para: 0.88,
      leak: 0.01,
    },
    others: { 'liteparse md': 0.686 },
  },
  {
    ...PDF,
    name: 'publishers',
    folder: 'publishers',
    halvedBy: 'publisher',
    opened:
      /^(?:Canadian Center|Escola|Global Health|Hindawi|Hospital das|Instituto Nacional|John Wiley|Oxford|PMC author|Stanford|Taylor|The Japan)/u,
    targets: { overall: 0.93 },
  },
  { ...PDF, name: 'classes', folder: 'classes', halvedBy: 'family', least: 0.93, targets: { overall: 0.965 } },
  {
    name: 'docling-ref',
    folder: 'docling-ref',
    extension: '.pdf',
    truth: '.docling.doctags',
    parse: PDF.parse,
    targets: { overall: 0.91 },
    others: { 'pdf-inspector md': 0.824, 'tuned heuristics': 0.72 },
  },
  {
    name: 'jats',
    folder: 'jats',
    extension: '.xml',
    truth: '.truth.json',
    parse: (bytes) => Promise.resolve(parseMarkup(bytes)),
    targets: { overall: 0.985 },
    others: { pandoc: 0.745, '40-line saxes walk': 0.947 },
  },
  {
    name: 'html',
    folder: 'html',
    extension: '.html',
    truth: '.truth.json',
    parse: (bytes) => Promise.resolve(parseMarkup(bytes)),
    targets: { overall: 0.99 },
    others: { turndown: 0.843, defuddle: 0.842, readability: 0.827 },
  },
];

/** PDFs of a folder with their truth beside them: ID.truth.json, or the JATS file ID.xml. */
export function folderSet(folder: string): ScoreSet {
  const { plain: _plain, ...pdf } = PDF;
  const hasTruth = readdirSync(folder).some((file) => file.endsWith(PDF.truth));
  return { ...pdf, name: folder, folder, targets: {}, ...(!hasTruth && BY_JATS) };
}

/** Papers of the training manifest, judged by publishers left out; truth comes from the JATS file beside each PDF. */
export function leftOutSet(folder: string, parts: ReadonlyMap<string, string>): ScoreSet {
  const { plain: _plain, ...pdf } = PDF;
  return { ...pdf, ...BY_JATS, name: 'publishers left out', folder, parts, targets: {} };
}

/** PDFs with their JATS files beside them. */
const BY_JATS = {
  truth: '.xml',
  async readTruth(id, bytes, pdf) {
    const truth = truthFromJats(id, bytes);
    return truth && askedOf(await plainText(pdf), truth);
  },
  parse: async (bytes, without) => comparable(await PDF.parse(bytes, without)),
} satisfies Partial<ScoreSet>;

/** A paper as the truth of JATS files has it: references without links. */
function comparable(document: ParsedDocument): ParsedDocument {
  const blocks = document.blocks.map((block) =>
    block.kind === 'reference' ? { ...block, text: withoutLinks(block.text) } : block,
  );
  return { ...document, blocks };
}

/** The text of a file as the engine gives it, page by page. */
async function plainText(bytes: Uint8Array): Promise<string> {
  using file = await openPdf(bytes);
  return Array.from({ length: file.pageCount }, (_, at) => file.readPage(at + 1))
    .map((page) => (page ? textInFileOrder(page) : ''))
    .join('\n')
    .replaceAll(/(?<=\p{L})-\s(?=\p{Ll})/gu, '');
}
