import { errorInfo, AppError } from '../../base/index.ts';
import { openPdf } from './engines/pdfium.ts';
import { encodeSmallPng } from './layout/output/png.ts';
import type { PageContent } from './layout/page/page-content.ts';
import type { MarkupElement } from './markup/node.ts';
import { findAll, named } from './markup/node.ts';

export interface PdfSummary {
  readonly pages: number | null;
  readonly isEncrypted: boolean;
  readonly isReadable: boolean;
  /** Text of the first pages in file order; empty for scans. */
  readonly text: string;
  /** Only the first page was read; `close` may find more. */
  readonly isQuick: boolean;
  /** An article in XML whose body has no text to speak of. */
  readonly isStub?: boolean;
}

/** `quick` reads the first page, `close` three pages. */
export type Look = 'quick' | 'close';

/** Enough for a cover sheet, the title page and the abstract. */
const PAGES_READ = 3;

/** Reads the first pages of a PDF. Run it in a process that can be killed: the engine cannot be stopped. */
export async function inspectPdf(path: string, look: Look): Promise<PdfSummary> {
  try {
    using file = await openPdf(path);
    const { pageCount: pages } = file;
    const read = (count: number): string[] =>
      Array.from({ length: Math.min(count, pages) }, (_, at) => file.readPage(at + 1))
        .filter((page) => page !== undefined)
        .map(textInFileOrder);
    const first = look === 'quick' ? read(1) : [];
    const isQuick = first.length > 0;
    const texts = isQuick ? first : read(PAGES_READ);
    const text = [file.information('Title'), ...texts].join('\n');
    return { pages, isEncrypted: false, isReadable: texts.length > 0, text, isQuick };
  } catch (error) {
    const { code } = errorInfo(error);
    if (code !== 'PDF_ENCRYPTED' && !code.startsWith('PDF_')) throw error;
    return { pages: null, isEncrypted: code === 'PDF_ENCRYPTED', isReadable: false, text: '', isQuick: false };
  }
}

export function textInFileOrder({ glyphs }: PageContent): string {
  return glyphs
    .map(({ text, spaced, baseline, size }, at) => {
      const isNewLine = Math.abs(baseline - (glyphs[at - 1]?.baseline ?? baseline)) > 0.5 * size;
      return spaced || isNewLine ? ` ${text}` : text;
    })
    .join('');
}

/** A page, counted from 1, as a PNG in few colours. As with `inspectPdf`, the engine cannot be stopped. */
export async function drawPage(path: string, page: number, widthPixels: number): Promise<Uint8Array | undefined> {
  using file = await openPdf(path);
  if (page < 1 || page > file.pageCount) return undefined;
  return encodeSmallPng(file.render(page, { widthPixels }));
}

/** Enough to contain the title and the DOI. */
const TEXT_CHARACTERS = 400_000;

/** Inspects an article in XML: unreadable if the DocTags stage could not parse it. */
export async function inspectXml(bytes: Uint8Array): Promise<PdfSummary> {
  const { parseXml } = await import('./xml/tree.ts');
  try {
    const root = parseXml(bytes);
    const isStub = !findAll(root, named('body')).some(
      (body) => textOf(body).replaceAll(/\s+/g, ' ').length >= LEAST_BODY_CHARACTERS,
    );
    return { pages: null, isEncrypted: false, isReadable: true, text: textOf(root), isQuick: false, isStub };
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith('PARSE_'))) throw error;
    return { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: false };
  }
}

/** Less is a sentence such as "the publisher does not allow downloading". */
const LEAST_BODY_CHARACTERS = 300;

function textOf(root: MarkupElement): string {
  const texts: string[] = [];
  let characters = 0;
  const walk = (element: MarkupElement): void => {
    for (const child of element.children) {
      if (characters > TEXT_CHARACTERS) return;
      if (typeof child !== 'string') walk(child);
      else {
        texts.push(child);
        characters += child.length;
      }
    }
    texts.push(' ');
  };
  walk(root);
  return texts.join('');
}
