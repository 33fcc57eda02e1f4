import type { Paper } from '../paper.ts';
import { compose } from './compose.ts';
import type { ComposedPage } from './furniture.ts';
import { collect, openDocument } from './paint.ts';
import { renderPages } from './render-pdf.ts';
import { STYLES } from './style.ts';
import type { Layout } from './style.ts';

/** A password-protected file. Uses the oldest cipher, because newer ones start with random bytes. */
export async function renderEncryptedPdf(paper: Paper, password = 'simulated'): Promise<Uint8Array> {
  const style = STYLES.L1;
  return renderPages(paper, style, compose(paper, style), false, {
    userPassword: password,
    ownerPassword: `${password}-owner`,
    pdfVersion: '1.3',
  });
}

/** A valid file with an empty page tree. */
export async function renderEmptyPdf(paper: Paper): Promise<Uint8Array> {
  return collect(openDocument(paper));
}

/** A one-page preview, as publishers show it to readers without access. */
export async function renderPreviewPdf(paper: Paper, layout: Exclude<Layout, 'L7' | 'L8'> = 'L2'): Promise<Uint8Array> {
  const style = STYLES[layout];
  return renderPages(paper, style, compose(paper, style).slice(0, 1));
}

/** A very long file: the pages repeated, like a volume of proceedings. */
export async function renderLongPdf(paper: Paper, pageCount = 400): Promise<Uint8Array> {
  const style = STYLES.L1;
  const pages = compose(paper, style);
  const long = Array.from({ length: pageCount }, (_unused, index) => pages[index % pages.length]).filter(
    (page): page is ComposedPage => page !== undefined,
  );
  return renderPages(paper, style, long);
}

/** Where a file is cut: in a page, in the cross-reference table, or before the end marker. */
export type Cut = 'half' | 'in-xref' | 'no-eof';

export function truncatePdf(pdf: Uint8Array, cut: Cut): Uint8Array {
  const end = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  switch (cut) {
    case 'half':
      return pdf.slice(0, Math.floor(pdf.length / 2));
    case 'in-xref':
      return pdf.slice(0, end.lastIndexOf('xref\n0 ') + 60);
    case 'no-eof':
      return pdf.slice(0, end.lastIndexOf('startxref'));
  }
}
