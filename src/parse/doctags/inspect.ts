import { errorInfo } from '../../base/index.ts';
import { openPdf } from './engines/pdfium.ts';

/** What a quick look into a PDF tells: enough to know whether it is one, and whose. */
export interface PdfGlance {
  readonly pages: number | null;
  readonly isEncrypted: boolean;
  readonly isReadable: boolean;
  /** The text of the first pages as it stands in the file, without layout; empty for scans. */
  readonly text: string;
}

/** A title page, an abstract and whatever was put in front of them. */
const PAGES_READ = 3;

/** Looks at the first pages of a PDF. Run it in a process that can be killed: the engine cannot be stopped. */
export async function glanceAtPdf(bytes: Uint8Array): Promise<PdfGlance> {
  try {
    using file = await openPdf(bytes);
    const texts: string[] = [file.information('Title')];
    let readable = 0;
    for (let number = 1; number <= Math.min(PAGES_READ, file.pageCount); number += 1) {
      const page = file.readPage(number);
      if (!page) continue;
      readable += 1;
      texts.push(page.glyphs.map(({ text }) => text).join(''));
    }
    return { pages: file.pageCount, isEncrypted: false, isReadable: readable > 0, text: texts.join('\n') };
  } catch (error) {
    const { code } = errorInfo(error);
    if (code !== 'PDF_ENCRYPTED' && !code.startsWith('PDF_')) throw error;
    return { pages: null, isEncrypted: code === 'PDF_ENCRYPTED', isReadable: false, text: '' };
  }
}
