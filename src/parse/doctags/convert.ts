import { open } from 'node:fs/promises';
import { basename } from 'node:path';

import { AppError, errorInfo, sha256, isAbort } from '../../base/index.ts';
import type { StageErrorInfo } from '../../stage/index.ts';
import type { ParsedDocument } from '../document.ts';
import type { DoclingServeOptions } from './engines/docling-serve.ts';
import type { VlmOptions } from './engines/vlm.ts';
import type { ParseFacts } from './formats/sidecar.ts';
import type { FileKind } from './markup/decode.ts';
import { unpack, sniff } from './markup/decode.ts';
import type { OcrSettings } from './ocr/tesseract.ts';
import type * as PdfModule from './pdf.ts';
import type { PdfOptions } from './pdf.ts';
import { RemoteError } from '../remote-error.ts';
import { encodePng } from './layout/output/png.ts';

type ConvertMode = 'auto' | 'pdf' | 'html' | 'xml';

/** PDF engine: the built-in one, a docling-serve server, or a vision model. HTML and XML are always read here. */
export type PdfEngine =
  | { readonly kind: 'embedded' }
  | ({ readonly kind: 'docling-serve' } & DoclingServeOptions)
  | ({ readonly kind: 'vlm' } & VlmOptions);

/** How a file is parsed. */
export interface ParseFileOptions {
  /** What kind of file it is; `auto`, the default, looks at its bytes. */
  readonly mode?: ConvertMode;
  /** What reads PDFs; the built-in engine by default. */
  readonly engine?: PdfEngine;
  /** Larger files are refused; 200 MB by default. */
  readonly maxFileBytes?: number;
  /** Further pages are left out; by default all are read. */
  readonly maxPages?: number;
  /** Reads pages that need OCR if its engine is installed; otherwise they are only reported. */
  readonly ocr?: OcrSettings;
  /** Called after each page; by default nobody is told. */
  readonly onPage?: (how: 'text' | 'ocr') => void;
}

/** A parsed file. */
export interface ParsedFile {
  /** Its structure. */
  readonly document: ParsedDocument;
  readonly kind: FileKind;
  /** The hash of the file. */
  readonly sha256: string;
  /** Which engine parsed it, and how. */
  readonly facts: ParseFacts;
}

const LARGEST_FILE_BYTES = 200_000_000;
/** Longest text of a block: lines of the block file must stay readable, and no paper has a longer paragraph. */
const LARGEST_TEXT = 2_000_000;

export function documentId(path: string): string {
  return basename(path).replace(/(?:\.(?:nxml|xml|html?|xhtml|pdf|tei|jats))?(?:\.gz)?$/i, '');
}

/** Parses a file without writing anything. */
export async function parseFile(
  path: string,
  options: ParseFileOptions = {},
  signal?: AbortSignal,
): Promise<ParsedFile> {
  const file = await readBounded(path, options.maxFileBytes ?? LARGEST_FILE_BYTES);
  signal?.throwIfAborted();
  const bytes = unpack(file);
  const kind = kindFor(options.mode ?? 'auto', bytes);
  const { document, facts } =
    kind === 'pdf'
      ? await readPdf(basename(path), bytes, options, signal)
      : { document: await readMarkup(bytes, kind), facts: { parse_engine: 'embedded' } };
  const long = document.blocks.find((block) => block.text.length > LARGEST_TEXT);
  if (long)
    throw new AppError(
      'PARSE_TOO_LARGE',
      `block ${long.order} has ${long.text.length} characters, more than ${LARGEST_TEXT}`,
    );
  return { document, kind, sha256: sha256(file), facts };
}

function kindFor(mode: ConvertMode, bytes: Uint8Array): FileKind {
  if (mode === 'auto') return sniff(bytes);
  if (mode !== 'xml') return mode;
  const found = sniff(bytes);
  return found === 'jats' || found === 'tei' ? found : 'xml';
}

