import { openPdf } from '../../src/parse/doctags/engines/pdfium.ts';
import { parseMarkup } from '../../src/parse/doctags/parse-markup.ts';
import { parsePdf } from '../../src/parse/doctags/pdf.ts';
import type { ParsedDocument } from '../../src/parse/document.ts';

export const COLUMNS = [
  'overall',
  'text',
  'plain',
  'bow',
  'title',
  'headF1',
  'hlevel',
  'tabDet',
  'teds',
  'list',
  'capt',
  'foot',
  'refs',
  'para',
  'formula',
  'leak',
  'hyph',
] as const;

export type Column = (typeof COLUMNS)[number];

/** Documents of one kind, their parser, targets and reference scores. */
export interface ScoreSet {
  readonly name: string;
  readonly folder: string;
  readonly extension: string;
  /** The truth file of a document, or the output of another tool used as reference. */
  readonly truth: string;
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
  /** Published or measured scores for comparison. */
  readonly baselines: Readonly<Record<string, Readonly<Partial<Record<Column, number>>>>>;
}

/** Smaller is better. */
export const LOWER_IS_BETTER: ReadonlySet<Column> = new Set<Column>(['leak', 'hyph']);

export const SETS: readonly ScoreSet[] = [
  {
    name: 'pdf',
    folder: 'pdf',
    extension: '.pdf',
    truth: '.truth.json',
    parse: (bytes, without) => parsePdf(bytes, { without }),
    plain: plainText,
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
    baselines: {
      pdftotext: {
        overall: 0.407,
        text: 0.906,
        bow: 0.955,
        title: 0,
        headF1: 0,
        tabDet: 0,
        teds: 0,
        list: 0,
        capt: 0.579,
        foot: 0,
        refs: 0.004,
        para: 0.211,
        leak: 0.974,
        hyph: 0,
      },
      'pdf-inspector md': {
        overall: 0.667,
        text: 0.921,
        bow: 0.947,
        title: 0.786,
        headF1: 0.545,
        tabDet: 0.576,
        teds: 0.446,
        list: 0.645,
        capt: 0.338,
        foot: 0,
        refs: 0.331,
        para: 0.45,
        leak: 0.394,
        hyph: 5.6,
      },
      'liteparse md': {
        overall: 0.683,
        text: 0.917,
        bow: 0.967,
        title: 0.786,
        headF1: 0.581,
        tabDet: 0.426,
        teds: 0.434,
        list: 0.555,
        capt: 0.705,
        foot: 0,
        refs: 0.111,
        para: 0.422,
        leak: 0.057,
        hyph: 0.39,
      },
      'tuned heuristics': {
        overall: 0.905,
        text: 0.962,
        bow: 0.974,
        title: 1,
        headF1: 0.918,
        tabDet: 0.933,
        teds: 0.656,
        list: 0.558,
        capt: 0.933,
        foot: 0.739,
        refs: 0.85,
        para: 0.856,
        leak: 0,
        hyph: 0.006,
      },
    },
  },
  {
    name: 'pmc',
    folder: 'pmc',
    extension: '.pdf',
    truth: '.truth.json',
    halvedBy: 'publisher',
    opened: /^(?:Nature|Hindawi|Springer|Elsevier|John Wiley)/u,
    least: 0.7,
    parse: (bytes, without) => parsePdf(bytes, { without }),
    plain: plainText,
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
    baselines: {
      'liteparse md': {
        overall: 0.686,
        text: 0.933,
        bow: 0.969,
        title: 0.429,
        headF1: 0.519,
        hlevel: 0.859,
        tabDet: 0.638,
        teds: 0.513,
        list: 0.209,
        capt: 0.363,
        refs: 0.448,
        para: 0.404,
        leak: 0.115,
      },
    },
  },
  {
    name: 'publishers',
    folder: 'publishers',
    extension: '.pdf',
    truth: '.truth.json',
    halvedBy: 'publisher',
    parse: (bytes, without) => parsePdf(bytes, { without }),
    plain: plainText,
    targets: { overall: 0.93 },
    baselines: {},
  },
  {
    name: 'classes',
    folder: 'classes',
    extension: '.pdf',
    truth: '.truth.json',
    halvedBy: 'family',
    least: 0.93,
    parse: (bytes, without) => parsePdf(bytes, { without }),
    plain: plainText,
    targets: { overall: 0.965 },
    baselines: {},
  },
  {
    name: 'docling-ref',
    folder: 'docling-ref',
    extension: '.pdf',
    truth: '.docling.doctags',
    parse: (bytes, without) => parsePdf(bytes, { without }),
    targets: { overall: 0.91 },
    baselines: { 'pdf-inspector md': { overall: 0.824 }, 'tuned heuristics': { overall: 0.72 } },
  },
  {
    name: 'jats',
    folder: 'jats',
    extension: '.xml',
    truth: '.truth.json',
    parse: (bytes) => Promise.resolve(parseMarkup(bytes)),
    targets: { overall: 0.985 },
    baselines: { pandoc: { overall: 0.745 }, '40-line saxes walk': { overall: 0.947 } },
  },
  {
    name: 'html',
    folder: 'html',
    extension: '.html',
    truth: '.truth.json',
    parse: (bytes) => Promise.resolve(parseMarkup(bytes)),
    targets: { overall: 0.99 },
    baselines: { turndown: { overall: 0.843 }, defuddle: { overall: 0.842 }, readability: { overall: 0.827 } },
  },
];

/** PDFs of a folder with truth files. */
export function folderSet(folder: string): ScoreSet {
  return {
    name: folder,
    folder,
    extension: '.pdf',
    truth: '.truth.json',
    parse: (bytes, without) => parsePdf(bytes, { without }),
    targets: {},
    baselines: {},
  };
}

/** The engine's text of a file, page by page. */
async function plainText(bytes: Uint8Array): Promise<string> {
  using file = await openPdf(bytes);
  return Array.from({ length: file.pageCount }, (_, page) =>
    file
      .plainText(page + 1)
      .map(({ text }) => text)
      .join('')
      // The engine marks words that are hyphenated at the end of a line.
      .replaceAll('\u0002', ''),
  ).join('\n');
}
