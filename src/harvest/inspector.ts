import { open } from 'node:fs/promises';

import type { InspectDocument } from '../download/index.ts';
import { raced } from '../http/index.ts';
import { PdfInspector } from '../parse/index.ts';

/** Bytes of a page that are searched for its title and DOI. */
const TEXT_BYTES = 400_000;

/** Looks into downloaded files: PDFs and XML in a separate process, HTML in this one. */
export function openInspector(): Disposable & { readonly inspect: InspectDocument } {
  const files = new PdfInspector();
  return {
    inspect: async (path, kind, look, signal) => {
      signal?.throwIfAborted();
      if (kind !== 'html') return await raced(files.glance(path, kind === 'pdf' ? 'pdf' : 'xml', look), signal);
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