async function readBounded(path: string, maxBytes: number): Promise<Uint8Array> {
  await using file = await open(path, 'r').catch((error: unknown) => {
    throw new AppError('PARSE_NO_FILE', `${path} cannot be read: ${errorInfo(error).code}`, {
      hint: 'check the path and its permissions',
      cause: error,
    });
  });
  const stat = await file.stat();
  if (!stat.isFile()) throw new AppError('PARSE_NO_FILE', `${path} is not a file`);
  if (stat.size > maxBytes)
    throw new AppError('PARSE_TOO_LARGE', `${path} has ${stat.size} bytes, more than ${maxBytes}`, {
      hint: 'raise parse.max_file_mb to accept it',
    });
  return await file.readFile();
}

/** Loads the readers of HTML and XML with the first such file. */
async function readMarkup(bytes: Uint8Array, kind: FileKind): Promise<ParsedDocument> {
  const { parseMarkup } = await import('./parse-markup.ts');
  return parseMarkup(bytes, { kind });
}

/** Loads the OCR engine with the first PDF. */
async function openOcrEngine({ languages, force, ...settings }: OcrSettings): Promise<PdfOptions['ocr']> {
  const { openOcr } = await import('./ocr/tesseract.ts');
  const engine = await openOcr({ ...settings, languages });
  return engine && { engine, languages, ...(force !== undefined && { force }) };
}

async function readPdf(
  name: string,
  bytes: Uint8Array,
  options: ParseFileOptions,
  signal: AbortSignal | undefined,
): Promise<{ document: ParsedDocument; facts: ParseFacts }> {
  const { engine = { kind: 'embedded' } } = options;
  // Remote engines load the HTTP client, which other papers do not need.
  if (engine.kind === 'docling-serve') {
    const { convertWithDoclingServe } = await import('./engines/docling-serve.ts');
    return convertWithDoclingServe({ name, bytes }, engine, signal);
  }
  const reader = await loadPdfReader();
  const ocr = options.ocr && (await openOcrEngine(options.ocr));
  const embedded = await reader.parsePdf(bytes, {
    ...(options.maxPages !== undefined && { maxPages: options.maxPages }),
    ...(signal && { signal }),
    ...(ocr && { ocr }),
    ...(options.onPage && { onPage: options.onPage }),
  });
  if (engine.kind === 'embedded') return { document: embedded, facts: { parse_engine: 'embedded' } };
  const scale = (engine.dpi ?? 144) / 72;
  const draw = async (page: number): Promise<Uint8Array> => encodePng(await reader.renderPage(bytes, page, scale));
  const { convertWithVlm } = await import('./engines/vlm.ts');
  return await convertWithVlm(embedded, draw, engine, signal);
}

const CATEGORIES: readonly (readonly [codes: RegExp, category: StageErrorInfo['category']])[] = [
  [/^PARSE_NO_PDF_ENGINE$/, 'config'],
  [/^(?:PDF_ENGINE_FAILED|PDF_TOO_LARGE|ENOSPC|EROFS|EACCES|EIO)$/, 'runtime'],
  [/^(?:PARSE|PDF)_/, 'input'],
];

/** Why an item failed, in the categories of the stage. File errors are permanent: only network errors are retried. */
export function parseFailure(error: unknown): Omit<StageErrorInfo, 'stage' | 'itemId'> {
  const { code, message } = errorInfo(error);
  if (error instanceof RemoteError) return { category: error.category, retryable: error.retryable, code, message };
  if (isAbort(error)) return { category: 'timeout', retryable: false, code: 'ABORT_ERR', message };
  const [, category] = CATEGORIES.find(([codes]) => codes.test(code)) ?? [];
  return { category: category ?? 'unknown', retryable: false, code, message };
}

/** Loads the PDF reader, which starts a WebAssembly engine: only PDFs need it. */
export async function loadPdfReader(): Promise<typeof PdfModule> {
  try {
    return await import('./pdf.ts');
  } catch (error) {
    throw new AppError('PARSE_NO_PDF_ENGINE', 'the PDF reader cannot be loaded', {
      hint: 'reinstall docstokg with its dependencies',
      cause: error,
    });
  }
}
