import { open } from 'node:fs/promises';

import type { DocumentFacts, InspectDocument } from '../download/index.ts';
import { glancePlainly, PdfInspector } from '../parse/index.ts';

/** Enough of a marked-up text to find its title and DOI in. */
const TEXT_BYTES = 400_000;

const NOT_TOLD: DocumentFacts = { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: true };

/**
 * Looks into what was downloaded: PDFs and XML in a process of their own, except where a plain look is enough, and the text of
 * a page by itself.
 */
export function openInspector(): Disposable & { readonly inspect: InspectDocument } {
  const files = new PdfInspector();
  return {
    inspect: async (path, kind, look) => {
      if (look === 'plain') return (kind === 'pdf' ? glancePlainly(path) : undefined) ?? NOT_TOLD;
      if (kind !== 'html') return files.glance(path, kind === 'pdf' ? 'pdf' : 'xml', look);
      return { pages: null, isEncrypted: false, isReadable: true, text: await beginning(path), isQuick: false };
    },
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };
}

async function beginning(path: string): Promise<string> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_BYTES), 0, TEXT_BYTES, 0);
  return buffer
    .subarray(0, bytesRead)
    .toString('utf8')
    .replaceAll(/<[^<>]*>/g, ' ');
}
