import { readFile } from 'node:fs/promises';

import { AppError } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';
import { parseFile, type ParseFileOptions } from './convert.ts';
import { readBlockLines } from './formats/block-lines.ts';
import { writeOverlay, type PageImage } from './formats/overlay.ts';
import { unpack } from './markup/decode.ts';
import { loadPdfReader } from './pdf-reader.ts';

/** An image of the page to draw on may be given. */
export interface ShowOptions extends ParseFileOptions {
  readonly image?: string;
}

/** A page of a file, or of a block file parsed before, with the recognised blocks drawn on it, as HTML. */
export async function showPage(path: string, page: number, options: ShowOptions = {}): Promise<string> {
  const { document, image } = await documentAndImage(path, page, options);
  requirePage(document, path, page);
  return writeOverlay(document, page, image);
}

function requirePage({ pages }: ParsedDocument, path: string, page: number): void {
  if (pages.length > 0 && !pages.some((candidate) => candidate.number === page))
    throw new AppError('SHOW_NO_PAGE', `${path} has no page ${page}`, { hint: `pages are 1 to ${pages.length}` });
}

async function documentAndImage(
  path: string,
  page: number,
  options: ShowOptions,
): Promise<{ document: ParsedDocument; image?: PageImage }> {
  if (options.image !== undefined) {
    const bytes = await readFile(options.image);
    const image: PageImage = { bytes, type: bytes[0] === 0xff ? 'image/jpeg' : 'image/png' };
    return { document: await documentOf(path, options), image };
  }
  if (path.endsWith('.jsonl')) return { document: await readBlockLines(path) };
  const { document, kind } = await parseFile(path, options);
  if (kind !== 'pdf' || !document.pages.some((candidate) => candidate.number === page)) return { document };
  const reader = options.pdfReader ?? (await loadPdfReader());
  const png = await reader.renderPage(unpack(await readFile(path)), page, 2);
  return { document, image: { bytes: png, type: 'image/png' } };
}

async function documentOf(path: string, options: ShowOptions): Promise<ParsedDocument> {
  return path.endsWith('.jsonl') ? readBlockLines(path) : (await parseFile(path, options)).document;
}
